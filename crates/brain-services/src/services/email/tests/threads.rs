//! Conversations that grow mail by mail are those that grouping all mails afresh gives.

use chrono::Duration;
use proptest::prelude::*;

use super::*;
use crate::services::email::mailbox::source::maildir::{Folder, Listed};
use crate::services::email::message::mail::MailId;
use crate::services::email::message::read::{Mailbox, Parsed};
use crate::services::email::message::thread::{Grouping, Thread, ThreadLink};

/// A mail of a small world, in which everything meets everything.
fn any_mail() -> impl Strategy<Value = Mail> {
    let subject = prop::sample::select(vec!["Plan", "Re: Plan", "re: plan", "Other", "AW: other", "", "Re: "]);
    let person = || prop::sample::select(vec!["a@x.example", "b@x.example", "me@x.example", ""]);
    let folder = prop::sample::select(vec![Folder::Inbox, Folder::Sent, Folder::Kept]);
    let id = prop::option::of(0..6_u8);
    let references = prop::collection::vec(0..6_u8, 0..3);
    (0..40_u8, 0..12_i64, subject, person(), person(), folder, id, references).prop_map(
        |(name, day, subject, from, to, folder, id, references)| {
            let named = |address: &str| Mailbox { name: String::new(), address: address.to_owned() };
            let date = request_context("me").now + Duration::days(day);
            let parsed = Parsed {
                message_id: id.map(|id| format!("{id}@x")),
                references: references.iter().map(|id| format!("{id}@x")).collect(),
                from: named(from),
                to: vec![named(to)],
                subject: subject.to_owned(),
                date: Some(date),
                ..Parsed::default()
            };
            let base = name.to_string();
            let path = PathBuf::from(format!("{folder:?}/cur/{base}"));
            Mail::of(Listed { path, folder, base, unread: false, starred: false }, parsed, &PathBuf::new()).0
        },
    )
}

fn sorted(threads: &Grouping, mails: &[Mail]) -> Vec<Thread> {
    let mut all: Vec<Thread> = mails.iter().map(|mail| threads.of(mail.id()).unwrap()).collect();
    all.sort_by(|a, b| (&a.id, &a.mails).cmp(&(&b.id, &b.mails)));
    all.dedup();
    all
}

/// Grouped by asking each pair, over and over, until nothing joins any more.
fn afresh(mails: &[Mail]) -> Vec<Vec<MailId>> {
    let mut order: Vec<&Mail> = mails.iter().collect();
    order.sort_by_key(|mail| (mail.head.date, mail.id()));
    let bare = |mail: &Mail| {
        let subject = mail.head.parsed.subject.to_lowercase();
        let bare = ["re: ", "aw: "].iter().find_map(|mark| subject.strip_prefix(mark).map(str::to_owned));
        (bare.clone().unwrap_or(subject).trim().to_owned(), bare.is_some())
    };
    let mut group: Vec<usize> = (0..order.len()).collect();
    let join = |group: &mut Vec<usize>, a: usize, b: usize| {
        let (from, to) = (group[a], group[b]);
        group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
    };
    for (at, mail) in order.iter().enumerate() {
        for (other, earlier) in order.iter().enumerate().take(at) {
            if mail.ids().any(|id| earlier.ids().any(|has| has == id)) {
                join(&mut group, at, other);
            }
        }
        let (subject, is_reply) = bare(mail);
        if is_reply && !subject.is_empty() && mail.head.parsed.references.is_empty() {
            let partners: Vec<&Mailbox> =
                if mail.is_own() { mail.recipients().collect() } else { vec![&mail.head.parsed.from] };
            let fits = |earlier: &&Mail| {
                bare(earlier).0 == subject && earlier.people().any(|p| partners.iter().any(|w| p.is(&w.address)))
            };
            if let Some(other) = order[..at].iter().rposition(fits) {
                join(&mut group, at, other);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<MailId>> = BTreeMap::new();
    for (at, mail) in order.iter().enumerate() {
        groups.entry(group[at]).or_default().push(mail.id());
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort();
    groups
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn mails_that_come_and_go_in_any_order_are_grouped_as_if_all_were_grouped_afresh(
        come in prop::collection::vec(any_mail(), 1..30),
        gone in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        batch in 1_usize..8,
    ) {
        let mut seen = std::collections::HashSet::new();
        let come: Vec<Mail> = come.into_iter().filter(|mail| seen.insert(mail.id())).collect();
        let mut threads = Grouping::default();
        let mut there: Vec<Mail> = Vec::new();
        let mut gone = gone.into_iter();
        for some in come.chunks(batch) {
            let goes: Vec<Mail> = match gone.next() {
                Some(at) if !there.is_empty() => vec![there.remove(at.index(there.len()))],
                _ => Vec::new(),
            };
            there.extend_from_slice(some);
            threads.update(goes.iter().map(Mail::id), some.iter().map(ThreadLink::of));
            let mut fresh = Grouping::default();
            fresh.update([], there.iter().map(ThreadLink::of));
            prop_assert_eq!(sorted(&threads, &there), sorted(&fresh, &there));
            // Twins count once; the naive grouping knows none.
            for members in afresh(&there) {
                let of = |id: &MailId| threads.of(*id).map(|thread| thread.id);
                prop_assert!(members.iter().all(|id| of(id) == of(&members[0])));
                let thread = threads.of(members[0]).unwrap();
                prop_assert!(thread.mails.iter().all(|id| members.contains(id)));
                prop_assert_eq!(threads.find(&thread.id).map(|found| found.id), Some(thread.id));
            }
            prop_assert_eq!(threads.count(|_, _| true), afresh(&there).len());
        }
    }
}
