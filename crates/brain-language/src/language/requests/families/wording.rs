//! Function words of a question: what could be left out, what only stands for some matter or for anybody.

use crate::language::requests::question_words::{CIRCLES, SHORTENED, WORDS, is_german};
use crate::language::requests::reading::{tidy, without_determiner};
use crate::language::words::{fold, words};

/// Whether a message asks something: by its mark, or by how it begins.
pub fn is_question(text: &str) -> bool {
    // A topic may come first, set apart by a mark from the question behind it.
    let parts = || text.split([',', ':', ';', '-', '–', '—', '.']);
    text.trim_end().ends_with(['?', '？', '؟']) || parts().any(|part| begins_asking(part.trim()))
}

/// Whether it begins as what asks something does.
pub(in crate::language::requests) fn begins_asking(text: &str) -> bool {
    let text = fold(&apostrophes(text)).replace("'s ", " is ");
    let first = text.split_whitespace().next().unwrap_or_default().trim_matches(',');
    WORDS.asking.holds(first)
        || WORDS.looking.iter().any(|begins| text.strip_prefix(begins).is_some_and(|rest| rest.starts_with(' ')))
}

/// Whether a folded word only holds a question together, or says what is asked: it names nothing.
pub(in crate::language::requests) fn is_light(folded: &str, is_german: bool) -> bool {
    let w = &*WORDS;
    let asked = if is_german { &w.asked_german } else { &w.asked };
    #[rustfmt::skip]
    let all = [
        asked, &w.asking, &w.light, &w.joint, &w.matter, &w.anybody, &w.people, &w.pointer, &w.filler, &w.meeting,
        &w.i, &w.my, &w.me, &w.of, &w.about, &w.ahead, &w.say, &w.would, &w.own, &w.going, &w.give, &w.giving, &w.gets,
        &w.not, &w.status, &w.bring, &w.obliged, &w.bound, &w.wait, &w.waiting, &w.answer, &w.promise, &w.most, &w.meet, &w.write, &w.want, &w.need, &w.agenda,
        &w.prepare, &w.prepares, &w.before, &w.open, &w.late, &w.unread,
    ];
    all.iter().any(|class| class.holds(folded))
}

/// Whether words name nothing.
pub(super) fn is_empty_of_names(text: &str) -> bool {
    words(text).iter().all(|word| WORDS.light.holds(word) || WORDS.asked.holds(word))
}

/// Whether all words of a slot are such.
pub(super) fn says_nothing(text: &str) -> bool {
    let said = words(text);
    let is_german = is_german(&said);
    said.iter().all(|word| is_light(word, is_german))
}

/// What a question is about: its words without those that only ask; all of them where there are no others.
pub fn asked_for(text: &str) -> String {
    let plain = without_fillers(&apostrophes(text));
    let is_german = is_german(&words(&plain));
    let only_asks = |word: &str| if is_german { WORDS.asked_german.holds(word) } else { WORDS.asked.holds(word) };
    let says = |word: &&str| {
        let bare = fold(word.trim_matches(|c: char| !c.is_alphanumeric()));
        let bare = bare.split('\'').next().unwrap_or_default();
        !bare.is_empty() && !only_asks(bare)
    };
    let kept: Vec<&str> = plain.split_whitespace().filter(says).collect();
    if kept.is_empty() { text.to_owned() } else { kept.join(" ") }
}

/// The same with straight apostrophes, and with those that were left out.
pub fn apostrophes(text: &str) -> String {
    let straight = text.replace('’', "'");
    let is_short = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_uppercase());
    let whole = |word: &str| {
        let bare = word.trim_end_matches(['?', '!', '.', ',']);
        let known = Some(bare).filter(is_short).map(str::to_lowercase);
        let long = known.and_then(|known| SHORTENED.get(known.as_str()));
        long.map_or_else(|| word.to_owned(), |long| format!("{long}{}", &word[bare.len()..]))
    };
    straight.split(' ').map(whole).collect::<Vec<_>>().join(" ")
}

