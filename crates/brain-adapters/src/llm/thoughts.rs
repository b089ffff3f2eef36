//! What of a model's words is meant for nobody: visible thinking before the answer (`<think>…</think>`), and the
//! markers of chat templates (`<|im_end|>`), which some servers let through.
//!
//! ```text
//! start    ── white space, marker that opens a turn ─► start        ── "assistant" after such a marker ─► start
//! start    ── tag that opens thinking ─► thinking ── its end ─► start
//! start    ── any other word ─► answer ── any marker ─► over        start ── any other marker ─► over
//! answer   ── a call of a tool, or thinking on lines of its own ─► left out ─► answer
//! ```
//! Invariants: how the words are cut into pieces changes nothing; the words that were sent on, put together and
//! trimmed, are the text that [`strip`] gives, as long as thinking has its opening tag (without one it shows itself
//! only at its end, so it is left out of the text but may have been streamed); after a marker nothing is taken any
//! more, since what follows is a turn that the model makes up.

use tokio::sync::mpsc::UnboundedSender;

use super::calls::{self, LeadingText};

/// What thinking stands between.
const THINKING: [(&str, &str); 3] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<|channel|>analysis<|message|>", "<|end|>")];
/// Ends thinking whose beginning the chat template has swallowed.
const CLOSING: &str = "</think>";
/// What the markers of templates stand between; see [`is_of_name`] for what is inside.
const PIPES: [(&str, &str); 2] = [("<|", "|>"), ("<｜", "｜>")];
/// Markers of another form.
const NAMED: [&str; 7] = ["</s>", "<eos>", "<bos>", "<start_of_turn>", "<end_of_turn>", "[INST]", "[/INST]"];
/// Markers that begin a turn or stand in its head; every other one ends it.
const OPENERS: [&str; 14] = [
    "<|im_start|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|start_of_role|>",
    "<|end_of_role|>",
    "<|begin_of_text|>",
    "<|assistant|>",
    "<|start|>",
    "<|channel|>",
    "<|message|>",
    "<｜Assistant｜>",
    "<start_of_turn>",
    "<bos>",
    "[/INST]",
];
/// What stands in the head of a turn of the model's own, and in that of somebody else's.
const OWN_ROLES: [&str; 3] = ["assistant", "model", "final"];
const OTHER_ROLES: [&str; 3] = ["user", "system", "tool"];
/// A call of a tool is shorter.
const HELD_BYTES_MAX: usize = 16 * 1024;
/// Names of markers are shorter.
const INNER_BYTES_MAX: usize = 40;

/// The answer without thinking before it, markers, and surrounding white space.
pub(super) fn strip(text: &str) -> String {
    let mut cleaner = Cleaner::default();
    let mut clean = cleaner.push(text);
    clean.push_str(&cleaner.finish());
    let clean = clean.trim();
    after_orphan(clean).unwrap_or(clean).to_owned()
}

/// What comes after leading blocks of thinking, markers and all; `None` while that cannot be told.
pub(super) fn after_thinking(text: &str) -> Option<&str> {
    let mut text = text.trim_start();
    while let Some((inside, closing)) =
        THINKING.iter().find_map(|(opening, closing)| Some((text.strip_prefix(opening)?, closing)))
    {
        text = inside.split_once(closing)?.1.trim_start();
    }
    let may_open = THINKING.iter().any(|(opening, _)| opening.starts_with(text));
    (!may_open).then(|| after_orphan(text).unwrap_or(text))
}

/// Some chat templates swallow the opening tag; the closing one then stands alone on its line.
fn after_orphan(text: &str) -> Option<&str> {
    let (before, after) = text.split_once(CLOSING)?;
    let alone = (before.is_empty() || before.ends_with('\n')) && after.starts_with(['\n', '\r']);
    (alone && !THINKING.iter().any(|(opening, _)| before.contains(opening))).then(|| after.trim_start())
}

/// What the beginning of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextBeginning {
    /// A marker of so many bytes.
    Marker(usize),
    /// One, if the right words follow.
    Undecided,
    Words,
}

