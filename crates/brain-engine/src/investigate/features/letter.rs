//! A letter as it was written: without what it quotes, without its signature, sentence by sentence.

use super::words::{WORDS, meant, written_out};
use brain_core::limits::{LETTER_CHARS_MAX, LETTER_SENTENCES_MAX, SENTENCE_READ_CHARS_MAX};
use brain_language::language::words::fold;

/// A sentence, and its words as cues are compared with them.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    /// As it stands there, on one line.
    pub text: String,
    /// Folded, contractions written out.
    pub words: Vec<String>,
    /// Where a clause begins: at the beginning, behind a mark, and behind what only joins it.
    pub starts: Vec<usize>,
    /// It ends with a question mark.
    pub asks: bool,
    /// It ends its paragraph: what comes next does not go on with it.
    pub ends: bool,
}

/// What is new in a letter: up to where another one is quoted, without quoted lines and without the signature.
pub fn new_part(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let cut: String = text.chars().take(LETTER_CHARS_MAX).collect();
    for line in cut.lines() {
        let trimmed = line.trim();
        if is_end(line, trimmed) {
            break;
        }
        if !trimmed.starts_with('>') {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// Whether a letter ends before this line: a signature, or the letter it answers.
fn is_end(line: &str, trimmed: &str) -> bool {
    let folded = fold(trimmed);
    let begins = WORDS.wrote_on.iter().any(|on| folded.strip_prefix(on).is_some_and(|rest| rest.starts_with(' ')));
    let is_quoted_head = (begins || folded.contains('@')) && WORDS.wrote.iter().any(|wrote| folded.ends_with(wrote));
    line == "-- " || trimmed == "--" || WORDS.head.iter().any(|head| folded.starts_with(head)) || is_quoted_head
}

/// The sentences of a text. Every paragraph ends one, and so does every line of a list.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut paragraph = String::new();
    for line in text.lines().chain([""]) {
        let trimmed = line.trim();
        let begins = trimmed.is_empty() || is_list_line(trimmed);
        if begins && !paragraph.is_empty() {
            cut(&std::mem::take(&mut paragraph), &mut sentences);
        }
        if !trimmed.is_empty() {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(trimmed);
        }
        if sentences.len() >= LETTER_SENTENCES_MAX {
            break;
        }
    }
    sentences
}

fn is_list_line(line: &str) -> bool {
    let numbered =
        line.split_once(['.', ')']).is_some_and(|(number, _)| number.len() < 3 && number.parse::<u8>().is_ok());
    line.starts_with("- ") || line.starts_with("* ") || line.starts_with("• ") || numbered
}

/// Cuts a paragraph at its stops.
fn cut(paragraph: &str, sentences: &mut Vec<Sentence>) {
    let mut start = 0;
    let mut chars = paragraph.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let smiles = c == ')' && paragraph[..at].ends_with([':', ';', '-']);
        let is_stop = smiles
            || matches!(c, '.' | '!' | '?' | '…' | '؟' | '？' | '。')
                && next.is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '”' | '’' | ')' | '»'));
        if !is_stop {
            continue;
        }
        let before = paragraph[start..at].rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
        let is_short = WORDS.abbreviation.holds(&before)
            || (before.len() < 3 && before.parse::<u8>().is_ok() && start == at - before.len());
        if c == '.' && is_short {
            continue;
        }
        let end = at + c.len_utf8();
        push(&paragraph[start..end], sentences);
        start = end;
    }
    push(&paragraph[start..], sentences);
    if let Some(last) = sentences.last_mut() {
        last.ends = true;
    }
}

fn push(text: &str, sentences: &mut Vec<Sentence>) {
    let text = text.trim().trim_start_matches(['"', '”', ')', '»']).trim();
    let mut rest = text;
    while !rest.is_empty() {
        let part;
        (part, rest) = rest.split_at(readable_len(rest));
        if part.chars().any(char::is_alphanumeric) {
            sentences.push(sentence(part.trim()));
        }
    }
}

/// Bytes of what is read as one sentence: all of it, or the words that fit.
fn readable_len(text: &str) -> usize {
    let Some((end, _)) = text.char_indices().nth(SENTENCE_READ_CHARS_MAX) else { return text.len() };
    text[..end].rfind(char::is_whitespace).filter(|space| *space > 0).unwrap_or(end)
}

/// One sentence.
pub fn sentence(text: &str) -> Sentence {
    let plain = written_out(&fold(&text.replace('’', "'")));
    let (mut words, mut starts): (Vec<String>, Vec<usize>) = (Vec::new(), vec![0]);
    let mut word = String::new();
    for c in plain.chars().chain([' ']) {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            words.extend(meant(std::mem::take(&mut word)).split(' ').map(str::to_owned));
        }
        if matches!(c, ',' | ':' | ';' | '-' | '–' | '—' | '(' | '"' | '.' | '!' | '?') {
            starts.push(words.len());
        }
    }
    for (at, word) in words.iter().enumerate() {
        if starts.contains(&at) && WORDS.join.holds(word) {
            starts.push(at + 1);
        }
    }
    let joined = (0..words.len()).filter(|at| WORDS.and.holds(&words[*at]));
    let begun: Vec<usize> = joined.filter(|at| !is_of_the_writer(&words, &starts, *at)).map(|at| at + 1).collect();
    starts.extend(begun);
    starts.sort_unstable();
    starts.dedup();
    let asks = text.trim_end_matches(['"', '”', ')', '»', ' ']).ends_with(['?', '？', '؟']);
    Sentence { text: text.split_whitespace().collect::<Vec<_>>().join(" "), words, starts, asks, ends: false }
}

/// Whether what the clause before `end` says is said of whoever writes, and so what is joined to it: a second verb of
/// that subject is no order.
fn is_of_the_writer(words: &[String], starts: &[usize], end: usize) -> bool {
    let start = starts.iter().copied().filter(|start| *start < end).max().unwrap_or(0);
    let clause = &words[start..end];
    clause.first().is_some_and(|word| WORDS.intends.holds(word)) || WORDS.writer.is_in(clause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_without_an_end_is_read_in_parts_and_its_question_is_seen() {
        let text = format!("{}could you send me the invoice?", "and then we went on, ".repeat(300));
        let read = sentences(&text);
        assert!(read.iter().all(|sentence| sentence.text.chars().count() <= SENTENCE_READ_CHARS_MAX), "{}", read.len());
        let words: Vec<&str> = read.iter().flat_map(|sentence| sentence.text.split(' ')).collect();
        assert_eq!(words.join(" "), text, "nothing of it is left out");
        assert!(read.last().is_some_and(|sentence| sentence.asks && sentence.text.ends_with("the invoice?")));
        assert_eq!(sentences("One. Two?").len(), 2);
    }
}
