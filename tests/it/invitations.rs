//! Invitations that came by mail: answered once a card was agreed to, as the one who is invited, to whoever invites.

use brain_agent::core::button::Role;
use brain_agent::services::calendar::Event;

use crate::rig::real_mail::{ALEX, RealMail};
use crate::rig::{Rig, Setup};

/// A mail of Anna's with an invitation in it that has these lines beside its own.
fn invitation(method: &str, invited: &str, more: &str) -> String {
    format!(
        "From: Anna Meier <anna@work.example>\r\nTo: {ALEX}\r\nSubject: Offsite\r\n\
         Date: Mon, 12 Jan 2026 08:30:00 +0000\r\nMessage-ID: <offsite@work.example>\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nPlease come.\r\n\
         --b\r\nContent-Type: text/calendar; method={method}; charset=utf-8\r\n\r\nBEGIN:VCALENDAR\r\nMETHOD:{method}\r\n\
         BEGIN:VEVENT\r\nUID:offsite@work.example\r\nSEQUENCE:1\r\nDTSTART:20260115T140000Z\r\nDTEND:20260115T150000Z\r\n\
         SUMMARY:Offsite planning\r\nLOCATION:Room 4\r\nORGANIZER;CN=Anna Meier:mailto:anna@work.example\r\n\
         ATTENDEE;RSVP=TRUE:mailto:{invited}\r\nATTENDEE:mailto:tom@work.example\r\n{more}END:VEVENT\r\nEND:VCALENDAR\r\n\
         --b--\r\n"
    )
}

async fn with(mail: String) -> (RealMail, Rig) {
    let real = RealMail::new();
    let rig = Rig::new(real.over(Setup { model: false, ..Setup::default() }));
    real.delivers(&rig, &[mail]).await;
    (real, rig)
}

#[tokio::test]
async fn an_invitation_is_answered_as_the_person_says_and_only_after_a_yes() {
    for (says, title, status) in [
        ("accept the invitation from Anna", "Accept this invitation?", "ACCEPTED"),
        ("decline the invitation to Offsite", "Decline this invitation?", "DECLINED"),
        ("say maybe to Anna's invitation", "maybe", "TENTATIVE"),
    ] {
        let (real, rig) = with(invitation("REQUEST", ALEX, "")).await;
        let card = rig.says(says).await.card();
        for words in [title, "Offsite planning", "Thu 15 Jan", "14:00", "Room 4", "anna@work.example"] {
            assert!(card.text().contains(words), "{words}: {}", card.text());
        }
        assert!(real.smtp.mails().is_empty(), "{says}: nothing before the yes");
        let told = rig.presses(&card.approve()).await;
        assert_eq!(told.did(), ["email.answer_invitation succeeded"], "{}", told.text());
        let [mail] = &real.smtp.mails()[..] else { panic!("one answer: {:?}", real.smtp.mails()) };
        assert_eq!((mail.to.as_slice(), mail.from.as_str()), (["anna@work.example".to_owned()].as_slice(), ALEX));
        let parsed = mail_parser::MessageParser::default().parse(&mail.data).unwrap();
        let part = parsed.attachments().next().expect("a part for her calendar");
        let text = String::from_utf8_lossy(part.contents()).into_owned();
        assert!(text.contains(&format!("ATTENDEE;PARTSTAT={status}:mailto:{ALEX}\r\n")), "{text}");
        assert!(text.contains("METHOD:REPLY\r\n") && text.contains("UID:offsite@work.example\r\n"), "{text}");
        assert!(!text.contains("tom@work.example"), "{text}");
        let kind = String::from_utf8_lossy(&mail.data).to_lowercase();
        assert!(kind.contains("content-type: text/calendar; method=reply"), "{kind}");
    }
}

#[tokio::test]
async fn what_is_no_invitation_of_the_person_s_is_said_and_nobody_is_answered() {
    for (mail, says) in [
        (invitation("REQUEST", "somebody@work.example", ""), "invites none of your own addresses"),
        (invitation("CANCEL", ALEX, ""), "was called off"),
        (invitation("REPLY", ALEX, ""), "asks for no answer"),
        (invitation("REQUEST", ALEX, "").replace("ORGANIZER;CN", "X-ORGANIZER;CN"), "no invitation in it"),
    ] {
        let (real, rig) = with(mail).await;
        let told = rig.says("accept the invitation from Anna").await;
        assert!(told.text().contains(says), "{says}: {}", told.text());
        assert!(rig.effects().is_empty() && real.smtp.mails().is_empty(), "{says}");
    }
}

#[tokio::test]
async fn an_answer_that_would_go_to_somebody_else_than_the_writer_is_marked_on_its_card() {
    let mail = invitation("REQUEST", ALEX, "").replace("mailto:anna@work.example", "mailto:collector@evil.example");
    let (real, rig) = with(mail).await;
    let card = rig.says("accept the invitation from Anna").await.card();
    for words in ["collector@evil.example", "the mail came from anna@work.example", "first mail to this address"] {
        assert!(card.text().contains(words), "{words}: {}", card.text());
    }
    rig.presses(&card.cancel()).await;
    assert!(real.smtp.mails().is_empty());
}

#[tokio::test]
async fn what_was_accepted_goes_onto_the_calendar_with_one_press_and_once() {
    let alarm = "BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT30M\r\nDESCRIPTION:x\r\nEND:VALARM\r\n";
    let (real, rig) = with(invitation("REQUEST", ALEX, alarm)).await;
    let card = rig.says("accept the invitation from Anna").await.card();
    let told = rig.presses(&card.approve()).await;
    let button = told.button(Role::Offer).expect("a button that puts it there");
    let added = rig.presses(&button).await;
    assert_eq!(added.did(), ["calendar.add_events succeeded"], "{}", added.text());
    for words in ["Offsite planning", "Thu 15 Jan", "14:00", "Room 4"] {
        assert!(added.text().contains(words), "{words}: {}", added.text());
    }
    let [event] = &rig.all::<Event>().await[..] else { panic!("one event") };
    assert!(event.attendees.is_empty() && event.reminders.len() == 1, "{event:?}");
    assert!(event.notes.as_deref().unwrap_or_default().contains("Invited by anna@work.example"), "{event:?}");
    assert!(!event.others.is_empty(), "its words are Anna's: {event:?}");
    let again = rig.presses(&button).await;
    assert!(again.text().contains("It is there already; nothing was added"), "{}", again.text());
    assert_eq!(real.smtp.mails().len(), 1, "nobody hears of it");
    let back = rig.presses(&added.button(Role::Undo).expect("an undo")).await;
    assert!(back.text().contains("Taken back") && rig.all::<Event>().await.is_empty(), "{}", back.text());
}

#[tokio::test]
async fn what_was_declined_is_not_offered_for_the_calendar() {
    let (_real, rig) = with(invitation("REQUEST", ALEX, "")).await;
    let card = rig.says("decline the invitation from Anna").await.card();
    let told = rig.presses(&card.approve()).await;
    assert!(told.button(Role::Offer).is_none(), "{}", told.text());
}
