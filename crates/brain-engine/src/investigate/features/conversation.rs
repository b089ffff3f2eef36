//! Obligations in a conversation: who owes whom an answer, what was promised, and since when.
//!
//! The letters are walked in their order; what each does to debts is in `ledger`.
//!
//! Lists, machines and suspects owe nothing and are owed nothing; what a machine wants done by some day is kept apart.
//! Not here: what counts as overdue (whoever asks knows the time).

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::cues::{Cue, says};
use super::due::{due, due_of};
use super::letter::{Sentence, new_part, sentences};
use super::sender::{SenderSort, sort_of};
use super::words::WORDS;
use crate::investigate::ledger::{Debt, DebtKind, Ledger, LedgerEntry, answers_for};
use brain_core::core::text::shorten;
use brain_core::limits::{PROMISES_MAX, SENTENCE_CHARS_MAX};
use brain_language::language::time::DateOrder;
use brain_services::services::contract::searchable::{ItemText, Party, WrittenText};

/// A promise, kept or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromiseMade {
    /// The person promised it, not the other side.
    pub is_own: bool,
    /// Who promised, or to whom the person did.
    pub with: Party,
    /// The sentence that promises.
    pub sentence: String,
    /// When it was said.
    pub at: DateTime<Utc>,
    /// By when, as far as it was said.
    pub due: Option<DateTime<Utc>>,
}

/// What can be told of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ConversationFeatures {
    /// Of what sort who wrote last of the others is.
    pub sender: SenderSort,
    /// Why the last of the letters that reads like a fraud does.
    pub warning: Option<String>,
    /// The person wrote last.
    pub is_own_last: bool,
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
struct ReadLetter<'a> {
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
    let own = item.said.iter().filter(|written| written.is_own);
    let written_to: Vec<&Party> = own.flat_map(|written| written.to.iter().chain(&written.copied)).collect();
    let read: Vec<Vec<Sentence>> = item.said.iter().map(|written| sentences(&new_part(&written.text))).collect();
    let letters = item.said.iter().zip(&read).map(|(written, sentences)| {
        let is_written_to = || written_to.iter().any(|party| answers_for(&written.by, party));
        let is_known = written.is_own || is_known(&written.by.address) || is_written_to();
        letter(written, subject, sentences, is_known)
    });
    let mut features = ConversationFeatures {
        warning: item.said.iter().rev().find_map(|written| written.warning.clone()),
        ..ConversationFeatures::default()
    };
    let (mut partner, mut ledger) = (Party::default(), Ledger::default());
    for letter in letters {
        let with =
            if letter.written.is_own { counterpart(letter.written, &partner) } else { letter.written.by.clone() };
        features.walk(&letter, &with, &mut ledger, frame);
        // Whom nobody speaks with is no partner.
        if letter.sort == SenderSort::Person || partner.address.is_empty() {
            partner = with;
        }
    }
    (features.i_owe, features.they_owe) = ledger.oldest();
    let excess = features.promises.len().saturating_sub(PROMISES_MAX);
    features.promises.drain(..excess);
    features
}

/// Whom the person speaks to: whoever wrote last, if it goes to them, else the first it goes to.
fn counterpart(written: &WrittenText, partner: &Party) -> Party {
    let is_partner = |party: &&Party| !partner.address.is_empty() && party.address == partner.address;
    written.to.iter().find(is_partner).or(written.to.first()).unwrap_or(partner).clone()
}

