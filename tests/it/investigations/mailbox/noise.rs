//! Conversations in which nothing is open: everything asked is answered, everything promised is delivered, and what
//! machines, newsletters and lists ask waits for nobody.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, NaiveTime, Utc};
use serde::Deserialize;

use super::{Bulk, Mail, Mailbox, Thread, moment, name, planted};
use crate::investigations::world::now;

/// A kind of conversation.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Letter,
    Receipt,
    Notice,
    List,
    Copy,
    Group,
    German,
    /// Put together from sentences.
    Talk,
    /// Written as a whole, with gaps.
    Settled,
}

/// Wordings, all written by hand; `{thing}` is one of the things.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    people: Vec<String>,
    /// Those who settled conversations are with.
    circles: BTreeMap<String, Vec<String>>,
    germans: Vec<String>,
    greetings: Vec<String>,
    own_greetings: Vec<String>,
    signoffs: Vec<String>,
    signatures: Vec<String>,
    things: Vec<String>,
    openers: Vec<String>,
    requests: Vec<String>,
    questions: Vec<Question>,
    reasons: Vec<String>,
    fulfilments: Vec<String>,
    clarifications: Vec<String>,
    clarified: Vec<String>,
    promises: Vec<String>,
    deliveries: Vec<String>,
    settlings: Vec<String>,
    cancellations: Vec<String>,
    fyi: Vec<String>,
    rhetorical: Vec<String>,
    chatter: Vec<String>,
    broadcast_requests: Vec<String>,
    list_posts: Vec<String>,
    newsletter_senders: Vec<String>,
    newsletter_subjects: Vec<String>,
    newsletter_lines: Vec<String>,
    receipt_senders: Vec<String>,
    receipt_lines: Vec<String>,
    notice_senders: Vec<String>,
    notice_lines: Vec<String>,
    german_questions: Vec<Question>,
    german_promises: Vec<String>,
    german_deliveries: Vec<String>,
    german_settlings: Vec<String>,
    german_chatter: Vec<String>,
    subjects: Vec<String>,
}

/// A question, and what settles it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    ask: String,
    answers: Vec<String>,
}

/// What is written from.
#[derive(Debug)]
struct Source<'a> {
    mailbox: &'a Mailbox,
    words: Words,
    settled: Vec<&'a str>,
}

impl<'a> Source<'a> {
    fn of(mailbox: &'a Mailbox) -> Self {
        let words = serde_json::from_str(mailbox.words).unwrap();
        Source { mailbox, words, settled: planted::parts(mailbox.settled) }
    }
}

/// SplitMix64.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, sides: u64) -> u64 {
        self.roll() % sides
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> &'a str {
        self.any::<String>(from)
    }

    fn any<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// Who says something, and of what kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    TheyAsk,
    TheyPromise,
    TheyAnswer,
    TheyDeliver,
    TheySettle,
    /// What they asked for is not wanted any more.
    TheyCancel,
    TheyTell,
    /// Before they answer.
    TheyAskBack,
    TheyExplain,
    IAsk,
    IPromise,
    IAnswer,
    IDeliver,
    ISettle,
    IAskBack,
    IExplain,
}

use Step::{
    IAnswer, IAsk, IAskBack, IDeliver, IExplain, IPromise, ISettle, TheyAnswer, TheyAsk, TheyAskBack, TheyCancel,
    TheyDeliver, TheyExplain, TheyPromise, TheySettle, TheyTell,
};

impl Step {
    fn is_mine(self) -> bool {
        matches!(self, IAsk | IPromise | IAnswer | IDeliver | ISettle | IAskBack | IExplain)
    }
}

