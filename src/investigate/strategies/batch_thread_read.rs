//! `batch_thread_read`: what each thing says, told as features.

use std::collections::{HashMap, HashSet};

use super::keyword_search::stems;
use super::{EvidenceSources, Given, findings};
use crate::investigate::features::amounts::amounts;
use crate::investigate::features::conversation::{ReadingFrame, asks};
use crate::investigate::features::elsewhere::{ReadConversation, settle};
use crate::investigate::features::letter::{Sentence, new_part, sentences};
use crate::investigate::features::{SenderSort, features};
use crate::investigate::finding::{CountedParty, Finding, NodeOutput, counted, is_same};
use crate::investigate::node::{BatchThreadRead, FindingSort, ReadField, reference};
use crate::language::people::Familiarity;
use crate::language::terms;
use crate::language::words::without_digraphs;
use crate::limits::READ_ITEMS_MAX;
use crate::services::error::ServiceError;
use crate::services::searchable::{ItemKind, ItemText, Party};
use crate::services::service::PeopleQuery;

/// How much of what is asked a task or a note has to say.
const ABOUT_COVERED: f32 = 0.6;
/// Sentences that open a letter: they say what it is about.
const OPENING_SENTENCES: usize = 2;
/// Shorter ones are a greeting or a call.
const SENTENCE_WORDS_MIN: usize = 4;
/// What a swindler says of it is worth, beside others.
const OF_SUSPECTS: f32 = 0.5;
/// Lines that close a letter and say who writes it: a name, what they do, and for whom.
const CLOSING_LINES: usize = 3;
const CLOSING_WORDS_MAX: usize = 6;
/// Letters that have to speak of a topic that neither the title nor an opening names.
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
            finding.features = Some(features(text, &finding.item.title, &|address| known.contains(address), frame));
        }
        if params.fields.contains(&ReadField::Amounts) {
            finding.amounts = text.said.iter().flat_map(|said| amounts(&new_part(&said.text))).collect();
        }
        if let Some(about) = &params.about {
            let Coverage { covered, is_about } = coverage(finding, text, about);
            let trust = if finding.sender() == SenderSort::Suspect { OF_SUSPECTS } else { 1.0 };
            finding.score = trust * (covered + also(text, &finding.item.title, &params.also));
            finding.sorts.extend(is_about.then_some(FindingSort::About));
        }
    }
    settle(&mut conversations(&mut read, &texts));
    let before = reference(&params.items).and_then(|from| given.get(from.node.as_str()));
    let more = before.map_or(0, |output| output.more);
    let gaps = before.map(|output| output.gaps.clone()).unwrap_or_default();
    let people = partners(&read);
    let unread = all.len() - most.min(all.len());
    Ok(NodeOutput { findings: read, people, more, unread, gaps, ..NodeOutput::default() })
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

/// How much of what is asked a thing covers, and whether it is about it: it is called so, those who take part are, or it
/// opens with it or asks about it, or it says so again and again; of what is no conversation, saying it once is much.
struct Coverage {
    covered: f32,
    is_about: bool,
}

fn coverage(finding: &Finding, text: &ItemText, about: &str) -> Coverage {
    let wanted = stems(about);
    let counted = |text: &str| -> Vec<usize> {
        let said = terms::stems(&terms::fold(text));
        wanted.iter().map(|stem| said.iter().filter(|word| *word == stem).count()).collect()
    };
    let title = counted(&finding.item.title);
    let closings = text.said.iter().filter(|said| !said.is_own).flat_map(|said| closing(&said.text));
    let named: Vec<String> = finding.item.people.iter().map(spelled).chain(closings).collect();
    let parties: Vec<usize> = counted(&named.join(" "));
    let letters: Vec<Vec<usize>> = text.said.iter().map(|said| counted(&new_part(&said.text))).collect();
    let has = |at: usize| title[at] > 0 || parties[at] > 0 || letters.iter().any(|letter| letter[at] > 0);
    let worth = |at: usize| match (title[at] > 0 || parties[at] > 0, has(at)) {
        (true, _) => 1.0,
        (false, true) => 0.8,
        (false, false) => 0.0,
    };
    let covered = (0..wanted.len()).map(worth).sum::<f32>() / wanted.len().max(1) as f32;
    let whole = (0..wanted.len()).all(has);
    if finding.item.kind != ItemKind::Thread {
        return Coverage { covered, is_about: covered >= ABOUT_COVERED };
    }
    let speaks = |letter: &&Vec<usize>| {
        letter.iter().any(|count| *count > 0) && (0..wanted.len()).all(|at| letter[at] + title[at] > 0)
    };
    let speaking = letters.iter().filter(speaks).count();
    let often = letters.iter().any(|letter| letter.iter().all(|count| *count >= LETTERS_ABOUT));
    let tells = |sentence: &Sentence| counted(&sentence.text).iter().zip(&title).all(|(here, title)| here + title > 0);
    let is_told =
        speaking > 0 && text.said.iter().enumerate().any(|(at, said)| opens_or_asks(at == 0, &said.text, &tells));
    let is_called = |counts: &[usize]| counts.iter().all(|count| *count > 0);
    let is_named = is_called(&title) || is_called(&parties);
    Coverage { covered, is_about: whole && (is_named || is_told || speaking >= LETTERS_ABOUT || often) }
}

/// Whether a letter asks about something, or the first one opens with it.
fn opens_or_asks(is_first: bool, text: &str, tells: &dyn Fn(&Sentence) -> bool) -> bool {
    let read = sentences(&new_part(text));
    let whole = read.iter().filter(|sentence| sentence.words.len() >= SENTENCE_WORDS_MIN);
    let mut opening = whole.take(if is_first { OPENING_SENTENCES } else { 0 });
    opening.any(tells) || read.iter().any(|sentence| asks(sentence) && tells(sentence))
}

/// How whoever wrote a letter signs it.
fn closing(text: &str) -> Vec<String> {
    let new = new_part(text);
    let lines = new.lines().rev().filter(|line| !line.trim().is_empty()).take(CLOSING_LINES);
    lines.take_while(|line| line.split_whitespace().count() <= CLOSING_WORDS_MAX).map(str::to_owned).collect()
}

/// Somebody's name, and the domain they write from.
fn spelled(party: &Party) -> String {
    let domain = party.address.rsplit('@').next().unwrap_or_default().replace(['.', '-'], " ");
    format!("{} {domain} {}", party.name, without_digraphs(&domain))
}
