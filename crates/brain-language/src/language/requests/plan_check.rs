//! Plan check: what of a message a plan leaves out that somebody else made: a model.
//!
//! The message is read as if there were no model, for its account: which words are times, names, numbers and slots of a
//! request, and which are politeness or a reason. What matters, and neither the plan nor what the person reads of it
//! says ([`SearchableValues`]), was left out. Not here: conditions, which are asked about first (`condition`).

use std::ops::Range;

use super::account::{AccountedPart, PartAccount, SpanRole};
use super::annotated::{AnnotatedText, Masked};
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::parse_input::ParseInput;
use super::plan_wording::SearchableValues;
use super::prices::TokenClass;
use super::residue;
use super::residue::SPOKEN;
use super::text::TokenMark;
use super::understood::Understood;
use crate::language::time::{Reference, TimeMention};
use brain_core::core::plan::PlannedAction;

/// What finding the service of an action is worth, in words.
const SERVICE_WORDS: usize = 2;
/// What a remark begins with.
const REMARKS: [&str; 7] = ["subject", "remark", "sigh", "why", "feeling", "did", "reported"];
/// What a statement holds.
const STATEMENTS: [&str; 3] = ["state", "tells", "alsotells"];
/// Words that say nothing by themselves.
const SAYING_NOTHING: [&str; 7] =
    ["function", "lead", "tail", "dearrestriction", "dearnegation", "dearcorrection", "quantifier"];

/// The parts of a message that are dear and that neither the actions nor the words about them carry, as they were said.
///
/// `understood` is what built-in understanding makes of the message by itself.
pub fn left_out(input: &ParseInput, understood: Understood, actions: &[PlannedAction], told: &[String]) -> Vec<String> {
    let said = SearchableValues::by(actions, told, input.reference);
    let text = super::own_words(input.text);
    let heard = AnnotatedText::new(&text, input.reference, GRAMMAR.lexicon);
    let (account, wanted) = match understood {
        Understood::Plan { plan, account, .. } | Understood::Partly { plan, account, .. } if account.text == text => {
            (account, plan.actions)
        }
        _ => (residue::account(&heard, None, actions, input.reference.now).0, Vec::new()),
    };
    let own = SearchableValues::by(&wanted, &[], input.reference);
    let held = CheckInput { heard: &heard, account: &account, said: &said, own: &own, reference: input.reference };
    let parts = held.segments().into_iter().filter(|segment| !held.is_remark(segment)).flatten();
    let parts = parts.flat_map(|part| held.missing_in(part));
    let requests = held.requests_without_an_action(&wanted, actions);
    joined(&text, parts.chain(requests).collect())
}

/// Spans that meet are one part; in the order in which they were said.
fn joined(text: &str, mut spans: Vec<Range<usize>>) -> Vec<String> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut parts: Vec<Range<usize>> = Vec::new();
    for span in spans {
        let meets = |last: &Range<usize>| text.get(last.end..span.start).is_none_or(|gap| gap.trim().is_empty());
        match parts.last_mut().filter(|last| meets(last)) {
            Some(last) => last.end = last.end.max(span.end),
            None => parts.push(span),
        }
    }
    let words = |span| text.get::<Range<usize>>(span).unwrap_or_default();
    let bare = |part: &str| part.trim_matches(|c: char| !c.is_alphanumeric() && !"#“”\"'".contains(c)).to_owned();
    parts.into_iter().map(words).map(bare).filter(|part| !part.is_empty()).collect()
}

/// A message that a plan is held against.
struct CheckInput<'a> {
    heard: &'a AnnotatedText<'a>,
    account: &'a PartAccount,
    said: &'a SearchableValues<'a>,
    /// What the plan without a model says.
    own: &'a SearchableValues<'a>,
    reference: &'a Reference,
}