/// Conversations of two people, each settled at its end; the more often a row stands here the more there are.
const PLOTS: &[&[Step]] = &[
    &[TheyAsk, IAnswer],
    &[TheyAsk, IAnswer],
    &[TheyAsk, IAnswer, TheySettle],
    &[TheyAsk, IAnswer, TheySettle],
    &[TheyAsk, IPromise, IDeliver],
    &[TheyAsk, IPromise, IDeliver, TheySettle],
    &[TheyAsk, IPromise, TheyAsk, IDeliver, TheySettle],
    &[TheyAsk, IPromise, TheyCancel],
    &[TheyAsk, TheyCancel],
    &[TheyAsk, IAskBack, TheyExplain, IAnswer],
    &[IAsk, TheyAnswer],
    &[IAsk, TheyAnswer],
    &[IAsk, TheyAnswer, ISettle],
    &[IAsk, TheyAnswer, ISettle],
    &[IAsk, TheyPromise, TheyDeliver],
    &[IAsk, TheyPromise, TheyDeliver, ISettle],
    &[IAsk, TheyPromise, IAsk, TheyDeliver, ISettle],
    &[IAsk, TheyPromise, ISettle, TheyDeliver],
    &[IAsk, TheyAskBack, IExplain, TheyAnswer, ISettle],
    &[TheyTell],
    &[TheyTell],
    &[TheyTell, ISettle],
    &[TheyTell, ISettle, TheySettle],
];

/// So many conversations, always the same for the same seed.
pub fn threads(mailbox: &Mailbox, count: usize) -> Vec<Thread> {
    let source = Source::of(mailbox);
    let mut dice = Dice(mailbox.seed);
    (0..count).map(|number| thread(&source, &mut dice, number)).collect()
}

fn thread(source: &Source<'_>, dice: &mut Dice, number: usize) -> Thread {
    let (kind, mails) = match kind(source.mailbox, dice.below(100)) {
        Kind::Letter => ("letter", vec![newsletter(source, dice)]),
        Kind::Receipt => ("receipt", vec![receipt(source, dice)]),
        Kind::Notice => ("notice", vec![notice(source, dice)]),
        Kind::List => ("list", list(source, dice)),
        Kind::Copy => ("copy", vec![copy(source, dice)]),
        Kind::Group => ("group", group(source, dice)),
        Kind::German => ("german", german(source, dice)),
        Kind::Talk => ("talk", talk(source, dice)),
        Kind::Settled => ("settled", settled(source, dice)),
    };
    Thread { slug: format!("{kind}-{number:04}"), mails }
}

/// The kind at this percent.
fn kind(mailbox: &Mailbox, percent: u64) -> Kind {
    let mut sum = 0;
    let is_there = |(share, _): &&(u64, Kind)| {
        sum += share;
        percent < sum
    };
    mailbox.noise.iter().find(is_there).unwrap().1
}

/// When a conversation begins.
fn beginning(mailbox: &Mailbox, dice: &mut Dice) -> DateTime<Utc> {
    let clock = NaiveTime::from_hms_opt(6 + dice.below(16) as u32, dice.below(60) as u32, dice.below(60) as u32);
    moment(-1 - dice.below(mailbox.days) as i64, clock.unwrap())
}

/// When the next mail comes; nothing comes after now.
fn later(dice: &mut Dice, at: DateTime<Utc>) -> DateTime<Utc> {
    let hours = [1, 2, 5, 18, 26, 49][dice.below(6) as usize];
    let next = at + Duration::hours(hours) + Duration::minutes(dice.below(50) as i64);
    if next < now() { next } else { at + (now() - at) / 2 }
}

fn owner(mailbox: &Mailbox, dice: &mut Dice) -> String {
    mailbox.owner_at(usize::from(dice.chance(30)))
}

fn plain(from: &str, to: Vec<String>, subject: &str, at: DateTime<Utc>, text: String) -> Mail {
    Mail {
        from: from.to_owned(),
        to,
        cc: Vec::new(),
        reply_to: None,
        subject: subject.to_owned(),
        at,
        text,
        attached: None,
        bulk: Bulk::No,
        is_unread: false,
        is_archived: false,
    }
}

