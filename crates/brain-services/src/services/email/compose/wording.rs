//! How a mail is worded that the person asks for: greetings by names, and reported questions as they are asked.

use super::letter::{finish_body, is_group, to_their_face};
use brain_core::core::text::capital;
use brain_language::language::people::{is_relation, is_title};
use brain_language::language::requests::reading::{tidy, without_determiner};
use brain_language::language::tokens::lower;
use brain_language::language::words::{fold, without_digraphs};

/// The greeting of those whom a letter goes to, each with what they are called and their address, where the person
/// `called` them something: by names alone, so by none where a role, a firm or a thing is all that is known.
pub(in crate::services::email) fn greeting(called: &str, people: &[(&str, &str)]) -> Option<String> {
    match people {
        [] => None,
        _ if is_group(called) => Some("Hi all,".to_owned()),
        [(name, address)] => Some(format!("Hi {},", first_name(called, name, address)?)),
        [(a, at), (b, there)] => match (first_name("", a, at), first_name("", b, there)) {
            (Some(a), Some(b)) => Some(format!("Hi {a} and {b},")),
            (_, _) => Some("Hi all,".to_owned()),
        },
        _ => Some("Hi all,".to_owned()),
    }
}

/// What somebody is greeted by: the word of their name that the person called them by, else the first of a name that
/// their address shows to be a person's. What stands in the domain is the name of a firm.
fn first_name(called: &str, name: &str, address: &str) -> Option<String> {
    let parts: Vec<&str> = name.split_whitespace().filter(|part| !is_title(&fold(part))).collect();
    let is_word = |part: &&str| part.chars().all(|c| c.is_alphabetic() || "-'’".contains(c));
    let called_as = without_determiner(called);
    let is_described = called_as.len() != called.trim().len();
    let same = parts.iter().find(|part| fold(part) == fold(called_as));
    if let Some(part) = same.filter(|_| !is_described || is_relation(&fold(called_as))) {
        return Some(capital(part)).filter(|part| is_word(&part.as_str()));
    }
    let (local, domain) = address.split_once('@')?;
    let (local, domain) = (without_digraphs(&fold(local)), without_digraphs(&fold(domain)));
    let in_domain = |part: &&str| domain.contains(without_digraphs(&fold(part)).as_str());
    let in_local = |part: &&str| local.contains(without_digraphs(&fold(part)).as_str());
    let is_person = matches!(parts.len(), 1..=3)
        && parts.iter().all(is_word)
        && !parts.iter().any(in_domain)
        && [parts.first(), parts.last()].into_iter().flatten().any(in_local);
    parts.first().filter(|_| is_person).map(|part| capital(part))
}

/// A topic → subject and sentence.
pub(in crate::services::email) fn about(topic: &str) -> (String, String) {
    let topic = tidy(topic);
    let bare = without_determiner(&topic).to_owned();
    (capital(&bare), finish_body(&format!("this is about {topic}")))
}

/// What is asked, as an infinitive, a subordinate clause or a topic → a question.
pub(in crate::services::email) fn question(text: &str) -> String {
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

/// A German subordinate clause as a sentence: its verb moves behind the subject.
pub(in crate::services::email) fn main_clause(text: &str) -> String {
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

/// Possessives of the third person, said to the person themself.
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

/// A statement → a question: the auxiliary first; a plain verb takes one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reported_is_asked() {
        assert_eq!(question("if he can come"), "Can you come?");
        assert_eq!(question("to send me the report"), "Could you send me the report?");
        assert_eq!(about("the project delay").0, "Project delay");
    }

    #[test]
    fn a_greeting_is_a_persons_name_or_none() {
        for (called, name, address, hi) in [
            ("dana", "Dana Whitfield", "dw7@northwind.example", Some("Hi Dana,")),
            ("my landlord", "Gérard Dubois", "gerard.dubois@example.net", Some("Hi Gérard,")),
            ("my landlord", "Landlord", "rent@example.net", None),
            ("my mum", "Mum", "helen.morgan@example.net", Some("Hi Mum,")),
            ("her", "Priya Raman", "priya.raman@example.com", Some("Hi Priya,")),
            ("the hotel", "Hotel Lindenhof", "hotel@lindenhof.example", None),
            ("Two single rooms, two nights", "Hotel Lindenhof", "stay@lindenhof.example", None),
            ("", "Hillcrest Primary, Year 2", "office@hillcrest.example", None),
            ("", "Priya Raman", "eve@freemail.example", None),
            ("bob@example.com", "", "bob@example.com", None),
        ] {
            assert_eq!(greeting(called, &[(name, address)]).as_deref(), hi, "{called} {name}");
        }
        let two = [("Bob Miller", "bob.miller@x.example"), ("Dana Whitfield", "dana@y.example")];
        assert_eq!(greeting("", &two).as_deref(), Some("Hi Bob and Dana,"));
        assert_eq!(greeting("the whole team", &two).as_deref(), Some("Hi all,"));
    }
}
