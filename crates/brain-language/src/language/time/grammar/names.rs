//! Words of time that say nothing of when: they name a thing, or take a day away.

use std::ops::Range;

use super::super::TimeRole;
use super::super::words::{Link, Sense, TokenKind, TokenLine};
use super::leading_words::LeadingWords;
use super::phrase::{Date, MonthOf, Period, Phrase};
use super::{Mention, bytes, days, first_request, numeric};

/// Takes them out, and gives back where they stood.
pub fn drop_names(line: &TokenLine, heard: &mut Vec<Mention>) -> Vec<Range<usize>> {
    drop_adjectives(heard);
    // "Hourly rate".
    heard.retain(|h| !(is_adjective(&h.phrase) && noun_follows(line, h.span.end)));
    let mut names = drop_occasions(line, heard);
    names.extend(drop_excluded(line, heard));
    names.extend(drop_today(line, heard));
    names.extend(drop_frames(heard));
    names.extend(drop_attributes(line, heard));
    let sizes = (0..line.tokens.len()).filter(|i| numeric::is_size(line, *i));
    names.extend(sizes.map(|i| bytes(line, i, line.tokens.len().min(i + 4))));
    // "Romans 8:28", which other languages take for an hour.
    let verses = (0..line.tokens.len()).filter_map(|i| Some((i, line.link(i, Link::Ratio)?)));
    let verses = verses.filter(|(_, next)| line.digits(*next).is_some() && line.glued_mark(next + 1, ':'));
    names.extend(verses.map(|(i, next)| bytes(line, i, next + 3)));
    names
}

/// "Wednesday at 3. Not Thursday", if another day is left.
fn drop_excluded(line: &TokenLine, heard: &mut Vec<Mention>) -> Vec<Range<usize>> {
    let reaches = |e: usize, i: usize| {
        line.link(e, Link::Excluded).is_some_and(|next| (e + 1..=line.skip(next, &[Link::The])).contains(&i))
    };
    for h in heard.iter_mut() {
        let first = line.begins_behind(h.span.start);
        h.excluded = first.is_some_and(|i| (0..i).any(|e| reaches(e, i)));
    }
    let says_day = |h: &Mention| h.phrase.date.as_ref().is_some_and(Date::is_one_day);
    let left = |is: &dyn Fn(&Mention) -> bool| heard.iter().any(|h| is(h) && !h.excluded);
    let (day_left, hour_left) = (left(&says_day), left(&|h| h.phrase.clock.is_some()));
    let gone = |h: &mut Mention| h.excluded && (day_left && says_day(h) || hour_left && h.phrase.is_clock_alone());
    let dropped = heard.extract_if(.., gone).map(|h| h.span).collect();
    // "Check in 21 October, check out 25 October" is not two of them.
    for h in heard.iter_mut() {
        let first = line.begins_behind(h.span.start);
        h.excluded |= first.is_some_and(|i| (0..i).any(|e| line.link(e, Link::Ends) == Some(i)));
    }
    dropped
}

/// "This week I want to finish it, make it Wednesday": a day says more than its week, which makes it exact.
fn drop_frames(heard: &mut Vec<Mention>) -> Vec<Range<usize>> {
    let frame = |h: &Mention| {
        let near = matches!(
            h.phrase.date,
            Some(Date::Period(Period::Week(_) | Period::Month(MonthOf::From(_)) | Period::Year(_)))
        );
        near && h.phrase.role == TimeRole::Plain && Phrase { date: None, ..h.phrase.clone() }.is_empty()
    };
    let [first, second] = &mut heard[..] else {
        return Vec::new();
    };
    let day = second.phrase.date.as_ref().filter(|d| d.is_one_day() && second.phrase.role == TimeRole::Plain);
    let (Some(frame_date), Some(day)) = (first.phrase.date.clone().filter(|_| frame(first)), day) else {
        return Vec::new();
    };
    if matches!(day, Date::Weekday { .. } | Date::Numbered { .. }) {
        second.phrase.date = days::within(day, &frame_date).or_else(|| Some(day.clone()));
    }
    vec![heard.remove(0).span]
}

/// "One last thing today: dinner on 24 August at 8" is not today.
fn drop_today(line: &TokenLine, heard: &mut Vec<Mention>) -> Vec<Range<usize>> {
    let today =
        |h: &Mention| h.phrase.date == Some(Date::Day(0)) && Phrase { date: None, ..h.phrase.clone() }.is_empty();
    let whole = heard.iter().filter(|h| !today(h)).any(|h| h.phrase.is_appointment());
    // "Call Bob today about the meeting tomorrow at 3" is.
    let aside = |h: &Mention| {
        let next = line.tokens.iter().find(|t| t.span.start >= h.span.end);
        today(h) && next.is_some_and(|t| matches!(t.kind, TokenKind::Mark(_)))
    };
    if first_request(line).is_some() || !whole || !heard.first().is_some_and(aside) {
        return Vec::new();
    }
    vec![heard.remove(0).span]
}

