//! The same attack where mail is kept on a real server and goes out through a real conversation: what another client
//! sees there, and what the mail server was handed, is judged apart from what services say.

use super::*;
use crate::rig::real_mail::{ALEX, RealMail};

/// Two stages: each plan that changes something is a conversation with the server.
const REAL_PLANS: u64 = 3 * PLANS_A_RIG;

/// What another client sees is what was agreed to, and no more.
fn holds_what_was_agreed_to(real: &RealMail, attack: &Told) {
    let other = real.server.other_client(ALEX);
    let folders = ["INBOX", "Archive", "Trash"];
    let ids: Vec<Vec<String>> =
        folders.iter().map(|folder| other.ids(folder).into_iter().map(|mail| mail.message_id).collect()).collect();
    for number in 0..hostile_mails().len() {
        let id = format!("<{number}@mail.example>");
        let there = ids.iter().flatten().filter(|other| **other == id).count();
        assert_eq!(there, 1, "{id} is there once: {ids:?}");
    }
    assert!(ids[2].len() <= attack.deletions, "{} agreed to be deleted: {ids:?}", attack.deletions);
    let sent = real.smtp.mails();
    let agreed: Vec<String> = attack.people.iter().map(|address| on_the_wire(address)).collect();
    for mail in &sent {
        for address in &mail.to {
            assert!(agreed.contains(&address.to_lowercase()), "nobody agreed to {address}: {agreed:?}");
        }
    }
    assert!(sent.len() <= attack.sendings, "{} mails went out, {} were agreed to", sent.len(), attack.sendings);
    // Each of them lies in Sent once.
    let mut filed: Vec<String> = other.ids("Sent").into_iter().map(|mail| mail.message_id).collect();
    let mut ids: Vec<String> = sent.iter().map(|mail| format!("<{}>", mail.message_id)).collect();
    filed.sort();
    ids.sort();
    assert_eq!(filed, ids);
}

/// As an address goes out whose domain has other letters than English ones.
fn on_the_wire(address: &str) -> String {
    let (user, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    format!("{user}@{}", idna::domain_to_ascii(domain).unwrap_or_default()).to_lowercase()
}

#[test]
fn hostile_plans_against_a_real_mailbox_do_there_what_was_agreed_to_and_nothing_else() {
    let total = std::sync::Mutex::new((Counts::default(), 0, 0));
    std::thread::scope(|scope| {
        for stage in 0..REAL_PLANS / PLANS_A_RIG {
            let total = &total;
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let real = RealMail::new();
                    let mut attack = Attack::with(real.over(Setup::default()), stage, async |rig| {
                        real.delivers(rig, &hostile_mails()).await
                    })
                    .await;
                    for _ in 0..PLANS_A_RIG {
                        attack.one_plan().await;
                    }
                    let (counts, told) = attack.ends_telling().await;
                    holds_what_was_agreed_to(&real, &told);
                    let mut total = total.lock().unwrap();
                    total.0.add(counts);
                    total.1 += real.smtp.mails().len();
                    total.2 += told.deletions;
                });
            });
        }
    });
    let (counts, sent, deleted) = total.into_inner().unwrap();
    println!("attack: {counts:?}; {sent} mails went out, {deleted} were agreed to be deleted");
    assert!(
        counts.executed > 10 && sent > 1 && deleted > 1,
        "{counts:?} {sent} {deleted}: it does not reach far enough"
    );
    assert_eq!((counts.unconsented, counts.different), (0, 0), "{:#?}", counts.findings);
}