fn beginning(text: &str) -> TextBeginning {
    let named = NAMED.iter().find(|marker| text.starts_with(**marker));
    if let Some(marker) = named {
        return TextBeginning::Marker(marker.len());
    }
    for (opening, closing) in PIPES {
        let Some(inside) = text.strip_prefix(opening) else { continue };
        let (inner, after) = inside.split_at(inside.find(|c| !is_of_name(c)).unwrap_or(inside.len()));
        // Some models close a marker in another way than they open it.
        let closed = [closing, ">"].into_iter().find(|closing| !inner.is_empty() && after.starts_with(closing));
        return match closed {
            _ if inner.len() > INNER_BYTES_MAX => TextBeginning::Words,
            Some(closing) => TextBeginning::Marker(opening.len() + inner.len() + closing.len()),
            None if closing.starts_with(after) => TextBeginning::Undecided,
            None => TextBeginning::Words,
        };
    }
    let may_begin = NAMED.iter().copied().chain(PIPES.map(|(opening, _)| opening)).any(|all| all.starts_with(text));
    if may_begin { TextBeginning::Undecided } else { TextBeginning::Words }
}

/// The name of a marker is one word. `a <| b |> c` of some programming languages is none.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '▁')
}

/// Takes the words out of an answer, piece by piece.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    held: String,
    place: ThoughtState,
    /// Text was struck out (`<s>…</s>`), so its end is no marker.
    strikes: bool,
    /// Behind the first word of a line.
    in_line: bool,
    /// Nothing more comes.
    is_whole: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ThoughtState {
    /// Before the first word.
    #[default]
    Start,
    /// After a marker that opens a turn.
    Head,
    /// Until this tag.
    Thinking(&'static str),
    Answer,
    Over,
}

impl Cleaner {
    /// The words that are certain after this piece.
    pub fn push(&mut self, piece: &str) -> String {
        if self.place == ThoughtState::Over || piece.is_empty() {
            return String::new();
        }
        self.held.push_str(piece);
        let held = std::mem::take(&mut self.held);
        let mut words = String::new();
        let rest = self.settle(&held, &mut words);
        rest.clone_into(&mut self.held);
        words
    }

    /// The answer is complete: what looked like the beginning of a marker was none.
    pub fn finish(&mut self) -> String {
        match self.place {
            ThoughtState::Answer => {
                self.is_whole = true;
                let held = std::mem::take(&mut self.held);
                let mut words = String::new();
                let rest = self.settle(&held, &mut words);
                if self.place == ThoughtState::Answer && calls::at_start(rest) != LeadingText::Begun {
                    words.push_str(rest);
                }
                words
            }
            ThoughtState::Start | ThoughtState::Head => std::mem::take(&mut self.held),
            ThoughtState::Thinking(_) | ThoughtState::Over => String::new(),
        }
    }

    /// A marker has ended it.
    pub fn is_over(&self) -> bool {
        self.place == ThoughtState::Over
    }

    /// What `rest` begins with, where nothing has been said yet: what is behind it, or all of it while that is open.
    fn starts<'t>(&mut self, mut rest: &'t str) -> Result<&'t str, &'t str> {
        let opened = THINKING.iter().find(|(opening, _)| rest.starts_with(opening));
        if let Some((opening, closing)) = opened {
            rest = &rest[opening.len()..];
            self.place = ThoughtState::Thinking(closing);
        } else if THINKING.iter().any(|(opening, _)| opening.starts_with(rest)) {
            return Err(rest);
        } else {
            match beginning(rest) {
                TextBeginning::Undecided => return Err(rest),
                TextBeginning::Words => self.place = ThoughtState::Answer,
                TextBeginning::Marker(length) => {
                    let (marker, after) = rest.split_at(length);
                    rest = after;
                    self.place = if OPENERS.contains(&marker) { ThoughtState::Head } else { ThoughtState::Over };
                }
            }
        }
        Ok(rest)
    }

    /// The same of what stands in the head of a message: whose it is.
    fn heads<'t>(&mut self, mut rest: &'t str) -> Result<&'t str, &'t str> {
        let named = |roles: &[&str]| roles.iter().find_map(|role| rest.strip_prefix(role));
        let ends = |after: &str| after.starts_with(['\n', '\r', '<', ':']);
        if OWN_ROLES.iter().chain(&OTHER_ROLES).any(|role| role.starts_with(rest)) {
            return Err(rest);
        }
        self.place = ThoughtState::Start;
        if let Some(after) = named(&OWN_ROLES).filter(|after| ends(after)) {
            rest = after.trim_start_matches(':');
        } else if named(&OTHER_ROLES).is_some_and(ends) {
            self.place = ThoughtState::Over;
        }
        Ok(rest)
    }

    /// Adds what is certain to `words`; gives what is not.
    fn settle<'t>(&mut self, held: &'t str, words: &mut String) -> &'t str {
        let mut rest = held;
        loop {
            match self.place {
                ThoughtState::Start => match self.starts(rest.trim_start()) {
                    Ok(after) => rest = after,
                    Err(undecided) => return undecided,
                },
                ThoughtState::Head => match self.heads(rest.trim_start()) {
                    Ok(after) => rest = after,
                    Err(undecided) => return undecided,
                },
                ThoughtState::Thinking(closing) => {
                    let Some((_, after)) = rest.split_once(closing) else {
                        return tail(rest, closing.len());
                    };
                    rest = after;
                    self.place = ThoughtState::Start;
                }
                ThoughtState::Answer => {
                    let Some(at) = rest.find(['<', '[', '{', '`']) else {
                        self.says(rest, words);
                        return "";
                    };
                    let (before, from) = rest.split_at(at);
                    self.says(before, words);
                    rest = from;
                    self.strikes |= rest.starts_with("<s>");
                    match self.aside(rest) {
                        LeadingText::No => {}
                        LeadingText::Undecided if self.is_whole => {}
                        // What goes on for so long is no call, and is not looked at again with every piece.
                        LeadingText::Undecided | LeadingText::Begun if rest.len() > HELD_BYTES_MAX => {}
                        LeadingText::Undecided | LeadingText::Begun => return rest,
                        LeadingText::Call(length) => {
                            rest = &rest[length..];
                            continue;
                        }
                    }
                    match beginning(rest) {
                        TextBeginning::Undecided => return rest,
                        TextBeginning::Marker(_) if !(self.strikes && rest.starts_with("</s>")) => {
                            self.place = ThoughtState::Over;
                        }
                        TextBeginning::Marker(_) | TextBeginning::Words => {
                            let (first, after) = rest.split_at(1);
                            self.says(first, words);
                            rest = after;
                        }
                    }
                }
                ThoughtState::Over => return "",
            }
        }
    }
}

