//! What a message comes to: the requests of its cheapest derivation, and what is said beside them where they keep it.

use std::ops::Range;

use super::account::SpanRole;
use super::annotated::AnnotatedText;
use super::built::{Built, fits};
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::matching::Filler;
use super::parse_input::ParseInput;
use super::parser::{Derivation, Parse, Parser, Passage, parsed};
use super::prices::TokenClass;
use super::reading::{tidy, title};
use super::residue::SPOKEN;
use super::text::tokens;
use super::understood::PlanDraft;
use super::{antecedent, finish, history, matching, residue};
use crate::language::work::Work;
use brain_core::core::plan::{Plan, PlannedAction};

/// Words of a sentence that goes on with a letter; fewer are politeness.
const LETTER_WORDS_MIN: usize = 3;

pub fn plan(input: &ParseInput, domains: &[String], work: &Work) -> PlanDraft {
    parsed(input, domains, work, |parser| derived(parser).draft)
}

/// What a message comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    pub draft: PlanDraft,
    /// The parts it was read from; none where it was planned as something else than was said.
    pub parts: Option<Vec<Passage>>,
    /// What it may be meant as just as well.
    pub rival: Option<(PlanDraft, Vec<Passage>)>,
}

impl From<PlanDraft> for Derived {
    fn from(draft: PlanDraft) -> Derived {
        Derived { draft, parts: None, rival: None }
    }
}

pub fn derived(parser: &Parser) -> Derived {
    let (text, input, domains, work) = (parser.heard.text, parser.input, parser.domains, parser.work);
    if text.trim().is_empty() {
        return PlanDraft::Nothing.into();
    }
    let actions = (input.builders.ahead)(text, input, domains, work);
    if !actions.is_empty() {
        return PlanDraft::Plan(Plan { actions, ..Plan::default() }).into();
    }
    let (derived, cost) = read_as_said(parser);
    let quotes = text.contains(['"', '“', '„', '«']);
    let points = derived.parts.as_ref().is_none_or(|parts| points_back(parts, text));
    if quotes || !points || cost <= SAID_AGAIN {
        return derived;
    }
    let again = antecedent::plan(text, input, domains, work);
    again.filter(|again| said_again_costs(again, parser) < cost).map_or(derived, Derived::from)
}

/// Whether something needs what was said before it: it lacks something, or holds a word that points back.
fn points_back(parts: &[Passage], text: &str) -> bool {
    let words: Vec<WordId> = tokens(text, GRAMMAR.lexicon).iter().map(|token| token.id).collect();
    let points = |range: Range<usize>, spoken: &dyn Fn(usize) -> bool| {
        range.clone().filter(|at| !spoken(*at)).any(|at| {
            let ids = &words[at..range.end];
            let len = GRAMMAR.lexicon.starts("antecedent", ids);
            // A conjunction before a statement looks like a pronoun and points to nothing.
            len.is_some_and(|len| GRAMMAR.lexicon.starts("subject", &ids[len..]).is_none())
        })
    };
    let needs = |part: &Passage| match (&part.clause, &part.role) {
        (Some(Parse { built: Built::Ask { .. }, .. }), _) => true,
        (Some(clause), _) => {
            let holds = |one: &Filler, at: usize| SPOKEN.contains(&one.name) && (one.first..=one.last).contains(&at);
            points(clause.core.clone(), &|at| clause.slots.iter().any(|slot| holds(slot, at)))
        }
        (None, Some(SpanRole::Reason | SpanRole::Politeness)) => false,
        (None, _) => points(part.tokens.clone(), &|_| false),
    };
    parts.iter().all(|part| part.clause.is_none()) || parts.iter().any(needs)
}

/// What a plan leaves out of a message that was said again in other words.
fn said_again_costs(again: &PlanDraft, parser: &Parser) -> u32 {
    let PlanDraft::Plan(plan) = again else { return SAID_AGAIN };
    residue::price_of(parser.heard, &plan.actions, parser.input.reference.now).saturating_add(SAID_AGAIN)
}

