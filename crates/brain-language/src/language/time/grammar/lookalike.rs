//! What may be a time as well as something else: "Blue Monday", "John 3:16", "sunday school", "the thursday murder club".
//!
//! Beside one of these, what was understood may not be what is meant: it is asked about.

use super::super::TimeRole;
use super::super::words::{Link, Sense, TokenKind, TokenLine};
use super::Mention;
use super::phrase::{Date, Phrase};

/// The tokens of it that begin at `i`.
pub fn lookalike(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    title(line, i, heard)
        .or_else(|| work(line, i, heard))
        .or_else(|| short_day(line, i, heard))
        .or_else(|| verse(line, i))
        .or_else(|| hour_before_day(line, i, heard))
        .or_else(|| of_that_day(line, i, heard))
        .or_else(|| around_holiday(line, i, heard))
        .or_else(|| of_a_kind(line, i, heard))
}

/// "Blue Monday", "Sunday Best": a bare day among capitals may be somebody's title.
fn title(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let capital = |at: usize| {
        let unknown = line.tokens.get(at).is_some_and(|t| t.kind == TokenKind::Word) && line.atoms(at).is_empty();
        let word = line.tokens.get(at).and_then(|t| line.text.get(t.span.clone()));
        unknown && word.is_some_and(|word| word.starts_with(char::is_uppercase))
    };
    let token = line.tokens.get(i)?;
    let bare = |h: &Mention| h.span == token.span && Phrase { date: None, ..h.phrase.clone() }.is_empty();
    let weekday = line.pick(i, |a| matches!(a.sense, Sense::Weekday(_) | Sense::Weekdays(_)).then_some(()))?;
    let surname = capital(weekday.1);
    // "File the return of Kinsale Ceramics Tuesday" ends with a name of its own.
    let named = surname || i > 1 && capital(i - 1) && !capital(i - 2);
    let own = line.text.get(token.span.clone()).is_some_and(|word| word.starts_with(char::is_uppercase));
    (own && named && heard.iter().any(bare)).then(|| (i.saturating_sub(1), weekday.1 + usize::from(surname)))
}

/// "Rewatched The Day After Tomorrow": every word of it is a capital one, and what stands before is not.
fn work(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    const WORDS_MIN: usize = 3;
    let word = |at: usize| line.tokens.get(at).and_then(|t| line.text.get(t.span.clone()));
    let small = |at: usize| word(at).is_some_and(|word| word.len() > 3 && word.starts_with(char::is_lowercase));
    let span = &heard.iter().find(|h| i > 0 && h.span.start == line.tokens[i].span.start)?.span;
    let end = line.first_at(span.end);
    let capitals = (i..end).all(|at| word(at).is_some_and(|word| word.starts_with(char::is_uppercase)));
    (end >= i + WORDS_MIN && capitals && small(i - 1)).then_some((i - 1, end))
}

/// "John 3:16 on the banner": a verse as well as an hour.
fn verse(line: &TokenLine, i: usize) -> Option<(usize, usize)> {
    let next = line.link(i, Link::Book).filter(|_| i == 0)?;
    (line.digits(next).is_some() && line.glued_mark(next + 1, ':')).then_some((i, next + 3))
}

/// "Check out is 11 on thurs", but not "a table for 2 on friday", "room 7 on monday".
fn hour_before_day(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    line.digits(i).filter(|(hour, digits)| *digits <= 2 && (1..=12).contains(hour))?;
    line.link(i.checked_sub(1)?, Link::Present).filter(|next| *next == i)?;
    let day = |h: &Mention| {
        let here = line.tokens.get(i + 1).is_some_and(|t| t.span.start == h.span.start);
        here && h.phrase.clock.is_none() && h.phrase.date.as_ref().is_some_and(Date::is_one_day)
    };
    heard.iter().any(day).then_some((i, i + 1))
}

/// "Sunday school needs hymnals": a thing called by its day, unless an hour is told with it.
fn of_that_day(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let (_, next) = line.pick(i, |a| matches!(a.sense, Sense::Weekday(_)).then_some(()))?;
    let next = line.link(next, Link::OfItsDay)?;
    let [only] = heard else { return None };
    only.phrase.clock.is_none().then_some((i, next))
}

