//! Mail that is sent from accounts of one's own: from which, as whom, to whom, and what is known of it afterwards.

use std::sync::Arc;
use std::time::Duration;

use brain_agent::core::button::Role;
use brain_agent::core::ids::UserId;
use brain_agent::core::outcome::Status;
use brain_agent::services::email::imap::name::file_mark;
use brain_agent::services::email::mailbox::mail_change::MailChange;
use brain_agent::services::email::mailbox::source::maildir::{Folder, Maildir};
use serde_json::{Value, json};

use crate::rig::mail_place::{MailPlace, Posting, Traits, accounts_of};
use crate::rig::place::Manner;
use crate::rig::{Answer, ME, Rig, Sending, Setup, action, send};

const HOME: &[&str] = &["alex@home.example", "am@alias.example"];
const WORK: &[&str] = &["alex@work.example"];

struct Two {
    home: Arc<MailPlace>,
    work: Arc<MailPlace>,
}

impl Two {
    fn new() -> Self {
        let home = Traits { label: "home", addresses: HOME, ..Traits::default() };
        let work =
            Traits { label: "work", addresses: WORK, signature: Some("Alex Morgan\nNorthwind"), ..Traits::default() };
        Self { home: MailPlace::of(home), work: MailPlace::of(work) }
    }

    fn setup(&self) -> Setup {
        Setup { accounts: accounts_of(&[&self.home, &self.work]), sending: Sending::Real, ..Setup::default() }
    }

    fn rig(&self) -> Rig {
        Rig::new(self.setup())
    }
}

fn maildir(rig: &Rig) -> Maildir {
    Maildir::of(rig.folder(), &UserId::new(ME))
}

fn receive(rig: &Rig, name: &str, head: &str) {
    let mail = format!("{}\r\nDate: Mon, 12 Jan 2026 08:00:00 +0000\r\n\r\nHello.\r\n", head.replace('\n', "\r\n"));
    maildir(rig).put(Folder::Inbox, name, "", mail.as_bytes()).unwrap();
}

fn status(answer: &Answer) -> Status {
    answer.done.outcomes.last().expect("an outcome").status
}

fn to_zoe(from: Option<&str>) -> Value {
    let mut planned = send("zoe@example.com", "Late", "It is late.");
    from.into_iter().for_each(|from| planned["params"]["from"] = json!(from));
    planned
}

/// The card that a plan comes to.
async fn card(rig: &Rig, planned: Value) -> crate::rig::Card {
    rig.plans(json!([planned]));
    rig.says("please do that").await.card()
}

async fn sent(rig: &Rig, planned: Value) -> Answer {
    let card = card(rig, planned).await;
    rig.presses(&card.approve()).await
}

#[tokio::test]
async fn the_account_that_is_named_sends_and_the_card_says_so() {
    for (from, shown, hidden) in [
        (None, "Account: “home”", "From:"),
        (Some("work"), "From: alex@work.example", "“home”"),
        (Some("my work account"), "Account: “work”", "“home”"),
        (Some("alex@work.example"), "Account: “work”", "“home”"),
        (Some("am@alias.example"), "From: am@alias.example", "“work”"),
    ] {
        let two = Two::new();
        let rig = two.rig();
        let card = card(&rig, to_zoe(from)).await;
        assert!(card.text().contains(shown) && !card.text().contains(hidden), "{from:?}: {}", card.text());
        let told = rig.presses(&card.approve()).await;
        assert_eq!(status(&told), Status::Succeeded, "{}", told.text());
        let address = from.map_or(HOME[0], |from| if from.contains("am@") { HOME[1] } else { WORK[0] });
        let (by_home, by_work) = (two.home.posted(), two.work.posted());
        assert_eq!((by_home.len(), by_work.len()), if address == WORK[0] { (0, 1) } else { (1, 0) });
        let mail = by_home.first().or(by_work.first()).unwrap();
        assert_eq!(mail.from, address);
        assert!(mail.text().contains(&format!("From: {address}\r\n")), "{}", mail.text());
    }
}

