//! `batch_thread_read`: what each thing says, told as features.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::coverage::{Coverage, QueryWords, coverage, passage};
use super::evidence::{EarlierOutputs, EvidenceSources, findings, stems};
use crate::investigate::features::SenderSort;
use crate::investigate::features::amounts::{Amount, amounts};
use crate::investigate::features::conversation::ReadingFrame;
use crate::investigate::features::elsewhere::{ReadConversation, settle};
use crate::investigate::features::letter::new_part;
use crate::investigate::finding::{CountedParty, Finding, NodeOutput, PartyTally};
use crate::investigate::node::{BatchThreadRead, FindingSort, ReadField, reference};
use brain_core::limits::{ITEMS_READ_AT_ONCE, LETTERS_READ_AT_ONCE, READ_BYTES_MAX, READ_ITEMS_MAX, READ_MS_MAX};
use brain_language::language::people::Familiarity;
use brain_language::language::terms;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::searchable::{ItemKind, ItemText};
use brain_services::services::helpers::address_book::{PeopleQuery, Person};

/// Shorter words of letters and digits are no references, and longer ones none that people are told.
const REFERENCE_CHARS_MIN: usize = 5;
const REFERENCE_CHARS_MAX: usize = 12;
/// Of one conversation.
const REFERENCES_MAX: usize = 20;
/// What a swindler says of it is worth, beside others.
const OF_SUSPECTS: f32 = 0.5;

/// Reads what it is given, best first.
pub(super) async fn gather(
    sources: &EvidenceSources<'_>,
    params: &BatchThreadRead,
    given: &EarlierOutputs<'_>,
) -> Result<NodeOutput, ServiceError> {
    let all = findings(&params.items, given);
    let most = params.max_items.unwrap_or(READ_ITEMS_MAX).min(READ_ITEMS_MAX);
    let began = Instant::now();
    let until = began + Duration::from_millis(READ_MS_MAX);
    let mut read: Vec<Finding> = all.iter().take(most).cloned().collect();
    let texts = texts(sources, &mut read, began + Duration::from_millis(READ_MS_MAX / 2)).await?;
    let known = known(sources, &texts).await?;
    let frame = ReadingFrame { zone: sources.ctx.zone, order: sources.ctx.order };
    let texts = read_letters(sources, params, &mut read, texts, known, frame, until).await;
    let asked = params.about.as_deref().map(|about| QueryWords::new(about, &read, &texts));
    for finding in &mut read {
        let Some(text) = texts.get(&(finding.item.service.clone(), finding.item.id.clone())) else { continue };
        let letters = text.said.iter().map(|said| said.text.as_str());
        finding.references =
            letters.chain([finding.item.title.as_str()]).flat_map(references).take(REFERENCES_MAX).collect();
        if let Some(asked) = &asked {
            let Coverage { covered, is_about } = coverage(finding, text, asked);
            let trust = if finding.sender() == SenderSort::Suspect { OF_SUSPECTS } else { 1.0 };
            finding.score = trust * (covered + also(text, &finding.item.title, &params.also));
            finding.sorts.extend(is_about.then_some(FindingSort::About));
            if params.fields.contains(&ReadField::Topic)
                && let Some(passage) =
                    passage(finding.item.kind, text, asked, params.fields.contains(&ReadField::Amounts))
            {
                // Who writes prices down for themselves leaves the currency out.
                if finding.item.kind != ItemKind::Thread && passage.chars().any(|c| c.is_ascii_digit()) {
                    finding.amounts.push(Amount { text: String::new(), within: passage.clone() });
                }
                finding.summary = passage;
            }
        }
    }
    settle(&mut conversations(&mut read, &texts));
    let before = reference(&params.items).and_then(|from| given.get(from.node.as_str()));
    let more = before.map_or(0, |output| output.more);
    let mut gaps = before.map(|output| output.gaps.clone()).unwrap_or_default();
    let people = partners(&read);
    let unread = all.len() - read.len();
    // What is kept of a question has no gap: asked again, more of them are read.
    if read.len() < most.min(all.len()) && began.elapsed() > Duration::from_millis(READ_MS_MAX / 2) {
        gaps.push("There was no time to read all of them: ask me again, and I get further.".to_owned());
    }
    Ok(NodeOutput { findings: read, people, more, unread, gaps, ..NodeOutput::default() })
}

type Texts = HashMap<(String, String), ItemText>;