fn letter<'a>(written: &'a WrittenText, subject: &str, sentences: &'a [Sentence], is_known: bool) -> ReadLetter<'a> {
    let sort = if written.is_own { SenderSort::Person } else { sort_of(written, subject, sentences, is_known) };
    let settled = sentences.iter().rposition(settles);
    // A letter to several asks each of them; one in copy asks nobody.
    let may_be_owed = matches!(sort, SenderSort::Person | SenderSort::Automatic);
    let may_ask = may_be_owed && (written.is_own || written.is_to_me);
    // What is asked behind an acknowledgement is another matter.
    let still_asked = if written.is_own { 0 } else { settled.map_or(0, |at| at + 1) };
    let asking: Vec<&Sentence> =
        (still_asked..sentences.len()).filter(|at| wants_answer(sentences, *at)).map(|at| &sentences[at]).collect();
    // What is asked in the form of a question, else what says by when, else what is asked last.
    let best = asking.iter().rfind(|sentence| sentence.asks);
    let best = best.or_else(|| asking.iter().find(|sentence| says(sentence, Cue::Request) && is_dated(sentence)));
    let asked = best.or(asking.last()).copied().filter(|_| may_ask);
    let may_promise = sort == SenderSort::Person;
    let promises: Vec<&Sentence> = sentences.iter().filter(|sentence| may_promise && promises(sentence)).collect();
    // A request whose answer the writer needs to keep a promise of theirs: that waits for the reader.
    let delivers = promises.iter().copied().find(|sentence| says(sentence, Cue::Delivery) && !asks(sentence));
    let is_agreed = sentences.iter().any(|sentence| !sentence.asks && says(sentence, Cue::Agreed));
    let is_thanks = sentences.iter().any(|sentence| says(sentence, Cue::Thanked));
    ReadLetter {
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

/// Whether a sentence wants an answer or an action.
pub fn asks(sentence: &Sentence) -> bool {
    let wants = sentence.asks || says(sentence, Cue::Request);
    wants && !says(sentence, Cue::Rhetorical) && !says(sentence, Cue::Offer)
}

/// Whether nothing but a word of courtesy makes a sentence a request.
fn is_only_polite(sentence: &Sentence) -> bool {
    let words: Vec<String> = sentence.words.iter().filter(|word| !WORDS.polite.holds(word)).cloned().collect();
    words.len() < sentence.words.len() && !asks(&Sentence { words, starts: vec![0], ..sentence.clone() })
}

/// Whether a sentence of a letter wants an answer: who goes on with the answer right behind it wants none.
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
    fn walk(&mut self, letter: &ReadLetter<'_>, with: &Party, ledger: &mut Ledger, frame: ReadingFrame) {
        let ReadLetter { written, .. } = letter;
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
        };
        let asked = letter.asks.map(|sentence| debt(DebtKind::Asked, sentence));
        if letter.sort != SenderSort::Person {
            // A machine, a list or a swindler in a conversation of people changes nothing of it.
            self.sender = if self.partners.is_empty() { letter.sort } else { self.sender };
            if self.machine_asks.as_ref().is_none_or(|asks| asks.with.address == written.by.address) {
                self.machine_asks = asked.filter(|asked| asked.due.is_some());
            }
            return;
        }
        self.promises.extend(letter.promises.iter().map(|sentence| PromiseMade {
            is_own: written.is_own,
            with: with.clone(),
            sentence: shorten(&sentence.text, SENTENCE_CHARS_MAX),
            at,
            due: due(&sentence.text, at, frame),
        }));
        self.is_own_last = written.is_own;
        // A bare consent to do it is for the day that it was asked for.
        let day = ledger.due(written.is_own).filter(|due| *due >= at);
        let promised = letter.delivers.map(|sentence| debt(DebtKind::Promised, sentence));
        let promised = promised.map(|debt| Debt { due: debt.due.or(day), ..debt });
        if written.is_own {
            written.to.iter().chain(&written.copied).for_each(|party| self.met(party));
        } else {
            self.sender = letter.sort;
            self.met(&written.by);
        }
        ledger.enter(LedgerEntry {
            written,
            with,
            at,
            asked,
            promised,
            is_only_polite: letter.asks.is_some_and(is_only_polite),
            is_settled: letter.is_settled,
            is_agreed: letter.is_agreed,
            is_thanks: letter.is_thanks,
        });
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
