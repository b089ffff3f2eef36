//! Long answers of tools, whole, for a while: a receipt shows the beginning and the end, and a button reads on.
//!
//! They are kept in memory alone, by the call that they answered and for who asked; a restart forgets them, and that is
//! said. Bounded in number, size and time. Not here: what of an answer is journalled.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Tools;
use super::receipt::framed_answer;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::error::ServiceError;
use brain_core::core::card::CardBody;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::Stakes;
use brain_core::limits;

/// The answers of one source of tools.
#[derive(Debug, Default)]
pub struct ResultCache {
    /// The oldest first.
    kept: Mutex<VecDeque<FullAnswer>>,
}

#[derive(Debug)]
struct FullAnswer {
    of: String,
    owner: UserId,
    until: DateTime<Utc>,
    text: Arc<str>,
}

/// How an answer goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestOfAnswer {
    /// The call that it answered.
    pub of: String,
    /// Where it goes on, in bytes.
    pub from: usize,
    /// Lines from there on.
    pub lines: usize,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Its words, which are not ours; bounded before they are journalled.
    pub text: String,
    /// How it goes on behind its first page, where it is longer and kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<RestOfAnswer>,
}

impl ToolResult {
    /// These words, whole.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), rest: None }
    }
}

impl ResultCache {
    /// Keeps an answer whole, as far as that may be, and says how it goes on behind its first page; `None`: that is all.
    pub(super) fn keep(&self, owner: &UserId, of: &str, text: &str, now: DateTime<Utc>) -> Option<RestOfAnswer> {
        let text = &text[..text.floor_char_boundary(limits::TOOL_KEPT_BYTES_MAX)];
        let rest = rest(of, text, page_end(text, 0))?;
        let mut kept = self.kept();
        kept.retain(|answer| answer.until > now && answer.of != of);
        while kept.len() >= limits::TOOL_KEPT_MAX {
            kept.pop_front();
        }
        let until = now + Duration::seconds(limits::PAGE_SECS);
        kept.push_back(FullAnswer { of: of.to_owned(), owner: owner.clone(), until, text: text.into() });
        Some(rest)
    }

    /// A page of one, and how it goes on behind that.
    fn page(&self, owner: &UserId, on: &ReadMore, now: DateTime<Utc>) -> Option<(String, Option<RestOfAnswer>)> {
        let is_it = |answer: &&FullAnswer| answer.of == on.of && answer.owner == *owner && answer.until > now;
        let text = self.kept().iter().find(is_it).map(|answer| answer.text.clone())?;
        let start = text.floor_char_boundary(on.from);
        let end = page_end(&text, start);
        Some((text[start..end].to_owned(), rest(&on.of, &text, end)))
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<FullAnswer>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first page of an answer.
pub(super) fn first_page(text: &str) -> &str {
    &text[..page_end(text, 0)]
}

/// Where a page ends that begins there: so many lines, and so many bytes where these are long.
fn page_end(text: &str, start: usize) -> usize {
    let most = text.floor_char_boundary(start.saturating_add(limits::TOOL_RECEIPT_CHARS_MAX));
    let lines = text[start..most].match_indices('\n').map(|(at, _)| start + at + 1);
    let last = lines.take(limits::LIST_ROWS_MAX).enumerate().last();
    match last {
        Some((count, end)) if count + 1 == limits::LIST_ROWS_MAX || most < text.len() => end,
        Some(_) | None => most,
    }
}

fn rest(of: &str, text: &str, from: usize) -> Option<RestOfAnswer> {
    let lines = text[from..].lines().count();
    (!text[from..].trim().is_empty()).then(|| RestOfAnswer { of: of.to_owned(), from, lines })
}

/// Reads on in a long answer. Nobody plans it: a button asks for it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadMore {
    /// The call that it answered.
    pub of: String,
    /// Where it goes on, in bytes.
    pub from: usize,
}

/// A page of a long answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct PageOfAnswer {
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rest: Option<RestOfAnswer>,
}

impl Command for ReadMore {
    type Output = PageOfAnswer;

    // No tool can have this name.
    const NAME: &'static str = "read:on";
    const SUMMARY: &'static str = "read on in a long answer";
    const EXAMPLE: &'static str = "more";
    const STATUS: &'static str = "Reading on…";
    const STAKES: Stakes = Stakes::Low;
    const SHOWS_UNTRUSTED: bool = true;

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Read on?")
    }

    fn receipt(&self, output: &PageOfAnswer, _: &Receipt<'_>) -> String {
        framed_answer(&output.text)
    }

    fn next_page(&self, output: &PageOfAnswer) -> Option<(usize, Self)> {
        let RestOfAnswer { of, from, lines } = output.rest.clone()?;
        Some((lines, Self { of, from }))
    }

    fn attempt(&self, _: &Action) -> String {
        "read on".to_owned()
    }
}

#[async_trait]
impl<S: Tools> Handle<ReadMore> for S {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, ReadMore>) -> Result<Completed<PageOfAnswer>, ServiceError> {
        let page = self.kept().and_then(|kept| kept.page(&call.ctx.owner, &call.command, call.ctx.now));
        let Some((text, rest)) = page else {
            let gone = "That answer isn't kept any more. Ask again and I'll get it anew.";
            return Err(ServiceError::Refused(gone.to_owned()));
        };
        let foreign = UntrustedText::new(format!("an answer of {}", call.action.service), text.clone());
        Ok(Completed::read(PageOfAnswer { text, rest }).holding(vec![foreign]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_read_to_its_end_page_by_page_and_by_who_asked_alone() {
        let (kept, anna, now) = (ResultCache::default(), UserId::new("anna"), DateTime::<Utc>::UNIX_EPOCH);
        for text in [(0..500).map(|n| format!("line {n}\n")).collect::<String>(), "ä".repeat(9_000), "\n".repeat(3_000)]
        {
            let mut read = first_page(&text).to_owned();
            let mut next = kept.keep(&anna, "a", &text, now);
            while let Some(RestOfAnswer { of, from, .. }) = next {
                let on = ReadMore { of, from };
                assert_eq!(kept.page(&UserId::new("bob"), &on, now), None);
                let (page, rest) = kept.page(&anna, &on, now).unwrap();
                assert!(!page.is_empty() && page.len() <= limits::TOOL_RECEIPT_CHARS_MAX, "{}", page.len());
                (read, next) = (read + &page, rest);
            }
            assert_eq!(read.trim_end(), text.trim_end());
        }
        assert_eq!(kept.keep(&anna, "b", "short", now), None);
        let long = "x\n".repeat(1_000);
        let rest = kept.keep(&anna, "c", &long, now).unwrap();
        let on = ReadMore { of: rest.of, from: rest.from };
        assert_eq!(kept.page(&anna, &on, now + Duration::seconds(limits::PAGE_SECS)), None, "its time is over");
        for of in 0..limits::TOOL_KEPT_MAX {
            kept.keep(&anna, &of.to_string(), &long, now);
        }
        assert_eq!(kept.page(&anna, &on, now), None, "others came");
    }
}
