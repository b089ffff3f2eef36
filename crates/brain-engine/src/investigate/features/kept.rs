//! Feature cache, keyed by content: a conversation that has not changed since is not read again.
//!
//! What is kept is found by the owner and by a hash of all that features are made from: the letters, their heads, who
//! of the senders is known, and where and when they are read. Invariants: bounded in bytes, of everybody together; what
//! an owner had forgotten goes at once; gone with the process. Of what is kept the older half goes when there is no
//! room, unless it was used since.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

use super::amounts::{Amount, amounts};
use super::conversation::{ConversationFeatures, ReadingFrame, features};
use super::letter::new_part;
use brain_core::core::ids::UserId;
use brain_core::limits::KEPT_FEATURES_BYTES_MAX;
use brain_services::services::contract::searchable::ItemText;

/// What a conversation says.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadLetters {
    pub features: ConversationFeatures,
    pub amounts: Vec<Amount>,
}

impl ReadLetters {
    /// Reads a conversation; `is_known` as in [`features`].
    pub fn of(item: &ItemText, subject: &str, is_known: &dyn Fn(&str) -> bool, frame: ReadingFrame) -> Self {
        let amounts = item.said.iter().flat_map(|said| amounts(&new_part(&said.text))).collect();
        Self { features: features(item, subject, is_known, frame), amounts }
    }

    /// About what it takes in memory.
    fn bytes(&self) -> usize {
        const ENTRY_BYTES: usize = 512;
        ENTRY_BYTES + serde_json::to_vec(&(&self.features, &self.amounts)).map_or(0, |json| json.len())
    }
}

type ByContent = HashMap<(UserId, [u8; 32]), Arc<ReadLetters>>;

/// See the module. One for the whole program.
#[derive(Debug, Default)]
pub struct KeptFeatures(Mutex<Halves>);

#[derive(Debug, Default)]
struct Halves {
    young: ByContent,
    young_bytes: usize,
    old: ByContent,
    /// Conversations that had to be read.
    reads: u64,
}

impl KeptFeatures {
    /// What a conversation says, read now if it is not kept.
    pub fn read(
        &self,
        owner: &UserId,
        item: &ItemText,
        subject: &str,
        is_known: &dyn Fn(&str) -> bool,
        frame: ReadingFrame,
    ) -> Arc<ReadLetters> {
        let key = content_of(item, subject, is_known, frame).map(|content| (owner.clone(), content));
        if let Some(kept) = key.as_ref().and_then(|key| self.halves().get(key)) {
            return kept;
        }
        let read = Arc::new(ReadLetters::of(item, subject, is_known, frame));
        let mut halves = self.halves();
        halves.reads += 1;
        key.into_iter().for_each(|key| halves.put(key, read.clone()));
        read
    }

    /// Lets go of all that is an owner's.
    pub fn forget(&self, owner: &UserId) {
        let mut halves = self.halves();
        let Halves { young, old, .. } = &mut *halves;
        young.retain(|(whose, _), _| whose != owner);
        old.retain(|(whose, _), _| whose != owner);
        halves.young_bytes = halves.young.values().map(|read| read.bytes()).sum();
    }

    /// How many conversations had to be read since the process runs.
    pub fn reads(&self) -> u64 {
        self.halves().reads
    }

    fn halves(&self) -> MutexGuard<'_, Halves> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Halves {
    fn get(&mut self, key: &(UserId, [u8; 32])) -> Option<Arc<ReadLetters>> {
        if let Some(kept) = self.young.get(key) {
            return Some(kept.clone());
        }
        let kept = self.old.remove(key)?;
        self.put(key.clone(), kept.clone());
        Some(kept)
    }

    fn put(&mut self, key: (UserId, [u8; 32]), read: Arc<ReadLetters>) {
        let bytes = read.bytes();
        if self.young_bytes + bytes > KEPT_FEATURES_BYTES_MAX / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if bytes <= KEPT_FEATURES_BYTES_MAX / 2 && self.young.insert(key, read).is_none() {
            self.young_bytes += bytes;
        }
    }
}

/// A hash of all that is looked at; `None` where it cannot be written down, so that nothing is taken for the same.
fn content_of(
    item: &ItemText,
    subject: &str,
    is_known: &dyn Fn(&str) -> bool,
    frame: ReadingFrame,
) -> Option<[u8; 32]> {
    let known: Vec<bool> = item.said.iter().map(|said| is_known(&said.by.address)).collect();
    let frame = (frame.zone.name(), format!("{:?}", frame.order));
    Some(Sha256::digest(serde_json::to_vec(&(frame, subject, known, &item.said)).ok()?).into())
}

#[cfg(test)]
mod tests {
    use chrono::{TimeZone, Utc};

    use super::*;
    use brain_language::language::time::DateOrder;
    use brain_services::services::contract::searchable::{Party, WrittenText};

    const FRAME: ReadingFrame = ReadingFrame { zone: chrono_tz::UTC, order: DateOrder::DayFirst };

    fn letter(text: &str) -> ItemText {
        let by = Party::read("Kim <kim@example.com>");
        let at = Utc.with_ymd_and_hms(2026, 3, 10, 9, 0, 0).single();
        let said = WrittenText { at, by, is_to_me: true, text: text.to_owned(), ..WrittenText::default() };
        ItemText { id: "t".to_owned(), said: vec![said], left_out: 0 }
    }

    fn read(kept: &KeptFeatures, owner: &str, text: &str) -> Arc<ReadLetters> {
        kept.read(&UserId::new(owner), &letter(text), "Boiler", &|_| true, FRAME)
    }

    #[test]
    fn what_has_not_changed_is_read_once_and_by_its_owner() {
        let kept = KeptFeatures::default();
        let text = "Can you send me the invoice over 80 € by Friday?";
        let first = read(&kept, "ann", text);
        assert!(first.features.i_owe.is_some() && first.amounts.len() == 1);
        assert_eq!((read(&kept, "ann", text), kept.reads()), (first.clone(), 1));
        read(&kept, "ann", "Can you send me the invoice over 90 € by Friday?");
        assert_eq!(kept.reads(), 2, "it says something else");
        kept.read(&UserId::new("ann"), &letter(text), "Boiler", &|_| false, FRAME);
        assert_eq!(kept.reads(), 3, "the sender is a stranger");
        read(&kept, "ben", text);
        kept.forget(&UserId::new("ann"));
        read(&kept, "ben", text);
        assert_eq!(kept.reads(), 4);
        read(&kept, "ann", text);
        assert_eq!(kept.reads(), 5, "it was forgotten");
    }

    #[test]
    fn it_stays_within_its_bytes_and_keeps_what_is_used() {
        let kept = KeptFeatures::default();
        let many = KEPT_FEATURES_BYTES_MAX / 600;
        for number in 0..many {
            read(&kept, "ann", &format!("Number {number}."));
            if number % 1_000 == 0 {
                read(&kept, "ann", "Number 0.");
            }
        }
        let before = kept.reads();
        read(&kept, "ann", "Number 0.");
        assert_eq!(kept.reads(), before);
        let halves = kept.halves();
        let held: usize = halves.young.values().chain(halves.old.values()).map(|read| read.bytes()).sum();
        assert!(held <= KEPT_FEATURES_BYTES_MAX && halves.young.len() + halves.old.len() < many);
    }
}