fn paragraphs(parts: Vec<String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// A few different ones.
fn several<'a>(dice: &mut Dice, from: &'a [String], count: u64) -> Vec<&'a str> {
    let mut chosen: Vec<&str> = Vec::new();
    while (chosen.len() as u64) < count {
        let next = dice.pick(from);
        if !chosen.contains(&next) {
            chosen.push(next);
        }
    }
    chosen
}

fn newsletter(source: &Source<'_>, dice: &mut Dice) -> Mail {
    let words = &source.words;
    let count = 2 + dice.below(5);
    let mut parts: Vec<String> = several(dice, &words.newsletter_lines, count).into_iter().map(str::to_owned).collect();
    parts.insert(0, format!("Hello {}!", first(source.mailbox.owner)));
    parts.push("You can leave this list at any time.".to_owned());
    let (from, subject, at) =
        (dice.pick(&words.newsletter_senders), dice.pick(&words.newsletter_subjects), beginning(source.mailbox, dice));
    let to = vec![owner(source.mailbox, dice)];
    Mail {
        bulk: Bulk::Newsletter,
        is_unread: dice.chance(40),
        is_archived: dice.chance(30),
        ..plain(from, to, subject, at, paragraphs(parts))
    }
}

fn receipt(source: &Source<'_>, dice: &mut Dice) -> Mail {
    let words = &source.words;
    let (order, pounds, pence) = (30_000 + dice.below(60_000), 2 + dice.below(80), dice.below(100));
    let count = 1 + dice.below(3);
    let mut parts: Vec<String> = several(dice, &words.receipt_lines, count).into_iter().map(str::to_owned).collect();
    parts.push(format!("Order {order}\nTotal £{pounds}.{pence:02}, paid by card ending 5521"));
    let subject = match dice.below(3) {
        0 => format!("Your receipt {order}"),
        1 => format!("Order {order} is on its way"),
        _ => format!("Invoice {order}: paid"),
    };
    let to = vec![owner(source.mailbox, dice)];
    let (from, at) = (dice.pick(&words.receipt_senders), beginning(source.mailbox, dice));
    Mail {
        bulk: if dice.chance(70) { Bulk::Automatic } else { Bulk::No },
        is_archived: dice.chance(60),
        ..plain(from, to, &subject, at, paragraphs(parts))
    }
}

fn notice(source: &Source<'_>, dice: &mut Dice) -> Mail {
    let words = &source.words;
    let count = 1 + dice.below(3);
    let number = 2 + dice.below(60);
    let said = several(dice, &words.notice_lines, count);
    let parts = said.into_iter().map(|line| line.replace("{n}", &number.to_string())).collect::<Vec<_>>();
    let from = dice.pick(&words.notice_senders);
    let subject = parts[0].trim_end_matches(['.', '?']).to_owned();
    let to = vec![owner(source.mailbox, dice)];
    let at = beginning(source.mailbox, dice);
    Mail {
        bulk: Bulk::Automatic,
        is_unread: dice.chance(30),
        is_archived: dice.chance(20),
        ..plain(from, to, &subject, at, paragraphs(parts))
    }
}

/// A mailing list that the owner reads and, now and then, writes to.
fn list(source: &Source<'_>, dice: &mut Dice) -> Vec<Mail> {
    let words = &source.words;
    let list = &source.mailbox.list;
    let address = format!("{}@{}", list.name, list.host);
    let subject = format!("[{}] {}", list.name, dice.pick(&words.subjects));
    let (count, mut at) = (1 + dice.below(4), beginning(source.mailbox, dice));
    let mut mails = Vec::new();
    for turn in 0..count {
        let is_mine = turn == 1 && dice.chance(30);
        let from = match is_mine {
            true => source.mailbox.owner_at(0),
            false => format!("{} <{turn}@{}>", list.members[turn as usize % 3], list.members_host),
        };
        let said = dice.pick(&words.list_posts);
        let text = paragraphs(vec!["Hello all,".to_owned(), said.to_owned(), name(&from).to_owned()]);
        let re = if turn == 0 { subject.clone() } else { format!("Re: {subject}") };
        mails.push(Mail {
            bulk: if is_mine { Bulk::No } else { Bulk::List },
            ..plain(&from, vec![address.clone()], &re, at, text)
        });
        at = later(dice, at);
    }
    mails
}

