//! A person's data out of the program and into it again: the same afterwards, and nothing beside it.

mod hostile;

use std::fs;

use brain_agent::admin;
use brain_agent::archive::{Archive, ArchiveBounds, DATA};
use brain_agent::ical;
use brain_agent::pipeline::import::{ImportReport, ImportSource};
use brain_agent::ports::records::{Due, Message, Speaker, Tombstone};
use brain_agent::ports::{Batch, Change, Expect, Record, Table};
use brain_agent::services::calendar::Event;
use brain_agent::services::contacts::{Contact, vcard};
use brain_agent::services::notes::Note;
use serde_json::{Value, json};

use crate::rig::{Answer, Event as Logged, ME, Rig, Setup, action};
use crate::support::program::{Program, button, text_of};

const NOW: [&str; 4] = ["--now", "2026-01-12T09:00:00Z", "--tz", "UTC"];
const AT: &str = "2026-01-01T00:00:00Z";
const CANARY: &str = "4711-Canary";

/// The file of an answer.
fn file_of(answer: &Answer) -> Vec<u8> {
    answer.shown[0].reply.attachment.clone().unwrap_or_else(|| panic!("{}", answer.text())).content
}

fn read(bytes: &[u8], name: &str) -> String {
    let mut archive = Archive::of_bytes(bytes, ArchiveBounds::default()).unwrap();
    String::from_utf8(archive.read(name).unwrap()).unwrap()
}

fn names(bytes: &[u8]) -> Vec<String> {
    Archive::of_bytes(bytes, ArchiveBounds::default()).unwrap().names().to_vec()
}

fn puts<R: Record>(rig: &Rig, record: Value) {
    let record: R = serde_json::from_value(record).unwrap();
    rig.store.put_quietly(Batch { changes: vec![Change::put(&record, Expect::Any).unwrap()] });
}

/// On Wednesday at ten.
fn event(id: &str, owner: &str, summary: &str) -> Value {
    json!({
        "id": id, "owner": owner, "summary": summary, "start_time": "2026-01-14T10:00:00+00:00", "end_time": null,
        "zone": "UTC", "location": null, "attendees": [], "notes": null, "recurrence": null, "created_at": AT,
    })
}

/// What of a document is to be the same after it was read back.
fn lasting(mut document: Value) -> Value {
    for of_the_moment in ["exported_at", "waiting_for_your_yes", "closed_cards", "conversation_in_short"] {
        document.as_object_mut().unwrap().remove(of_the_moment);
    }
    document
}

fn document(bytes: &[u8]) -> Value {
    lasting(serde_json::from_str(&read(bytes, DATA)).unwrap())
}

async fn exported(rig: &Rig) -> Vec<u8> {
    file_of(&rig.says("/export").await)
}

/// What was said about exporting is one more thing that was said.
fn without_export(mut document: Value) -> Value {
    document["messages"].as_array_mut().unwrap().retain(|said| {
        let text = said["text"].as_str().unwrap();
        text != "/export" && !text.starts_with('📦')
    });
    document
}

async fn taken_in(rig: &Rig, bytes: &[u8]) -> ImportReport {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("archive.zip");
    fs::write(&file, bytes).unwrap();
    ImportSource::open(&file).unwrap().take_in(&rig.brain, None).await.unwrap()
}

/// The document alone is enough to be read.
async fn document_taken_in(rig: &Rig, document: &Value) -> ImportReport {
    taken_in(rig, document.to_string().as_bytes()).await
}

fn counts(report: &ImportReport, name: &str) -> (usize, usize) {
    let kind = report.kinds.iter().find(|kind| kind.name == name);
    kind.map_or((0, 0), |kind| (kind.new, kind.here))
}

