//! Slot filling: the answer to a clarifying question completes the request it was asked for.

use serde_json::{Map, Value, json};

use super::filling::{is_built_in, looks_up};
use crate::services::email::compose::letter;
use crate::services::helpers::address_book::split_details;
use crate::services::{calendar, task};
use brain_core::core::plan::PlannedAction;
use brain_language::language::grounding::is_light;
use brain_language::language::requests::annotated::AnnotatedText;
use brain_language::language::requests::grammar::GRAMMAR;
use brain_language::language::requests::reading::{people, things, tidy, title, without_determiner};
use brain_language::language::requests::{asked_plainly, gives_up, is_request, is_small_talk, own_words};
use brain_language::language::time;
use brain_language::language::time::{Reference, TimeMention, When};
use brain_language::language::tokens::lower;
use brain_language::language::words::words;

/// An answer for a time says little else; more words of its own are something new.
const WORDS_BESIDE_A_TIME_MAX: usize = 2;

/// Completes `partial` with what was answered for `param`. `None`: the message is no answer, but new.
pub fn complete(partial: &PlannedAction, param: &str, answer: &str, reference: &Reference) -> Option<PlannedAction> {
    let text = own_words(answer);
    let is_new = is_new_request(&text, reference) || names_another(partial, &text, reference);
    // Any words can be those of a mail, but whoever asks for their own things writes to nobody.
    let is_new = if param == "body" { asks_for_our_own(&text, reference) } else { is_new };
    if tidy(&text).is_empty() || gives_up(&text, reference) || is_new || is_small_talk(&text) {
        return None;
    }
    let mut action = partial.clone();
    let value = match param {
        // Names of others mean what they mean: the words are the value, and the definition says whether they fit.
        _ if !is_built_in(&partial.service) => json!(tidy(&text)),
        "start_time" | "end_time" | "deadline" | "from" | "since" | "before" | "due_before" | "repeat" | "snooze" => {
            json!(time_in(partial, &text, reference)?)
        }
        "remind_at" => json!([time_in(partial, &text, reference)?]),
        "changes" => changes(partial, &text, reference)?,
        "to" if action.params.contains_key("body") => {
            let names = people(&without_lead(&text, &["to ", "send it to ", "it's for ", "for "]));
            let to: Vec<String> = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            letter::address(&mut action, &to);
            Value::Array(names)
        }
        "to" | "attendees" => Value::Array(people(&without_lead(&text, &["to ", "send it to ", "it's for ", "for "]))),
        "items" => Value::Array(things(&tidy(&text))),
        "body" => {
            let to: Vec<String> = names(partial, "to");
            let body = letter::body_from(&text);
            if !partial.params.contains_key("subject") {
                action.params.insert("subject".into(), json!(letter::subject_of(&body)));
            }
            letter::word_to(&mut action.params, &to, &body);
            return Some(action);
        }
        "phone" | "email" => return contact(action, &text),
        "title" | "summary" | "subject" => json!(titled(&mut action, param, &text, reference)?),
        "find_by" => {
            json!(without_determiner(&without_lead(&text, &["the one about ", "the one from ", "about "])).to_owned())
        }
        _ => json!(tidy(&text)),
    };
    // Of an item that is to be changed, the new value was asked for.
    let changes = action.params.get_mut("changes").and_then(Value::as_object_mut).filter(|c| c.contains_key(param));
    match changes {
        Some(changes) => changes.insert(param.to_owned(), value),
        None => action.params.insert(param.to_owned(), value),
    };
    Some(action)
}

/// A message that is a request, and not a weak one, by itself.
fn is_new_request(text: &str, reference: &Reference) -> bool {
    let heard = AnnotatedText::new(text, reference, GRAMMAR.lexicon);
    let asks = text.trim_end().ends_with('?') && heard.times_in(&(0..heard.tokens.len())).is_empty();
    asks || time::offset_in(text).is_some() || is_request(text, reference)
}