impl CheckInput<'_> {
    /// What of a part is missing.
    fn missing_in(&self, part: &AccountedPart) -> Vec<Range<usize>> {
        let whole = || vec![part.span.clone()];
        match &part.role {
            SpanRole::Time => self.times_in(&part.span),
            // What the plan without a model does not hold either only says which one is meant.
            SpanRole::Param(_) if self.lacks_all(&part.span) => {
                let held =
                    self.telling_words_in(&part.span).iter().any(|at| self.own.has(&self.heard.text[at.clone()]));
                if held { whole() } else { Vec::new() }
            }
            SpanRole::Param(_) => self.marked_words_in(&part.span),
            SpanRole::Skipped(class) => match class {
                TokenClass::Time => self.times_in(&part.span),
                TokenClass::Number | TokenClass::Address | TokenClass::Name | TokenClass::Quotation => {
                    self.words_in(&part.span).into_iter().filter(|span| !self.says(span)).collect()
                }
                TokenClass::Request if self.lacks_all(&part.span) && !self.is_about_the_same(&part.span) => whole(),
                TokenClass::Restriction | TokenClass::Negation | TokenClass::Correction if !self.heeds(&part.span) => {
                    whole()
                }
                TokenClass::Request
                | TokenClass::Restriction
                | TokenClass::Negation
                | TokenClass::Correction
                | TokenClass::Condition
                | TokenClass::Mark
                | TokenClass::Politeness
                | TokenClass::Function
                | TokenClass::Plain
                | TokenClass::Unknown => Vec::new(),
            },
            SpanRole::Command
            | SpanRole::Politeness
            | SpanRole::Connector
            | SpanRole::Reason
            | SpanRole::Condition
            | SpanRole::Correction
            | SpanRole::SmallTalk => Vec::new(),
        }
    }

    /// What is done already, said once more. What asks for a further action is found by its number.
    fn is_about_the_same(&self, span: &Range<usize>) -> bool {
        let ids = self.ids_in(span);
        !ids.contains(&WordId::UNKNOWN) && GRAMMAR.lexicon.find("pronoun", &ids).is_some()
    }

    /// Whether what is not meant is nowhere in the plan, which names what is; or is in it as it was said.
    fn heeds(&self, span: &Range<usize>) -> bool {
        let telling = self.telling_words_in(span);
        if self.said.is_about_several {
            return true;
        }
        !telling.is_empty() && telling.iter().all(|span| self.says(span)) && self.times_in(span).is_empty()
    }

    /// Times that the plan does not have.
    fn times_in(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        let missing = |(at, found): (Range<usize>, &TimeMention)| {
            let words = &self.heard.text[at.clone()];
            (!self.said.has_all(words) && !self.said.has_time(words, found)).then_some(at)
        };
        self.mentions_in(span).into_iter().filter_map(missing).collect()
    }

    fn mentions_in(&self, span: &Range<usize>) -> Vec<(Range<usize>, &TimeMention)> {
        let inside = |at: &Range<usize>| span.start < at.end && at.start < span.end;
        let masks = self.heard.masks.iter().filter(|mask| inside(&mask.span));
        let time = masks.filter_map(|mask| match &mask.what {
            Masked::Time(found) => Some((mask.span.clone(), found.as_ref())),
            Masked::Priority(_) | Masked::Timeish => None,
        });
        time.collect()
    }

    /// Names, numbers, addresses and quotations that the plan does not have, in something that it has.
    fn marked_words_in(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        let text = self.heard.text;
        let is_marked = |word: &Range<usize>| {
            let typed = &text[word.clone()];
            let begins = text[..word.start].trim_end().ends_with(['.', '!', '?', ':', '\n']) || word.start == 0;
            let is_name = typed.starts_with(char::is_uppercase) && !begins && text.contains(char::is_lowercase);
            is_name || typed.contains('@') || typed.contains(|c: char| c.is_ascii_digit())
        };
        let words = self.telling_words_in(span).into_iter().filter(|word| is_marked(word) && !self.says(word));
        let words = words.filter(|at| self.own.has(&text[at.clone()]));
        words.chain(self.times_in(span)).collect()
    }

    /// Words that are no part of a time.
    fn words_in(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        let of_time = |at: &usize| self.heard.hidden_by(*at).is_some();
        let tokens = (0..self.heard.tokens.len()).filter(|at| {
            let token = &self.heard.tokens[*at];
            token.mark == TokenMark::Word && span.contains(&token.span.start) && !token.span.is_empty()
        });
        tokens.filter(|at| !of_time(at)).map(|at| self.heard.tokens[at].span.clone()).collect()
    }

    /// Words that say something by themselves.
    fn telling_words_in(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        let is_function = |at: &Range<usize>| {
            let ids: Vec<_> =
                self.heard.tokens.iter().filter(|token| token.span == *at).map(|token| token.id).collect();
            SAYING_NOTHING.iter().any(|class| GRAMMAR.lexicon.is_phrase(class, &ids))
        };
        self.words_in(span).into_iter().filter(|at| !is_function(at)).collect()
    }

    fn says(&self, span: &Range<usize>) -> bool {
        self.said.has(&self.heard.text[span.clone()])
    }

    /// Whether a part says something, and the plan nothing of it.
    fn lacks_all(&self, span: &Range<usize>) -> bool {
        let words = self.telling_words_in(span);
        !words.is_empty() && !words.iter().any(|word| self.says(word))
    }

    /// What asks for more actions than there are, where something of it is said nowhere.
    fn requests_without_an_action(&self, wanted: &[PlannedAction], actions: &[PlannedAction]) -> Vec<Range<usize>> {
        if wanted.len() <= actions.len() {
            return Vec::new();
        }
        let mut open: Vec<&PlannedAction> = wanted.iter().collect();
        for action in actions {
            let likeness = |wanted: &PlannedAction| {
                let service = if wanted.service == action.service { SERVICE_WORDS } else { 0 };
                let command = usize::from(wanted.command == action.command);
                let told = [texts(action).join(" ")];
                let said = SearchableValues::by(&[], &told, self.reference);
                service
                    + command
                    + texts(wanted).iter().flat_map(|text| text.split(' ')).filter(|word| said.has(word)).count()
            };
            let nearest = (0..open.len()).rev().max_by_key(|at| likeness(open[*at]));
            nearest.map(|at| open.remove(at));
        }
        let is_dropped = |wanted: &&PlannedAction| {
            let is_like =
                |action: &PlannedAction| (&action.service, &action.command) == (&wanted.service, &wanted.command);
            !actions.iter().any(is_like) || !texts(wanted).iter().all(|text| self.said.has_all(text))
        };
        open.into_iter().filter(is_dropped).filter_map(|wanted| self.segment_of(wanted)).collect()
    }

    /// The part of the message that an action was read from.
    fn segment_of(&self, wanted: &PlannedAction) -> Option<Range<usize>> {
        let words = SearchableValues::by(std::slice::from_ref(wanted), &[], self.reference);
        let shared = |segment: &Range<usize>| {
            let text = &self.heard.text;
            let (all, own): (Vec<_>, Vec<_>) =
                self.telling_words_in(segment).into_iter().partition(|at| !self.says(at));
            let held = all.iter().chain(&own).filter(|at| words.has(&text[(*at).clone()])).count();
            (held, all.len())
        };
        let span = |segment: &[AccountedPart]| segment[0].span.start..segment[segment.len() - 1].span.end;
        self.segments().into_iter().map(span).max_by_key(shared)
    }

    /// What stands between connectors.
    fn segments(&self) -> Vec<&[AccountedPart]> {
        let parts = self.account.parts.split(|part| part.role == SpanRole::Connector);
        parts.filter(|segment| !segment.is_empty()).collect()
    }

    /// Something told beside a request, which was taken for a part of what it is called: a statement behind a comma.
    fn is_remark(&self, segment: &[AccountedPart]) -> bool {
        let is_spoken = |part: &AccountedPart| match &part.role {
            SpanRole::Param(slot) => SPOKEN.contains(&slot.as_str()),
            SpanRole::Skipped(class) => *class == TokenClass::Request || class.turns_around(),
            role => *role == SpanRole::Command,
        };
        if segment.iter().any(is_spoken) {
            return false;
        }
        let span = segment[0].span.start..segment[segment.len() - 1].span.end;
        let ids = self.ids_in(&span);
        let starts = REMARKS.iter().any(|class| GRAMMAR.lexicon.starts(class, &ids).is_some());
        starts || STATEMENTS.iter().any(|class| GRAMMAR.lexicon.find(class, &ids).is_some())
    }

    fn ids_in(&self, span: &Range<usize>) -> Vec<WordId> {
        let tokens = self.heard.tokens.iter().filter(|token| span.contains(&token.span.start));
        tokens.filter(|token| token.mark == TokenMark::Word).map(|token| token.id).collect()
    }
}

/// What an action's parameters say in words.
fn texts(action: &PlannedAction) -> Vec<String> {
    let mut texts = Vec::new();
    for value in action.params.values() {
        match value.as_array() {
            Some(several) => texts.extend(several.iter().filter_map(|one| one.as_str().map(str::to_owned))),
            None => texts.extend(value.as_str().map(str::to_owned)),
        }
    }
    texts
}