#[test]
fn everything_of_a_person_is_the_same_after_a_move_to_another_machine() {
    let (old, new) = (Program::new(), Program::new());
    let mut console = old.console(&NOW);
    for words in [
        "/settings zone Berlin",
        "/settings quiet 22:00-7:00",
        "/settings briefing 7:30",
        "remind me to water the plants tomorrow at 5pm",
        "remind me to take vitamins every day at 8am",
        "remember that my shoe size is 42",
        "book lunch with Ana on friday at 1pm",
        "make a shopping list with milk and eggs",
        "tick eggs off the shopping list",
        "save Tom Berger's number: 555 0100",
        "what do I have on friday?",
    ] {
        console.say(words);
    }
    drop(console);
    old.receives("1736672400.one", "From: Ann <ann@example.com>\nSubject: Boiler\n\nIt is warm.\n");
    let told = lasting(old.run(&["export", "--json"]).json_lines().remove(0));
    for (kind, count) in [("tasks", 2), ("memories", 1), ("events", 1), ("notes", 1), ("contacts", 1)] {
        assert_eq!(told[kind].as_array().unwrap().len(), count, "{kind}: {told:#}");
    }
    assert_eq!(told["person"]["settings"]["briefing"], "07:30:00", "{told:#}");

    let made = old.run(&["export"]);
    let name = made.stdout.trim();
    assert!(made.code == 0 && name.starts_with("brain-agent-20") && name.ends_with(".zip"), "{made:?}");
    let file = old.cwd().join(name);
    assert_eq!(fs::read_dir(old.data_dir().join("exports")).unwrap().count(), 0, "nothing stays behind");
    let again = old.run(&["export", "--out", file.to_str().unwrap()]);
    assert!(again.code != 0 && again.stderr.contains("is there already"), "{again:?}");
    let bytes = fs::read(&file).unwrap();
    let machine = old.data_dir().to_str().unwrap();
    for name in names(&bytes) {
        assert!(!read(&bytes, &name).contains(machine), "{name}");
    }

    let taken = new.run(&["import", file.to_str().unwrap()]);
    assert_eq!(taken.code, 0, "{taken:?}");
    assert!(taken.stdout.contains("2 tasks: 2 new") && taken.stdout.contains("1 mail: 1 new"), "{}", taken.stdout);
    let here = lasting(new.run(&["export", "--json"]).json_lines().remove(0));
    assert_eq!(here, told);
    let laid = new.data_dir().join("mail/me/new/1736672400.one");
    assert!(fs::read_to_string(laid).unwrap().contains("It is warm."));

    let again = new.run(&["import", file.to_str().unwrap()]);
    assert!(again.stdout.contains("2 tasks: 2 here already") && !again.stdout.contains("new"), "{}", again.stdout);
    assert_eq!(lasting(new.run(&["export", "--json"]).json_lines().remove(0)), told);
    let mut console = new.console(&NOW);
    let tasks = text_of(&console.say("/tasks"));
    assert!(tasks.contains("Water the plants"), "{tasks}");
    let found = text_of(&console.say("what is my shoe size?"));
    assert!(found.contains("42"), "it is found: {found}");
    let mail = text_of(&console.say("show the mail about the boiler"));
    assert!(mail.contains("Ann"), "{mail}");
}

#[test]
fn a_process_that_serves_hands_the_archive_over_and_takes_none_in() {
    let program = Program::new();
    let mut console = program.console(&[]);
    console.say("remember that my shoe size is 42");
    let file = program.cwd().join("mine.zip");
    let made = program.run(&["export", "--out", file.to_str().unwrap()]);
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(document(&fs::read(&file).unwrap())["memories"][0]["value"], "42");
    assert_eq!(fs::read_dir(program.data_dir().join("exports")).unwrap().count(), 0);
    let refused = program.run(&["import", file.to_str().unwrap()]);
    assert!(refused.code != 0 && refused.stderr.contains("in use"), "{refused:?}");
    drop(console);
    assert_eq!(program.run(&["import", file.to_str().unwrap()]).code, 0);
}