#[tokio::test]
async fn a_name_that_is_no_account_is_asked_about_and_nothing_is_sent() {
    let two = Two::new();
    let rig = two.rig();
    rig.plans(json!([to_zoe(Some("club"))]));
    let asked = rig.says("write to zoe from the club").await;
    assert!(!asked.has_card() && asked.text().contains("Which of your mail accounts is “club”?"), "{}", asked.text());
    assert!(two.home.posted().is_empty() && two.work.posted().is_empty());
}

#[tokio::test]
async fn an_account_is_named_in_words_without_a_model() {
    let two = Two::new();
    let rig = Rig::new(Setup { model: false, ..two.setup() });
    let card = rig.says("send an email to zoe@example.com from my work account saying it is late").await.card();
    assert!(card.text().contains("From: alex@work.example") && card.text().contains("It is late."), "{}", card.text());
}

#[tokio::test]
async fn a_reply_leaves_from_the_account_and_the_address_that_was_written_to() {
    for (name, to, more, from) in [
        ("1768200001.a", "alex@work.example", "", WORK[0]),
        ("1768200001.a", "Me <am@alias.example>", "", HOME[1]),
        ("1768200001.a", "list@club.example", "Delivered-To: am@alias.example\n", HOME[1]),
        ("1768200001.a", "list@club.example", "", HOME[0]),
        ("1768200001.b.WORK", "list@club.example", "", WORK[0]),
        ("1768200001.b.WORK", "alex@home.example", "", WORK[0]),
    ] {
        let two = Two::new();
        let rig = two.rig();
        let name = name.replace(".WORK", &file_mark(&two.work.id()));
        receive(
            &rig,
            &name,
            &format!("{more}From: Bob <bob@example.com>\nTo: {to}\nSubject: Lunch\nMessage-ID: <l@x>"),
        );
        let told = sent(&rig, action("email", "reply_to_email", json!({"find_by": "lunch", "body": "Yes."}))).await;
        assert_eq!(status(&told), Status::Succeeded, "{}", told.text());
        let posted = [two.home.posted(), two.work.posted()].concat();
        assert_eq!(posted.iter().map(|mail| mail.from.as_str()).collect::<Vec<_>>(), [from], "{name} {to} {more}");
    }
}

#[tokio::test]
async fn the_signature_is_on_the_card_and_below_the_text_once() {
    let two = Two::new();
    let rig = two.rig();
    let draft = action(
        "email",
        "create_draft",
        json!({"to": ["zoe@example.com"], "subject": "Late", "body": "It is late.", "from": "work"}),
    );
    rig.plans(json!([draft]));
    let kept = rig.says("draft a mail to zoe@example.com, subject Late: It is late. From work").await;
    let drafted = two.work.done();
    assert!(matches!(drafted.as_slice(), [MailChange::Put { folder: ".Drafts", .. }]), "{drafted:?}");
    let card = rig.presses(&kept.button(Role::Send).unwrap()).await.card();
    let signed = "It is late.\n\n-- \nAlex Morgan\nNorthwind";
    assert_eq!(card.text().matches("Alex Morgan").count(), 1, "{}", card.text());
    assert!(card.text().contains("From: alex@work.example"), "a draft keeps its account: {}", card.text());
    rig.presses(&card.approve()).await;
    let posted = two.work.posted();
    let parsed = mail_parser::MessageParser::default().parse(&posted[0].bytes).unwrap();
    let text = parsed.body_text(0).unwrap().replace("\r\n", "\n");
    assert_eq!(text.trim_end(), signed);
    let removed =
        two.work.done().into_iter().any(|change| matches!(change, MailChange::Remove { folder: ".Drafts", .. }));
    assert!(removed && two.home.done().is_empty(), "the draft goes from the account that it lay in");
}

