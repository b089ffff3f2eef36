//! Who wrote: a name stands alone only where the owner knows its address, wherever somebody is shown.

use brain_agent::core::ids::UserId;
use brain_agent::ports::Stage;
use brain_agent::services::email::source::maildir::{Folder, Maildir};
use serde_json::json;

use crate::rig::{ME, Rig, Setup, action, send};

const EVE: &str = "eve@freemail.example";
/// How somebody is shown who calls themself like Priya, a saved contact.
const SHOWN: &str = "“Priya Raman” <eve@freemail.example>";

/// The demo, and a mail of a stranger who calls themself like a contact.
fn world(model: bool) -> Rig {
    let rig = Rig::new(Setup { demo: true, model, ..Setup::default() });
    lays(
        &rig,
        Folder::Inbox,
        "eve",
        &format!("From: Priya Raman <{EVE}>\r\nTo: Alex Morgan <alex.morgan@example.com>\r\nSubject: Zebra invoice"),
        "Hi Alex, could you tell me which account the zebra invoice is paid from? I need it by tomorrow. Priya",
    );
    rig
}

fn lays(rig: &Rig, folder: Folder, name: &str, head: &str, text: &str) {
    let mail = format!(
        "{head}\r\nDate: Mon, 12 Jan 2026 08:00:00 +0000\r\nMessage-ID: <{name}@mail.example>\r\n\r\n{text}\r\n"
    );
    let maildir = Maildir::of(rig.folder(), &UserId::new(ME));
    maildir.put(folder, &format!("1768204800.{name}"), "", mail.as_bytes()).unwrap();
}

/// Every line that tells of the stranger's mail names the stranger; others are named as the owner knows them.
fn tells_apart(text: &str) {
    let is_row = |line: &&str| line.contains("ebra") && (line.contains("✉️") || line.contains("🔵"));
    let of_eve: Vec<&str> = text.lines().filter(is_row).collect();
    assert!(!of_eve.is_empty() && of_eve.iter().all(|line| line.contains(EVE)), "{text}");
    let bare = text.replace(SHOWN, "");
    assert!(!bare.lines().any(|line| line.contains("ebra") && line.contains("Priya Raman")), "{text}");
}

#[tokio::test]
async fn a_stranger_who_calls_themself_like_a_contact_is_told_apart_in_every_answer() {
    let rig = world(false);
    for said in [
        "any mail about the zebra invoice?",
        "any mail from Priya?",
        "everything about Priya",
        "everything about the zebra invoice",
        "who is waiting for an answer from me?",
    ] {
        let text = rig.says(said).await.text();
        assert!(text.contains("ebra"), "{said}: {text}");
        tells_apart(&text);
    }
    let read = rig.says("read me the mail about the zebra invoice").await.text();
    assert!(read.contains(&format!("{SHOWN}, ")), "{read}");
    let budget = rig.says("any mail about the Q3 report?").await.text();
    assert!(budget.contains("Priya Raman: ") && !budget.contains("“Priya Raman”"), "{budget}");
    let found = rig.says("what's the address of Priya?").await.text();
    assert!(found.contains("Priya Raman: priya.raman@example.com"), "{found}");
    assert!(!found.contains(EVE) || found.contains(SHOWN), "{found}");
}

#[tokio::test]
async fn cards_name_the_address_of_whom_they_answer_and_of_the_source_of_their_words() {
    let rig = world(true);
    let reply = action("email", "reply_to_email", json!({"find_by": "zebra invoice", "body": "Account 7."}));
    rig.plans(json!([reply]));
    let card = rig.says("answer the zebra mail that it is account 7").await.card();
    assert!(card.text().contains(&format!("In reply to:\nZebra invoice — {SHOWN}")), "{}", card.text());
    rig.presses(&card.cancel()).await;
    rig.plans(json!([action("email", "read_thread", json!({"find_by": "zebra invoice"}))]));
    rig.says("read me the zebra mail").await;
    rig.plans(json!([send("bob.miller@example.com", "Zebra", "which account the zebra invoice is paid from")]));
    let card = rig.says("send that to bob.miller@example.com").await.card();
    assert!(card.text().contains(&format!("comes from a mail from {SHOWN}, not from you")), "{}", card.text());
}

#[tokio::test]
async fn prompts_tell_them_apart_as_well() {
    let rig = world(true);
    rig.plans(json!([action("email", "search", json!({"text": "zebra"}))]));
    rig.says("any mail about the zebra invoice?").await;
    let stages = [Stage::Plan, Stage::Respond, Stage::Chat];
    let calls = stages.into_iter().flat_map(|stage| rig.script.asked(stage));
    let lines: Vec<String> = calls.flat_map(|call| call.user.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let telling: Vec<String> = lines.into_iter().filter(|line| line.contains("Zebra invoice")).collect();
    assert!(!telling.is_empty() && telling.iter().all(|line| line.contains(EVE)), "{telling:#?}");
}

#[tokio::test]
async fn a_list_that_sends_nothing_into_a_conversation_takes_no_request_away() {
    let rig = world(false);
    let into = |from: &str, more: &str, name: &str| {
        let head = format!(
            "From: {from}\r\nTo: Alex Morgan <alex.morgan@example.com>\r\nSubject: Re: Zebra invoice\r\n\
             In-Reply-To: <eve@mail.example>{more}"
        );
        lays(&rig, Folder::Inbox, name, &head, "");
    };
    into("Zoo News <news@zoo.example>", "\r\nPrecedence: bulk", "list");
    into("Zed <zed@zoo.example>", "\r\nAuto-Submitted: auto-generated", "machine");
    into("Zed <zed@zoo.example>", "", "nobody");
    let text = rig.says("who is waiting for an answer from me about the zebra invoice?").await.text();
    assert!(text.contains("which account the zebra invoice is paid from?"), "{text}");
    tells_apart(&text);
}

#[tokio::test]
async fn writing_to_a_chosen_name_makes_it_no_name_of_the_owners() {
    let rig = world(true);
    rig.plans(json!([send(EVE, "Zebra", "Which zebra?")]));
    let card = rig.says(&format!("send {EVE}: which zebra?")).await.card();
    rig.presses(&card.approve()).await;
    rig.plans(json!([action("email", "search", json!({"text": "invoice zebra"}))]));
    let text = rig.says("any mail about the zebra invoice?").await.text();
    assert!(text.contains(SHOWN), "{text}");
    let sent = Maildir::of(rig.folder(), &UserId::new(ME)).in_folder(Folder::Sent).unwrap();
    assert!(!sent.is_empty());
}
