//! How fresh an answer is that was read from copies of accounts elsewhere: said in a line at its end, once an answer,
//! where an account is not connected or was not read to its end yet. Talk, and what is kept here, has no such line.

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::outcome::{Report, Status};
use brain_core::core::progress::{MAILS_SO_FAR, mails_read};
use brain_core::core::text::{grouped, visible};
use brain_core::core::turn::Path;
use brain_services::services::catalog::registry::Registration;
use brain_wire::accounts::{AccountPart, AccountState, ListedAccount, since, trouble};

/// The answer, and below it what is missing in what it was read from.
pub(in crate::pipeline) fn told(brain: &Brain, facts: &TurnFacts, mut answer: Answer) -> Answer {
    let lines = lines(brain, facts, &answer);
    // What a card shows is what is agreed to, and nothing else.
    let last = answer.replies.iter_mut().rfind(|reply| reply.card.is_none() && reply.notice.is_none());
    if let Some(last) = last.filter(|_| !lines.is_empty()) {
        last.text.push_str(&format!("\n\n{}", lines.join("\n")));
    }
    answer
}

fn lines(brain: &Brain, facts: &TurnFacts, answer: &Answer) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let services = brain.services.now();
    for service in services.iter().filter(|service| was_read(service, answer)) {
        let mirrored = service.service.mirrors(facts.owner()).into_iter();
        ids.extend(mirrored.filter(|id| !ids.contains(id)).collect::<Vec<_>>());
    }
    let own = brain.accounts_of(facts.owner()).filter(|account| ids.contains(&account.id));
    own.filter_map(|account| line(brain, facts, answer, account)).collect()
}

/// Whether the answer tells what this service has, or has not.
fn was_read(service: &Registration, answer: &Answer) -> bool {
    let reads = |report: &&Report| {
        let entry = service.command(&report.command);
        let was_not_found = matches!(report.status, Status::Failed);
        report.service == service.info.name && (was_not_found || entry.is_some_and(|entry| !entry.writes()))
    };
    match answer.path {
        Path::Investigate => service.service.searchable().is_some(),
        Path::Chat
        | Path::Action
        | Path::Blocked
        | Path::Clarify
        | Path::Consent
        | Path::Clock
        | Path::Command
        | Path::Button
        | Path::Error => answer.reports.iter().any(|report| reads(&report)),
    }
}

fn line(brain: &Brain, facts: &TurnFacts, answer: &Answer, account: &ListedAccount) -> Option<String> {
    let AccountState { disconnected, progress, synced } = brain.accounts.states.of(&account.id);
    if let Some(disconnected) = disconnected {
        let since = since(disconnected.since, facts.ctx.now, facts.ctx.zone);
        let (name, why) = (account.part.named(&visible(&account.name)), trouble(&disconnected));
        return Some(format!("⚠️ Your {name} is not connected since {since} ({why})."));
    }
    // Mail that is asked for is waited for; of calendars what was read before the start is told.
    let things = match account.part {
        AccountPart::Mail => None,
        AccountPart::Collections(kind) => Some(kind.many()),
    };
    if let Some(things) = things.filter(|_| synced.is_none() && progress.is_none()) {
        return Some(format!("⏳ I haven't looked into your {things} yet since I was started."));
    }
    // Where the index says how far it is, that is enough.
    let (done, of) = progress.filter(|_| !answer.replies.iter().any(|reply| reply.text.contains(MAILS_SO_FAR)))?;
    let read = match things {
        None => mails_read(done, of),
        Some(things) => format!("I'm still reading your {things}: {} of {}", grouped(done), grouped(of)),
    };
    Some(format!("⏳ {read}."))
}
