//! Small talk without a model: short, warm, honest.
//!
//! Topics and replies stand in `data/language/requests/talk.tsv`; which of several replies is given depends on
//! the message only. Not here: anything that claims a past action.

use super::annotated::AnnotatedText;
use super::grammar::GRAMMAR;
use super::matching::readings;
use super::text::{Token, TokenMark, own_words};
use crate::language::time::Reference;
use crate::language::tokens::{is_accent, lower};
use crate::language::work::Work;

/// One topic in one language.
#[derive(Debug)]
struct TalkTopic {
    name: &'static str,
    language: &'static str,
    /// Words or phrases that bring it up.
    cues: Vec<&'static str>,
    replies: Vec<&'static str>,
}

/// Read where they stand: a line is cut up when it is looked at, which takes microseconds for all of them.
fn topics() -> impl Iterator<Item = TalkTopic> {
    include_str!("../../../../../data/language/requests/talk.tsv").lines().filter_map(topic)
}

fn topic(line: &'static str) -> Option<TalkTopic> {
    let mut fields = line.split('\t');
    let (name, language) = (fields.next().filter(|n| !n.is_empty() && !n.starts_with('#'))?, fields.next()?);
    let mut several = || Some(fields.next()?.split('|').map(str::trim).collect());
    Some(TalkTopic { name, language, cues: several()?, replies: several()? })
}

/// A reply to small talk, in the person's language where it is one of those in the table.
pub fn chat(text: &str) -> String {
    let named = |name: &str| by_name(name, language(text), text);
    let talked = || brought_up(text).map_or_else(|| named("otherwise"), |topic| pick(&topic, text));
    if dismisses(text) { named("dismiss") } else { talked() }
}

/// Whether a text brings up something to talk about: more than agreement, laughter, or a sign.
pub fn is_small_talk(text: &str) -> bool {
    brought_up(text).is_some_and(|topic| !["agree", "laugh", "emoji"].contains(&topic.name))
}

/// Whether a question of ours is given up: all of it drops or ends what was spoken of, or a remark follows after a pause.
/// A request is a message of its own, with whatever word it begins.
pub fn gives_up(text: &str, reference: &Reference) -> bool {
    let heard = AnnotatedText::new(text, reference, GRAMMAR.lexicon);
    let Some(len) = GRAMMAR.lexicon.starts("giveup", heard.ids(0..heard.tokens.len())) else { return dismisses(text) };
    let is_remark = |next: &Token| next.mark != TokenMark::Word && !is_request(&text[next.span.end..], reference);
    dismisses(text) || heard.tokens.get(len).is_none_or(is_remark)
}

/// Whether a phrase, and no weak one, covers a text as a request; a lower score is a reading of a few words among many.
pub fn is_request(text: &str, reference: &Reference) -> bool {
    asked_plainly(text, reference).is_some_and(|command| command != "chat")
}

/// The command that a phrase, and no weak one, asks for with all of a text.
pub fn asked_plainly(text: &str, reference: &Reference) -> Option<&'static str> {
    let heard = AnnotatedText::new(text, reference, GRAMMAR.lexicon);
    let best = readings(*GRAMMAR, &heard, 0..heard.tokens.len(), &Work::default()).into_iter().next()?;
    (!best.frame.weak && best.score >= 15).then_some(&best.frame.command)
}

/// Whether all of it drops or ends what was spoken of, politely or not.
pub(super) fn dismisses(text: &str) -> bool {
    let ids: Vec<_> = words(text).split_whitespace().map(|word| GRAMMAR.lexicon.read_word(word)).collect();
    let (mut rest, mut drops) = (&ids[..], false);
    let takes = |classes: &[&str], ids| classes.iter().filter_map(|class| GRAMMAR.lexicon.starts(class, ids)).max();
    while let Some(len) = takes(&["giveup", "enders", "closing", "lead", "tail", "delead", "detail"], rest) {
        drops |= takes(&["giveup", "enders", "closing"], rest) == Some(len);
        rest = &rest[len..];
    }
    drops && rest.is_empty()
}

fn brought_up(text: &str) -> Option<TalkTopic> {
    let words = words(text);
    let best = topics()
        .filter(is_topic)
        .filter_map(|topic| longest_cue(&topic, &words).map(|len| (len, topic)))
        .max_by_key(|(len, topic)| (rank(topic.name), *len));
    best.map(|(_, topic)| topic)
}

/// Topics that are answered with what is the case, whatever else was said about them.
const ANSWERED: [&str; 10] =
    ["howareyou", "who", "can", "joke", "sad", "weather", "bored", "food", "feelings", "insult"];
/// In more words than these, a topic is mentioned.
const ASKED_WORDS_MAX: usize = 7;

