//! A changed contact: the lines of its card that change with it.

use chrono::{DateTime, Utc};

use super::card::{CardLine, CardText, CardValue, LineFate, separated};
use super::encoded::{CardVersion, ValueForm, encoded, param, plain, without_params};
use super::names::{self, NameParts};
use super::new::{head_of, stamp};
use super::read::UnreadableContact;
use crate::services::contacts::record::Contact;

/// The text of a resource after `before` became `after`. `uid`: the contact goes on under another one.
pub(super) fn written(
    text: &str,
    (before, after): (&Contact, &Contact),
    uid: Option<&str>,
    now: DateTime<Utc>,
) -> Result<String, UnreadableContact> {
    let mut card = CardText::of(text)?;
    if card.is_group() {
        return Err(UnreadableContact::NoContact);
    }
    let (was, name) = (plain(&before.name), plain(&after.name));
    let is_named_so = card.person().is_some_and(|person| plain(&person) == name);
    if was != name && !name.is_empty() {
        card.rename(&was, &name);
    }
    for (name, before, after) in [
        ("EMAIL", &before.emails, &after.emails),
        ("TEL", &before.phones, &after.phones),
        ("NICKNAME", &before.nicknames, &after.nicknames),
        ("CATEGORIES", &before.groups, &after.groups),
    ] {
        card.list(name, &ValueEdits::of(name, before, after));
    }
    let preferred = |contact: &Contact| {
        let preferred = contact.preferred.as_deref()?.trim().to_lowercase();
        contact.emails.iter().any(|email| email.to_lowercase() == preferred).then_some(preferred)
    };
    if preferred(before) != preferred(after) {
        card.prefer(preferred(after).as_deref());
    }
    // Who was called by an address or a number keeps that name when another is the first.
    if is_named_so && card.person().is_none_or(|person| plain(&person) != name) {
        card.rename(&was, &name);
    }
    card.drop_labels();
    if let Some(uid) = uid {
        card.set("UID", encoded("UID:", &[uid.to_owned()], ValueForm::Single, card.version));
    }
    if card.is_changed() {
        card.stamp(now);
    }
    Ok(card.apply(text))
}

/// What becomes of the values of one property.
#[derive(Debug, Default)]
struct ValueEdits {
    /// What goes, and what stands in its place.
    gone: Vec<(String, Option<String>)>,
    added: Vec<String>,
}

impl ValueEdits {
    fn of(name: &str, before: &[String], after: &[String]) -> Self {
        let read = |list: &[String]| {
            let list = list.iter().map(|one| if name == "CATEGORIES" { plain(one).to_lowercase() } else { plain(one) });
            list.collect::<Vec<String>>()
        };
        let (before, after) = (read(before), read(after));
        let mut edits = Self::default();
        let mut added: Vec<Option<String>> =
            after.iter().map(|one| (!one.is_empty() && !before.contains(one)).then(|| one.clone())).collect();
        for (at, one) in before.iter().enumerate().filter(|(_, one)| !after.contains(one)) {
            edits.gone.push((one.clone(), added.get_mut(at).and_then(Option::take)));
        }
        edits.added = added.into_iter().flatten().collect();
        edits
    }

    fn of_value(&self, says: Option<&str>) -> ValueFate<'_> {
        let is_gone = |gone: &String| says.is_some_and(|says| says.eq_ignore_ascii_case(gone));
        match self.gone.iter().find(|(gone, _)| is_gone(gone)) {
            None => ValueFate::Same,
            Some((_, None)) => ValueFate::Nothing,
            Some((_, Some(words))) => ValueFate::Other(words),
        }
    }
}

/// What is written for a value that is there.
enum ValueFate<'e> {
    /// It stays as it is.
    Same,
    Other(&'e String),
    Nothing,
}

