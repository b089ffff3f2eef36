//! The buttons of a reminder: done, snoozed by a while, until tomorrow morning, until whatever is answered.
//!
//! A press is an ordinary low-stakes action through the gate; besides the receipt, with its Undo, the message of
//! the reminder says what became of it and loses its buttons. In a message of several reminders only those of
//! the pressed one go.

use chrono::{DateTime, Duration};
use chrono_tz::Tz;

use super::intended::Intended;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, reminds_of, shown};
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::button::{Later, Press};
use brain_core::core::history::PastAction;
use brain_core::core::ids::MessageId;
use brain_core::core::outcome::Status;
use brain_core::core::plan::PlannedAction;
use brain_core::core::turn::{Input, NoticeKind, Path};
use brain_core::limits;
use brain_core::ports::StoreError;
use brain_core::ports::records::{Before, Shown, Snoozing};
use brain_language::language::consent;
use brain_language::language::consent::Consent;
use brain_language::language::time::{Grain, Problem, When, local_instant};
use brain_language::language::{requests, time};
use brain_services::services::contract::capabilities::{Reminded, ReminderAnswer};
use brain_services::services::contract::context::RequestContext;

const WHICH: &str =
    "Which reminder do you mean? None of mine stands right above: reply to it, or name what it is about.";
const ASK: &str = "Until when? Say it as you would, for example “friday 9am” or “in 3 hours”.";

/// Done.
pub(in crate::pipeline) async fn done(
    brain: &Brain,
    facts: &TurnFacts,
    due: &str,
    data: &str,
) -> Result<Intended, StoreError> {
    let message = shown::pressed(brain, facts, data).await?.map(|shown| shown.message);
    carry_out(brain, facts, due, ReminderAnswer::Done, message).await
}

/// Snoozed; the time is worked out now, in the zone the person is in now.
pub(in crate::pipeline) async fn snooze(
    brain: &Brain,
    facts: &TurnFacts,
    due: &str,
    until: Later,
    data: &str,
) -> Result<Intended, StoreError> {
    let zone = facts.ctx.zone;
    let message = shown::pressed(brain, facts, data).await?.map(|shown| shown.message);
    let now = facts.ctx.now.with_timezone(&zone);
    let at = match until {
        Later::Minutes(minutes) => now + Duration::minutes(i64::from(minutes)),
        Later::Tomorrow => {
            let day = now.date_naive().succ_opt().unwrap_or(now.date_naive());
            local_instant(zone, day.and_time(facts.ctx.hour)).earliest()
        }
        Later::Ask => return Ok(ask(brain, facts, due, message).await?.into()),
    };
    carry_out(brain, facts, due, ReminderAnswer::Snooze(at.fixed_offset()), message).await
}

/// Asks until when; the next message says it.
async fn ask(brain: &Brain, facts: &TurnFacts, due: &str, message: Option<MessageId>) -> Result<Answer, StoreError> {
    if let Err(gone) = answering(brain, facts, due, ReminderAnswer::Snooze(facts.ctx.now.fixed_offset())).await {
        return Ok(Answer::says(Path::Button, gone).noticed(&facts.incoming, NoticeKind::Toast));
    }
    let mut answer = Answer::says(Path::Button, ASK);
    answer.replies.iter_mut().for_each(|reply| reply.placeholder = Some("friday 9am · in 3 hours".into()));
    let (owner, at) = (facts.owner().clone(), facts.ctx.now);
    answer.snoozing = Some(Snoozing { due: due.to_owned(), owner, message, at });
    Ok(answer)
}

