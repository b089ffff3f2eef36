//! A conversation: who owes whom an answer, what was promised, and since when.
//!
//! The letters are walked in their order, with one debt each way:
//!
//! | letter | says | what the person owes | what the others owe |
//! |---|---|---|---|
//! | of others, to the person | asks | an answer, since it was first asked | – |
//! | | promises to deliver | stays | what was promised |
//! | | wants nothing more, and asks nothing behind that | nothing | nothing |
//! | | thanks | what was promised stays | nothing |
//! | | of somebody else who was asked as well | nothing: it was answered | nothing |
//! | | anything else | stays | nothing: they have answered |
//! | of the person | asks | nothing | an answer |
//! | | promises to deliver | what was promised | stays |
//! | | wants nothing more | nothing | nothing |
//! | | anything else | nothing: it was answered | stays |
//! | a machine's, in the name of somebody written to | anything | stays | stays |
//!
//! What is owed for a day is settled when the side that waits for it writes after that day and asks for nothing: who
//! still waited would say so. A promise also counts as kept when it is thanked for days after it was made. A promise
//! that names no day is for the day of what it answers. What is settled by another conversation: see `elsewhere`.
//!
//! Lists, machines and suspects owe nothing and are owed nothing; what a machine wants done by some day is kept apart.
//! Not here: what counts as overdue (whoever asks knows the time).

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::cues::{Cue, says};
use super::due::{due, due_of};
use super::letter::{Sentence, new_part, sentences};
use super::sender::{SenderSort, sort_of};
use super::words::WORDS;
use crate::core::text::shorten;
use crate::language::time::DateOrder;
use crate::limits::{PROMISES_MAX, SENTENCE_CHARS_MAX};
use crate::services::searchable::{ItemText, Party, WrittenText};

/// Thanks that come later are not for the promise, but for what was promised.
const THANKS_FOR_A_PROMISE: Duration = Duration::days(2);

/// How a debt came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebtKind {
    /// It was asked for.
    Asked,
    /// It was promised.
    Promised,
}

/// What one side owes the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Debt {
    /// How it came about.
    pub kind: DebtKind,
    /// The sentence that says so.
    pub sentence: String,
    /// Whom the other side is, or who of them said it.
    pub with: Party,
    /// Since when it is open.
    pub since: DateTime<Utc>,
    /// When it was said last.
    pub last: DateTime<Utc>,
    /// By when, as far as the sentence says.
    pub due: Option<DateTime<Utc>>,
    /// The day it was promised for, where it was asked for again after that.
    #[serde(default)]
    pub missed: Option<DateTime<Utc>>,
    /// Others were asked as well.
    pub is_shared: bool,
}

/// A promise, kept or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromiseMade {
    /// By the person.
    pub is_own: bool,
    /// Who promised, or to whom the person did.
    pub with: Party,
    /// What was said.
    pub sentence: String,
    /// When.
    pub at: DateTime<Utc>,
    /// By when, as far as it was said.
    pub due: Option<DateTime<Utc>>,
}

/// What can be told of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationFeatures {
    /// Of what sort who wrote last of the others is.
    pub sender: SenderSort,
    /// The person wrote last.
    pub is_own_last: bool,
    /// What came last of others goes to the person alone.
    pub is_to_me_alone: bool,
    /// What the person owes.
    pub i_owe: Option<Debt>,
    /// What the others owe.
    pub they_owe: Option<Debt>,
    /// What a machine asks for, with which nobody waits.
    pub machine_asks: Option<Debt>,
    /// What was promised, oldest first.
    pub promises: Vec<PromiseMade>,
    /// With whom how many letters were exchanged, machines and lists aside.
    pub partners: Vec<(Party, usize)>,
}

/// Where and when letters are read.
#[derive(Debug, Clone, Copy)]
pub struct ReadingFrame {
    /// The person's zone.
    pub zone: Tz,
    /// How the person writes dates.
    pub order: DateOrder,
}

/// One letter, read.
struct Letter<'a> {
    written: &'a WrittenText,
    sort: SenderSort,
    asks: Option<&'a Sentence>,
    promises: Vec<&'a Sentence>,
    sentences: &'a [Sentence],
    delivers: Option<&'a Sentence>,
    is_settled: bool,
    is_agreed: bool,
    is_thanks: bool,
}