/// "Send the sunday roast recipe in an hour", "remind me at 5 to ask about thursday's shift": a length from now, or the
/// hour of a request, is all of when, and the day tells which one.
fn drop_attributes(line: &TokenLine, heard: &mut Vec<Mention>) -> Vec<Range<usize>> {
    let attribute = |h: &Mention| {
        let name = line.tokens.iter().position(|t| t.span.end == h.span.end);
        let article = name.and_then(|i| line.link(i.checked_sub(1)?, Link::The)).is_some();
        let owner = name.is_some_and(|i| line.tokens[i].possessive);
        let day = matches!(h.phrase.date, Some(Date::Weekday { .. }));
        let bare = h.phrase.role == TimeRole::Plain && Phrase { date: None, ..h.phrase.clone() }.is_empty();
        (article || owner) && day && bare && noun_follows(line, h.span.end)
    };
    let from_now = heard.iter().any(|h| h.phrase.has_exact_offset());
    // The hour stands with the request, and what is to be done behind both.
    let asked = first_request(line).and_then(|i| line.tokens.get(i)).map(|token| token.span.start);
    let told = heard.iter().find(|h| asked.is_some_and(|asked| h.span.start >= asked));
    let told = told.filter(|h| h.phrase.is_clock_alone()).map(|h| h.span.end);
    heard
        .extract_if(.., |h| attribute(h) && (from_now || told.is_some_and(|end| end <= h.span.start)))
        .map(|h| h.span)
        .collect()
}

/// A word like "weekly", and nothing that says when.
fn is_adjective(phrase: &Phrase) -> bool {
    phrase.rule.is_some_and(|r| r.says_how_often_only()) && phrase.is_only_rule()
}

/// "Weekly review every Friday": beside a day, a bare "weekly" describes the thing.
fn drop_adjectives(heard: &mut Vec<Mention>) {
    let says_day = |p: &Phrase| !is_adjective(p) && (p.date.is_some() || p.rule.is_some());
    if heard.iter().any(|h| says_day(&h.phrase)) {
        heard.retain(|h| !is_adjective(&h.phrase));
    }
}

/// "Labor day trip Sep 4 to Sep 7", "end of year concert 11 Dec": before a noun, beside another date, a holiday or
/// an end without a preposition names the thing.
fn drop_occasions(line: &TokenLine, heard: &mut Vec<Mention>) -> Vec<Range<usize>> {
    let is_occasion = |h: &Mention| {
        let bare = Phrase { date: None, ..h.phrase.clone() };
        let first = line.begins_behind(h.span.start);
        let named = match h.phrase.date {
            Some(Date::Holiday { .. } | Date::Edge(..)) => true,
            Some(Date::Period(Period::Month(MonthOf::Named { year, .. }))) => year.is_none(),
            // "Next month's rota at 4 today".
            Some(Date::Period(_)) => line.text.get(h.span.clone()).is_some_and(|words| words.ends_with('s')),
            _ => false,
        };
        let stands = first.is_some_and(|i| is_bare(line, i));
        named && bare.is_empty() && (stands || is_festive(line, h)) && noun_follows(line, h.span.end)
    };
    let says_day = |h: &Mention| h.phrase.date.is_some() || h.phrase.offset.is_some();
    // "The xmas card list is 61 people" says no day.
    let named_only = matches!(&heard[..], [only] if is_festive(line, only));
    if !named_only && !heard.iter().any(|h| says_day(h) && !is_occasion(h)) {
        return Vec::new();
    }
    heard.extract_if(.., |h| is_occasion(h)).map(|h| h.span).collect()
}

/// "Start xmas card templates in 20 minutes": what is kept around a holiday.
fn is_festive(line: &TokenLine, h: &Mention) -> bool {
    let next = line.begins_behind(h.span.end);
    next.is_some_and(|next| line.link(next, Link::Festive).is_some())
}

/// "Mr Friday", "Frau April", "a hamster called Tuesday", "merry Christmas".
pub fn is_somebody(line: &TokenLine, i: usize) -> bool {
    let day = |sense| matches!(sense, Sense::Weekday(_) | Sense::Month(_));
    let named = line.atoms(i).iter().any(|a| day(a.sense));
    let holiday = line.atoms(i).iter().any(|a| matches!(a.sense, Sense::Holiday(_)));
    let title = |b: usize| {
        let dot = line.glued_mark(b, '.');
        let b = if dot { b.checked_sub(1)? } else { b };
        // "Wycliffe Dr Sunday early afternoon" is a street.
        let street = b.checked_sub(1).is_some_and(|before| is_capital(line, before) && line.is_plain_word(before));
        line.link(b, Link::Title).filter(|_| !street || dot)
    };
    let Some(b) = i.checked_sub(1) else { return false };
    // "Is 'Wednesday' any good?"
    let quote = |at: usize| ['\'', '"', '“', '”', '‘', '’', '„', '«', '»'].iter().any(|mark| line.mark(at, *mark));
    let quoted = quote(b) && quote(i + 1);
    named && (title(b).is_some() || quoted) || holiday && line.link(b, Link::Wish).is_some()
}

fn is_capital(line: &TokenLine, i: usize) -> bool {
    let word = line.tokens.get(i).and_then(|token| line.text.get(token.span.clone()));
    word.is_some_and(|word| word.starts_with(char::is_uppercase))
}

/// No preposition of days stands before it: "Labor day trip", "about the Halloween costumes".
fn is_bare(line: &TokenLine, i: usize) -> bool {
    let lead = LeadingWords::read(line, i, true);
    matches!(lead.link, None | Some(Link::For)) || lead.link == Some(Link::At) && lead.article
}

fn noun_follows(line: &TokenLine, end: usize) -> bool {
    let next = line.begins_behind(end);
    next.is_some_and(|i| line.tokens[i].kind == TokenKind::Word && line.link(i, Link::Follow).is_none())
}