fn two_people<'a>(words: &'a Words, dice: &mut Dice) -> (&'a str, &'a str) {
    let both = several(dice, &words.people, 2);
    (both[0], both[1])
}

/// Somebody asks somebody else, and the owner gets a copy.
fn copy(source: &Source<'_>, dice: &mut Dice) -> Mail {
    let words = &source.words;
    let (from, to) = two_people(words, dice);
    let thing = dice.pick(&words.things);
    let asked = dice.pick(&words.broadcast_requests);
    let text =
        paragraphs(vec![format!("{},", first(to)), format!("it's about {thing}. {asked}"), name(from).to_owned()]);
    let (cc, at) = (vec![owner(source.mailbox, dice)], beginning(source.mailbox, dice));
    Mail { cc, ..plain(from, vec![to.to_owned()], dice.pick(&words.subjects), at, text) }
}

/// A question to several people that one of the others answers.
fn group(source: &Source<'_>, dice: &mut Dice) -> Vec<Mail> {
    let words = &source.words;
    let (from, other) = two_people(words, dice);
    let (subject, at, me) = (dice.pick(&words.subjects), beginning(source.mailbox, dice), owner(source.mailbox, dice));
    let question = dice.any(&words.questions);
    let asked = filled(&question.ask, dice.pick(&words.things));
    let first = plain(
        from,
        vec![me.clone(), other.to_owned()],
        subject,
        at,
        format!("Dear both,\n\n{asked}\n\n{}", name(from)),
    );
    let at = later(dice, at);
    let answer = dice.pick(&question.answers);
    let second = Mail {
        cc: vec![me.clone()],
        ..plain(other, vec![from.to_owned()], &format!("Re: {subject}"), at, answer.to_owned())
    };
    let at = later(dice, at);
    let settled = dice.pick(&words.settlings);
    let third =
        Mail { cc: vec![me], ..plain(from, vec![other.to_owned()], &format!("Re: {subject}"), at, settled.to_owned()) };
    vec![first, second, third]
}

fn filled(sentence: &str, thing: &str) -> String {
    let mut letters = thing.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    sentence.replace("{thing}", thing).replace("{Thing}", &capital)
}

/// Family in German: something told, or something asked and settled.
fn german(source: &Source<'_>, dice: &mut Dice) -> Vec<Mail> {
    let words = &source.words;
    let them = dice.pick(&words.germans).to_owned();
    let me = source.mailbox.owner_at(1);
    let plot: &[Step] = match dice.below(5) {
        0 => &[TheyTell],
        1 => &[TheyAsk, IAnswer, TheySettle],
        2 => &[IAsk, TheyAnswer],
        3 => &[IAsk, TheyPromise, TheyDeliver],
        _ => &[TheyAsk, IPromise, IDeliver, TheySettle],
    };
    // The first of them ask for something that can be promised.
    let is_wanted = plot.iter().any(|step| matches!(step, TheyPromise | IPromise));
    let questions = if is_wanted { &words.german_questions[..3] } else { &words.german_questions };
    let question = dice.any(questions);
    let mut at = beginning(source.mailbox, dice);
    let mut mails = Vec::new();
    for (turn, step) in plot.iter().enumerate() {
        let is_mine = step.is_mine();
        let said = match step {
            TheyAsk | IAsk => &question.ask,
            TheyPromise | IPromise => dice.pick(&words.german_promises),
            TheyAnswer | IAnswer => dice.pick(&question.answers),
            TheyDeliver | IDeliver => dice.pick(&words.german_deliveries),
            TheySettle | TheyCancel | ISettle => dice.pick(&words.german_settlings),
            TheyTell | TheyAskBack | TheyExplain | IAskBack | IExplain => dice.pick(&words.german_chatter),
        };
        let (from, to) = if is_mine { (&me, &them) } else { (&them, &me) };
        let hello = if is_mine { format!("Hallo {},", first(&them)) } else { source.mailbox.german.hello.to_owned() };
        let more = if turn == 0 && dice.chance(50) { dice.pick(&words.german_chatter) } else { "" };
        let bye = format!("Herzliche Grüße\n{}", first(from));
        let text = paragraphs(vec![hello, more.to_owned(), said.to_owned(), bye]);
        let subject = source.mailbox.german.subject;
        let re = if turn == 0 { subject.to_owned() } else { format!("Re: {subject}") };
        mails.push(plain(from, vec![to.clone()], &re, at, text));
        at = later(dice, at);
    }
    mails
}

