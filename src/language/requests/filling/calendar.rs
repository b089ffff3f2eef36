//! The calendar: when there is time, new and changed events.

use serde_json::{Map, Value, json};

use super::items;
use crate::language::requests::built::Built;
use crate::language::requests::further::may_be_needed;
use crate::language::requests::lexicon::{Lexicon, WordId};
use crate::language::requests::reading::{
    ClauseReading, Words, behind, done, people, set, tidy, title, unquoted, without_determiner,
};
use crate::language::requests::several::{self, Listed};
use crate::language::requests::text::tokens;
use crate::language::time;
use crate::language::time::{Grain, Reference, TimeRole, When};
use crate::language::tokens::lower;

fn clause(said: &ClauseReading) -> String {
    let tokens = &said.found.tokens;
    format!(" {} ", lower(said.heard.raw(tokens.start, tokens.end.saturating_sub(1))))
}

/// What a free hour is wanted for, and when such things happen.
const OCCASIONS: [(&str, &str, &str, u32); 6] = [
    ("breakfast", "7am", "10am", 60),
    ("brunch", "10am", "1pm", 90),
    ("lunch", "noon", "2pm", 60),
    ("coffee", "9am", "6pm", 30),
    ("dinner", "6pm", "9pm", 90),
    ("call", "9am", "6pm", 30),
];

/// "when am I free tomorrow for an hour?"
pub(super) fn free_time(said: &ClauseReading) -> Built {
    let mut action = said.action("calendar", "find_free_time");
    let text = clause(said);
    let occasion = OCCASIONS.iter().find(|(name, ..)| text.contains(&format!(" {name}")));
    let words = said.moment("", &[]).map(|words| words.text);
    let split = words.as_deref().and_then(|w| split_length(w, said.hearing.reference));
    let day = split.as_ref().map(|(day, _)| day.strip_prefix("on ").unwrap_or(day).to_owned()).or(words);
    let is_meal = occasion.is_some_and(|(name, ..)| !matches!(*name, "coffee" | "call"));
    let day_has_clock = day.as_deref().is_some_and(|d| d.chars().any(|c| c.is_ascii_digit()));
    match (occasion, &day) {
        (Some((_, from, to, _)), Some(day)) if is_meal && !day_has_clock && is_one_day(day) => {
            set(&mut action, "from", Some(format!("{day} at {from}")));
            set(&mut action, "to", Some(format!("{day} at {to}")));
        }
        (_, Some(day)) => set(&mut action, "from", Some(day.as_str())),
        (Some((_, from, to, _)), None)
            if is_meal && said.command() == "calendar.find_free_time" && !text.contains("when") =>
        {
            set(&mut action, "from", Some(format!("today at {from}")));
            set(&mut action, "to", Some(format!("today at {to}")));
        }
        (_, None) => {
            set(&mut action, "from", Some("now"));
            set(&mut action, "to", Some("in 7 days"));
        }
    }
    let minutes = split
        .map(|(_, minutes)| minutes)
        .or_else(|| minutes_said(said, &text))
        .unwrap_or_else(|| occasion.map_or(60, |o| o.3));
    set(&mut action, "minutes", Some(minutes));
    done(action)
}

/// "tomorrow for an hour", "30 minutes on thursday": the day, and the minutes.
fn split_length(words: &str, reference: &Reference) -> Option<(String, u32)> {
    let words: Vec<&str> = words.split_whitespace().collect();
    (1..words.len()).find_map(|at| {
        let (left, right) = (words[..at].join(" "), words[at..].join(" "));
        minutes_of(&right, reference)
            .map(|m| (left.clone(), m))
            .or_else(|| minutes_of(&left, reference).map(|m| (right, m)))
    })
}

fn minutes_of(words: &str, reference: &Reference) -> Option<u32> {
    let bare = words.strip_prefix("of ").unwrap_or(words);
    match time::resolve(bare, reference)? {
        Ok(When::Duration(length)) => u32::try_from(length.num_minutes()).ok().filter(|m| *m > 0),
        Ok(_) | Err(_) => None,
    }
}

fn is_one_day(words: &str) -> bool {
    !["week", "month", "days"].iter().any(|long| words.contains(long))
}

