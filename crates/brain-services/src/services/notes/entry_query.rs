//! What a request about single entries is about: the list, and the entries on it.
//!
//! The list is the one that was named; else the one last spoken of, if it holds the entry; else the only one that does.
//! What is doubtful is asked about, what is not there is said. Not here: what becomes of the entries.

use super::entries::{self, Meant};
use super::record::{Note, entries_in};
use super::service::NotesService;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::{ItemChoice, Prepared};
use crate::services::helpers::finding::Choice;
use crate::services::helpers::items::{self, Item, RevisedItem};
use crate::services::helpers::preparing;
use crate::services::helpers::search::WordQuery;
use crate::services::helpers::texts::{self, brief};
use brain_core::limits::{CANDIDATES_MAX, RESULT_ROWS_MAX};

/// Entries of a list that are named when something is not among them.
const NAMED_MAX: usize = 8;

/// In which state an entry has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryState {
    Open,
    Ticked,
    Either,
}

impl EntryState {
    fn admits(self, is_ticked: bool) -> bool {
        match self {
            Self::Open => !is_ticked,
            Self::Ticked => is_ticked,
            Self::Either => true,
        }
    }
}

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryQuery<'a> {
    /// The words for the list, if any were said.
    pub list: Option<&'a str>,
    /// The id of what was last spoken of.
    pub near: Option<&'a str>,
    pub items: &'a [String],
    pub state: EntryState,
    /// What is not on the list is kept as it was said.
    pub keeps_missing: bool,
}

/// The entries of a list that are meant, as they are written there.
#[derive(Debug, Default)]
struct Entries {
    found: Vec<String>,
    remarks: Vec<String>,
}

impl NotesService {
    /// Makes a command about entries ready; `settled` gets what they are called on the list.
    pub(super) async fn with_entries<C>(
        &self,
        ctx: &RequestContext,
        sought: EntryQuery<'_>,
        settled: impl FnOnce(Vec<String>) -> C,
    ) -> Result<Prepared<C>, ServiceError> {
        let choice = match sought.list.filter(|words| is_name(words)) {
            Some(words) => self.named(ctx, words, Note::is_list).await?,
            None => match self.list_holding(ctx, &sought).await? {
                Ok(choice) => choice,
                Err(what) => return Ok(Prepared::NotFound { what }),
            },
        };
        let held = match choice {
            Choice::One(held) => held,
            several @ Choice::Several { .. } => {
                return preparing::prepared(ctx, several, settled(Vec::new()), "find_by", "");
            }
            Choice::None => {
                let what = format!("I found no list like “{}”.", brief(sought.list.unwrap_or_default()));
                return Ok(Prepared::NotFound { what });
            }
        };
        let entries = match entries_of(&held.0, &sought) {
            Ok(entries) => entries,
            Err(EntryProblem::Which { item, entries, sure }) => return Ok(which(&held.0, &item, &entries, sure)),
            Err(EntryProblem::NotThere(what)) => return Ok(Prepared::NotFound { what }),
        };
        let mut prepared = preparing::prepared(ctx, Choice::One(held), settled(entries.found), "find_by", "")?;
        if let Prepared::Ready { notes, .. } = &mut prepared {
            notes.extend(entries.remarks);
        }
        Ok(prepared)
    }

    /// The list that holds the entries, where none was named; or why there is none.
    async fn list_holding(
        &self,
        ctx: &RequestContext,
        sought: &EntryQuery<'_>,
    ) -> Result<Result<Choice<Note>, String>, ServiceError> {
        let near = match sought.near {
            Some(id) => items::by_id::<Note>(&self.store, &ctx.owner, id).await?.filter(|(note, _)| note.is_list()),
            None => None,
        };
        if let Some((note, revision)) = &near
            && (sought.keeps_missing || sure_of(note, sought.items, EntryState::Either) > 0)
        {
            return Ok(Ok(Choice::One((note.clone(), *revision))));
        }
        let query = WordQuery::new(&sought.items.join(" "));
        let looked = self.finder(ctx).named::<Note>(&query, RESULT_ROWS_MAX).await?;
        let mut lists: Vec<RevisedItem<Note>> = looked.held.into_iter().filter(|(note, _)| note.is_list()).collect();
        lists.sort_by(|(a, _), (b, _)| b.updated_at.cmp(&a.updated_at).then_with(|| a.id.cmp(&b.id)));
        for state in [sought.state, EntryState::Either] {
            if let Some(choice) = best_of(&lists, |note| sure_of(note, sought.items, state)) {
                return Ok(Ok(choice));
            }
        }
        if let Some(near) = near {
            return Ok(Ok(Choice::One(near)));
        }
        if let Some(choice) = best_of(&lists, |note| perhaps_of(note, sought.items)) {
            return Ok(Ok(choice));
        }
        Ok(Err(format!("{} is on none of your lists.", quoted(sought.items))))
    }
}

/// Words that tell one list from others; the bare noun does not.
fn is_name(words: &str) -> bool {
    let query = WordQuery::new(words);
    !query.is_vague()
}

/// Those of the lists that score best, if any does.
fn best_of(lists: &[RevisedItem<Note>], score: impl Fn(&Note) -> usize) -> Option<Choice<Note>> {
    let best = lists.iter().map(|(note, _)| score(note)).max().filter(|best| *best > 0)?;
    let found: Vec<&RevisedItem<Note>> = lists.iter().filter(|(note, _)| score(note) == best).collect();
    Some(match found.as_slice() {
        [only] => Choice::One((*only).clone()),
        several => {
            let items: Vec<Note> = several.iter().take(CANDIDATES_MAX).map(|(note, _)| note.clone()).collect();
            Choice::Several { more: several.len() - items.len(), items, sure: true }
        }
    })
}