/// A question about the person's own data is no text of a mail.
fn asks_for_our_own(text: &str, reference: &Reference) -> bool {
    asked_plainly(text, reference).is_some_and(|command| looks_up(command) && command != "contacts.find")
}

/// An event of another name is another than the one whose time was asked for.
fn names_another(partial: &PlannedAction, text: &str, reference: &Reference) -> bool {
    let asked = lower(&Value::Object(partial.params.clone()).to_string());
    let is_known = ["summary", "title", "find_by"].iter().any(|name| partial.params.contains_key(*name));
    let heard = AnnotatedText::new(text, reference, GRAMMAR.lexicon);
    let (live, ids) = (heard.live(0..heard.tokens.len()), heard.ids(0..heard.tokens.len()));
    let timed = !heard.times_in(&(0..heard.tokens.len())).is_empty();
    let Some(len) = GRAMMAR.lexicon.starts("event", ids).filter(|_| timed && is_known) else {
        return false;
    };
    !asked.contains(&lower(heard.raw(live[0], live[len - 1])))
}

/// The time in an answer that is about a time, and of nothing else than what was asked about.
fn time_in(partial: &PlannedAction, text: &str, reference: &Reference) -> Option<String> {
    let found = time::find(text, reference);
    let asked = words(&Value::Object(partial.params.clone()).to_string());
    let is_beside = |word: &String| !is_light(word) && !asked.contains(word);
    let mut beside = text.to_owned();
    found.iter().rev().for_each(|mention| beside.replace_range(mention.span.clone(), " "));
    if words(&beside).iter().filter(|word| is_beside(word)).count() > WORDS_BESIDE_A_TIME_MAX {
        return None;
    }
    let times: Vec<&str> = found.iter().map(|f| text[f.span.clone()].trim()).collect();
    match times.as_slice() {
        [] => bare_hour(text),
        [one] => Some((*one).to_owned()),
        [..] => {
            let joined = times.join(" ");
            let fits = matches!(time::resolve(&joined, reference), Some(Ok(_)));
            Some(if fits { joined } else { times[0].to_owned() })
        }
    }
}

/// A number alone answers a question for a time, though by itself it is no time.
fn bare_hour(text: &str) -> Option<String> {
    let bare = tidy(text);
    bare.parse::<u8>().ok().filter(|hour| *hour <= 24).map(|hour| format!("at {hour}"))
}

fn changes(partial: &PlannedAction, text: &str, reference: &Reference) -> Option<Value> {
    let words = time_in(partial, text, reference)?;
    let is_length =
        matches!(time::find(text, reference).first(), Some(TimeMention { result: Ok(When::Duration(_)), .. }));
    let name = match (partial.service.as_str(), is_length) {
        (calendar::NAME, true) => "end_time",
        (calendar::NAME, false) => "start_time",
        (_, _) => "deadline",
    };
    let mut changes = Map::new();
    changes.insert(name.into(), json!(words));
    Some(Value::Object(changes))
}

/// A title may bring its time along.
fn titled(action: &mut PlannedAction, param: &str, text: &str, reference: &Reference) -> Option<String> {
    let time_param = match (action.service.as_str(), param) {
        (task::NAME, "title") => "deadline",
        (calendar::NAME, "summary") => "start_time",
        _ => return Some(title(&tidy(text))),
    };
    let found = time::find(text, reference);
    let bare = without_lead(text, &["to ", "that ", "about "]);
    let Some(only) = found.first().filter(|_| !action.params.contains_key(time_param)) else {
        return Some(title(&bare));
    };
    let without = format!("{} {}", &text[..only.span.start], &text[only.span.end..]);
    let without = without_lead(&without, &["to ", "that ", "about "]);
    if without.is_empty() {
        return None;
    }
    let is_rule = matches!(only.result, Ok(When::Recurrence { .. }));
    let name = if is_rule && time_param == "deadline" { "repeat" } else { time_param };
    action.params.insert(name.into(), json!(text[only.span.clone()].trim()));
    Some(title(&without))
}