/// A length said as a time, or as a bare "an hour", "30 minutes".
fn minutes_said(said: &ClauseReading, text: &str) -> Option<u32> {
    if let Some(&length) = said.lengths(&[]).first()
        && let Some(Ok(When::Duration(d))) = said.heard.time(length).map(|f| &f.result)
    {
        return u32::try_from(d.num_minutes()).ok().filter(|m| *m > 0);
    }
    let words: Vec<&str> = text.split([' ', '-']).collect();
    for pair in words.windows(2) {
        let unit = match pair[1].trim_matches(|c: char| !c.is_alphabetic()) {
            "minute" | "minutes" | "min" | "mins" => 1,
            "hour" | "hours" | "hr" | "hrs" | "h" => 60,
            _ => continue,
        };
        if pair[0] == "half" {
            return Some(30);
        }
        if let Some(n) = number(pair[0]) {
            return Some(n * unit);
        }
    }
    None
}

fn number(word: &str) -> Option<u32> {
    let words = ["one", "two", "three", "four"];
    match word {
        "a" | "an" | "free" => Some(1),
        _ => words
            .iter()
            .position(|w| *w == word)
            .map(|i| i as u32 + 1)
            .or_else(|| word.parse().ok().filter(|n| *n < 1_000)),
    }
}

/// "lunch with Tom friday at noon", "put the dentist on my calendar".
pub(super) fn create(said: &ClauseReading) -> Built {
    let mut action = said.action("calendar", "create_event");
    let listed = several::days(said);
    let when = listed.as_ref().map(Listed::first).or_else(|| said.moment("summary", &[]));
    let mut used = when.as_ref().map(|w| w.masks.clone()).unwrap_or_default();
    let length = said.lengths(&[]).first().map(|&mask| said.words(&[mask]));
    used.extend(length.iter().flat_map(|l| l.masks.clone()));
    // "Save it" is no event.
    if said.grammar.lexicon.is_phrase("it", &said.ids("summary")) && when.is_none() {
        return Built::No;
    }
    let is_bare = said.found.frame.weak;
    // "Book the hotel by 20 January" is to be done by then.
    let by =
        |words: &Words| words.masks.iter().all(|mask| said.heard.time(*mask).is_some_and(|t| t.role == TimeRole::By));
    if when.as_ref().is_some_and(by) && clause(said).starts_with(" book ") {
        return Built::No;
    }
    // "Keep Dez off video" keeps no hour free.
    if when.is_none() && clause(said).starts_with(" keep ") {
        return Built::No;
    }
    if is_bare && (when.is_none() || !names_event(said) && !is_appointment(said, when.as_ref())) {
        return Built::No;
    }
    let (summary, place, invited) = parts(said, &used);
    // "The house meeting is now Sunday at 7".
    if let (true, Some(when), Some(name)) = (is_bare, when.as_ref().filter(|when| said.is_moved_to(when)), &summary) {
        let mut action = said.action("calendar", "update_event");
        set(&mut action, "find_by", Some(name.as_str()));
        set(&mut action, "changes", Some(json!({ "start_time": when.text })));
        return done(action);
    }
    let Some(summary) = summary else {
        return Built::Ask {
            question: "What should I call it?",
            partial: timed(action, when, length),
            param: "summary",
        };
    };
    set(&mut action, "summary", Some(title(&summary)));
    set(&mut action, "location", place);
    if !invited.is_empty() {
        set(&mut action, "attendees", Some(Value::Array(invited)));
    }
    if when.is_none() {
        return Built::Ask { question: "When is it?", partial: timed(action, None, length), param: "start_time" };
    }
    let action = timed(action, when, length);
    match listed {
        Some(listed) => listed.each(&action, "start_time"),
        None => done(action),
    }
}

fn names_event(said: &ClauseReading) -> bool {
    ["event", "deevent"].iter().any(|class| said.holds("summary", class))
}