/// Two people, and one thing between them.
fn talk(source: &Source<'_>, dice: &mut Dice) -> Vec<Mail> {
    let words = &source.words;
    // The stage manager is at the other end of every third conversation.
    let them = if dice.chance(30) { words.people[0].as_str() } else { dice.pick(&words.people) };
    let (me, thing) = (owner(source.mailbox, dice), dice.pick(&words.things).to_owned());
    let plot = PLOTS[dice.below(PLOTS.len() as u64) as usize];
    let subject = match dice.chance(50) {
        true => filled("{Thing}", thing.trim_start_matches("the ")),
        false => dice.pick(&words.subjects).to_owned(),
    };
    // Whoever promises or brings something was asked for it, not about it.
    let is_wanted = plot.iter().any(|step| matches!(step, TheyPromise | IPromise)) || dice.chance(50);
    let question = dice.any(&words.questions);
    let mut at = beginning(source.mailbox, dice);
    let mut mails: Vec<Mail> = Vec::new();
    for (turn, step) in plot.iter().enumerate() {
        let is_mine = step.is_mine();
        let (from, to) = if is_mine { (me.as_str(), them) } else { (them, me.as_str()) };
        let mut text = said(
            words,
            dice,
            Turn { step: *step, thing: &thing, question, is_wanted, is_first: turn == 0, them, from },
        );
        if let Some(before) = mails.last().filter(|_| dice.chance(45)) {
            text.push_str(&quote(before));
        }
        let re = if turn == 0 { subject.clone() } else { format!("Re: {subject}") };
        let mut mail = plain(from, vec![to.to_owned()], &re, at, text);
        if matches!(step, TheyDeliver | IDeliver | TheyAnswer | IAnswer) && turn > 0 && is_attached(&mail.text) {
            mail.attached = Some(format!("{}.pdf", thing.trim_start_matches("the ").replace([' ', '\''], "-")));
        }
        mails.push(mail);
        at = later(dice, at);
    }
    mails
}

/// True when a text speaks of an attachment, quotes left out.
fn is_attached(text: &str) -> bool {
    text.lines().filter(|line| !line.starts_with('>')).any(|line| line.to_lowercase().contains("attach"))
}

/// What is to be written by whom.
#[derive(Clone, Copy, Debug)]
struct Turn<'a> {
    step: Step,
    thing: &'a str,
    /// What is asked about the thing.
    question: &'a Question,
    /// The thing is asked for, not asked about.
    is_wanted: bool,
    is_first: bool,
    them: &'a str,
    from: &'a str,
}

