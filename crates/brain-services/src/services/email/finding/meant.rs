//! The conversation that a description means: an id, words from sender, subject or text, the newest of those.

use chrono::{DateTime, Utc};

use super::find::of_mails;
use super::query::{FILLERS, NEWEST};
use crate::services::contract::error::ServiceError;
use crate::services::email::mailbox::mailboxes::{Conversation, MailView};
use crate::services::email::message::mail::{DRAFT, Mail, MailId, OWN};
use brain_core::limits::MAIL_HITS_MAX;
use brain_core::ports::{Needs, Query, Ranking};
use brain_language::language::words::{stems, words};

/// What a description came to.
#[derive(Debug, Clone)]
pub enum ThreadMatch {
    /// This conversation.
    One(Conversation),
    /// Several, newest first.
    Several(Vec<Conversation>),
    /// None.
    Nothing,
}

/// Words of a description that may be names.
const DESCRIBING_WORDS_MAX: usize = 8;

/// The conversation meant by an id, or by words from sender, subject or text. Words that all stand in subject and
/// people win over words somewhere in the text; an adjective of recency takes the newest of what fits.
pub async fn thread(view: &MailView, description: &str) -> Result<ThreadMatch, ServiceError> {
    let description = description.trim();
    let of_mail = || MailId::parse(description).and_then(|id| view.thread_of(id));
    if let Some(thread) = view.thread(description).or_else(of_mail) {
        return Ok(view.conversation(thread).await?.map_or(ThreadMatch::Nothing, ThreadMatch::One));
    }
    let wanted: Vec<String> = words(description);
    let newest = wanted.iter().any(|word| NEWEST.contains(&word.as_str()));
    let is_said = |word: &&String| {
        let is_order = NEWEST.contains(&word.as_str()) || newest && word.as_str() == "most";
        !is_order && !FILLERS.contains(&word.as_str())
    };
    let said: Vec<String> = wanted.iter().filter(is_said).cloned().collect();
    let mut fitting = match (said.is_empty(), newest) {
        (true, false) => return Ok(ThreadMatch::Nothing),
        (true, true) => latest(view).await?,
        (false, _) => described(view, &said.join(" ")).await?,
    };
    fitting.sort_by(|a, b| (b.thread.date, &b.thread.id).cmp(&(a.thread.date, &a.thread.id)));
    if newest {
        // Of somebody the last mail of theirs counts, whatever was answered since.
        let stems = stems(&said.join(" "));
        fitting.sort_by_key(|conversation| std::cmp::Reverse(last_of(conversation, &stems)));
        let of_others = |conversation: &Conversation| conversation.last_of_others().is_some();
        if fitting.iter().any(of_others) {
            fitting.retain(of_others);
        }
        fitting.truncate(1);
    }
    match fitting.len() {
        0 => Ok(ThreadMatch::Nothing),
        1 => Ok(match fitting.pop() {
            Some(only) => view.conversation(only.thread).await?.map_or(ThreadMatch::Nothing, ThreadMatch::One),
            None => ThreadMatch::Nothing,
        }),
        _ => Ok(ThreadMatch::Several(fitting)),
    }
}

/// When the last mail came of those whom the words name; where they name nobody, the last one there is.
fn last_of(conversation: &Conversation, said: &[String]) -> DateTime<Utc> {
    let is_theirs = |mail: &&Mail| {
        let from = &mail.head.parsed.from;
        let present = stems(&format!("{} {}", from.name, from.address));
        !mail.is_own() && said.iter().any(|stem| present.contains(stem))
    };
    let theirs = conversation.mails.iter().filter(is_theirs).map(|mail| mail.head.date).max();
    theirs.unwrap_or(conversation.thread.date)
}

