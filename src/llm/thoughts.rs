//! Visible thinking (`<think>…</think>` before the answer) is not the answer: kept from people and parsers.
//!
//! Invariant: the words that were sent on, put together and trimmed, are the text that [`strip`] gives, as
//! long as the block has its opening tag. A block without one shows itself only at its end, so it is left
//! out of the text but may have been streamed.

use tokio::sync::mpsc::UnboundedSender;

const OPENING: &str = "<think>";
const CLOSING: &str = "</think>";

/// The answer without a leading block of thinking and without surrounding white space.
pub(super) fn strip(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inside) = text.strip_prefix(OPENING) {
        text = inside.split_once(CLOSING).map_or("", |(_, answer)| answer.trim_start());
    }
    after_orphan(text).unwrap_or(text)
}

/// Some chat templates swallow the opening tag; the closing one then stands alone on its line.
fn after_orphan(text: &str) -> Option<&str> {
    let (before, after) = text.split_once(CLOSING)?;
    let alone = (before.is_empty() || before.ends_with('\n')) && after.starts_with(['\n', '\r']);
    (alone && !before.contains(OPENING)).then(|| after.trim_start())
}

/// Sends words on as they arrive, once it is clear that they are not thinking.
#[derive(Debug)]
pub(super) struct Words {
    to: Option<UnboundedSender<String>>,
    held: String,
    state: Place,
    begun: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first word: white space is dropped, a tag may begin.
    Start,
    Thinking,
    Answer,
}

impl Words {
    pub fn new(to: Option<UnboundedSender<String>>) -> Self {
        Self { to, held: String::new(), state: Place::Start, begun: false }
    }

    /// Did anybody ask for words?
    pub fn wanted(&self) -> bool {
        self.to.is_some()
    }

    /// Has anything gone out? Then the answer cannot be asked for again.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// Forgets what was held back; a new attempt begins.
    pub fn restart(&mut self) {
        self.held.clear();
        self.state = Place::Start;
    }

    pub fn push(&mut self, piece: &str) {
        if self.to.is_none() || piece.is_empty() {
            return;
        }
        if self.state == Place::Answer {
            return self.send(piece.to_owned());
        }
        self.held.push_str(piece);
        self.settle();
    }

    /// The answer is complete: what looked like the beginning of a tag was none.
    pub fn finish(&mut self) {
        if self.state == Place::Start && !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            self.send(held);
        }
    }

    fn settle(&mut self) {
        // What is done with is cut off once: a piece may hold many blocks.
        let mut at = 0;
        loop {
            let rest = &self.held[at..];
            match self.state {
                Place::Start => {
                    let text = rest.trim_start();
                    at += rest.len() - text.len();
                    if text.starts_with(OPENING) {
                        self.state = Place::Thinking;
                    } else if OPENING.starts_with(text) {
                        self.held.drain(..at);
                        return;
                    } else {
                        self.state = Place::Answer;
                    }
                }
                Place::Thinking => {
                    let Some(end) = rest.find(CLOSING) else {
                        self.held.drain(..at);
                        return self.keep_tail();
                    };
                    at += end + CLOSING.len();
                    self.state = Place::Start;
                }
                Place::Answer => {
                    let answer = rest.to_owned();
                    self.held.clear();
                    return self.send(answer);
                }
            }
        }
    }

    /// Of thinking only the end is needed, where a closing tag may have begun.
    fn keep_tail(&mut self) {
        let mut cut = self.held.len().saturating_sub(CLOSING.len());
        while !self.held.is_char_boundary(cut) {
            cut -= 1;
        }
        self.held.drain(..cut);
    }

    fn send(&mut self, words: String) {
        self.begun = true;
        // A receiver that went away is no error: the answer is still wanted as a whole.
        if self.to.as_ref().is_some_and(|to| to.send(words).is_err()) {
            self.to = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    fn streamed(pieces: &[&str]) -> String {
        let (to, mut from) = unbounded_channel();
        let mut words = Words::new(Some(to));
        pieces.iter().for_each(|piece| words.push(piece));
        words.finish();
        let mut all = String::new();
        while let Ok(piece) = from.try_recv() {
            all.push_str(&piece);
        }
        all
    }

    #[test]
    fn thinking_before_the_answer_is_left_out() {
        for (text, answer) in [
            ("<think>hm</think>\n\nHello", "Hello"),
            ("  <think></think><think>b</think> Hello ", "Hello"),
            ("hm, well\n</think>\nHello", "Hello"),
            ("<think>cut off", ""),
            ("The tag </think> ends it.", "The tag </think> ends it."),
            ("I <think> so", "I <think> so"),
            ("<thin", "<thin"),
        ] {
            assert_eq!(strip(text), answer, "{text}");
        }
    }

    proptest! {
        #[test]
        fn streamed_words_are_the_stripped_text(
            text in "(<think>[a-z <é/]{0,20}</think>){0,2}\\s{0,2}[<>a-zé ]{0,30}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
            ends.push(text.len());
            ends.sort_unstable();
            let mut start = 0;
            let pieces: Vec<&str> = ends.iter().map(|end| { let piece = &text[start..*end]; start = *end; piece }).collect();
            let streamed = streamed(&pieces);
            prop_assert_eq!(streamed.trim_end(), strip(&text));
        }
    }
}