impl CardText {
    /// FN is another, and N where it does not say that anyhow. Of a firm's card the firm's name is.
    fn rename(&mut self, was: &str, name: &str) {
        let is_said = |line: &CardLine| line.name == "FN" && line.says(&line.value).is_some();
        let whole = self.lines.iter().position(is_said).or_else(|| self.position("FN"));
        match whole {
            Some(at) => self.lines[at].say(name, self.version),
            None => self.lines.push(CardLine::saying("FN", "FN:", name, self.version)),
        }
        let at = self.position("N");
        let old: NameParts = at.map(|at| self.lines[at].name_parts()).unwrap_or_default();
        let is_nobodys = old.iter().all(String::is_empty);
        if is_nobodys && self.position("ORG").is_some_and(|at| self.lines[at].rename_firm(was, name, self.version)) {
            return;
        }
        let new = names::parts_of(name, &old);
        match at {
            Some(at) if !names::say(&old, name) => self.lines[at].set_name_parts(&old, &new, self.version),
            None if self.version != CardVersion::V4 => {
                let (head, value) = encoded("N:", &new, ValueForm::Component, self.version);
                self.lines.push(CardLine::new("N", &head, value));
            }
            Some(_) | None => {}
        }
    }

    /// The values of one property, with these edits.
    fn list(&mut self, name: &'static str, edits: &ValueEdits) {
        let (version, is_listed) = (self.version, ["NICKNAME", "CATEGORIES"].contains(&name));
        let mut added = edits.added.clone();
        for line in self.lines.iter_mut().filter(|line| line.name == name) {
            if is_listed {
                added.extend(line.edit_parts(edits, version));
                continue;
            }
            match edits.of_value(line.only()) {
                ValueFate::Same => {}
                ValueFate::Other(words) => line.say(words, version),
                ValueFate::Nothing => line.fate = LineFate::Gone,
            }
        }
        for words in added {
            let mut lines = self.lines.iter_mut().filter(|line| line.is_there(name));
            let is_said = |line: &CardLine| {
                line.parts.iter().any(|part| part.says.as_ref().is_some_and(|says| says.eq_ignore_ascii_case(&words)))
            };
            if lines.any(|line| is_said(line) || is_listed && line.append(&words, version)) {
                continue;
            }
            self.lines.push(CardLine::saying(name, head_of(name, false, version), &words, version));
        }
    }

    /// The labels of values that are gone.
    fn drop_labels(&mut self) {
        let is_label = |line: &CardLine| line.name == "X-ABLABEL";
        let gone: Vec<String> =
            self.lines.iter().filter(|line| line.fate == LineFate::Gone).filter_map(CardLine::group).collect();
        for group in gone {
            let is_in = |line: &CardLine| line.fate != LineFate::Gone && line.group().as_ref() == Some(&group);
            if !self.lines.iter().any(|line| is_in(line) && !is_label(line)) {
                let labels = self.lines.iter_mut().filter(|line| is_in(line));
                labels.for_each(|line| line.fate = LineFate::Gone);
            }
        }
    }

    fn stamp(&mut self, now: DateTime<Utc>) {
        let was = self.line("REV").map(|line| (line.head.clone(), line.value.clone()));
        match was {
            Some((head, value)) => {
                let is_day = param(&head, "VALUE").is_some_and(|kind| kind.eq_ignore_ascii_case("DATE"));
                let head = if is_day { without_params(&head, |name| name == "value") } else { head };
                self.set("REV", (head, stamp(Some(&value), self.version, now)));
            }
            None if self.version == CardVersion::V2 => {}
            None => self.set("REV", ("REV:".to_owned(), stamp(None, self.version, now))),
        }
    }

    fn set(&mut self, name: &'static str, (head, value): (String, String)) {
        match self.position(name) {
            Some(at) => {
                let line = &mut self.lines[at];
                (line.head, line.value) = (head, value);
                line.change();
            }
            None => self.lines.push(CardLine::new(name, &head, value)),
        }
    }
}

impl CardLine {
    /// A new line that says this.
    fn saying(name: &str, head: &str, words: &str, version: CardVersion) -> Self {
        let mut line = Self::new(name, head, String::new());
        line.say(words, version);
        line
    }

