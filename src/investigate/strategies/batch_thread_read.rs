//! `batch_thread_read`: what each thing says, told as features.

use std::collections::{HashMap, HashSet};

use super::keyword_search::stems;
use super::{EvidenceSources, Given, findings};
use crate::investigate::features::amounts::amounts;
use crate::investigate::features::conversation::ReadingFrame;
use crate::investigate::features::features;
use crate::investigate::features::letter::new_part;
use crate::investigate::finding::{CountedParty, Finding, NodeOutput, counted, is_same};
use crate::investigate::node::{BatchThreadRead, FindingSort, ReadField, reference};
use crate::language::people::Familiarity;
use crate::language::terms;
use crate::limits::READ_ITEMS_MAX;
use crate::services::error::ServiceError;
use crate::services::searchable::{ItemKind, ItemText};
use crate::services::service::PeopleQuery;

/// Letters that have to speak of a topic that the title does not name.
const LETTERS_ABOUT: usize = 2;

/// Reads what it is given, best first.
pub(super) async fn gather(
    sources: &EvidenceSources<'_>,
    params: &BatchThreadRead,
    given: &Given<'_>,
) -> Result<NodeOutput, ServiceError> {
    let all = findings(&params.items, given);
    let most = params.max_items.unwrap_or(READ_ITEMS_MAX).min(READ_ITEMS_MAX);
    let mut read: Vec<Finding> = all.iter().take(most).cloned().collect();
    let texts = texts(sources, &read).await?;
    let known = known(sources, &texts).await?;
    let frame = ReadingFrame { zone: sources.ctx.zone, order: sources.ctx.order };
    for finding in &mut read {
        let Some(text) = texts.get(&(finding.item.service.clone(), finding.item.id.clone())) else { continue };
        if finding.item.kind == ItemKind::Thread {
            finding.features = Some(features(text, &|address| known.contains(address), frame));
        }
        if params.fields.contains(&ReadField::Amounts) {
            finding.amounts = text.said.iter().flat_map(|said| amounts(&new_part(&said.text))).collect();
        }
        if let Some(about) = &params.about
            && is_about(finding, text, about)
        {
            finding.sorts.push(FindingSort::About);
        }
    }
    let before = reference(&params.items).and_then(|from| given.get(from.node.as_str()));
    let more = before.map_or(0, |output| output.more);
    let gaps = before.map(|output| output.gaps.clone()).unwrap_or_default();
    let people = partners(&read);
    Ok(NodeOutput { findings: read, people, more, unread: all.len() - most.min(all.len()), gaps })
}

/// With whom most letters were exchanged; of what is no conversation, who takes part.
fn partners(read: &[Finding]) -> Vec<CountedParty> {
    let mut people = counted(&read.iter().filter(|f| f.features.is_none()).cloned().collect::<Vec<_>>());
    for (party, letters) in read.iter().filter_map(|f| f.features.as_ref()).flat_map(|features| &features.partners) {
        match people.iter_mut().find(|known| is_same(&known.party, party)) {
            Some(known) => known.count += letters,
            None => people.push(CountedParty { party: party.clone(), count: *letters }),
        }
    }
    people.sort_by_key(|person| std::cmp::Reverse(person.count));
    people
}

/// What these say, by service and id.
async fn texts(
    sources: &EvidenceSources<'_>,
    read: &[Finding],
) -> Result<HashMap<(String, String), ItemText>, ServiceError> {
    let mut texts = HashMap::new();
    for service in sources.services.iter() {
        let Some(searchable) = service.service.searchable() else { continue };
        let name = &service.info.name;
        let ids: Vec<String> = read.iter().filter(|f| f.item.service == *name).map(|f| f.item.id.clone()).collect();
        if ids.is_empty() {
            continue;
        }
        for text in searchable.read_items(sources.ctx, &ids).await? {
            texts.insert((name.clone(), text.id.clone()), text);
        }
    }
    Ok(texts)
}

/// The addresses among those that wrote which the person knows.
async fn known(
    sources: &EvidenceSources<'_>,
    texts: &HashMap<(String, String), ItemText>,
) -> Result<HashSet<String>, ServiceError> {
    let senders = texts.values().flat_map(|text| &text.said).map(|said| said.by.address.clone());
    let senders: HashSet<String> = senders.filter(|address| !address.is_empty()).collect();
    let asked = PeopleQuery { names: senders.iter().cloned().collect(), ..PeopleQuery::default() };
    let people = sources.people.people(&sources.ctx.owner, &asked).await?;
    let known = people.into_iter().filter(|person| person.known > Familiarity::Seen);
    Ok(known.flat_map(|person| person.emails).map(|address| address.to_lowercase()).collect())
}

/// Whether a thing is about something: it is called so, it says so again and again, or it is no conversation, where
/// saying it once is much.
fn is_about(finding: &Finding, text: &ItemText, about: &str) -> bool {
    if finding.item.kind != ItemKind::Thread {
        return true;
    }
    let wanted = stems(about);
    let says = |text: &str| {
        let said = terms::stems(&terms::fold(text));
        wanted.iter().map(|stem| said.iter().filter(|word| *word == stem).count()).min().unwrap_or(0)
    };
    let mentions: Vec<usize> = text.said.iter().map(|said| says(&new_part(&said.text))).collect();
    let letters = mentions.iter().filter(|count| **count > 0).count();
    let is_theirs = finding.item.people.iter().any(|party| {
        let domain = party.address.rsplit('@').next().unwrap_or_default().replace(['.', '-'], " ");
        says(&party.name) > 0 || says(&domain) > 0
    });
    let often = mentions.iter().any(|count| *count >= LETTERS_ABOUT);
    is_theirs || says(&finding.item.title) > 0 || letters >= LETTERS_ABOUT || often
}
