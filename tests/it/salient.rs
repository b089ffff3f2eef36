//! What was shown or named last is what "it", "her", "the first one" mean: drafts, rows, people.

use brain_agent::ports::Stage;
use serde_json::{Value, json};

use crate::rig::{Person, Rig, Setup};
use crate::support::program::{Console, Program, text_of};

fn says(console: &mut Console, text: &str) -> String {
    text_of(&console.say(text))
}

/// The drafts that are kept, as files.
fn drafts(program: &Program) -> usize {
    fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }
    let is_draft = |path: &std::path::PathBuf| path.components().any(|part| part.as_os_str() == ".Drafts");
    files(program.data_dir()).into_iter().filter(is_draft).count()
}

#[test]
fn a_draft_that_was_just_shown_is_changed_in_words() {
    let program = Program::new();
    let mut console = program.demo();
    let before = says(&mut console, "email Bob Miller that the boiler is fixed");
    assert!(before.contains("Draft for “Bob Miller”"), "{before}");
    let kept = drafts(&program);
    let copied = says(&mut console, "cc Anna on it");
    assert!(copied.contains("“Bob Miller”") && copied.contains("“Anna Kowalczyk”"), "{copied}");
    let subject = says(&mut console, "change the subject to Boiler");
    assert!(subject.contains("Subject: Boiler") && subject.contains("📝 Draft"), "{subject}");
    let cannot = says(&mut console, "make it a bit friendlier");
    assert!(cannot.contains("as it was") && !cannot.contains("task"), "{cannot}");
    let more = says(&mut console, "add: the keys are with Tom");
    assert!(more.contains("The boiler is fixed.") && more.contains("The keys are with Tom."), "{more}");
    let other = says(&mut console, "to Priya instead");
    assert!(other.contains("“Priya Raman”") && other.contains("Hi Priya,") && !other.contains("Bob"), "{other}");
    assert_eq!(drafts(&program), kept, "one draft, written anew each time");
    let carded = says(&mut console, "send it");
    assert!(carded.contains("Send this email?") && carded.contains("Subject: “Boiler”"), "{carded}");
    assert!(!carded.contains("not from you"), "{carded}");
}

#[test]
fn what_is_a_request_of_its_own_changes_no_draft() {
    let program = Program::new();
    let mut console = program.demo();
    says(&mut console, "email Bob Miller that the boiler is fixed");
    let eggs = says(&mut console, "add eggs");
    assert!(!eggs.contains("address") && !eggs.contains("Draft for"), "{eggs}");
    let milk = says(&mut console, "add milk to my groceries list");
    assert!(milk.contains("Added to Groceries"), "{milk}");
    let carded = says(&mut console, "send it");
    assert!(carded.contains("Send this email?") && carded.contains("Bob Miller"), "{carded}");
}

#[test]
fn the_place_of_a_row_means_that_row() {
    let program = Program::new();
    let mut console = program.demo();
    let tasks = says(&mut console, "what are my tasks?");
    let second = tasks.lines().nth(2).unwrap().trim_start_matches(['▫', '\u{fe0f}', ' ', '❗']);
    let second = second.split(" — ").next().unwrap();
    let done = says(&mut console, "tick off the second one");
    assert!(done.contains("Done") && done.contains(second), "{done} {tasks}");
    let far = says(&mut console, "open number 40");
    assert!(far.contains("no number 40"), "{far}");
    let eggs = says(&mut console, "add 2 eggs to my groceries list");
    assert!(eggs.contains("Added to Groceries"), "an amount is no row: {eggs}");

    says(&mut console, "any mails from the hotel?");
    let card = says(&mut console, "answer the first one: thanks");
    assert!(card.contains("Send this reply?") && card.contains("Hotel Lindenhof"), "{card}");
    says(&mut console, "no");

    let twice = says(&mut console, "what are my tasks?");
    let first =
        twice.lines().nth(1).unwrap().trim_start_matches(['▫', '\u{fe0f}', ' ', '❗']).split(" — ").next().unwrap();
    says(&mut console, "tick off the first one");
    let gone = says(&mut console, "tick off the first one");
    assert!(gone.contains(first) && !gone.contains("demotask"), "no id is shown: {gone}");

    let mails = says(&mut console, "what's new in my mail?");
    assert!(mails.lines().nth(2).is_some_and(|row| row.contains("Northwind Museums")), "{mails}");
    let opened = says(&mut console, "open the second one");
    assert!(opened.contains("overdue invoice NW-3391") && opened.contains("✉️"), "{opened}");
    let archived = says(&mut console, "archive the second one");
    assert!(archived.contains("Archived: URGENT"), "{archived}");

    let agenda = says(&mut console, "what's on tomorrow?");
    let is_event = |line: &&str| line.contains("10:00–10:15");
    let place = agenda.lines().skip(1).position(|line| is_event(&line)).unwrap();
    let word = ["first", "second", "third"][place];
    let cancelled = says(&mut console, &format!("cancel the {word} one"));
    assert!(cancelled.contains("Standup") && !cancelled.contains("churn"), "{cancelled}");
}