/// Two readings whose prices differ by less are both offered.
const MARGIN: u32 = 1;

/// What it costs to say a message again in other words.
const SAID_AGAIN: u32 = 2;

/// The plan of a message whose requests say for themselves what they are about.
pub fn plan_as_said(input: &ParseInput, domains: &[String], work: &Work) -> PlanDraft {
    parsed(input, domains, work, |parser| read_as_said(parser).0.draft)
}

/// What a message comes to by its cheapest derivation, and what that costs.
fn read_as_said(parser: &Parser) -> (Derived, u32) {
    let (heard, input) = (parser.heard, parser.input);
    let Derivation { parts, cost, rival } = (*parser.derivation(&parser.all())).clone();
    let (draft, parts) = drafted(parts, heard, input);
    if draft == PlanDraft::Nothing
        && let Some(action) = only_a_value(parser)
    {
        return (PlanDraft::Plan(Plan { actions: vec![action], ..Plan::default() }).into(), cost);
    }
    // Where both only look something up, the likelier is looked up.
    let changes =
        |parts: &[Passage]| parts.iter().any(|part| part.clause.as_ref().is_some_and(|clause| !clause.looks_up));
    let rival = rival
        .filter(|(rival, more)| *more < MARGIN && (changes(rival) || changes(&parts)))
        .map(|(parts, _)| drafted(parts, heard, input));
    (Derived { draft, parts: Some(parts), rival }, cost)
}

/// The plan of some parts, and these with what they keep of each other.
fn drafted(mut parts: Vec<Passage>, heard: &AnnotatedText, input: &ParseInput) -> (PlanDraft, Vec<Passage>) {
    keep_what_is_beside(&mut parts, heard, input);
    let built = parts.iter().filter_map(|part| Some(part.clause.as_ref()?.built.clone())).collect();
    let priority = heard.priority_in(&(0..heard.tokens.len())).map(|(_, level)| level);
    (finish::finish(built, priority, input), parts)
}

/// Gives each request what it keeps of what is said behind it and asks for nothing.
fn keep_what_is_beside(parts: &mut [Passage], heard: &AnnotatedText, input: &ParseInput) {
    let asks = |parts: &[Passage], sentence: usize| {
        parts.iter().any(|part| part.sentence == sentence && part.clause.is_some())
    };
    let mut at = 1;
    while at < parts.len() {
        let sentence = parts[at].sentence;
        let silent = !asks(parts, sentence);
        // A sentence without a request is one thing, however many parts it has.
        let end = (at..parts.len()).find(|next| !silent || parts[*next].sentence != sentence).unwrap_or(parts.len());
        let end = end.max(at + 1);
        let tokens = parts[at].tokens.start..parts[end - 1].tokens.end;
        let is_told = parts[at].clause.is_none() && matches!(parts[at].role, None | Some(SpanRole::Reason))
            || heard.priority_in(&tokens).is_some();
        if let Some(asked) = parts[..at].iter_mut().rev().find(|part| part.clause.is_some()).filter(|_| is_told) {
            let same_sentence = asked.sentence == sentence;
            if let Some(clause) = &mut asked.clause {
                if same_sentence {
                    clause.keep_reason(heard, tokens);
                } else if silent {
                    clause.go_on(heard, tokens, input);
                }
            }
        }
        at = end;
    }
}

impl Parse {
    /// A task keeps why it is to be done, told behind a border, and how urgent it is.
    fn keep_reason(&mut self, heard: &AnnotatedText, tokens: Range<usize>) {
        let Built::Act(action) = &mut self.built else { return };
        if (action.service.as_str(), action.command.as_str()) != ("task", "create") {
            return;
        }
        if let Some((_, level)) = heard.priority_in(&tokens) {
            action.params.entry("priority").or_insert_with(|| level.into());
        }
        if !heard.live(tokens.clone()).is_empty() {
            let reason = title(&tidy(heard.raw(tokens.start, tokens.end.saturating_sub(1))));
            action.params.entry("description").or_insert_with(|| reason.into());
        }
    }

