//! The wording of a mail from reported speech, with its persons changed, and a greeting and a stop added.

use serde_json::Value;

use brain_core::core::plan::{Params, PlannedAction};
use brain_core::core::text::{capital, shorten};
use brain_language::language::requests::grammar::GRAMMAR;
use brain_language::language::requests::reading::{behind, tidy, without_determiner};
use brain_language::language::requests::text::is_phrase;
use brain_language::language::tokens::lower;

/// Words of a name, one that points to it included.
const NAME_WORDS: usize = 3;
const SUBJECT_CHARS: usize = 60;
const SUBJECT_WORDS: usize = 7;
const SUBJECT_WORDS_MIN: usize = 3;

/// The person's sentence as it is written in a mail: a capital first, the pronoun of the person as one, a full stop.
pub(in crate::services) fn finish_body(text: &str) -> String {
    let words: Vec<String> = tidy_keep_question(text).split(' ').map(as_written).collect();
    let sentence = capital(&words.join(" "));
    if sentence.is_empty() || sentence.ends_with(['.', '!', '?', '…']) { sentence } else { format!("{sentence}.") }
}

fn tidy_keep_question(text: &str) -> String {
    let asks = text.trim_end().ends_with('?');
    let plain = tidy(text);
    if asks { format!("{plain}?") } else { plain }
}

/// Phone spelling of the first person.
fn as_written(word: &str) -> String {
    match word {
        "i" => "I".into(),
        "im" | "i'm" => "I'm".into(),
        "ive" | "i've" => "I've".into(),
        "i'll" => "I'll".into(),
        "i'd" => "I'd".into(),
        "dont" => "don't".into(),
        "cant" => "can't".into(),
        "wont" => "won't".into(),
        "u" => "you".into(),
        "thats" => "that's".into(),
        _ => word.to_owned(),
    }
}

/// Stands for how the person called whom a letter goes to, where they are to be greeted by their names.
pub(in crate::services) const UNNAMED: &str = "-";

/// Words a letter to these: its body below the greeting that the words give, and how the person called them, so that
/// whoever knows who they are can greet them by their names.
pub(in crate::services) fn word_to(params: &mut Params, to: &[String], body: &str) {
    params.insert("body".into(), greeted(to, body).into());
    let called = to.first().filter(|_| to.len() == 1);
    params.extend(called.map(|one| ("greets".to_owned(), one.as_str().into())));
}

/// With a greeting where the person was named; an address gets none, for it is no name.
fn greeted(to: &[String], body: &str) -> String {
    let name = match to {
        [] => return format!("{body}\n"),
        // An address is no name, and nor is what takes many words to say.
        [one] if one.contains(['@', ',']) || one.split(' ').count() > NAME_WORDS => return format!("{body}\n"),
        [one] if is_group(one) => "all".to_owned(),
        [one] => capital(without_determiner(one)),
        [first, second] if !first.contains('@') && !second.contains('@') => {
            format!("{} and {}", capital(without_determiner(first)), capital(without_determiner(second)))
        }
        _ => "all".to_owned(),
    };
    format!("Hi {name},\n\n{body}\n")
}

/// A body that was worded here, without its greeting.
pub(in crate::services) fn ungreeted(body: &str) -> &str {
    body.split_once("\n\n").filter(|(hi, _)| hi.starts_with("Hi ")).map_or(body, |(_, below)| below)
}

/// Whether a name is that of a group.
pub(in crate::services) fn is_group(name: &str) -> bool {
    let name = lower(name);
    ["team", "everyone", "everybody", "all", "group", "family", "crew", "staff", "guys", "committee", "board"]
        .iter()
        .any(|group| name.split(' ').any(|word| word == *group))
}

/// A few words of what a letter says first: its first clause, no more than fits, without a short word at its end.
pub(in crate::services) fn subject_of(body: &str) -> String {
    let ends = |c: char| matches!(c, '!' | '?' | '\n' | ',' | ';' | '–' | '—' | '(');
    let sentence = body.trim().split(ends).next().unwrap_or(body).split(". ").next().unwrap_or(body);
    let sentence = sentence.split(": ").next().unwrap_or(sentence).trim().trim_end_matches(['.', ':']);
    let mut words: Vec<&str> = sentence.split_whitespace().collect();
    if words.len() > SUBJECT_WORDS {
        let begins = |word: &&str| is_phrase("clausal", word, GRAMMAR.lexicon);
        let clause = words[SUBJECT_WORDS_MIN..=SUBJECT_WORDS].iter().position(begins);
        words.truncate(clause.map_or(SUBJECT_WORDS, |at| at + SUBJECT_WORDS_MIN));
        while clause.is_none() && words.last().is_some_and(|word| word.chars().count() <= 3) {
            words.pop();
        }
    }
    shorten(&words.join(" "), SUBJECT_CHARS)
}

/// Reported speech about the one written to becomes speech to them, in the second person.
pub(in crate::services) fn to_their_face(text: &str) -> String {
    let (first, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let (verb, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let verb = match verb {
        "is" => "are",
        "has" => "have",
        "was" => "were",
        "doesn't" => "don't",
        "needs" => "need",
        other => other,
    };
    let start = match lower(first).as_str() {
        "he" | "she" | "they" => "you",
        "he's" | "she's" | "they're" => return format!("you're {rest}"),
        "his" | "her" | "their" if !rest.is_empty() => return format!("your {rest}"),
        _ => return text.trim().to_owned(),
    };
    format!("{start} {verb} {tail}").trim().to_owned()
}

/// The sentence of a letter in the person's own words, for an answer to the question for its text.
pub(in crate::services) fn body_from(answer: &str) -> String {
    let said = tidy(answer);
    let leads = ["that ", "say that ", "say ", "tell him ", "tell her ", "tell them ", "just say "];
    finish_body(&to_their_face(behind(&said, &leads)))
}

/// Words an action for whom it goes to now; to nobody yet where there is none.
pub(in crate::services) fn address(action: &mut PlannedAction, people: &[String]) {
    let body = action.params.get("body").and_then(Value::as_str).unwrap_or_default();
    let body = ungreeted(body).trim_end().to_owned();
    word_to(&mut action.params, people, &body);
}

/// A sentence that is no request, after a mail with words of its own, belongs to that mail.
pub(in crate::services) fn go_on(action: &mut PlannedAction, sentence: &str) {
    if let Some(body) = action.params.get("body").and_then(Value::as_str) {
        let body = format!("{} {}\n", body.trim_end(), finish_body(sentence));
        action.params.insert("body".into(), body.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_speech_becomes_a_letter() {
        assert_eq!(finish_body("im running late"), "I'm running late.");
        assert_eq!(greeted(&["bob".into()], "I'm late."), "Hi Bob,\n\nI'm late.\n");
        assert_eq!(greeted(&["a@b.org".into()], "Hello."), "Hello.\n");
        assert_eq!(greeted(&["the whole team".into()], "Hello."), "Hi all,\n\nHello.\n");
        assert_eq!(to_their_face("she is invited"), "you are invited");
    }

    #[test]
    fn a_subject_is_a_few_words() {
        for (body, subject) in [
            ("I'm running late.", "I'm running late"),
            ("Dinner is at 7.30. Bring wine.", "Dinner is at 7.30"),
            ("Could you send me the slides, the ones with the graph?", "Could you send me the slides"),
            ("I can only come on Thursday because the car is at the garage.", "I can only come on Thursday"),
            ("We would like to book the two rooms to the garden.", "We would like to book"),
            ("We come at six so keep the cake for us and the tea too.", "We come at six"),
        ] {
            assert_eq!(subject_of(body), subject);
        }
    }
}