/// The conversation with the newest mail of somebody else, else the newest there is.
async fn latest(view: &MailView) -> Result<Vec<Conversation>, ServiceError> {
    for without in [vec![OWN.to_owned()], vec![DRAFT.to_owned()]] {
        let query = Query { without, ranking: Ranking::Newest, limit: 1, ..Query::default() };
        let found = of_mails(view, view.search(query).await?.0).await?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Those whose subject says just this; else those with all of it in subjects and people; else those with it anywhere.
async fn described(view: &MailView, said: &str) -> Result<Vec<Conversation>, ServiceError> {
    let any = Query { without: vec![DRAFT.to_owned()], limit: MAIL_HITS_MAX / 4, ..Query::default() };
    let titled = view.search(Query { in_title: said.to_owned(), ..any.clone() }).await?.0;
    let all = view.search(Query { text: said.to_owned(), ..any.clone() }).await?.0;
    // All words may stand in one conversation, and in no mail of it.
    let some = match all.is_empty() {
        true => view.search(Query { text: said.to_owned(), needs: Needs::Any, ..any }).await?.0,
        false => Vec::new(),
    };
    let of_people = from_or_to(view, said).await?;
    let anywhere = all.iter().chain(&of_people).map(Mail::id).collect::<Vec<_>>();
    let found = of_mails(view, titled.into_iter().chain(all).chain(of_people).chain(some).collect()).await?;
    let said = stems(said);
    let is_exact = |found: &Conversation| stems(&found.subject) == said;
    let stands_in_heads = |found: &Conversation| {
        let mut text = found.subject.clone();
        for mail in &found.mails {
            let parsed = &mail.head.parsed;
            text.push_str(&format!(" {} {} {}", parsed.subject, parsed.from.name, parsed.from.address));
            if mail.is_own() {
                text.extend(parsed.to.iter().map(|person| format!(" {} ", person.name)));
            }
        }
        let present = stems(&text);
        said.iter().all(|stem| present.contains(stem))
    };
    let stands_anywhere = |found: &Conversation| found.thread.mails.iter().any(|mail| anywhere.contains(mail));
    let tiers: [&(dyn Fn(&Conversation) -> bool + Sync); 3] = [&is_exact, &stands_in_heads, &stands_anywhere];
    for tier in tiers {
        let fitting: Vec<Conversation> = found.iter().filter(|conversation| tier(conversation)).cloned().collect();
        if !fitting.is_empty() {
            return Ok(fitting);
        }
    }
    Ok(Vec::new())
}

/// Mails of the people that a description names, with the rest of it somewhere in their text. Which of its words are
/// names, the mails tell: all that are somebody's, or just one of them.
async fn from_or_to(view: &MailView, said: &str) -> Result<Vec<Mail>, ServiceError> {
    let any = Query { without: vec![DRAFT.to_owned()], ranking: Ranking::Newest, ..Query::default() };
    let words: Vec<&str> = said.split(' ').filter(|word| !word.is_empty()).take(DESCRIBING_WORDS_MAX).collect();
    let mut names: Vec<&str> = Vec::new();
    for word in &words {
        let people = vec![(String::new(), (*word).to_owned())];
        if view.search(Query { people, limit: 1, ..any.clone() }).await?.1 > 0 {
            names.push(*word);
        }
    }
    let one_each = names.iter().map(|name| vec![*name]);
    let readings = std::iter::once(names.clone()).chain(one_each.filter(|_| names.len() > 1));
    let mut found: Vec<Mail> = Vec::new();
    for names in readings.filter(|names| !names.is_empty()) {
        let rest: Vec<&str> = words.iter().copied().filter(|word| !names.contains(word)).collect();
        let people = names.iter().map(|name| (String::new(), (*name).to_owned())).collect();
        let query = Query { people, text: rest.join(" "), limit: MAIL_HITS_MAX / 4, ..any.clone() };
        let mails = view.search(query).await?.0;
        found.extend(
            mails.into_iter().filter(|mail| !found.iter().any(|known| known.id() == mail.id())).collect::<Vec<_>>(),
        );
    }
    Ok(found)
}
