//! The wording of a mail from reported speech: "tell him I'm running late" → "Hi Bob, I'm running late."

use super::reading::{behind, tidy, without_determiner};
use crate::core::text::{capital, shorten};
use crate::language::tokens::lower;

const SUBJECT_CHARS: usize = 60;

/// The person's sentence as it is written in a mail: first letter capital, "i" as "I", a full stop.
pub(crate) fn finish_body(text: &str) -> String {
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

/// With a greeting where the person was named; an address gets none, for it is no name.
pub(crate) fn greeted(to: &[String], body: &str) -> String {
    let name = match to {
        [] => return format!("{body}\n"),
        [one] if one.contains('@') => return format!("{body}\n"),
        [one] if is_group(one) => "all".to_owned(),
        [one] => called(one),
        [first, second] if !first.contains('@') && !second.contains('@') => {
            format!("{} and {}", called(first), called(second))
        }
        _ => "all".to_owned(),
    };
    format!("Hi {name},\n\n{body}\n")
}

fn is_group(name: &str) -> bool {
    let name = lower(name);
    ["team", "everyone", "everybody", "all", "group", "family", "crew", "staff", "guys", "committee", "board"]
        .iter()
        .any(|group| name.split(' ').any(|word| word == *group))
}

/// "my boss" is greeted without a name; names get their capital.
fn called(name: &str) -> String {
    let bare = name.strip_prefix("my ").or_else(|| name.strip_prefix("the ")).unwrap_or(name);
    capital(bare)
}

/// "about the project delay" → subject and sentence.
pub(crate) fn about(topic: &str) -> (String, String) {
    let topic = tidy(topic);
    let bare = without_determiner(&topic).to_owned();
    (capital(&bare), finish_body(&format!("this is about {topic}")))
}

/// The first sentence without its stop.
pub(crate) fn subject_of(body: &str) -> String {
    let first = body.split(['.', '!', '\n']).next().unwrap_or(body).trim();
    shorten(first.trim_end_matches('?'), SUBJECT_CHARS)
}

/// Reported speech about the one written to becomes speech to them: "he can come" → "you can come".
pub(crate) fn to_their_face(text: &str) -> String {
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

/// "to send me the report", "if he can come", "when he arrives", "about the budget" → a question.
pub(crate) fn question(text: &str) -> String {
    let text = text.trim();
    let (link, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim_end_matches('?');
    match lower(link).as_str() {
        "to" => finish_question(&format!("could you {}", from_her_view(rest))),
        "if" | "whether" => finish_question(&inverted(&to_their_face(rest))),
        "for" => finish_question(&format!("could you send me {rest}")),
        "about" => finish_question(&format!("could you tell me about {rest}")),
        "when" | "what" | "where" | "why" | "how" | "who" => {
            finish_question(&format!("{} {}", lower(link), inverted(&to_their_face(rest))))
        }
        _ => finish_body(text),
    }
}

/// A German subordinate clause as a sentence: "ich zu spät komme" → "ich komme zu spät".
pub(crate) fn main_clause(text: &str) -> String {
    let text = tidy(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [subject, middle @ .., verb] if !middle.is_empty() => {
            format!("{subject} {verb} {}", middle.join(" "))
        }
        _ => text,
    }
}

fn finish_question(text: &str) -> String {
    let body = finish_body(text);
    format!("{}?", body.trim_end_matches(['.', '?']))
}

/// "bring his laptop" said to him: "bring your laptop".
fn from_her_view(text: &str) -> String {
    let words: Vec<&str> = text
        .split(' ')
        .map(|word| match word {
            "his" | "their" => "your",
            other => other,
        })
        .collect();
    words.join(" ")
}

/// "you can come" → "can you come"; a plain verb takes "do".
fn inverted(text: &str) -> String {
    let (subject, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (verb, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    match verb {
        "can" | "could" | "will" | "would" | "is" | "are" | "was" | "were" | "has" | "have" | "should" | "did"
        | "does" => format!("{verb} {subject} {tail}").trim().to_owned(),
        _ if matches!(subject, "you" | "we" | "i" | "I") => format!("do {text}"),
        _ => format!("do you know if {text}"),
    }
}

/// A body in the person's own words, for an answer to "What should it say?".
pub(crate) fn body_from(answer: &str, to: &[String]) -> (String, String) {
    let said = tidy(answer);
    let leads = ["that ", "say that ", "say ", "tell him ", "tell her ", "tell them ", "just say "];
    let body = finish_body(&to_their_face(behind(&said, &leads)));
    (subject_of(&body), greeted(to, &body))
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
        assert_eq!(question("if he can come"), "Can you come?");
        assert_eq!(question("to send me the report"), "Could you send me the report?");
        assert_eq!(to_their_face("she is invited"), "you are invited");
        assert_eq!(about("the project delay").0, "Project delay");
    }
}
