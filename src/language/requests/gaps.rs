//! What stands between the clauses of a message and around them: politeness, remarks and reasons, and what none of these
//! explains.

use std::ops::Range;

use super::account::SpanRole;
use super::grammar::GRAMMAR;
use super::matching;
use super::prices::TokenClass;
use super::text::Mark;
use super::unread::Ledger;
use crate::language::tokens::lower;

/// "Not on Monday": more words tell something.
const SHORT_GAP_WORDS: usize = 6;
/// "Not that one".
const NO_MORE_WORDS: usize = 3;

impl Ledger<'_> {
    /// What stands between the clauses and around them.
    pub fn gaps(&mut self) {
        let open = |ledger: &Self, at: usize| ledger.roles.get(at).is_some_and(Option::is_none);
        let mut at = 0;
        let mut told = false;
        while at < self.roles.len() {
            if !open(self, at) || self.is_border(at) {
                told &= open(self, at) && self.heard.tokens[at].mark != Mark::Stop;
                if open(self, at) {
                    self.roles[at] = Some(SpanRole::Connector);
                }
                at += 1;
                continue;
            }
            let end =
                (at..self.roles.len()).find(|i| !open(self, *i) || self.is_border(*i)).unwrap_or(self.roles.len());
            told = self.gap(at..end, told);
            at = end;
        }
    }

    fn is_border(&self, at: usize) -> bool {
        let is_mark = self.heard.tokens[at].mark != Mark::Word && self.heard.typed(at) != "'";
        is_mark || matches!(lower(self.heard.typed(at)).as_str(), "and" | "und" | "then")
    }

    /// Some words that no clause was read from; whether they tell something.
    fn gap(&mut self, range: Range<usize>, told: bool) -> bool {
        let role = self.role_of_gap(&range, told);
        let tells = role == Some(SpanRole::Reason);
        match role {
            Some(role) => self.roles[range].fill(Some(role)),
            None => range.for_each(|at| self.alone(at)),
        }
        tells
    }

    /// What a part of a sentence is as a whole.
    fn role_of_gap(&self, range: &Range<usize>, told: bool) -> Option<SpanRole> {
        let lexicon = GRAMMAR.lexicon;
        let ids = self.ids(range.clone());
        let starts = |class: &str| lexicon.starts(class, &ids).is_some();
        let any = |classes: &[&str]| classes.iter().any(|class| starts(class));
        let lead = matching::starts(lexicon, &ids).last().copied().unwrap_or_default();
        let core = &ids[lead..];
        let is = |classes: &[&str]| {
            classes.iter().any(|class| lexicon.is_phrase(class, &ids) || lexicon.is_phrase(class, core))
        };
        let timed = !self.heard.times_in(range).is_empty();
        let words = self.heard.raw(range.start, range.end - 1);
        let skipped = |class| Some(SpanRole::Skipped(class));
        if ids.len() > 1 && self.carried.holds_all(words) {
            return Some(SpanRole::Param("text".to_owned()));
        }
        // At the start it corrects what was said in an earlier message.
        if starts("dearcorrection") && range.start > 0 {
            return skipped(TokenClass::Correction);
        }
        let only = lexicon.starts("dearrestriction", &ids);
        if only.is_some_and(|len| timed || !self.tells(&(range.start + len..range.end))) || is(&["quantifier"]) {
            return skipped(TokenClass::Restriction);
        }
        if !timed && is(&["lead", "tail", "delead", "detail", "giveup", "closing"]) {
            return Some(SpanRole::Politeness);
        }
        if self.quoted[range.start] {
            return if told { Some(SpanRole::Reason) } else { skipped(TokenClass::Quotation) };
        }
        if starts("dearcondition") {
            let told = lexicon.find("consequence", &ids).is_some_and(|(at, _)| at > 2);
            return if told { Some(SpanRole::Reason) } else { skipped(TokenClass::Condition) };
        }
        let names_time = timed || lexicon.find("timeword", &ids).is_some();
        if starts("dearnegation") && names_time && ids.len() <= SHORT_GAP_WORDS {
            return skipped(TokenClass::Negation);
        }
        let leads_over =
            self.heard.tokens.get(range.end).is_some() && ids.last().is_some_and(|id| lexicon.is_phrase("so", &[*id]));
        if leads_over || any(&["remark", "sigh", "why", "feeling", "did", "reported"]) {
            return Some(SpanRole::Reason);
        }
        if starts("dearnegation") && ids.len() <= NO_MORE_WORDS {
            return skipped(TokenClass::Negation);
        }
        if starts("itsnow") && timed {
            return skipped(TokenClass::Time);
        }
        let purpose = starts("purposeful") && self.behind_a_look_up(range.start);
        let behind_a_comma = range.start > 0 && self.heard.typed(range.start - 1) == ",";
        let relative = behind_a_comma && ["which", "who"].contains(&&*lower(self.heard.typed(range.start)));
        if purpose || relative {
            return Some(SpanRole::Reason);
        }
        let asks = ["errand", "assistantverb", "question", "remind", "cancel", "showme", "tellsomeone"];
        if asks.iter().any(|class| lexicon.starts(class, core).is_some()) {
            return skipped(TokenClass::Request);
        }
        let tells = told || any(&["subject", "negation", "others", "answers"]) || self.tells(range);
        tells.then_some(SpanRole::Reason)
    }

    /// Whether some words are a statement, as far as a verb in them shows.
    fn tells(&self, range: &Range<usize>) -> bool {
        if range.is_empty() {
            return false;
        }
        let ids = self.ids(range.clone());
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
        let holds = |class: &str| GRAMMAR.lexicon.find(class, &ids).is_some();
        playing
            || doing
            || ["state", "tells", "alsotells"].iter().any(|class| holds(class))
            || range.clone().any(is_past)
    }

    /// Whether the words before a token only ask what there is.
    fn behind_a_look_up(&self, at: usize) -> bool {
        self.looked_up.iter().any(|end| *end <= at)
    }
}