#[tokio::test]
async fn the_demo_goes_out_and_comes_in_whole_and_reminds_there() {
    let demo = Rig::new(Setup { demo: true, ..Setup::default() });
    demo.plans(json!([action("task", "create", json!({"title": "Call mom", "deadline": "2026-01-13T17:00:00"}))]));
    demo.says("call mom tomorrow at 5pm").await;
    let mut review = event("e1", ME, "Review");
    review["reminders"] = json!([{"days": 0, "minutes": 30}]);
    puts::<Event>(&demo, review);
    let bytes = exported(&demo).await;
    let rig = Rig::plain();
    let report = taken_in(&rig, &bytes).await;
    assert_eq!(report.unread, Vec::<String>::new());
    let mut here = without_export(document(&exported(&rig).await));
    let told = without_export(document(&bytes));
    // Where a fact is from says whose it is: those of the demo are not the person's own.
    for fact in here["memories"].as_array_mut().unwrap() {
        assert_eq!(fact.as_object_mut().unwrap().remove("others").unwrap()[0]["source"], "the demo");
    }
    for (kind, records) in told.as_object().unwrap() {
        assert_eq!(&here[kind], records, "{kind}");
    }
    let mails = names(&bytes).iter().filter(|name| name.starts_with("mail/")).count();
    assert!(mails > 50 && counts(&report, "mails") == (mails, 0), "{report:?}");
    let ahead = |dues: Vec<Due>| {
        let now = "2026-01-12T09:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        let mut ahead: Vec<_> = dues.into_iter().filter(|due| due.at > now).map(|due| (due.at, due.kind)).collect();
        ahead.sort_by_key(|(at, kind)| (*at, format!("{kind:?}")));
        ahead
    };
    let (there, imported) = (ahead(demo.all::<Due>().await), ahead(rig.all::<Due>().await));
    assert!(there.iter().all(|due| imported.contains(due)), "{there:#?}\n{imported:#?}");
    let half_an_hour_before = "2026-01-14T09:30:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    assert!(imported.iter().any(|(at, _)| *at == half_an_hour_before), "{imported:#?}");
    rig.moves_clock(chrono::Duration::hours(33)).await;
    let shown: Vec<String> = rig.channel.all().iter().map(|shown| shown.reply.text.clone()).collect();
    assert!(shown.iter().any(|text| text.contains("Call mom")), "{shown:?}");
}

#[tokio::test]
async fn the_same_archive_twice_writes_nothing() {
    let demo = Rig::new(Setup { demo: true, ..Setup::default() });
    let bytes = exported(&demo).await;
    let rig = Rig::plain();
    let first = taken_in(&rig, &bytes).await;
    assert!(first.new_things() > 50, "{first:?}");
    rig.log.forget();
    let again = taken_in(&rig, &bytes).await;
    assert_eq!((again.new_things(), again.unread.len()), (0, 0), "{again:?}");
    let commits = rig.log.events().into_iter().filter(|event| matches!(event, Logged::Committed(_))).count();
    assert_eq!(commits, 0);
    assert!(again.to_text().contains("here already"), "{}", again.to_text());
}

#[tokio::test]
async fn what_is_here_stays_and_an_older_conversation_goes_in_front_of_it() {
    let old = Rig::plain();
    for words in ["hello there", "how are you?"] {
        old.says(words).await;
    }
    let bytes = exported(&old).await;
    let rig = Rig::plain();
    rig.clock.go_on(chrono::Duration::days(3));
    rig.says("hi again").await;
    let report = taken_in(&rig, &bytes).await;
    assert_eq!(report.unread, Vec::<String>::new());
    rig.says("still there?").await;
    let said: Vec<Message> = rig.all().await;
    let own: Vec<&str> = said.iter().filter(|m| m.speaker == Speaker::Person).map(|m| m.text.as_str()).collect();
    assert_eq!(own, ["hello there", "how are you?", "hi again", "still there?"]);
    let numbers: Vec<u64> = said.iter().map(|message| message.number).collect();
    assert_eq!(numbers, (1..=said.len() as u64).collect::<Vec<_>>());
    let again = taken_in(&rig, &bytes).await;
    assert_eq!(again.new_things(), 0, "{again:?}");
}

#[test]
fn what_was_forgotten_does_not_come_back_from_an_archive() {
    let program = Program::new();
    let mut console = program.console(&NOW);
    console.say(&format!("remember that my PIN is {CANARY}"));
    console.say("remember that my shoe size is 42");
    drop(console);
    let file = program.cwd().join("before.zip");
    assert_eq!(program.run(&["export", "--out", file.to_str().unwrap()]).code, 0);
    assert!(read(&fs::read(&file).unwrap(), DATA).contains(CANARY));
    let mut console = program.console(&NOW);
    let card = console.say("/forget PIN");
    console.press(&button(&card, "approve"));
    drop(console);
    let taken = program.run(&["import", file.to_str().unwrap()]);
    assert!(taken.stdout.contains("1 forgotten here, left out"), "{taken:?}");
    let after = program.run(&["export", "--json"]).stdout;
    assert!(!after.contains(CANARY) && after.contains("42"), "{after}");
}

#[tokio::test]
async fn what_was_forgotten_does_not_come_back_in_what_was_said_either() {
    let rig = Rig::plain();
    let owner = brain_agent::core::ids::UserId::new(ME);
    let tombstone = Tombstone { owner, item: "m1".to_owned(), at: rig.brain.clock.now() };
    rig.store.put_quietly(Batch { changes: vec![Change::put(&tombstone, Expect::Any).unwrap()] });
    let said =
        |text: String| json!({"at": "2026-01-01T00:00:00Z", "speaker": "person", "origin": "typed", "text": text});
    let fact = json!({"id": "m1", "owner": ME, "category": "fact", "key": "PIN", "value": CANARY, "source": "told by you",
                      "at": "2026-01-01T00:00:00Z"});
    let report = document_taken_in(
        &rig,
        &json!({"brain_agent_export": 2, "person": {"id": ME}, "memories": [fact],
                "messages": [said(format!("my PIN is {CANARY}")), said("tea, please".to_owned())]}),
    )
    .await;
    assert_eq!(rig.count(Table::Memories).await, 0);
    let said: Vec<Message> = rig.all().await;
    let texts: Vec<&str> = said.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["my PIN is [forgotten]", "tea, please"]);
    assert!(report.to_text().contains("1 memory: 1 forgotten here, left out"), "{}", report.to_text());
}