/// "Xmas market 18:30": of a season, and rarely on the day, if no other is named. Without an hour it is just a name.
fn around_holiday(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let (_, next) = line.pick(i, |a| matches!(a.sense, Sense::Holiday(_)).then_some(()))?;
    // "The Easter crime serial is on at 9".
    let article = i.checked_sub(1).is_some_and(|b| line.link(b, Link::The) == Some(i));
    let next = line.link(next, Link::Festive).or((article && line.is_plain_word(next)).then_some(next + 1))?;
    let says_day = |h: &Mention| match &h.phrase.date {
        Some(date) => !matches!(date, Date::Holiday { .. }),
        None => h.phrase.rule.is_some() || h.phrase.offset.is_some(),
    };
    let timed = heard.iter().any(|h| h.phrase.clock.is_some());
    (timed && !heard.iter().any(says_day)).then_some((i, next))
}

/// "Match sat throw in at 12", "moving day sat, van at 8": what may be a day, beside an hour that has none; "noon, lau
/// pa sat": the same, behind an hour and a comma.
fn short_day(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let (_, next) = line.pick(i, |a| (a.weak && matches!(a.sense, Sense::Weekday(_))).then_some(()))?;
    let Some(before) = i.checked_sub(1) else {
        // "Wed half an hour before the 4pm audit", but not "sun cream at 3".
        let goes_on = line.tokens.get(next).is_some_and(|t| t.kind == TokenKind::Word) && !line.is_plain_word(next);
        let hour = heard.iter().all(|h| h.phrase.is_clock_alone() || h.phrase.shift.is_some()) && !heard.is_empty();
        return (goes_on && hour).then_some((i, next));
    };
    let small = [Link::Pronoun, Link::The, Link::In, Link::At, Link::To, Link::Of];
    let word =
        line.tokens[before].kind == TokenKind::Word && small.iter().all(|link| line.link(before, *link).is_none());
    let hour = heard.iter().all(|h| h.phrase.is_clock_alone()) && !heard.is_empty();
    let ends = line.tokens.get(next).is_none_or(|t| matches!(t.kind, TokenKind::Mark(_)));
    let goes_on = line.tokens.get(next).is_some_and(|t| t.kind == TokenKind::Word);
    let here = &line.tokens[i].span;
    let comma = (0..before).any(|at| line.mark(at, ',') && heard.iter().any(|h| is_hour_before(line, h, at)));
    let apart = comma && ends && line.is_plain_word(before) && heard.iter().any(|h| h.span == *here);
    let doubtful = word && (hour && (ends || goes_on) || apart);
    doubtful.then_some((if apart { before } else { i }, next))
}

fn is_hour_before(line: &TokenLine, h: &Mention, at: usize) -> bool {
    h.phrase.clock.is_some() && h.span.end <= line.tokens[at].span.start
}

/// "A sunday roast recipe", "the thursday murder club", "the midnight blue dress": a kind of thing, if nothing else
/// says when.
fn of_a_kind(line: &TokenLine, i: usize, heard: &[Mention]) -> Option<(usize, usize)> {
    let before = i.checked_sub(1)?;
    line.link(before, Link::The).or(line.link(before, Link::Article)).filter(|next| *next == i)?;
    let next = line
        .pick(i, |a| matches!(a.sense, Sense::Weekday(_) | Sense::Clock(..)).then_some(()))
        .map(|(_, next)| next)?;
    let [only] = heard else { return None };
    let Phrase { date, clock, .. } = &only.phrase;
    let bare =
        Phrase { date: None, clock: None, ..only.phrase.clone() }.is_empty() && (date.is_none() || clock.is_none());
    let here = only.span.contains(&line.tokens[i].span.start);
    (bare
        && here
        && only.phrase.role == TimeRole::Plain
        && (line.is_plain_word(next) || line.link(next, Link::Counted).is_some()))
    .then_some((before, next + 1))
}