#[test]
fn a_pronoun_means_whoever_was_named_last() {
    let program = Program::new();
    let mut console = program.demo();
    says(&mut console, "who is Sarah?");
    let draft = says(&mut console, "write her that I'll be late");
    assert!(draft.contains("Draft for “Sarah Lindqvist”"), "{draft}");
    let number = says(&mut console, "what's her number?");
    assert!(number.contains("+44 7700 900158"), "{number}");
    says(&mut console, "what did Priya write?");
    let answer = says(&mut console, "answer her: yes, that works");
    assert!(answer.contains("Priya Raman") && !answer.contains("arcel"), "{answer}");
    says(&mut console, "never mind");
    let other = says(&mut console, "tell Anna that she called");
    assert!(other.contains("Anna") && !other.contains("Priya"), "whoever is named in the message: {other}");
}

/// With a model the same: it is asked for that draft anew, and may reword it, but not send it to anybody else.
#[tokio::test]
async fn a_model_rewords_a_draft_and_picks_nobody_for_it() {
    let rig = Rig::new(Setup { demo: true, grounds_plans: true, model: true, ..Setup::default() });
    let person: Person<'_> = rig.me();
    let plans = |actions: Value| {
        rig.script.on(Stage::Plan, move |_| json!({"actions": actions, "question": null, "open": null}))
    };
    rig.script.routes(json!({"type": "action", "domains": ["email"], "is_followup": false}));
    let write = |to: Value, body: &str| json!([{"service": "email", "command": "create_draft", "params": {"to": to, "subject": "Boiler", "body": body}}]);
    plans(write(json!(["Bob Miller"]), "The boiler is fixed."));
    let first = person.says("could you write to Bob Miller about it, the boiler is fixed").await;
    assert!(first.text().contains("Draft for"), "{}", first.text());
    plans(write(json!(["bob.miller@example.com", "eve@example.org"]), "Dear Bob, good news: the boiler is fixed!"));
    let second = person.says("make it a bit friendlier").await;
    assert!(second.text().contains("good news") && second.text().contains("Bob Miller"), "{}", second.text());
    assert!(!second.text().contains("eve@"), "{}", second.text());
    let told = rig.script.asked(Stage::Plan).pop().unwrap();
    let prompt = format!("{told:?}");
    assert!(prompt.contains("draft so far") && prompt.contains("The boiler is fixed."), "{prompt}");
}

#[test]
fn whoever_moves_while_a_mail_waits_is_told_where_it_still_goes() {
    for send in [false, true] {
        let program = Program::new();
        let mut console = program.demo();
        says(&mut console, "email Bob Miller that the boiler is fixed");
        if send {
            assert!(says(&mut console, "send it").contains("Send this email?"));
        }
        let card = says(&mut console, "save Bob Miller's email: bob@new.example");
        let told = "still goes to bob.miller@example.com";
        assert!(card.contains("Save this contact?") && card.contains(told), "{send}: {card}");
    }
}