impl Cleaner {
    fn says(&mut self, certain: &str, words: &mut String) {
        words.push_str(certain);
        if let Some(last) = certain.trim_end_matches([' ', '\t']).chars().next_back() {
            self.in_line = last != '\n';
        }
    }

    /// What is for nobody at the beginning of `rest`, in the middle of an answer. A tag of thinking inside a line, or
    /// one that is never closed, is a word.
    fn aside(&self, rest: &str) -> LeadingText {
        let (opening, closing) = THINKING[0];
        match (self.in_line, rest.strip_prefix(opening)) {
            (false, Some(inside)) => match inside.find(closing) {
                Some(at) => LeadingText::Call(opening.len() + at + closing.len()),
                None => LeadingText::Undecided,
            },
            (false, None) if opening.starts_with(rest) => LeadingText::Undecided,
            (_, _) => calls::at_start(rest),
        }
    }
}

/// Of thinking only the end is needed, where a closing tag may have begun.
fn tail(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

/// Sends words on as they arrive, once it is clear that they are meant for somebody.
#[derive(Debug)]
pub(super) struct SpokenWords {
    to: Option<UnboundedSender<String>>,
    cleaner: Cleaner,
    begun: bool,
}

impl SpokenWords {
    pub fn new(to: Option<UnboundedSender<String>>) -> Self {
        Self { to, cleaner: Cleaner::default(), begun: false }
    }

    /// Has anything gone out? Then the answer cannot be asked for again.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// A marker has ended them, whatever still comes.
    pub fn are_over(&self) -> bool {
        self.cleaner.is_over()
    }

    /// Forgets what was held back; a new attempt begins.
    pub fn restart(&mut self) {
        self.cleaner = Cleaner::default();
    }

    pub fn push(&mut self, piece: &str) {
        let words = self.cleaner.push(piece);
        self.send(words);
    }

    /// The answer is complete.
    pub fn finish(&mut self) {
        let words = self.cleaner.finish();
        self.send(words);
    }

    fn send(&mut self, words: String) {
        let Some(to) = self.to.as_ref().filter(|_| !words.is_empty()) else { return };
        self.begun = true;
        // A receiver that went away is no error: the answer is still wanted as a whole.
        if to.send(words).is_err() {
            self.to = None;
        }
    }
}

#[cfg(test)]
mod tests;