fn contact(mut action: PlannedAction, text: &str) -> Option<PlannedAction> {
    let (email, phone) = split_details(text);
    if email.is_none() && phone.is_none() {
        return None;
    }
    for (name, value) in [("email", email), ("phone", phone)] {
        if let Some(value) = value {
            action.params.insert(name.into(), json!(value));
        }
    }
    Some(action)
}

fn names(action: &PlannedAction, param: &str) -> Vec<String> {
    let list = action.params.get(param).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn without_lead(text: &str, leads: &[&str]) -> String {
    let text = tidy(text);
    let lower = text.to_lowercase();
    let lead = leads.iter().find(|lead| lower.starts_with(**lead)).map_or(0, |lead| lead.len());
    text.get(lead..).unwrap_or(&text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::tests::requests::{alone, monday};
    use brain_language::language::requests::{Understood, plan};

    /// What is asked back: the question, what is known, and what the answer gives.
    fn asked(text: &str) -> (String, PlannedAction, String) {
        match plan(&alone(text, &monday()), &[]) {
            Understood::Ask { question, partial, param } => (question, partial, param),
            other => panic!("{text}: no question: {other:?}"),
        }
    }

    #[test]
    fn another_event_is_no_answer() {
        let (_, partial, param) = asked("schedule a call with Yuki");
        let complete = |answer: &str| complete(&partial, &param, answer, &monday());
        assert!(complete("haircut on the 23rd at 5pm").is_none());
        for answer in ["the 23rd at 5pm", "call on friday at 5", "friday at 5, before lunch", "at 5 tomorrow please"] {
            assert!(complete(answer).is_some(), "{answer}");
        }
    }

    #[test]
    fn what_is_missing_is_asked_for_and_the_answer_completes_it() {
        let rows = [
            (
                "schedule a meeting with Sarah",
                "start_time",
                "tomorrow at 5",
                r#"{"start_time":"tomorrow at 5","summary":"Meeting with Sarah"}"#,
            ),
            ("remind me tomorrow", "title", "call mom", r#"{"deadline":"tomorrow","title":"Call mom"}"#),
            (
                "email Bob",
                "body",
                "that I'm late",
                r#"{"body":"Hi Bob,\n\nI'm late.\n","greets":"Bob","subject":"I'm late","to":["Bob"]}"#,
            ),
            ("write an email", "to", "Anna and Tom", r#"{"to":["Anna","Tom"]}"#),
            (
                "move the dentist",
                "changes",
                "friday at 10",
                r#"{"changes":{"start_time":"friday at 10"},"find_by":"dentist"}"#,
            ),
            ("save Tom's number", "phone", "555 0100", r#"{"name":"Tom","phone":"555 0100"}"#),
            ("remind me", "title", "pay rent tomorrow", r#"{"deadline":"tomorrow","title":"Pay rent"}"#),
        ];
        for (text, wanted, answer, expected) in rows {
            let (question, partial, param) = asked(text);
            assert_eq!(param, wanted, "{text}");
            assert!(question.ends_with('?'));
            let completed = complete(&partial, &param, answer, &monday()).unwrap();
            assert_eq!(Value::Object(completed.params).to_string(), expected, "{text}");
        }
    }

    #[test]
    fn something_new_is_no_answer() {
        let (_, partial, param) = asked("schedule a meeting with Sarah");
        let errand = "call bob today about the budget at 3pm";
        let ahead = "dentist tomorrow at 3pm, remind me 1 hour before";
        let talk = ["never mind", "what's on my calendar tomorrow?", "lol", "", "🦖"];
        let leave = "annual leave 9 to 15 feb, pop that in as off";
        for text in talk.into_iter().chain(["remind me to call mom at 5", errand, ahead, leave]) {
            assert_eq!(complete(&partial, &param, text, &monday()), None, "{text}");
        }
        let (_, partial, param) = asked("remind me tomorrow");
        let told = complete(&partial, &param, "call bob about the budget", &monday()).unwrap();
        assert_eq!(told.params["title"], "Call bob about the budget");
    }
}