#[tokio::test]
async fn a_mail_of_which_nobody_knows_is_looked_for_in_sent_and_never_sent_twice() {
    for (comes_up_at, expected) in [(Some(1), Status::Succeeded), (Some(3), Status::Succeeded), (None, Status::Unknown)]
    {
        let place = MailPlace::new();
        place.sends(Posting::Doubts { comes_up_at });
        let setup = || Setup { accounts: place.accounts(), sending: Sending::Real, ..Setup::default() };
        let rig = Rig::new(setup());
        let told = sent(&rig, to_zoe(None)).await;
        assert_eq!(status(&told), expected, "{}", told.text());
        assert!(place.looks() >= comes_up_at.unwrap_or(2) && place.looks() <= 10, "{}", place.looks());
        let rig = rig.restarts(setup()).await;
        drop(rig);
        assert_eq!((place.posted().len(), place.done().len()), (1, 0), "the server has filed it, or nobody has");
    }
}

#[tokio::test]
async fn a_run_that_died_while_it_sent_is_settled_by_the_accounts_sent_folder() {
    for comes_up in [true, false] {
        let place = MailPlace::new();
        place.sends(Posting::Dies { comes_up });
        let setup = || Setup { accounts: place.accounts(), sending: Sending::Real, ..Setup::default() };
        let rig = Rig::new(setup());
        let died = tokio::time::timeout(Duration::from_millis(2_500), sent(&rig, to_zoe(None))).await;
        assert!(died.is_err() && place.posted().len() == 1, "it never answers");
        let (shown, edits) = rig.channel.counts();
        let rig = rig.restarts(setup()).await;
        let told: Vec<String> = rig.channel.since(shown, edits).0.into_iter().map(|shown| shown.reply.text).collect();
        assert_eq!(told.join("\n").contains("📨 Sent to"), comes_up, "{told:?}");
        assert_eq!(place.posted().len(), 1, "nothing is sent again");
    }
}

#[tokio::test]
async fn a_copy_that_could_not_be_filed_is_told_and_the_mail_was_sent() {
    for (manner, words) in [
        (Manner::Refuses, "The copy could not be put into Sent: The mail server is full"),
        (Manner::Doubts { done: false }, "The copy may be missing in Sent: the server went silent"),
    ] {
        let place = MailPlace::new();
        place.behaves(manner);
        let rig = Rig::new(Setup { accounts: place.accounts(), sending: Sending::Real, ..Setup::default() });
        let told = sent(&rig, to_zoe(None)).await;
        assert_eq!(status(&told), Status::Succeeded, "{}", told.text());
        assert!(told.text().contains("📨 Sent to") && told.text().contains(words), "{}", told.text());
    }
}

#[tokio::test]
async fn a_server_that_files_by_itself_gets_no_second_copy() {
    let traits = Traits { label: "own", addresses: WORK, files_sent: true, ..Traits::default() };
    let place = MailPlace::of(traits);
    let rig = Rig::new(Setup { accounts: place.accounts(), sending: Sending::Real, ..Setup::default() });
    let told = sent(&rig, to_zoe(None)).await;
    assert_eq!(status(&told), Status::Succeeded, "{}", told.text());
    assert_eq!((place.posted().len(), place.asked()), (1, 0));
}

#[tokio::test]
async fn the_date_is_the_runs_and_the_message_id_its_attempts() {
    let place = MailPlace::new();
    let rig = Rig::new(Setup { accounts: place.accounts(), sending: Sending::Real, ..Setup::default() });
    let card = card(&rig, to_zoe(None)).await;
    rig.clock.go_on(chrono::Duration::minutes(90));
    rig.presses(&card.approve()).await;
    let text = place.posted()[0].text();
    assert!(text.contains("Date: Mon, 12 Jan 2026 10:30:00 +0000\r\n"), "{text}");
    assert!(text.contains("@example.com>\r\n"), "{text}");
}

const OFFSITE: &str = "From: Anna <anna@example.com>\nReply-To: Anna <anna@team.example>\n\
    To: Alex <alex@home.example>, Bob <bob@example.com>, ALEX@WORK.example, Bob again <BOB@example.com>\n\
    Cc: Carla <carla@example.com>, am@alias.example, anna@team.example\nBcc: secret@example.com\n\
    Subject: AW: Re[2]: Offsite\nMessage-ID: <3@x>\nIn-Reply-To: <2@x>\nReferences: <1@x> <2@x>";