/// Said for the Done button of a reminder, in reply to it or right after it was told, and of a row that is quoted. `None`
/// for all else, and where its new time was asked for: the words are for that.
pub(in crate::pipeline) async fn in_words(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, TurnError> {
    if asked(facts).is_some() || !facts.origin().is_own_words() || !requests::is_bare_report(facts.words()) {
        return Ok(None);
    }
    let Some((due, message)) = pointed(brain, facts) else { return Ok(None) };
    let answering = carry_out(brain, facts, &due, ReminderAnswer::Done, message).await?;
    Ok(Some(answering.then(|answer| Answer { path: Path::Action, ..answer })))
}

/// A reminder that rang rings again at this time; without one, that is asked for.
pub(super) async fn snoozed(brain: &Brain, facts: &TurnFacts, until: Option<&str>) -> Result<Intended, StoreError> {
    let Some((due, message)) = pointed(brain, facts) else {
        return Ok(Answer::says(Path::Clarify, WHICH).keeping_question().into());
    };
    let again = |words: String| {
        let snoozing = Snoozing { due: due.clone(), owner: facts.owner().clone(), message, at: facts.ctx.now };
        Answer { snoozing: Some(snoozing), ..Answer::says(Path::Clarify, words) }.into()
    };
    let Some(until) = until else {
        let asked = ask(brain, facts, &due, message).await?;
        return Ok(Answer { path: Path::Clarify, ..asked }.into());
    };
    match time_of(facts, until) {
        Some(Ok(at)) if at > facts.ctx.now => {
            let with = ReminderAnswer::Snooze(at.fixed_offset());
            let answering = carry_out(brain, facts, &due, with, message).await?;
            Ok(answering.then(|answer| Answer { path: Path::Action, ..answer }))
        }
        Some(Ok(_)) => Ok(again("That is in the past. Until when?".to_owned())),
        Some(Err(why)) => Ok(again(why)),
        None => Ok(again("I can't tell which time that is. Until when?".to_owned())),
    }
}

/// The thing that a message is about, and the reminder's message that is to say what became of it: what is replied to, a
/// row that is quoted, or else the reminder right above.
fn pointed(brain: &Brain, facts: &TurnFacts) -> Option<(String, Option<MessageId>)> {
    if let Some(shown) = facts.replied.as_ref().filter(|shown| !shown.about.is_empty()) {
        let quote = facts.incoming.quote.as_deref().unwrap_or_default();
        let mut quoted = shown.about.iter().filter(|item| !item.label.is_empty() && quote.contains(&item.label));
        let only = match (shown.about.as_slice(), quoted.next(), quoted.next()) {
            ([only], _, _) | (_, Some(only), None) => only,
            (_, _, _) => return None,
        };
        return Some((only.id.clone(), Some(shown.message)));
    }
    match &facts.incoming.input {
        Input::Press { .. } => None,
        // It is about some other message.
        Input::Message { reply_to: Some(_), .. } => {
            let (service, row) = facts.quoted_row()?;
            let is_told_of = brain.services.now().find(service)?.service.reminders().is_some();
            is_told_of.then(|| (row.id.clone(), None))
        }
        Input::Message { reply_to: None, .. } => {
            facts.history.last().and_then(reminds_of).map(|(item, message)| (item.to_owned(), Some(message)))
        }
    }
}

/// The new time of a snoozed reminder; `None` when nobody asked, or the message is about something else.
pub(in crate::pipeline) async fn until(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, TurnError> {
    let Some(asked) = asked(facts) else {
        return Ok(None);
    };
    let words = facts.words().trim();
    if consent::read(words) == Consent::No || ["never mind", "nevermind", "forget it"].contains(&&*words.to_lowercase())
    {
        return Ok(Some(Answer::says(Path::Clarify, "Okay, the reminder stays as it is.").into()));
    }
    let at = match time_of(facts, words) {
        None => return Ok(None),
        Some(Ok(at)) if at > facts.ctx.now => at,
        Some(Ok(_)) => return Ok(Some(again(asked, "That is in the past. Until when?").into())),
        Some(Err(why)) => return Ok(Some(again(asked, &why).into())),
    };
    let answering =
        carry_out(brain, facts, &asked.due, ReminderAnswer::Snooze(at.fixed_offset()), asked.message).await?;
    Ok(Some(answering.then(|answer| Answer { path: Path::Action, ..answer })))
}

/// The question for a new time that this message may answer.
fn asked(facts: &TurnFacts) -> Option<&Snoozing> {
    let fresh = |asked: &&Snoozing| {
        asked.owner == *facts.owner()
            && facts.ctx.now - asked.at <= Duration::seconds(limits::CHOICE_SECS)
            && facts.origin().is_own_words()
    };
    facts.state.snoozing.as_ref().filter(fresh)
}

fn again(asked: &Snoozing, words: &str) -> Answer {
    let mut answer = Answer::says(Path::Clarify, words);
    answer.snoozing = Some(asked.clone());
    answer
}

/// The instant an answer means. A sentence with more in it than a time is something new.
fn time_of(facts: &TurnFacts, words: &str) -> Option<Result<DateTime<Tz>, String>> {
    let bare = words.strip_prefix("until ").or_else(|| words.strip_prefix("Until ")).unwrap_or(words);
    let bare = bare.strip_prefix("for ").map_or(bare.to_owned(), |length| format!("in {length}"));
    let reference = facts.reference();
    const ANSWER_WORDS: usize = 8;
    if bare.split_whitespace().count() > ANSWER_WORDS {
        return None;
    }
    let morning = |at: DateTime<Tz>, grain| match grain {
        Grain::Minute | Grain::Hour => at,
        Grain::Day | Grain::Week | Grain::Month | Grain::Year => {
            local_instant(reference.zone, at.date_naive().and_time(facts.ctx.hour)).earliest()
        }
    };
    match time::resolve(&bare, &reference)? {
        Ok(When::Point { at, grain }) => Some(Ok(morning(at, grain))),
        Ok(When::Range { start, grain, .. }) => Some(Ok(morning(start, grain))),
        Ok(When::Duration(length)) => Some(Ok(reference.now.with_timezone(&reference.zone) + length)),
        Ok(When::Recurrence { .. }) => None,
        Err(Problem::Unclear { .. }) => Some(Err("I can't tell which time that is. Until when?".to_owned())),
        Err(Problem::Past { .. }) => Some(Err("That is in the past. Until when?".to_owned())),
        Err(Problem::Impossible { why } | Problem::Ambiguous { why, .. }) => {
            Some(Err(format!("I can't use that time: {why}. Until when?")))
        }
        Err(Problem::SkippedByClockChange { next, .. }) => {
            Some(Err(format!("The clocks are put forward over that time. Until {} instead?", next.format("%H:%M"))))
        }
        Err(Problem::RepeatedByClockChange { first, second }) => {
            let shown = [first, second].map(|at| time::describe(at, Grain::Minute, &reference));
            Some(Err(format!(
                "That time comes twice, as the clocks go back. Say “{}” for the first, or “{}” for the second.",
                shown[0], shown[1]
            )))
        }
    }
}

/// Does it, and says so on the reminder's message.
async fn carry_out(
    brain: &Brain,
    facts: &TurnFacts,
    due: &str,
    with: ReminderAnswer,
    message: Option<MessageId>,
) -> Result<Intended, StoreError> {
    let (title, planned) = match answering(brain, facts, due, with).await {
        Ok(found) => found,
        Err(gone) => {
            let mut answer = Answer::says(Path::Button, gone).noticed(&facts.incoming, NoticeKind::Toast);
            if let Some(message) = message {
                let due = due.to_owned();
                shown::without(message, move |press| is_about(press, &due), &mut answer);
            }
            return Ok(answer.into());
        }
    };
    let (ctx, due) = (facts.ctx.clone(), due.to_owned());
    Ok(Intended::actions(facts, vec![planned]).then(move |mut answer| {
        if answer.reports.iter().all(|report| report.status == Status::Succeeded) {
            say_so(&ctx, &due, with, &title, message, &mut answer);
        }
        answer
    }))
}

/// Says what became of a reminder: a snooze in words of its own, and either on the reminder's message.
fn say_so(
    ctx: &RequestContext,
    due: &str,
    with: ReminderAnswer,
    title: &str,
    message: Option<MessageId>,
    answer: &mut Answer,
) {
    if let (ReminderAnswer::Snooze(at), Some(reply)) = (with, answer.replies.first_mut()) {
        let until = time::describe(at.with_timezone(&ctx.zone), Grain::Minute, &ctx.reference());
        reply.text = format!("💤 Snoozed until {until}: {}", brain_core::core::text::visible(title));
    }
    if let Some(message) = message {
        let undos = answer.undos();
        let (due, stamp, title) = (due.to_owned(), stamp(ctx, with), brain_core::core::text::visible(title));
        answer.rewrite(message, move |shown| mark(shown, &due, &stamp, &title, &undos));
    }
}

/// The same for a press that an earlier life began; `answer` is made of its journal.
pub fn carried_through(brain: &Brain, facts: &TurnFacts, due: &str, message: Option<MessageId>, answer: &mut Answer) {
    if let Some((with, title)) = answer.actions.iter().find_map(|done| read_back(brain, due, done)) {
        say_so(&facts.ctx, due, with, &title, message, answer);
    }
}

/// The same for the answer with the new time; any other message is left as it is.
pub fn answer_carried_through(brain: &Brain, facts: &TurnFacts, answer: &mut Answer) {
    if let Some(asked) = asked(facts) {
        carried_through(brain, facts, &asked.due, asked.message, answer);
    }
}

/// What was done to this reminder, and what it reminds of, from the record of it.
fn read_back(brain: &Brain, due: &str, done: &PastAction) -> Option<(ReminderAnswer, String)> {
    let item = done.item.as_ref().filter(|item| item.id == due)?;
    let services = brain.services.now();
    let with = services.find(&done.service)?.service.reminders()?.answer_of(&done.command, &done.params)?;
    Some((with, item.label.clone()))
}

/// What a reminder is about, and the action that answers it; or why there is none.
async fn answering(
    brain: &Brain,
    facts: &TurnFacts,
    due: &str,
    with: ReminderAnswer,
) -> Result<(String, PlannedAction), String> {
    let services = brain.services.now();
    for reminders in services.iter().filter_map(|service| service.service.reminders()) {
        match reminders.reminded(&facts.ctx, due).await.map_err(|error| error.to_string())? {
            None => {}
            Some(Reminded { title, done: true }) => {
                return Err(format!("“{}” is done already.", brain_core::core::text::visible(&title)));
            }
            Some(Reminded { title, done: false }) => {
                let title_shown = brain_core::core::text::visible(&title);
                let nothing = || format!("There is nothing to tick off: “{title_shown}” is an event.");
                return Ok((title.clone(), reminders.answered(due, with).ok_or_else(nothing)?));
            }
        }
    }
    Err("That reminder's task is gone: it was deleted, or it isn't yours.".to_owned())
}

/// "done 10:03", "snoozed until Tue 13 Jan 09:00".
fn stamp(ctx: &RequestContext, with: ReminderAnswer) -> String {
    let now = ctx.now.with_timezone(&ctx.zone);
    match with {
        ReminderAnswer::Done => format!("done {}", now.format("%H:%M")),
        ReminderAnswer::Snooze(at) => {
            let at = at.with_timezone(&ctx.zone);
            let form = if at.date_naive() == now.date_naive() { "%H:%M" } else { "%a %-d %b %H:%M" };
            format!("snoozed until {}", at.format(form))
        }
    }
}

fn is_about(press: &Press, due: &str) -> bool {
    match press {
        Press::Done(other) | Press::Snooze { due: other, .. } => other == due,
        Press::Card { .. }
        | Press::Undo(_)
        | Press::Send(_)
        | Press::AddEvent(_)
        | Press::Set { .. }
        | Press::Offer { .. }
        | Press::Redo(_)
        | Press::More(_)
        | Press::Show(_) => false,
    }
}

/// Writes on the message what became of its reminder: behind its first line, or below when there are several.
fn mark(message: &mut Shown, due: &str, stamp: &str, title: &str, undos: &[String]) {
    let other = |press: Press| match press {
        Press::Done(other) => other != due,
        Press::Snooze { .. }
        | Press::Card { .. }
        | Press::Undo(_)
        | Press::Send(_)
        | Press::AddEvent(_)
        | Press::Set { .. }
        | Press::Offer { .. }
        | Press::Redo(_)
        | Press::More(_)
        | Press::Show(_) => false,
    };
    let several = message.text.contains(MARKED)
        || message.buttons.iter().flatten().filter_map(|button| Press::decode(&button.data)).any(other);
    let text = if several {
        format!("{}\n{MARKED}{title}: {stamp}", message.text)
    } else {
        // What an earlier press has said is no longer true.
        let unstamped = |first: &str| match (&message.before, first.rsplit_once(STAMPED)) {
            (Some(_), Some((bare, _))) => bare.to_owned(),
            (Some(_) | None, _) => first.to_owned(),
        };
        match message.text.split_once('\n') {
            Some((first, rest)) => format!("{}{STAMPED}{stamp}\n{rest}", unstamped(first)),
            None => format!("{}{STAMPED}{stamp}", unstamped(&message.text)),
        }
    };
    let before = Before { text: message.text.clone(), buttons: message.buttons.clone(), undos: undos.to_vec() };
    // In a message of several, going back to what it said would take back what it says of the others.
    message.before = (!several).then_some(before);
    message.buttons = shown::left(message, |press| is_about(press, due));
    if text.encode_utf16().count() <= limits::MESSAGE_UTF16_MAX {
        message.text = text;
    }
}

/// Stands before what became of a reminder.
const STAMPED: &str = " — ";
/// Begins a line about one of several reminders of a message.
const MARKED: &str = "✔️ ";