/// A day and an hour to come make an appointment of what has no name for one: "pottery with Jo wed 7pm".
fn is_appointment(said: &ClauseReading, when: Option<&Words>) -> bool {
    let Some(words) = when.filter(|words| !time::is_clock_only(&words.text)) else {
        return false;
    };
    let reference = said.hearing.reference;
    match time::resolve(&words.text, reference) {
        Some(Ok(When::Point { at, grain: Grain::Minute } | When::Range { start: at, grain: Grain::Minute, .. })) => {
            at.to_utc() > reference.now
        }
        _ => false,
    }
}

fn timed(
    mut action: crate::core::plan::PlannedAction,
    when: Option<Words>,
    length: Option<Words>,
) -> crate::core::plan::PlannedAction {
    set(&mut action, "start_time", when.map(|w| w.text));
    set(&mut action, "end_time", length.map(|w| w.text));
    action
}

/// Summary, place and the people to invite.
fn parts(said: &ClauseReading, used: &[usize]) -> (Option<String>, Option<String>, Vec<Value>) {
    if let Some(with) = said.clean("with", used) {
        let (with, place) = split_place(&with, said.grammar.lexicon);
        let what = ["lunch", "dinner", "call", "coffee", "drinks", "breakfast", "brunch"]
            .into_iter()
            .find(|w| clause(said).contains(&format!(" {w} ")));
        return (Some(format!("{} with {with}", what.unwrap_or("meeting"))), place, Vec::new());
    }
    let mut guests = said.raw("attendees").map(|names| people(&names)).unwrap_or_default();
    let placed = said.clean("summary", used).zip(said.clean("location", used)).or_else(|| named_place(said, used));
    if let Some((name, place)) = placed {
        return (Some(without_determiner(&name).to_owned()), Some(place), guests);
    }
    let Some(whole) = said.clean("summary", used) else {
        return (None, None, Vec::new());
    };
    if let Some(name) = quoted_name(&whole) {
        return (Some(name.to_owned()), None, guests);
    }
    // "NYE at the club, 31 Dec 9pm": the name of a day that opens is also what it is about.
    let opens_with_place = ["at ", "with ", "in ", "@ "].iter().any(|link| lower(&whole).starts_with(link));
    let named = said.clean("summary", used.get(1..).unwrap_or_default());
    let whole = named.filter(|_| opens_with_place && used.len() > 1).unwrap_or(whole);
    let whole = without_determiner(behind(&whole, &["for "]));
    let (whole, invited) = match split_at(
        whole,
        &[" and invite ", ", invite ", " invite ", " inviting ", " and add ", " with attendees "],
    ) {
        Some((before, guests)) => (before, people(guests)),
        None => (whole, Vec::new()),
    };
    let (summary, place) = split_place(whole, said.grammar.lexicon);
    guests.extend(invited);
    let summary =
        Some(summary).filter(|s| !s.is_empty() && !matches!(s.as_str(), "event" | "something" | "time" | "a"));
    (summary, place, guests)
}

/// A meeting called “Q3: review, part 2” is called what stands in the quotation marks.
fn quoted_name(text: &str) -> Option<&str> {
    const CALLED: [&str; 5] = [" called ", " named ", " titled ", " with the title ", " namens "];
    let (_, name) = split_at(text, &CALLED)?;
    Some(unquoted(name.trim())).filter(|bare| bare.len() < name.trim().len() && !bare.is_empty())
}

/// "Wedding cake delivery 14 February 10am, Holme Hall": a place without a preposition behind the hour.
fn named_place(said: &ClauseReading, used: &[usize]) -> Option<(String, String)> {
    const PLACE_WORDS_MAX: usize = 5;
    let (name, place) = said.around_time("summary", used)?;
    let lexicon = said.grammar.lexicon;
    let place = behind(&place, &["location ", "venue ", "place "]).to_owned();
    let ids = ids_of(&place, lexicon);
    let says_more = ["whostop", "subject", "errand"].iter().any(|class| lexicon.starts(class, &ids).is_some());
    let says_more = says_more || lexicon.find("invite", &ids).is_some();
    let is_place = ids.len() <= PLACE_WORDS_MAX && !says_more && lexicon.find("placenoun", &ids).is_some();
    is_place.then_some((name, place))
}

fn ids_of(text: &str, lexicon: Lexicon) -> Vec<WordId> {
    tokens(text, lexicon).into_iter().map(|token| token.id).collect()
}