/// A message of which every word that says something brings up a topic.
pub(super) fn is_all_talk(text: &str) -> bool {
    let mut rest = words(text);
    let mut cues: Vec<&str> = topics().filter(is_topic).flat_map(|topic| topic.cues).collect();
    cues.sort_by_key(|cue| std::cmp::Reverse(cue.len()));
    let before = rest.len();
    for cue in cues {
        rest = rest.replace(&format!(" {cue} "), " ");
    }
    let is_function = |word: &str| GRAMMAR.lexicon.is_phrase("function", &[GRAMMAR.lexicon.read_word(word)]);
    rest.len() < before && rest.split_whitespace().all(is_function)
}

/// A short message about a topic that has an answer.
pub(super) fn asks_for_talk(text: &str) -> bool {
    let is_short = words(text).split_whitespace().count() <= ASKED_WORDS_MAX;
    is_short && brought_up(text).is_some_and(|topic| ANSWERED.contains(&topic.name))
}

fn is_topic(topic: &TalkTopic) -> bool {
    !["language", "otherwise", "notunderstood", "dismiss"].contains(&topic.name)
}

/// That a message was not understood and nothing was done, `{what}` of it where the language has that; in a sentence of
/// its own, what an example of what can be said follows.
pub fn not_understood(text: &str) -> String {
    by_name("notunderstood", language(text), text)
}

/// A greeting may open anything; what follows it says more.
fn rank(name: &str) -> (bool, bool) {
    (!["greeting", "laugh", "emoji"].contains(&name), !["thanks", "agree"].contains(&name))
}

fn words(text: &str) -> String {
    let own: String = own_words(text).chars().take(400).collect();
    let spaced: String = lower(&own)
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '\'' || is_accent(c) || is_emoji(c) { c } else { ' ' })
        .collect();
    format!(" {} ", spaced.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn is_emoji(c: char) -> bool {
    matches!(u32::from(c), 0x2600..=0x27BF | 0x1F300..=0x1FAFF)
}

fn longest_cue(topic: &TalkTopic, words: &str) -> Option<usize> {
    topic
        .cues
        .iter()
        .filter(|cue| words.contains(&format!(" {cue} ")) || (cue.chars().all(is_emoji) && words.contains(**cue)))
        .map(|cue| cue.len())
        .max()
}

/// Always the same reply to the same message, and not always the same to different ones.
fn pick(topic: &TalkTopic, text: &str) -> String {
    let sum: usize = text.bytes().map(usize::from).sum();
    let replies = &topic.replies;
    replies.get(sum % replies.len().max(1)).copied().unwrap_or_default().to_owned()
}

fn by_name(name: &str, language: &str, text: &str) -> String {
    let find = |language: &str| topics().find(|t| t.name == name && t.language == language);
    find(language).or_else(|| find("en")).map(|topic| pick(&topic, text)).unwrap_or_default()
}

/// The language whose words occur most; English when nothing says otherwise.
pub fn language(text: &str) -> &'static str {
    let words = words(text);
    let hits = |topic: &TalkTopic| topic.cues.iter().filter(|cue| words.contains(&format!(" {cue} "))).count();
    topics()
        .filter(|topic| topic.name == "language")
        .max_by_key(hits)
        .filter(|topic| hits(topic) > 0)
        .map_or_else(|| by_script(text), |topic| topic.language)
}

/// Whether the times and moods of the language that a text is in are read.
pub fn is_read(text: &str) -> bool {
    ["en", "de"].contains(&language(text))
}

fn by_script(text: &str) -> &'static str {
    match text.chars().find(|c| c.is_alphabetic()).map_or(0, u32::from) {
        0x400..=0x4FF => "ru",
        0x600..=0x6FF => "ar",
        0x900..=0x97F => "hi",
        _ => "en",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_cues_and_replies() {
        assert!(topics().count() > 30);
        for topic in topics() {
            assert!(!topic.replies.is_empty() && topic.replies.iter().all(|r| !r.is_empty()), "{topic:?}");
            assert!(!topic.cues.is_empty(), "{topic:?}");
        }
    }

    #[test]
    fn small_talk_is_answered_in_kind() {
        assert!(chat("thanks!").to_lowercase().contains("welcome") || chat("thanks!").contains("glad"));
        assert!(chat("Danke dir").contains("ern"), "{}", chat("Danke dir"));
        assert!(chat("what can you do?").contains("emind"));
        assert!(chat("привет").chars().any(|c| ('а'..='я').contains(&c)));
        assert!(!chat("🦖").is_empty());
        assert!(not_understood("what is the capital of France?").contains("nothing was done. "));
        assert_eq!(["envía el correo por mí", "mail Bob"].map(language), ["es", "en"]);
    }
}