/// Reads what conversations say, some at a time and beside the runtime; gives the texts back. Those for which there was
/// no time are left out.
async fn read_letters(
    sources: &EvidenceSources<'_>,
    params: &BatchThreadRead,
    read: &mut Vec<Finding>,
    texts: Texts,
    known: HashSet<String>,
    frame: ReadingFrame,
    until: Instant,
) -> Texts {
    let wants_amounts = params.fields.contains(&ReadField::Amounts);
    let (texts, known) = (Arc::new(texts), Arc::new(known));
    let mut done = 0;
    for some in read.chunks_mut(LETTERS_READ_AT_ONCE) {
        if Instant::now() > until {
            break;
        }
        done += some.len();
        let (kept, owner) = (sources.features.clone(), sources.ctx.owner.clone());
        let (texts, known, mut job) = (texts.clone(), known.clone(), some.to_vec());
        let job = move || {
            for finding in &mut job {
                let Some(text) = texts.get(&(finding.item.service.clone(), finding.item.id.clone())) else { continue };
                let is_known = |address: &str| known.contains(address);
                if finding.item.kind == ItemKind::Thread {
                    let letters = kept.read(&owner, text, &finding.item.title, &is_known, frame);
                    finding.features = Some(letters.features.clone());
                    if wants_amounts {
                        finding.amounts = letters.amounts.clone();
                    }
                } else if wants_amounts {
                    finding.amounts = text.said.iter().flat_map(|said| amounts(&new_part(&said.text))).collect();
                }
            }
            job
        };
        some.clone_from_slice(&sources.pool.run(&sources.ctx.owner, job).await);
    }
    read.truncate(done);
    Arc::unwrap_or_clone(texts)
}

/// What was read of conversations.
fn conversations<'a>(
    read: &'a mut [Finding],
    texts: &'a HashMap<(String, String), ItemText>,
) -> Vec<ReadConversation<'a>> {
    let of = |finding: &'a mut Finding| {
        let text = texts.get(&(finding.item.service.clone(), finding.item.id.clone()))?;
        let features = finding.features.as_mut()?;
        Some(ReadConversation { title: &finding.item.title, text, features })
    };
    read.iter_mut().filter_map(of).collect()
}

/// With whom most letters were exchanged; of what is no conversation, who takes part.
fn partners(read: &[Finding]) -> Vec<CountedParty> {
    let mut tally = PartyTally::default();
    for finding in read.iter().filter(|finding| finding.features.is_none()) {
        finding.takes_part().for_each(|party| tally.add(party, 1));
    }
    for (party, letters) in read.iter().filter_map(|f| f.features.as_ref()).flat_map(|features| &features.partners) {
        tally.add(party, *letters);
    }
    tally.most_frequent()
}

/// Reference codes: words of capital letters and digits.
fn references(text: &str) -> impl Iterator<Item = String> {
    let is_reference = |word: &&str| {
        (REFERENCE_CHARS_MIN..=REFERENCE_CHARS_MAX).contains(&word.len())
            && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_uppercase())
    };
    text.split(|c: char| !c.is_alphanumeric()).filter(is_reference).map(str::to_owned)
}

/// What a thing is worth more that holds one of these words.
fn also(text: &ItemText, title: &str, words: &[String]) -> f32 {
    let says = |text: &str| {
        let said = terms::stems(&terms::fold(text));
        words.iter().any(|word| stems(word).iter().all(|stem| said.contains(stem)))
    };
    match (words.is_empty(), says(title), text.said.iter().any(|said| says(&new_part(&said.text)))) {
        (true, ..) | (false, false, false) => 0.0,
        (false, true, _) => 0.6,
        (false, false, true) => 0.4,
    }
}

/// What these say, by service and id, some at a time: those for which there was no room or no time are left out.
async fn texts(sources: &EvidenceSources<'_>, read: &mut Vec<Finding>, until: Instant) -> Result<Texts, ServiceError> {
    let (mut texts, mut bytes, mut done) = (Texts::new(), 0, 0);
    for some in read.chunks(ITEMS_READ_AT_ONCE) {
        if bytes > READ_BYTES_MAX || Instant::now() > until {
            break;
        }
        done += some.len();
        for service in sources.services.iter() {
            let Some(searchable) = service.service.searchable() else { continue };
            let name = &service.info.name;
            let ids: Vec<String> = some.iter().filter(|f| f.item.service == *name).map(|f| f.item.id.clone()).collect();
            if ids.is_empty() {
                continue;
            }
            for text in searchable.read_items(sources.ctx, &ids).await? {
                bytes += text.said.iter().map(|said| said.text.len()).sum::<usize>();
                texts.insert((name.clone(), text.id.clone()), text);
            }
        }
    }
    read.truncate(done);
    Ok(texts)
}

/// The addresses among those that wrote which the person knows.
async fn known(
    sources: &EvidenceSources<'_>,
    texts: &HashMap<(String, String), ItemText>,
) -> Result<HashSet<String>, ServiceError> {
    let senders = texts.values().flat_map(|text| &text.said).map(|said| said.by.address.as_str());
    let asked = PeopleQuery::addresses(senders);
    let people = sources.people.people(&sources.ctx.owner, &asked).await?;
    // A card that others write makes nobody known.
    let is_others = |person: &Person, address: &String| person.untrusted.iter().any(|said| said.text == *address);
    let known = people.iter().filter(|person| person.known > Familiarity::Seen).flat_map(|person| {
        let listed = person.emails.iter().filter(|address| !is_others(person, address));
        listed.chain(&person.confirmed)
    });
    Ok(known.map(|address| address.to_lowercase()).collect())
}