/// What can be told of a conversation. `is_known` says of an address whether the person has written to it or saved it.
pub fn features(
    item: &ItemText,
    subject: &str,
    is_known: &dyn Fn(&str) -> bool,
    frame: ReadingFrame,
) -> ConversationFeatures {
    let has_written = item.said.iter().any(|written| written.is_own);
    let read: Vec<Vec<Sentence>> = item.said.iter().map(|written| sentences(&new_part(&written.text))).collect();
    let letters = item.said.iter().zip(&read).map(|(written, sentences)| {
        let is_known = written.is_own || has_written || is_known(&written.by.address);
        letter(written, subject, sentences, is_known)
    });
    let mut features = ConversationFeatures {
        sender: SenderSort::Person,
        is_own_last: false,
        is_to_me_alone: false,
        i_owe: None,
        they_owe: None,
        machine_asks: None,
        promises: Vec::new(),
        partners: Vec::new(),
    };
    let mut partner = Party::default();
    for letter in letters {
        let with =
            if letter.written.is_own { counterpart(letter.written, &partner) } else { letter.written.by.clone() };
        features.walk(&letter, &with, frame);
        partner = with;
    }
    let excess = features.promises.len().saturating_sub(PROMISES_MAX);
    features.promises.drain(..excess);
    features
}

/// Whom the person speaks to: whoever wrote last, if it goes to them, else the first it goes to.
fn counterpart(written: &WrittenText, partner: &Party) -> Party {
    let is_partner = |party: &&Party| !partner.address.is_empty() && party.address == partner.address;
    written.to.iter().find(is_partner).or(written.to.first()).unwrap_or(partner).clone()
}

fn letter<'a>(written: &'a WrittenText, subject: &str, sentences: &'a [Sentence], is_known: bool) -> Letter<'a> {
    let sort = if written.is_own { SenderSort::Person } else { sort_of(written, subject, sentences, is_known) };
    let settled = sentences.iter().rposition(settles);
    // A letter to several asks each of them; one in copy asks nobody.
    let may_be_owed = matches!(sort, SenderSort::Person | SenderSort::Automatic);
    let may_ask = may_be_owed && (written.is_own || written.is_to_me);
    // What is asked behind "got it, thanks" is another matter.
    let still_asked = if written.is_own { 0 } else { settled.map_or(0, |at| at + 1) };
    let asking: Vec<&Sentence> =
        (still_asked..sentences.len()).filter(|at| wants_answer(sentences, *at)).map(|at| &sentences[at]).collect();
    // What is asked in the form of a question, else what says by when, else what is asked last.
    let best = asking.iter().rfind(|sentence| sentence.asks);
    let best = best.or_else(|| asking.iter().find(|sentence| says(sentence, Cue::Request) && is_dated(sentence)));
    let asked = best.or(asking.last()).copied().filter(|_| may_ask);
    let may_promise = sort == SenderSort::Person;
    let promises: Vec<&Sentence> = sentences.iter().filter(|sentence| may_promise && promises(sentence)).collect();
    // "Send me the figures and I'll do the rest": that waits for the reader.
    let delivers = promises.iter().copied().find(|sentence| says(sentence, Cue::Delivery) && !asks(sentence));
    let is_agreed = sentences.iter().any(|sentence| !sentence.asks && says(sentence, Cue::Agreed));
    let is_thanks = sentences.iter().any(|sentence| says(sentence, Cue::Thanked));
    Letter {
        written,
        sort,
        asks: asked,
        promises,
        sentences,
        delivers,
        is_settled: settled.is_some(),
        is_agreed,
        is_thanks,
    }
}

/// Whether a sentence names a number or a time.
fn is_dated(sentence: &Sentence) -> bool {
    WORDS.dated.is_in(&sentence.words)
}

/// Whether a sentence wants an answer or a deed.
pub fn asks(sentence: &Sentence) -> bool {
    let wants = sentence.asks || says(sentence, Cue::Request);
    wants && !says(sentence, Cue::Rhetorical) && !says(sentence, Cue::Offer)
}

/// Whether nothing but a "please" makes a sentence a request.
fn is_only_polite(sentence: &Sentence) -> bool {
    let words: Vec<String> = sentence.words.iter().filter(|word| !WORDS.polite.holds(word)).cloned().collect();
    words.len() < sentence.words.len() && !asks(&Sentence { words, starts: vec![0], ..sentence.clone() })
}

/// Whether a sentence of a letter wants an answer: who goes on in the same breath with the answer wants none.
fn wants_answer(sentences: &[Sentence], at: usize) -> bool {
    let sentence = &sentences[at];
    let next = sentences.get(at + 1).filter(|_| !sentence.ends);
    let is_answered = next.is_some_and(|next| !next.asks && says(next, Cue::Answered));
    asks(sentence) && !(sentence.asks && is_answered)
}

/// Whether a sentence says that nothing more is wanted.
pub fn settles(sentence: &Sentence) -> bool {
    !sentence.asks && says(sentence, Cue::Settled) && !says(sentence, Cue::Unsettled)
}

/// Whether a sentence promises something.
pub fn promises(sentence: &Sentence) -> bool {
    !sentence.asks && says(sentence, Cue::Promise) && !says(sentence, Cue::Unless)
}

