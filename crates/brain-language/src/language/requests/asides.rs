//! Asides: what words are that ask for nothing as a whole: politeness, a remark, a reason, or a restriction.

use std::ops::Range;

use super::account::SpanRole;
use super::grammar::GRAMMAR;
use super::matching;
use super::prices::TokenClass;
use super::residue::WordLedger;
use crate::language::tokens::lower;

/// A fragment of at most so many words is a short part; more words tell something.
const SHORT_PART_WORDS: usize = 6;
/// A bare negation has at most so many words.
const NO_MORE_WORDS: usize = 3;

impl WordLedger<'_> {
    /// What a part of a sentence is as a whole.
    pub fn role_of_part(&self, range: &Range<usize>) -> Option<SpanRole> {
        let lexicon = GRAMMAR.lexicon;
        let ids = &self.heard.words[range.clone()];
        let starts = |class: &str| lexicon.starts(class, ids).is_some();
        let any = |classes: &[&str]| classes.iter().any(|class| starts(class));
        let lead = matching::starts(lexicon, ids).last().copied().unwrap_or_default();
        let core = &ids[lead..];
        let is = |classes: &[&str]| {
            classes.iter().any(|class| lexicon.is_phrase(class, ids) || lexicon.is_phrase(class, core))
        };
        let timed = !self.heard.times_in(range).is_empty();
        let skipped = |class| Some(SpanRole::Skipped(class));
        // At the start it corrects what was said in an earlier message.
        if starts("dearcorrection") && range.start > 0 {
            return skipped(TokenClass::Correction);
        }
        let only = lexicon.starts("dearrestriction", ids);
        if only.is_some_and(|len| timed || !self.tells(&(range.start + len..range.end))) || is(&["quantifier"]) {
            return skipped(TokenClass::Restriction);
        }
        if !timed && is(&["lead", "tail", "delead", "detail", "giveup", "closing"]) {
            return Some(SpanRole::Politeness);
        }
        if self.heard.quoted[range.start] {
            return skipped(TokenClass::Quotation);
        }
        if starts("dearcondition") {
            let told = lexicon.find("consequence", ids).is_some_and(|(at, _)| at > 2);
            return if told { Some(SpanRole::Reason) } else { skipped(TokenClass::Condition) };
        }
        let names_time = timed || lexicon.find("timeword", ids).is_some();
        let names_somebody = range.clone().any(|at| self.is_name(at));
        let tells_what_cannot_be = starts("cannot") && ids.len() > NO_MORE_WORDS;
        let excludes = starts("dearnegation") && !tells_what_cannot_be && ids.len() <= SHORT_PART_WORDS;
        if excludes && (names_time || names_somebody) {
            return skipped(TokenClass::Negation);
        }
        let next = self.heard.tokens.get(range.end);
        let leads_over = next.is_some_and(|token| {
            ids.last().is_some_and(|id| lexicon.is_phrase("so", &[*id])) || lexicon.is_phrase("so", &[token.id])
        });
        if leads_over || any(&["remark", "sigh", "why", "feeling", "did", "reported"]) {
            return Some(SpanRole::Reason);
        }
        if starts("dearnegation") && ids.len() <= NO_MORE_WORDS {
            return skipped(TokenClass::Negation);
        }
        if starts("itsnow") && timed {
            return skipped(TokenClass::Time);
        }
        let behind_a_comma = range.start > 0 && self.heard.typed(range.start - 1) == ",";
        let relative = behind_a_comma && ["which", "who"].contains(&&*lower(self.heard.typed(range.start)));
        if relative {
            return Some(SpanRole::Reason);
        }
        let asks = ["errand", "assistantverb", "question", "remind", "cancel", "showme", "tellsomeone"];
        if asks.iter().any(|class| lexicon.starts(class, core).is_some()) {
            return skipped(TokenClass::Request);
        }
        let ours = ["tasks", "event", "mails", "notes", "cal", "tasklist"];
        let names_ours = || ours.iter().any(|class| lexicon.find(class, ids).is_some());
        // A quantified set of ours before a colon, and a request with a pronoun behind it.
        if starts("quantifier") && names_ours() {
            return skipped(TokenClass::Restriction);
        }
        if lexicon.find("dearstyle", ids).is_some() {
            return skipped(TokenClass::Request);
        }
        // A noun, and behind it where it is to be entered.
        if timed && lexicon.find("into", ids).and(lexicon.find("cal", ids)).is_some() && !starts("speaker") {
            return skipped(TokenClass::Request);
        }
        let tells = any(&["subject", "negation", "others", "answers"]) || self.tells(range);
        tells.then_some(SpanRole::Reason)
    }

    /// Whether some words are a statement, as far as a verb in them shows.
    fn tells(&self, range: &Range<usize>) -> bool {
        if range.is_empty() {
            return false;
        }
        let ids = &self.heard.words[range.clone()];
        let typed = |at: usize| self.heard.typed(at);
        let is = |class: &str, at: usize| GRAMMAR.lexicon.is_phrase(class, &[self.heard.tokens[at].id]);
        let is_past = |at: usize| {
            let word = typed(at);
            word.len() > 4 && word.ends_with("ed") && word.starts_with(char::is_lowercase)
        };
        let is_state = |at: usize| is("ofstate", at) || is("state", at) || typed(at).ends_with("ing") || is_past(at);
        let playing = range.clone().skip(1).any(|at| {
            let owner = typed(at - 1);
            (owner.ends_with("'s") || owner.ends_with("’s")) && is_state(at)
        });
        let doing = typed(range.start).len() > 4 && typed(range.start).ends_with("ing");
        let holds = |class: &str| GRAMMAR.lexicon.find(class, ids).is_some();
        playing
            || doing
            || ["state", "tells", "alsotells"].iter().any(|class| holds(class))
            || range.clone().any(is_past)
    }
}