#[tokio::test]
async fn a_reply_to_all_goes_to_everybody_once_and_not_to_oneself() {
    let two = Two::new();
    let rig = two.rig();
    receive(&rig, "1768200001.o", OFFSITE);
    let reply = action("email", "reply_all", json!({"find_by": "offsite", "body": "Yes.", "cc": ["eve@evil.example"]}));
    let card = card(&rig, reply).await;
    for shown in ["Send this reply to all?", "anna@team.example", "bob@example.com", "carla@example.com", "Re: Offsite"]
    {
        assert!(card.text().contains(shown), "{shown}: {}", card.text());
    }
    for hidden in ["secret@", "Cc: eve@", "alias.example", "To: alex"] {
        assert!(!card.text().contains(hidden), "{hidden}: {}", card.text());
    }
    rig.presses(&card.approve()).await;
    let posted = two.home.posted();
    assert_eq!(posted[0].to, ["anna@team.example", "bob@example.com", "carla@example.com"]);
    let parsed = mail_parser::MessageParser::default().parse(&posted[0].bytes).unwrap();
    let header =
        |name: &str| parsed.header_raw(name).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(header("Cc"), "carla@example.com");
    assert_eq!(header("Subject"), "Re: Offsite");
    assert_eq!(header("In-Reply-To"), "<3@x>");
    assert_eq!(header("References"), "<1@x> <2@x> <3@x>");
}

#[tokio::test]
async fn a_sender_that_looks_like_somebody_known_is_marked_where_it_is_read_answered_and_passed_on() {
    let alike = "bob@northvvind.example is not bob@northwind.example, though it looks like it";
    let named = "it calls its sender bob@northwind.example, and comes from bob@northvvind.example";
    let invoiced = || {
        let rig = Two::new().rig();
        let written = "From: alex@home.example\r\nTo: Bob <bob@northwind.example>\r\nSubject: Hi\r\n\r\nHi\r\n";
        maildir(&rig).put(Folder::Sent, "1768100000.s", "S", written.as_bytes()).unwrap();
        let head = "From: \"bob@northwind.example\" <bob@northvvind.example>\nTo: alex@home.example\n\
            Subject: Invoice\nMessage-ID: <i@x>";
        receive(&rig, "1768200001.l", head);
        rig
    };
    for planned in [
        action("email", "reply_to_email", json!({"find_by": "invoice", "body": "Yes."})),
        action("email", "forward_email", json!({"find_by": "invoice", "to": ["zoe@example.com"]})),
    ] {
        let card = card(&invoiced(), planned).await;
        for mark in [alike, named] {
            assert_eq!(card.text().matches(mark).count(), 1, "{mark}: {}", card.text());
        }
    }
    let rig = invoiced();
    rig.plans(json!([action("email", "read_thread", json!({"find_by": "invoice"}))]));
    let read = rig.says("read me the invoice mail").await.text();
    assert!(read.contains(alike) && read.contains(named), "{read}");
}

#[tokio::test]
async fn an_invitation_is_answered_from_the_account_whose_address_is_invited() {
    let two = Two::new();
    let rig = two.rig();
    let mail = "From: Anna <anna@work.example>\r\nTo: alex@home.example\r\nSubject: Offsite\r\n\
                Date: Mon, 12 Jan 2026 08:00:00 +0000\r\nMIME-Version: 1.0\r\n\
                Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nCome.\r\n\
                --b\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\n\
                BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260115T140000Z\r\nSUMMARY:Offsite\r\n\
                ORGANIZER:mailto:anna@work.example\r\nATTENDEE:mailto:Alex@work.example\r\nEND:VEVENT\r\n\
                END:VCALENDAR\r\n--b--\r\n";
    // It was passed on into the mailbox at home.
    let name = format!("1768204800.aaaaaaaaaaaaaaaaaaaaaaaa{}", file_mark(&two.home.id()));
    maildir(&rig).put(Folder::Inbox, &name, "", mail.as_bytes()).unwrap();
    let answer = json!({"find_by": "Offsite", "answer": "accepted"});
    let told = sent(&rig, action("email", "answer_invitation", answer)).await;
    assert_eq!(status(&told), Status::Succeeded, "{}", told.text());
    assert_eq!((two.home.posted().len(), two.work.posted().len()), (0, 1));
}
