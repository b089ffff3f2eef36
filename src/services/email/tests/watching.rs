//! What many watches over a large mailbox cost.

use std::fs;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::ports::Batch;
use crate::services::email::tests::light::{Becomes, LightIndex};
use crate::services::email::watch::{MailWatch, arrived};

const MAILS: usize = 10_000;
const WATCHES: usize = 50;

/// A mail that came at this second.
fn lay(home: &Home, folder: &str, at: i64, text: &str) {
    let mailbox = home.dir.path().join("mail/me").join(folder);
    fs::create_dir_all(&mailbox).unwrap();
    fs::write(mailbox.join(format!("{at}.m:2,S")), text).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_watches_over_ten_thousand_mails_are_a_query_each_and_none_while_nothing_changes() {
    let index = LightIndex::new(Becomes::Applied);
    let mut world = World::of(request_context("me"));
    world.index = index.clone();
    let home = Home::over(world, None);
    let now = home.ctx.now.timestamp();
    for number in 0..MAILS {
        let old = format!("From: p{}@x.example\nTo: me@x.example\nSubject: letter{number}\n\nhello\n", number % 100);
        lay(&home, "cur", now - 40_000_000 + number as i64, &old);
    }
    for number in 0..WATCHES {
        let sent = format!(
            "From: me@x.example\nTo: p{number}@x.example\nSubject: ask{number}\nMessage-ID: <ask{number}@x.example>\n\nhello\n"
        );
        lay(&home, ".Sent/cur", now - 1_000 + number as i64, &sent);
    }
    home.mailboxes.mail_within(&home.ctx.owner, Duration::from_secs(120)).await.unwrap();
    for number in 0..WATCHES {
        let params = json!({"who": [format!("p{number}@x.example")], "awaits": "answer"});
        let set = home.run("watch", params, &format!("{number:014x}{:018}", 0)).await;
        assert!(matches!(set.outcome, Outcome::Succeeded { .. }), "{:?}", set.outcome);
        home.store.commit(Batch { changes: set.changes }).await.unwrap();
    }
    let look = async || arrived(&home.service, &home.ctx.owner, home.ctx.now).await.unwrap();
    assert!(look().await.is_empty());
    let count = || (index.asked.swap(0, Ordering::SeqCst), index.given.swap(0, Ordering::SeqCst));
    count();
    assert!(look().await.is_empty());
    assert_eq!(count(), (0, 0), "nothing has changed");

    let answer = "From: p7@x.example\nTo: me@x.example\nSubject: Re: ask7\nIn-Reply-To: <ask7@x.example>\n\nyes\n";
    lay(&home, "cur", now + 60, answer);
    let commits = look().await;
    let (asked, given) = count();
    assert_eq!(commits.len(), 1);
    assert!(asked <= 2 * WATCHES + 10 && given <= 3 * WATCHES + 10, "{asked} queries gave {given} mails");
    home.store.commit(Batch { changes: commits.into_iter().flatten().collect() }).await.unwrap();
    assert!(look().await.is_empty(), "it is decided");
    let all = items::export::<MailWatch>(&home.store, &home.ctx.owner).await.unwrap();
    assert_eq!(all.iter().filter(|watch| watch["state"]["is"] == "came").count(), 1);
}