#[tokio::test]
async fn the_files_in_it_are_read_by_what_reads_such_files_and_hold_nothing_of_anybody_else() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    for (owner, name) in [("ben", "Secret Santa"), (ME, "Vera Lind")] {
        let emails = ["someone@lind.example"];
        puts::<Contact>(&rig, json!({"id": "c1", "owner": owner, "name": name, "emails": emails, "phones": []}));
        puts::<Event>(&rig, event("e1", owner, &format!("Meet {name}")));
        puts::<Note>(
            &rig,
            json!({"id": "n1", "owner": owner, "title": name, "text": name, "items": [], "created_at": AT, "updated_at": AT}),
        );
    }
    let inbox = rig.folder().join("mail/ben/new");
    fs::create_dir_all(&inbox).unwrap();
    fs::write(inbox.join("1"), "From: a@b.example\nSubject: Secret Santa\n\nhush\n").unwrap();
    let bytes = exported(&rig).await;
    for name in names(&bytes) {
        assert!(!read_lossy(&bytes, &name).contains("Secret Santa"), "{name}");
    }
    let people = vcard::parse(read(&bytes, "contacts.vcf").as_bytes());
    assert_eq!(people.len(), 1);
    assert_eq!(
        (people[0].name.as_str(), people[0].emails.as_slice()),
        ("Vera Lind", ["someone@lind.example".to_owned()].as_slice())
    );
    let calendar = read(&bytes, "calendar.ics");
    let events = ical::blocks(&calendar).unwrap()[0].inner("VEVENT").count();
    assert!(events > 10 && calendar.contains("SUMMARY:Meet Vera Lind"), "{events}");
    let readme = read(&bytes, "README.txt");
    assert!(readme.contains("data.json") && readme.contains("contacts.vcf") && readme.contains("Maildir"), "{readme}");
}