/// What one of them writes.
fn said(words: &Words, dice: &mut Dice, turn: Turn<'_>) -> String {
    let hello = match turn.from == turn.them {
        true => dice.pick(&words.greetings).to_owned(),
        false => dice.pick(&words.own_greetings).replace("{first}", first(turn.them)),
    };
    let opener = if turn.is_first && dice.chance(60) { dice.pick(&words.openers) } else { "" };
    let point = match turn.step {
        TheyAsk | IAsk if turn.is_wanted => filled(dice.pick(&words.requests), turn.thing),
        TheyAsk | IAsk => filled(&turn.question.ask, turn.thing),
        TheyAskBack | IAskBack => dice.pick(&words.clarifications).to_owned(),
        TheyExplain | IExplain => dice.pick(&words.clarified).to_owned(),
        TheyPromise | IPromise => filled(dice.pick(&words.promises), turn.thing),
        TheyAnswer | IAnswer if turn.is_wanted => dice.pick(&words.fulfilments).to_owned(),
        TheyAnswer | IAnswer => dice.pick(&turn.question.answers).to_owned(),
        TheyDeliver | IDeliver => dice.pick(&words.deliveries).to_owned(),
        TheySettle | ISettle => dice.pick(&words.settlings).to_owned(),
        TheyCancel => dice.pick(&words.cancellations).to_owned(),
        TheyTell if dice.chance(50) => dice.pick(&words.fyi).to_owned(),
        TheyTell => dice.pick(&words.chatter).to_owned(),
    };
    let closing = match turn.step {
        TheyAsk | IAsk if dice.chance(70) => dice.pick(&words.reasons),
        TheyTell if dice.chance(60) => dice.pick(&words.rhetorical),
        _ => "",
    };
    let aside = match dice.below(if turn.is_first { 3 } else { 6 }) {
        0 => several(dice, &words.chatter, 1 + u64::from(turn.is_first)).join(" "),
        1 => format!("{} {}", dice.pick(&words.fyi), dice.pick(&words.rhetorical)),
        _ => String::new(),
    };
    let bye = dice.pick(&words.signoffs).replace("{first}", first(turn.from));
    let signature = match dice.chance(20) {
        true => dice.pick(&words.signatures).replace("{name}", name(turn.from)),
        false => String::new(),
    };
    let body = [&point, closing].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    paragraphs(vec![hello, opener.to_owned(), body, aside, bye, signature])
}

/// The mail before, as most programs quote it.
fn quote(before: &Mail) -> String {
    let lines: Vec<String> = before.text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    let when = before.at.format("%a, %-d %b %Y at %H:%M");
    format!("\n\nOn {when}, {} wrote:\n{}", name(&before.from), lines.join("\n"))
}

fn first(person: &str) -> &str {
    name(person).split(' ').next().unwrap_or_default()
}

/// One of those that were written as a whole.
fn settled(source: &Source<'_>, dice: &mut Dice) -> Vec<Mail> {
    let text = *dice.any(&source.settled);
    let circle = &planted::thread(text).tags[0];
    let both = several(dice, &source.words.circles[circle], 2);
    let mut gaps = BTreeMap::from([
        ("who", both[0].to_owned()),
        ("first", first(both[0]).to_owned()),
        ("other", both[1].to_owned()),
        ("ofirst", first(both[1]).to_owned()),
        ("me", owner(source.mailbox, dice)),
    ]);
    let mut pieces = text.split(['{', '}']);
    let mut full = pieces.next().unwrap_or_default().to_owned();
    while let (Some(gap), Some(after)) = (pieces.next(), pieces.next()) {
        let ways: Vec<&str> = gap.split('|').collect();
        full.push_str(gaps.entry(gap).or_insert_with(|| (*dice.any(&ways)).to_owned()));
        full.push_str(after);
    }
    let mut mails = planted::thread(&full).thread.mails;
    let span = super::day_of(mails.last().unwrap()) as u64;
    let earlier = Duration::days((1 + span + dice.below(source.mailbox.days - span)) as i64);
    let late = Duration::minutes(dice.below(50) as i64);
    for mail in &mut mails {
        mail.at = mail.at - earlier + late;
    }
    mails
}

/// Enough that a reader does not meet the same sentence again and again.
pub fn check_wordings(mailbox: &Mailbox, min: usize) {
    let words = Source::of(mailbox).words;
    for list in [&words.requests, &words.promises, &words.settlings, &words.fulfilments, &words.deliveries] {
        assert!(list.len() >= min, "{list:?}");
    }
    assert!(words.questions.len() >= min);
}
