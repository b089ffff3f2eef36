//! What a `.env` that is found in a folder may say. All of it, where the data folder and the bot's token come from it or
//! from nobody. Where the environment names one of them, only how things are done: whose data it is decides where its
//! words go, who may do what with it and how long it is kept, and a folder that somebody is started in does not.
//!
//! Invariant: what is left out is told by its names and never by its values, with why and what to do.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::keys::{Decides, decides};
use super::reader::{ConfigReader, ValueSource};

/// What says whose data it is.
const ANCHORS: [&str; 2] = ["BRAIN_DATA_DIR", "TELEGRAM_BOT_TOKEN"];
/// A model's key, and its address.
const MODEL: &str = "_MODEL";

/// Which setting comes from where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsOrigin {
    /// The `.env` that was read.
    pub file: PathBuf,
    /// What it has set, by name.
    pub of_file: Vec<String>,
    /// What the environment has set, by name.
    pub of_environment: Vec<String>,
    /// What it says and does not count, by name.
    pub left_out: BTreeSet<String>,
    /// The key of the environment for which that is so.
    pub anchor: Option<&'static str>,
}

impl SettingsOrigin {
    /// What was taken from where; `None` where no file has a part in it.
    pub fn taken(&self) -> Option<String> {
        if self.of_file.is_empty() {
            return None;
        }
        let environment = match self.of_environment.as_slice() {
            [] => String::new(),
            keys => format!("; from the environment: {}", keys.join(", ")),
        };
        Some(format!("settings from {}: {}{environment}", self.file.display(), self.of_file.join(", ")))
    }

    /// What was left out, why, and what to do.
    pub fn told(&self) -> Option<String> {
        let anchor = self.anchor.filter(|_| !self.left_out.is_empty())?;
        let keys: Vec<&str> = self.left_out.iter().map(String::as_str).collect();
        Some(format!(
            "{} does not decide about {}, so I left that out: {anchor} is set in the environment, and a file that lies in \
             a folder does not say where its words go, who may do what, or how long anything is kept. Set it in the \
             environment as well, or take {anchor} out of there and write it into this .env",
            self.file.display(),
            keys.join(", ")
        ))
    }
}

impl ConfigReader {
    /// Takes out what the file may not say, and notes where the rest comes from.
    pub(super) fn leave_out(&mut self) {
        let is_of_file = |source: &ValueSource| *source == ValueSource::File;
        let anchor = ANCHORS.into_iter().find(|key| self.values.get(*key).is_some_and(|(_, of)| !is_of_file(of)));
        if anchor.is_some() {
            let said: Vec<String> = self.of(is_of_file);
            let goes = |key: &String| match decides(key) {
                Some(Decides::Place | Decides::Right | Decides::Keeping) => true,
                Some(Decides::Model | Decides::Manner) | None => false,
            };
            said.iter().filter(|key| goes(key)).for_each(|key| self.take_out(key));
            // What is left of a model is told of with its place.
            let models = said.iter().filter(|key| decides(key) == Some(Decides::Model));
            let placeless: Vec<&String> = models.filter(|key| !self.has_place(key)).collect();
            placeless.into_iter().for_each(|key| self.take_out(key));
        }
        self.origin = SettingsOrigin {
            of_file: self.of(is_of_file),
            of_environment: self.of(|source| !is_of_file(source)),
            left_out: self.left_out.keys().cloned().collect(),
            anchor,
            file: std::mem::take(&mut self.origin.file),
        };
    }

    /// Whether anybody says where this model is.
    fn has_place(&self, key: &str) -> bool {
        let own = key.replacen(MODEL, "_BASE_URL", 1);
        let common = key.split_once(MODEL).map(|(service, _)| format!("{service}_BASE_URL"));
        [Some(own), common].iter().flatten().any(|place| self.values.contains_key(place))
    }

    fn take_out(&mut self, key: &str) {
        if let Some((_, source)) = self.values.remove(key) {
            self.left_out.insert(key.to_owned(), source);
        }
    }

    fn of(&self, is_meant: impl Fn(&ValueSource) -> bool) -> Vec<String> {
        self.values.iter().filter(|(_, (_, source))| is_meant(source)).map(|(key, _)| key.clone()).collect()
    }
}