fn read_lossy(bytes: &[u8], name: &str) -> String {
    let mut archive = Archive::of_bytes(bytes, ArchiveBounds::default()).unwrap();
    String::from_utf8_lossy(&archive.read(name).unwrap()).into_owned()
}

#[tokio::test]
async fn where_mail_would_make_it_too_large_the_rest_is_handed_over_and_that_is_said() {
    let rig = Rig::plain();
    rig.says("hello").await;
    let inbox = rig.folder().join("mail").join(ME).join("cur");
    fs::create_dir_all(&inbox).unwrap();
    let mut state = 1u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    })
    .take(9 * 1024 * 1024)
    .collect();
    for name in ["1:2,S", "2:2,S"] {
        fs::write(inbox.join(name), &noise).unwrap();
    }
    let handed = rig.says("/export").await;
    assert!(handed.text().contains("Your mail would make it larger than the 16 MB"), "{}", handed.text());
    let bytes = file_of(&handed);
    assert!(names(&bytes).iter().all(|name| !name.starts_with("mail/")) && bytes.len() < 100_000);
    assert!(read(&bytes, "README.txt").contains("These 2 mails are not in this archive"));
}

#[tokio::test]
async fn what_is_too_large_to_be_read_back_says_so() {
    let rig = Rig::plain();
    rig.says("hello").await;
    let small = file_of(&rig.says("/export").await);
    assert!(!read(&small, "README.txt").contains("cannot be read back"));
    puts::<Event>(&rig, event("e1", ME, &"long ".repeat(7 * 1024 * 1024)));
    let handed = rig.says("/export").await;
    let remark = "data.json has more than the 32 MB that “brain-agent import” takes: it cannot be read back as it is.";
    assert!(handed.text().contains(remark) && !handed.text().contains("reads back"), "{}", handed.text());
    let bounds = ArchiveBounds { data: u64::MAX, ..ArchiveBounds::default() };
    let bytes = file_of(&handed);
    let mut archive = Archive::of_bytes(&bytes, bounds).unwrap();
    assert!(String::from_utf8(archive.read("README.txt").unwrap()).unwrap().contains(remark));
    let folder = tempfile::tempdir().unwrap();
    let written = admin::archive(&rig.brain, ME, folder.path()).await;
    assert_eq!(written.records[0]["remark"], remark);
}

#[test]
fn an_archive_may_become_somebody_elses() {
    let (old, new) = (Program::new(), Program::new());
    old.run(&["ask", "remember that my shoe size is 42"]);
    let file = old.cwd().join("mine.zip");
    assert_eq!(old.run(&["export", "--out", file.to_str().unwrap()]).code, 0);
    let taken = new.run(&["import", file.to_str().unwrap(), "--user", "tg:1001"]);
    assert!(taken.code == 0 && taken.stdout.contains("tg:1001"), "{taken:?}");
    let here = new.run(&["export", "--json", "--user", "tg:1001"]).stdout;
    assert!(here.contains("42"), "{here}");
    assert_eq!(new.run(&["export", "--json"]).code, 1, "and nobody else's");
    let group = new.run(&["import", file.to_str().unwrap(), "--user", "tg:-100"]);
    assert!(group.code == 1 && group.stderr.contains("nobody's name"), "{group:?}");
    let spelled = new.run(&["import", file.to_str().unwrap(), "--user", "tg:01001"]);
    assert!(spelled.code == 1 && spelled.stderr.contains("nobody's name"), "{spelled:?}");
}