fn split_at<'t>(text: &'t str, links: &[&str]) -> Option<(&'t str, &'t str)> {
    links.iter().find_map(|link| text.split_once(link))
}

/// "lunch with Tom at Luigi's" is lunch with Tom, at Luigi's.
fn split_place(text: &str, lexicon: Lexicon) -> (String, Option<String>) {
    for link in [" at the ", " at ", " @ ", " in the ", " in ", " on ", " via ", " over "] {
        let Some(at) = text.rfind(link) else { continue };
        let place = text[at..].trim();
        // "At union sound, nice chairs there", but "at Luigi's, 5 Main St".
        let place = match place.split_once(", ") {
            Some((name, more)) if !may_be_needed(more, &ids_of(more, lexicon), lexicon) => name,
            _ => place,
        };
        let (preposition, name) = place.split_once(' ').unwrap_or(("", place));
        let is_online = matches!(
            lower(name).as_str(),
            "zoom" | "teams" | "google meet" | "skype" | "facetime" | "meet" | "discord" | "slack"
        );
        let wants_online = matches!(preposition, "on" | "via" | "over");
        if name.is_empty() || name.split_whitespace().count() > 6 || wants_online != is_online && wants_online {
            continue;
        }
        return (tidy(&text[..at]), Some(name.to_owned()));
    }
    (text.to_owned(), None)
}

/// A new place, name, length, time or guest for an event.
pub(super) fn update(said: &ClauseReading) -> Built {
    // "Add candles to the party list" invites nobody.
    if said.raw("what").is_some_and(|what| lower(&what).ends_with("list")) {
        return Built::No;
    }
    let mut changes = Map::new();
    let target = said.target();
    let text = clause(said);
    let names_new = text.contains(" invite ") && ![" to the ", " to my ", " to our "].iter().any(|w| text.contains(w));
    if names_new && !said.moments(&[]).is_empty() {
        return Built::No;
    }
    let is_end =
        [" end ", " end time ", " ending ", " duration ", " length ", "extend", "lengthen", "shorten", "prolong"]
            .iter()
            .any(|w| text.contains(w));
    if let Some((words, _)) = &target {
        changes.insert(if is_end { "end_time" } else { "start_time" }.into(), json!(words.text));
    } else if let Some(&length) = said.lengths(&[]).first() {
        changes.insert("end_time".into(), json!(said.words(&[length]).text));
    }
    if let Some(names) = said.raw("attendees") {
        changes.remove("start_time");
        changes.insert("attendees".into(), Value::Array(people(&names)));
    }
    // "Mum's birthday dinner is 25 January at 6 at Virtue" tells of an event, "the meeting is now in room 5" changes one.
    let told = said.found.frame.begins_with_slot() && said.found.slot("location").is_some();
    if told && target.is_some() && !text.contains(" now ") {
        return Built::No;
    }
    let place = said.clean("location", &[]);
    if let Some(place) = place.and_then(|place| Some(place.split(", ").next()?.to_owned())) {
        changes.insert("location".into(), json!(place));
    }
    if let Some(name) = said.clean("summary", &[]) {
        changes.insert("summary".into(), json!(title(&name)));
    }
    let found = items::find_by(
        said,
        "what",
        &["calendar"],
        target.as_ref().filter(|_| said.found.slot("attendees").is_none()).map(|(w, _)| w),
    );
    let Some(found) = found else { return Built::No };
    let mut action = said.action("calendar", "update_event");
    set(&mut action, "find_by", Some(found));
    if changes.is_empty() {
        if items::service_of(said, "what") != Some("calendar") || said.found.frame.weak {
            return Built::No;
        }
        return Built::Ask { question: "When should it be?", partial: action, param: "changes" };
    }
    set(&mut action, "changes", Some(Value::Object(changes)));
    done(action)
}

/// "Skip gym tonight", "cancel the whole series of gym".
pub(super) fn delete(said: &ClauseReading) -> Built {
    let Some(found) = items::find_by(said, "what", &["calendar"], None) else { return Built::No };
    let mut action = said.action("calendar", "delete_event");
    set(&mut action, "find_by", Some(found));
    done(action)
}
