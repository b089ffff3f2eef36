//! Word runs: words of a message that follow each other, cut at phrases of the lexicon.

use super::super::grammar::GRAMMAR;
use super::super::lexicon::WordId;
use super::super::matching;
use super::super::text::{Token, TokenMark};
use crate::language::tokens::lower;

/// Words of the longest phrase of a class.
const PHRASE_WORDS_MAX: usize = 8;

/// Some words of a message that follow each other.
#[derive(Clone, Copy)]
pub(super) struct WordRun<'t> {
    pub message: &'t str,
    pub tokens: &'t [Token],
}

impl<'t> WordRun<'t> {
    /// Without the marks at both ends.
    pub fn new(message: &'t str, tokens: &'t [Token]) -> WordRun<'t> {
        let is_word = |token: &Token| token.mark == TokenMark::Word;
        let first = tokens.iter().position(is_word).unwrap_or(tokens.len());
        let end = tokens.iter().rposition(is_word).map_or(first, |last| last + 1);
        WordRun { message, tokens: &tokens[first..end] }
    }

    pub fn text(&self) -> &'t str {
        match self.tokens {
            [first, .., last] => &self.message[first.span.start..last.span.end],
            [only] => &self.message[only.span.clone()],
            [] => "",
        }
    }

    pub fn split_at(&self, at: usize) -> (WordRun<'t>, WordRun<'t>) {
        let (left, right) = self.tokens.split_at(at.min(self.tokens.len()));
        (WordRun::new(self.message, left), WordRun::new(self.message, right))
    }

    /// The same, at a byte of its text.
    pub fn split_at_byte(&self, byte: usize) -> (WordRun<'t>, WordRun<'t>) {
        let start = self.tokens.first().map_or(0, |token| token.span.start);
        self.split_at(self.tokens.iter().take_while(|token| token.span.start < start + byte).count())
    }

    pub fn ids(&self) -> Vec<WordId> {
        self.tokens.iter().map(|token| token.id).collect()
    }

    pub fn typed(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &self.message[token.span.clone()])
    }

    /// The words of a phrase at the start; 0 where none of the class stands there.
    pub fn starts(&self, class: &str) -> usize {
        let first = self.tokens.iter().take(PHRASE_WORDS_MAX).map(|token| token.id).collect::<Vec<_>>();
        GRAMMAR.lexicon.starts(class, &first).unwrap_or(0)
    }

    /// What follows a phrase of the class, if one stands at the start.
    pub fn behind(&self, class: &str) -> WordRun<'t> {
        self.split_at(self.starts(class)).1
    }

    /// The same, where one has to stand there.
    pub fn after(&self, class: &str) -> Option<WordRun<'t>> {
        (self.starts(class) > 0).then(|| self.behind(class))
    }

    /// Without politeness and sighs.
    pub fn without_lead(&self) -> WordRun<'t> {
        let starts = matching::starts(GRAMMAR.lexicon, &self.ids());
        starts.last().map_or(*self, |at| self.split_at(*at).1)
    }

    /// What is asked, before its full stop or a remark (a subordinate clause), and what stands behind it.
    pub fn without_remark(&self) -> (WordRun<'t>, WordRun<'t>) {
        let stop = self.tokens.iter().position(|token| token.mark == TokenMark::Stop).unwrap_or(self.tokens.len());
        let (sentence, behind) = self.split_at(stop);
        match GRAMMAR.lexicon.find("lest", &sentence.ids()).filter(|(at, _)| *at > 0) {
            Some((at, _)) => (sentence.split_at(at).0, behind),
            None => (sentence, behind),
        }
    }

    /// What is told one after the other, between full stops, commas and dashes.
    pub fn sentences(&self) -> Vec<WordRun<'t>> {
        let so = |token: &Token| GRAMMAR.lexicon.is_phrase("so", &[token.id]);
        let parts = self.tokens.split(|token| is_cut(token, self.message) || so(token));
        parts.map(|part| WordRun::new(self.message, part)).filter(|part| !part.tokens.is_empty()).collect()
    }

    /// The name in a request to enter something, between the verb and the particle, if all its words were said before;
    /// and what stands behind it.
    pub fn named_in(&self, before: &WordRun) -> Option<(WordRun<'t>, Option<&'t str>)> {
        let (at, _) = GRAMMAR.lexicon.find("into", &self.ids()).filter(|(at, _)| *at > 0)?;
        let (name, rest) = self.split_at(at);
        let said: Vec<String> = before.tokens.iter().map(|token| lower(&before.message[token.span.clone()])).collect();
        let known = |at: usize| said.contains(&lower(name.typed(at)));
        let words = name.behind("thingarticle");
        ((0..words.tokens.len()).all(|at| said.contains(&lower(words.typed(at)))) && known(name.tokens.len() - 1))
            .then(|| (rest, Some(name.text())))
    }

    /// Whether it states that something is over.
    pub fn tells_an_end(&self) -> bool {
        (0..self.tokens.len()).any(|at| self.is_over_at(at))
    }

    /// Whether an end is told at this word: by its contracted verb, or as a verb behind the subject.
    pub fn is_over_at(&self, at: usize) -> bool {
        let rest = |at: usize| self.split_at(at).1;
        of_owner(self.typed(at)).is_some() && rest(at + 1).starts("ended") > 0
            || at > 0 && rest(at).starts("told") > 0 && rest(at).behind("told").starts("ended") > 0
    }

    /// What stands before a phrase of the class, if one stands at the end.
    pub fn before(&self, class: &str) -> WordRun<'t> {
        let ids = self.ids();
        let cut = (0..ids.len()).find(|at| GRAMMAR.lexicon.is_phrase(class, &ids[*at..]));
        self.split_at(cut.unwrap_or(ids.len())).0
    }
}

/// A full stop, a comma or a dash.
pub(super) fn is_cut(token: &Token, text: &str) -> bool {
    token.mark == TokenMark::Stop
        || token.mark == TokenMark::Soft && matches!(&text[token.span.clone()], "," | "-" | "–" | "—")
}

/// The owner of a possessive or contracted form.
pub(super) fn of_owner(word: &str) -> Option<&str> {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"))
}