impl ConversationFeatures {
    fn walk(&mut self, letter: &Letter<'_>, with: &Party, frame: ReadingFrame) {
        let Letter { written, .. } = letter;
        let Some(at) = written.at else { return };
        if letter.sort != SenderSort::Person && self.has_met(&written.by) {
            return;
        }
        let debt = |kind: DebtKind, sentence: &Sentence| Debt {
            kind,
            sentence: shorten(&sentence.text, SENTENCE_CHARS_MAX),
            with: with.clone(),
            since: at,
            last: at,
            due: due_of(sentence, letter.sentences, at, frame),
            missed: None,
            is_shared: !written.is_own && !written.to.is_empty(),
        };
        self.promises.extend(letter.promises.iter().map(|sentence| PromiseMade {
            is_own: written.is_own,
            with: with.clone(),
            sentence: shorten(&sentence.text, SENTENCE_CHARS_MAX),
            at,
            due: due(&sentence.text, at, frame),
        }));
        self.is_own_last = written.is_own;
        let asked = letter.asks.map(|sentence| debt(DebtKind::Asked, sentence));
        // "Will do" is for the day that it was asked for.
        let answered = if written.is_own { &self.i_owe } else { &self.they_owe };
        let day = answered.as_ref().and_then(|debt| debt.due).filter(|due| *due >= at);
        let promised = letter.delivers.map(|sentence| debt(DebtKind::Promised, sentence));
        let promised = promised.map(|debt| Debt { due: debt.due.or(day), ..debt });
        if written.is_own {
            written.to.iter().for_each(|party| self.met(party));
            self.i_owe = promised;
            if asked.is_none() && (letter.is_settled || is_kept(self.they_owe.as_ref(), letter, at)) {
                self.they_owe = None;
            }
            if letter.is_agreed {
                self.they_owe = self.they_owe.take().filter(|debt| debt.kind == DebtKind::Promised);
            }
            if let Some(asked) = asked {
                self.they_owe = Some(longest(self.they_owe.take(), asked));
            }
            return;
        }
        self.sender = letter.sort;
        self.is_to_me_alone = written.is_to_me_alone;
        if letter.sort != SenderSort::Person {
            self.machine_asks = asked.filter(|asked| asked.due.is_some());
            return;
        }
        self.met(&written.by);
        // "442 please" is what was asked for.
        let has_asked = self.they_owe.as_ref().is_some_and(|debt| debt.kind == DebtKind::Asked);
        let is_answer = has_asked && letter.asks.is_some_and(is_only_polite);
        let asked = asked.filter(|_| !is_answer);
        self.they_owe = promised;
        match asked {
            Some(asked) => self.i_owe = Some(longest(self.i_owe.take(), asked)),
            None if letter.is_settled => (self.i_owe, self.they_owe) = (None, None),
            None if is_kept(self.i_owe.as_ref(), letter, at) => self.i_owe = None,
            None if letter.is_thanks || letter.is_agreed || self.is_answered_by(&written.by) => {
                self.i_owe = self.i_owe.take().filter(|debt| debt.kind == DebtKind::Promised);
            }
            None => {}
        }
    }
}

impl ConversationFeatures {
    /// Whether what the person was asked beside others is answered by one of these.
    fn is_answered_by(&self, by: &Party) -> bool {
        self.i_owe.as_ref().is_some_and(|debt| debt.is_shared && debt.with.address != by.address)
    }

    fn has_met(&self, party: &Party) -> bool {
        self.partners.iter().any(|(known, _)| known.address == party.address)
    }

    fn met(&mut self, party: &Party) {
        match self.partners.iter_mut().find(|(known, _)| known.address == party.address) {
            Some((_, letters)) => *letters += 1,
            None => self.partners.push((party.clone(), 1)),
        }
    }
}

/// Whether a letter of the side that something is owed to, which asks for nothing, tells that it came or is needless.
fn is_kept(debt: Option<&Debt>, letter: &Letter<'_>, at: DateTime<Utc>) -> bool {
    debt.is_some_and(|debt| {
        let is_past = debt.due.is_some_and(|due| due < at);
        let is_promise = debt.kind == DebtKind::Promised;
        is_past || (is_promise && letter.is_thanks && at - debt.last > THANKS_FOR_A_PROMISE)
    })
}

/// A debt that was asked for again is open since it was first asked for; what was promised is owed since then.
fn longest(earlier: Option<Debt>, now: Debt) -> Debt {
    let Some(earlier) = earlier else { return now };
    let since = if earlier.kind == DebtKind::Asked { earlier.since.min(now.since) } else { now.since };
    let missed = earlier.due.filter(|due| earlier.kind == DebtKind::Promised && *due <= now.since);
    Debt { since, missed: missed.or(earlier.missed), ..now }
}