/// A question without what could be left out of it; what stands in quotation marks stays.
pub(in crate::language::requests) fn without_fillers(text: &str) -> String {
    if text.contains(['"', '“', '„', '«']) {
        return text.to_owned();
    }
    let mut plain = format!(" {} ", text.trim());
    // A day in the possessive says when it takes place.
    for day in WORDS.day.iter() {
        for own in ["'s ", "’s "] {
            let capital = format!("{}{}", day[..1].to_uppercase(), &day[1..]);
            plain = plain
                .replace(&format!("{day}{own}"), &format!("{day} "))
                .replace(&format!("{capital}{own}"), &format!("{capital} "));
        }
    }
    for filler in WORDS.filler.iter() {
        loop {
            let lower = plain.to_lowercase();
            // Lower case may be of another length; then nothing is left out.
            let found = lower.find(&format!(" {filler} ")).filter(|_| lower.len() == plain.len());
            let Some(at) = found.or_else(|| {
                let ends = ["?", "!", "."].iter().find_map(|end| lower.find(&format!(" {filler}{end}")));
                ends.filter(|_| lower.len() == plain.len())
            }) else {
                break;
            };
            plain.replace_range(at..at + filler.len() + 1, "");
        }
    }
    plain.trim().to_owned()
}

/// A topic that was said in two places, joined by a preposition.
pub(super) fn with_more(words: &str, more: Option<String>) -> String {
    more.map_or_else(|| words.to_owned(), |more| format!("{words} {more}"))
}

/// A topic by the words that tell it from others, without the noun of its kind.
pub(in crate::language::requests) fn topic(words: &str) -> String {
    let spaced = words.replace('-', " ");
    let all: Vec<&str> = spaced.split_whitespace().collect();
    let is_matter = |word: &str| WORDS.matter.holds(&fold(word));
    let is_joint = |word: &str| WORDS.joint.holds(&fold(word));
    let telling: Vec<&str> = all.iter().filter(|word| !is_matter(word) && !is_joint(word)).copied().collect();
    if let [age, rest @ ..] = telling.as_slice()
        && !rest.is_empty()
        && all.first() == Some(age)
        && WORDS.age.holds(&fold(age))
    {
        return rest.join(" ");
    }
    let has_matter = all.iter().any(|word| is_matter(word));
    if has_matter && !telling.is_empty() { telling.join(" ") } else { words.to_owned() }
}

pub(super) fn tidied(words: &str) -> String {
    let words = tidy(words);
    let bare = words.strip_suffix("'s").or_else(|| words.strip_suffix("’s")).unwrap_or(&words);
    without_determiner(bare).to_owned()
}

/// What a meeting is about or with, without the word for it.
pub fn without_meeting(topic: &str) -> String {
    topic.split_whitespace().filter(|word| !WORDS.meeting.holds(&fold(word))).collect::<Vec<_>>().join(" ")
}

/// Whether a folded word only joins others.
pub fn is_joining(word: &str) -> bool {
    WORDS.joining.holds(word)
}

/// Whether a topic is money, whatever for.
pub fn is_money(topic: &str) -> bool {
    WORDS.money.holds(&fold(topic))
}

/// Whether words for a time mean what came earlier.
pub fn is_earlier(when: &str) -> bool {
    let folded = fold(when.trim());
    WORDS.earlier.iter().any(|word| folded.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')))
}

/// A question of somebody who was named in the one before, with the name; of nobody in particular, of people.
pub(super) fn pointing_resolved(text: &str, who: Option<&str>) -> String {
    let named = |word: &str| {
        let bare = word.trim_end_matches(['?', '!', '.', ',']);
        match WORDS.them.holds(&fold(bare)) {
            true => format!("{}{}", who.unwrap_or("people"), &word[bare.len()..]),
            false => word.to_owned(),
        }
    };
    text.split(' ').map(named).collect::<Vec<_>>().join(" ")
}

/// What a circle of people is called in the other language, by the table of such nouns.
pub fn circle_elsewhere(name: &str) -> Option<&'static str> {
    let name = fold(name);
    let other = |(german, english): &(&'static str, &'static str)| match name.as_str() {
        name if name == *german => Some(*english),
        name if name == *english => Some(*german),
        _ => None,
    };
    CIRCLES.iter().find_map(other)
}