fn in_state(note: &Note, state: EntryState) -> impl Iterator<Item = &str> {
    note.items.iter().map(String::as_str).filter(move |entry| state.admits(entries::is_ticked(entry)))
}

/// How many of these are on the list for sure.
fn sure_of(note: &Note, items: &[String], state: EntryState) -> usize {
    let is_there = |item: &&String| parts(note, item).iter().any(|part| meant_in(note, part, state).is_sure());
    items.iter().filter(is_there).count()
}

/// How many of these may be meant by something on the list.
fn perhaps_of(note: &Note, items: &[String]) -> usize {
    items.iter().filter(|item| meant_in(note, item, EntryState::Either) != Meant::None).count()
}

fn meant_in<'n>(note: &'n Note, item: &str, state: EntryState) -> Meant<'n> {
    entries::meant(in_state(note, state), item)
}

/// An entry as it was said, or, where the list has no such entry, what commas and conjunctions separate in it.
fn parts(note: &Note, item: &str) -> Vec<String> {
    let parts = entries_in(item);
    let is_one = parts.len() < 2 || meant_in(note, item, EntryState::Either).is_sure();
    if is_one { vec![item.to_owned()] } else { parts }
}

/// Why the entries are not settled.
enum EntryProblem {
    Which { item: String, entries: Vec<String>, sure: bool },
    NotThere(String),
}

/// What `sought` means on this list. What is there is settled, and what is not is a remark, or all, where none is.
fn entries_of(note: &Note, sought: &EntryQuery<'_>) -> Result<Entries, EntryProblem> {
    let mut entries = Entries::default();
    for item in sought.items.iter().flat_map(|item| parts(note, item)) {
        let admitted = |entry: &&str| {
            let states = note.items.iter().filter(|kept| entries::words_of(kept) == *entry);
            states.map(|kept| entries::is_ticked(kept)).any(|is_ticked| sought.state.admits(is_ticked))
        };
        let found = match meant_in(note, &item, EntryState::Either) {
            Meant::One(entry) => Some((vec![entry], true)),
            Meant::Several { entries, sure } => Some((entries, sure)),
            Meant::None => None,
        };
        // What may be added need not be a slip of what is there.
        let found = found.filter(|(found, sure)| *sure || !sought.keeps_missing || found.iter().any(admitted));
        let Some((found, sure)) = found else {
            match sought.keeps_missing {
                true => entries.found.push(item),
                false => entries.remarks.push(format!("“{}” is not on {}", brief(&item), brief(&note.title))),
            }
            continue;
        };
        let fitting: Vec<&str> = found.iter().copied().filter(admitted).collect();
        match (fitting.as_slice(), found.as_slice()) {
            ([only], _) if sure => entries.found.push((*only).to_owned()),
            ([], [only, ..]) => entries.remarks.push(already(note, only, sought.state)),
            ([], []) => {}
            (several, _) => {
                let entries = several.iter().map(|entry| (*entry).to_owned()).collect();
                return Err(EntryProblem::Which { item, entries, sure });
            }
        }
    }
    entries.found.dedup();
    if !entries.found.is_empty() {
        return Ok(entries);
    }
    let said = entries.remarks.join("; ");
    Err(EntryProblem::NotThere(match what_there_is(note, sought.state) {
        Some(there) => format!("{said}; {there}."),
        None => format!("{said}."),
    }))
}

fn already(note: &Note, entry: &str, state: EntryState) -> String {
    let ticked = match state {
        EntryState::Open => "ticked already",
        EntryState::Ticked | EntryState::Either => "not ticked",
    };
    format!("“{}” is {ticked} on {}", brief(entry), brief(&note.title))
}

fn what_there_is(note: &Note, state: EntryState) -> Option<String> {
    let there: Vec<String> = in_state(note, state).map(|entry| brief(entries::words_of(entry))).collect();
    let named = there.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
    match there.len() {
        0 => None,
        count if count > NAMED_MAX => Some(format!("it has: {named} and {} more", count - NAMED_MAX)),
        _ => Some(format!("it has: {named}")),
    }
}

fn which<C>(note: &Note, item: &str, entries: &[String], sure: bool) -> Prepared<C> {
    let list = brief(&note.title);
    let question = match (sure, entries) {
        (true, _) => format!("Several on {list} fit “{}”. Which do you mean?", brief(item)),
        (false, [only]) => format!("“{}” is not on {list}. Do you mean {}?", brief(item), brief(only)),
        (false, _) => format!("“{}” is not on {list}. Do you mean one of these?", brief(item)),
    };
    let untrusted = note.untrusted();
    let choice = |entry: &String| ItemChoice { id: entry.clone(), label: brief(entry), untrusted: untrusted.clone() };
    let candidates = entries.iter().take(CANDIDATES_MAX).map(choice).collect();
    Prepared::Several { param: format!("items={item}"), question, candidates }
}

fn quoted(items: &[String]) -> String {
    items.iter().map(|item| format!("“{}”", brief(item))).collect::<Vec<_>>().join(" and ")
}

/// The entries of a command, cleaned.
pub(super) fn cleaned(items: &[String]) -> Result<Vec<String>, ServiceError> {
    let items = texts::filled_all(items);
    match items.is_empty() {
        true => Err(ServiceError::Refused("There was no entry to look for.".to_owned())),
        false => Ok(items),
    }
}

/// An entry that was there when it was looked for.
pub(super) fn gone(note: &Note, entry: &str) -> ServiceError {
    ServiceError::Refused(format!("“{}” is no longer on {} as it was.", brief(entry), brief(&note.title)))
}