    /// Says this instead.
    fn say(&mut self, words: &str, version: CardVersion) {
        // A number that is no URI any more is not said to be one.
        let is_uri = param(&self.head, "VALUE").is_some_and(|kind| kind.eq_ignore_ascii_case("URI"));
        let head = without_params(&self.head, |name| is_uri && name == "value");
        let form = if ["NICKNAME", "CATEGORIES"].contains(&self.name.as_str()) {
            ValueForm::Listed
        } else {
            ValueForm::Single
        };
        (self.head, self.value) = encoded(&head, &[words.to_owned()], form, version);
        self.parts = vec![CardValue { raw: self.value.clone(), says: Some(words.to_owned()) }];
        self.change();
    }

    /// Changes the values of a line of several. Returns what it cannot say beside those that stay.
    fn edit_parts(&mut self, edits: &ValueEdits, version: CardVersion) -> Vec<String> {
        let (mut kept, mut elsewhere) = (Vec::new(), Vec::new());
        let mut is_changed = false;
        for part in std::mem::take(&mut self.parts) {
            let becomes = edits.of_value(part.says.as_deref());
            is_changed |= !matches!(becomes, ValueFate::Same);
            match becomes {
                ValueFate::Same => kept.push(part),
                ValueFate::Other(words) => match self.listed(words, version) {
                    Some(part) => kept.push(part),
                    None => elsewhere.push(words.clone()),
                },
                ValueFate::Nothing => {}
            }
        }
        self.parts = kept;
        if is_changed {
            self.join_parts();
        }
        elsewhere
    }

    /// One more value, where this line can say it beside those that it has.
    fn append(&mut self, words: &str, version: CardVersion) -> bool {
        match self.listed(words, version).filter(|_| !self.value.trim().is_empty()) {
            Some(part) => self.parts.push(part),
            None => return false,
        }
        self.join_parts();
        true
    }

    /// Words as a value of this line; `None`: its head does not allow that.
    fn listed(&self, words: &str, version: CardVersion) -> Option<CardValue> {
        let (head, raw) = encoded(&self.head, &[words.to_owned()], ValueForm::Listed, version);
        (head == self.head).then(|| CardValue { raw, says: Some(words.to_owned()) })
    }

    fn join_parts(&mut self) {
        self.value = self.parts.iter().map(|part| part.raw.as_str()).collect::<Vec<_>>().join(",");
        self.change();
        if self.parts.iter().all(|part| part.raw.trim().is_empty()) {
            self.fate = LineFate::Gone;
        }
    }

    /// The parts of N.
    fn name_parts(&self) -> NameParts {
        let mut parts = separated(&self.value, ';', usize::MAX).into_iter();
        std::array::from_fn(|_| parts.next().and_then(|raw| self.says(raw)).unwrap_or_default())
    }

    /// N says these; what stays of the old ones stays as it is written.
    fn set_name_parts(&mut self, old: &NameParts, new: &NameParts, version: CardVersion) {
        // How the old name was sorted and put together.
        let head = without_params(&self.head, |name| ["sort-as", "jscomps"].contains(&name));
        let (head, value) = encoded(&head, new, ValueForm::Component, version);
        let is_encoded_alike = param(&head, "ENCODING") == param(&self.head, "ENCODING");
        let written = separated(&self.value, ';', usize::MAX);
        let parts =
            separated(&value, ';', usize::MAX).into_iter().enumerate().map(|(at, part)| match written.get(at) {
                Some(raw) if is_encoded_alike && old[at] == new[at] => raw,
                _ => part,
            });
        (self.value, self.head) = (parts.collect::<Vec<_>>().join(";"), head);
        self.change();
    }

    /// The firm of a card that is a firm's.
    fn rename_firm(&mut self, was: &str, name: &str, version: CardVersion) -> bool {
        let mut parts: Vec<String> = separated(&self.value, ';', usize::MAX).into_iter().map(str::to_owned).collect();
        let says = parts.first().and_then(|firm| self.says(firm));
        let (head, firm) = encoded(&self.head, &[name.to_owned()], ValueForm::Component, version);
        if says.as_deref() != Some(was) || head != self.head {
            return false;
        }
        parts[0] = firm;
        self.value = parts.join(";");
        self.change();
        true
    }
}