    /// A sentence that is no request goes on with what the action before it has to say, if it says anything.
    fn go_on(&mut self, heard: &AnnotatedText, sentence: Range<usize>, input: &ParseInput) {
        let ids = heard.ids(sentence.clone());
        let styles = || GRAMMAR.lexicon.find("dearstyle", ids).is_some();
        if ids.len() < LETTER_WORDS_MIN || styles() {
            return;
        }
        if let Built::Act(action) = &mut self.built {
            (input.builders.goes_on)(action, heard.raw(sentence.start, sentence.end - 1));
        }
    }
}

/// The parts of a message in the words of all services.
fn parts_in_any(parser: &Parser) -> Vec<Passage> {
    parser.with(parser.input, parser.heard, &[], parser.work).derivation(&parser.all()).parts.clone()
}

/// Whether a message only talks, or only is polite.
pub fn says_nothing(parser: &Parser) -> bool {
    let (heard, parts) = (parser.heard, parts_in_any(parser));
    let polite = |tokens: &Range<usize>| {
        let ids = heard.ids(tokens.clone());
        let last = matching::starts(GRAMMAR.lexicon, ids).last().copied().unwrap_or_default();
        ["lead", "delead", "tail"].iter().any(|class| GRAMMAR.lexicon.is_phrase(class, &ids[last..]))
    };
    !parts.is_empty() && parts.iter().all(|part| parser.is_talk(part.tokens.clone()) || polite(&part.tokens))
}

/// A bare time, perhaps behind a negation, corrects what was planned last; so does another value behind one.
pub fn only_a_value(parser: &Parser) -> Option<PlannedAction> {
    let (heard, input, all) = (parser.heard, parser.input, parser.all());
    let (live, ids) = (heard.live(all.clone()), heard.ids(all.clone()));
    let behind = corrections(ids);
    let just = input.history.last().and_then(|past| past.actions.last()).filter(|_| behind > 0);
    let just = just.filter(|past| fits(parser.domains, &past.service));
    let revalued = |words| (input.builders.revalued)(just?, words);
    let [time] = heard.times_in(&all)[..] else {
        return revalued(heard.raw(*live.get(behind)?, *live.last()?)).filter(|_| heard.masks.is_empty());
    };
    let words = heard.words_of(&heard.masks[time]);
    let last = history::latest(input.history, |past| fits(parser.domains, &past.service))?;
    let is_bare = behind == ids.len() || is_only_told(parser, time);
    (input.builders.retimed)(last, words).or_else(|| revalued(words)).filter(|_| is_bare)
}

/// How many words only say that something else is meant, and point at what: "no, it's".
fn corrections(ids: &[WordId]) -> usize {
    let corrects = GRAMMAR.lexicon.starts("correction", ids).unwrap_or_default();
    corrects + GRAMMAR.lexicon.starts("pointsat", &ids[corrects..]).filter(|_| corrects > 0).unwrap_or_default()
}

/// Beside a time that is said alone, as a sentence, everything only tells.
fn is_only_told(parser: &Parser, time: usize) -> bool {
    let (heard, parts) = (parser.heard, parts_in_any(parser));
    let corrects = |ids: &[_]| corrections(ids) == ids.len();
    let alone = |part: &Passage| heard.times_in(&part.tokens) == [time] && corrects(heard.ids(part.tokens.clone()));
    let told = |part: &Passage| {
        let role = matches!(
            part.role,
            Some(SpanRole::Reason | SpanRole::Politeness | SpanRole::Skipped(TokenClass::Correction))
        );
        part.clause.is_none() && role || corrects(heard.ids(part.tokens.clone()))
    };
    parts.iter().any(alone) && parts.iter().all(|part| alone(part) || told(part))
}
