//! One process owns the store; the others talk to it. Exit codes, signals, and what is printed where.

use serde_json::Value;

use super::{SEND, console};
use crate::support::program::{Program, button, did, done_of, outcomes_of, pending_id, text_of};
use crate::support::smtp_server::{Mode, SmtpServer};

#[test]
fn ask_exits_with_what_became_of_it() {
    let mail = SmtpServer::start(Mode::Accept);
    let program = Program::new().smtp(&mail);
    for (text, code) in [
        ("hi", 0),
        ("remind me to call mom tomorrow at 5pm", 0),
        ("show my tasks", 0),
        ("", 0),
        ("mark the unicorn task as done", 1),
        (SEND, 3),
    ] {
        let ended = program.run(&["ask", text]);
        assert_eq!(ended.code, code, "{text}: {ended:?}");
        assert!(!ended.stdout.trim().is_empty() && ended.stderr.is_empty(), "{text}: {ended:?}");
    }
    // Several processes later it is decided.
    assert_eq!(program.open_cards().len(), 1);
    assert_eq!(program.run(&["ask", "yes"]).code, 0);
    assert_eq!(mail.mails().len(), 1);
    assert_eq!(program.open_cards(), [""; 0]);
}

#[test]
fn a_locked_store_without_its_owner_in_reach_is_told() {
    let program = Program::new();
    let mut owner = console(&program);
    owner.say("hi");
    std::fs::remove_file(program.data_dir().join("control.sock")).unwrap();
    for args in [
        &["ask", "hi"] as &[&str],
        &["pending", "list"],
        &["console", "--json"],
        &["console", "--json", "--now", super::NOW],
    ] {
        let ended = program.run(args);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{args:?}: {ended:?}");
        assert!(ended.stderr.contains("brain.redb") || ended.stderr.contains("another"), "{ended:?}");
    }
    assert_eq!(done_of(&owner.say("hi"))["path"], "chat", "the owner goes on");
}

#[test]
fn other_commands_reach_the_running_console() {
    let mail = SmtpServer::start(Mode::Accept);
    let program = Program::new().smtp(&mail).env("BRAIN_ADMIN_MAY_APPROVE", "true");
    let mut owner = program.console(&["--user", "ann"]);
    let card = owner.say(SEND);
    let id = pending_id(&card);

    let listed = program.run(&["pending", "list", "--json"]).json_lines();
    assert_eq!((listed.len(), &listed[0]["id"]), (1, &Value::from(id.clone())));
    assert_eq!(listed[0]["user"], "ann");
    for field in ["state", "actions", "card", "created_at", "expires_at", "digest"] {
        assert!(!listed[0][field].is_null(), "{field} is missing: {listed:#?}");
    }
    let shown = program.run(&["pending", "show", &id]);
    assert!(shown.stdout.contains("bob.miller@example.com") && shown.code == 0, "{shown:?}");
    let prefix = &listed[0]["digest"].as_str().unwrap()[..12];

    for args in [
        &["pending", "approve", &id] as &[&str],
        &["pending", "approve", &id, "000000000000"],
        &["pending", "show", "nothing"],
        &["pending", "cancel", "nothing"],
    ] {
        let ended = program.run(args);
        assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{args:?}: {ended:?}");
        assert!(!ended.stderr.is_empty());
    }
    assert_eq!(mail.mails().len(), 0);
    let approved = program.run(&["pending", "approve", &id, prefix]);
    assert_eq!((approved.code, mail.mails().len()), (0, 1), "{approved:?}");
    // The owner is told, and a late press hears the result.
    let late = owner.press(&button(&card, "approve"));
    assert_eq!(did(&late), ["email.send_email succeeded"]);
    assert!(text_of(&late).contains("admin"), "{late:#?}");

    let card = owner.say(SEND);
    let cancelled = program.run(&["pending", "cancel", &pending_id(&card)]);
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    let late = owner.press(&button(&card, "approve"));
    assert_eq!(did(&late), ["email.send_email denied"]);
    assert_eq!(mail.mails().len(), 1);
}

#[test]
fn a_second_console_and_ask_speak_through_the_first() {
    let program = Program::new();
    let mut owner = program.console(&["--user", "ann"]);
    owner.say("hi");
    let mut second = program.console(&["--user", "ben"]);
    let made = second.say("remind me to buy milk in 3 days");
    assert_eq!(outcomes_of(&made)[0]["status"], "succeeded", "{made:#?}");
    assert_eq!(done_of(&second.send_raw("nonsense"))["path"], "error");
    assert_eq!(done_of(&second.send_raw(""))["path"], "error");
    let asked = program.run(&["ask", "--user", "ben", "show my tasks"]);
    assert!(asked.code == 0 && asked.stdout.contains("Buy milk"), "{asked:?}");
    assert_eq!(program.run(&["ask", SEND]).code, 3);
    assert!(!text_of(&owner.say("show my tasks")).contains("milk"));
    assert_eq!(second.finish().code, 0);
    assert_eq!(done_of(&owner.say("hi"))["path"], "chat");
    assert_eq!(owner.finish().code, 0);
    assert!(!program.data_dir().join("control.sock").exists());
}

#[test]
fn only_the_owner_may_approve_unless_the_configuration_says_so() {
    let mail = SmtpServer::start(Mode::Accept);
    let program = Program::new().smtp(&mail);
    assert_eq!(program.run(&["ask", SEND]).code, 3);
    let card = program.run(&["pending", "list", "--json"]).json_lines().remove(0);
    let (id, digest) = (card["id"].as_str().unwrap(), card["digest"].as_str().unwrap());
    let ended = program.run(&["pending", "approve", id, &digest[..12]]);
    assert_eq!((ended.code, mail.mails().len()), (1, 0), "{ended:?}");
    assert!(ended.stderr.contains("BRAIN_ADMIN_MAY_APPROVE"), "{ended:?}");
}

#[test]
fn a_terminated_console_leaves_cleanly() {
    let program = Program::new();
    let mut first = console(&program);
    first.say("remind me to call mom tomorrow at 5pm");
    let ended = first.terminate();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!program.data_dir().join("control.sock").exists());
    assert!(text_of(&console(&program).say("show my tasks")).contains("Call mom"));
}

#[test]
fn an_export_of_somebody_unknown_is_no_export() {
    let program = Program::new();
    assert_eq!(program.run(&["ask", "remind me to buy milk tomorrow at 5pm"]).code, 0);
    let known = program.run(&["export", "--json"]);
    assert!(known.code == 0 && known.stdout.contains("Buy milk"), "{known:?}");
    let typo = program.run(&["export", "--user", "mee"]);
    assert!(typo.code == 1 && typo.stdout.is_empty() && typo.stderr.contains("anybody called mee"), "{typo:?}");
    assert_eq!(std::fs::read_dir(program.cwd()).unwrap().count(), 0, "no archive of nobody either");
}

#[cfg(feature = "failpoints")]
#[test]
fn a_turn_that_breaks_is_told_in_one_line_and_the_terminal_goes_on() {
    const REMIND: &str = "remind me to call mom tomorrow at 5pm";
    let technical =
        |text: &str| ["panicked", "src/", "thread", "RUST_BACKTRACE"].iter().any(|word| text.contains(word));
    let broken =
        |program: &Program| program.clone().env("RUST_LOG", "warn").fail_at("plan-before").env("FAIL_AS", "panic");
    let program = Program::new();
    let mut lines = console(&broken(&program));
    let told = lines.say(REMIND);
    assert_eq!(done_of(&told)["path"], "error", "{told:#?}");
    assert!(text_of(&told).contains("went wrong inside me"), "{told:#?}");
    assert_eq!(done_of(&lines.say("hi"))["path"], "chat", "it goes on");
    drop(lines);

    let terminal = broken(&program).run_with_stdin(&["console"], &format!("{REMIND}\nshow my tasks\n"));
    assert_eq!(terminal.code, 0, "{terminal:?}");
    assert_eq!(terminal.stdout.matches("went wrong inside me").count(), 1, "{terminal:?}");
    assert!(terminal.stdout.contains("no open tasks") || terminal.stdout.contains("Nothing"), "{terminal:?}");
    let asked = broken(&program).run(&["ask", REMIND]);
    assert!(asked.code == 1 && asked.stdout.contains("went wrong inside me"), "{asked:?}");
    for ended in [&terminal, &asked] {
        assert!(!technical(&ended.stdout) && ended.stderr.is_empty(), "{ended:?}");
    }
    let log = std::fs::read_to_string(program.data_dir().join("brain-agent.log")).unwrap();
    assert_eq!(log.matches("failpoint.rs").count(), 2, "{log}");
    assert!(!log.contains("call mom"), "{log}");
}

#[test]
fn connections_that_say_nothing_keep_nobody_out() {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixStream;
    let program = Program::new();
    let mut owner = program.console(&["--user", "ann"]);
    owner.say("hi");
    let socket = program.data_dir().join("control.sock");
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let silent: Vec<UnixStream> = (0..40).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    assert_eq!(program.run(&["pending", "list"]).code, 0);
    // Nor do consoles in which nobody says anything.
    let consoles = (0..40).map(|number| {
        let mut console = UnixStream::connect(&socket).unwrap();
        writeln!(console, "{{\"console\":\"user{number}\"}}").unwrap();
        console
    });
    let consoles: Vec<UnixStream> = consoles.collect();
    assert_eq!(program.run(&["pending", "list"]).code, 0);
    let mut talking = program.console(&["--user", "ben"]);
    assert_eq!(done_of(&talking.say("hi"))["path"], "chat");
    drop((silent, consoles));
    assert_eq!(owner.finish().code, 0);
}

#[test]
fn a_data_folder_that_others_may_enter_is_warned_of() {
    use std::os::unix::fs::PermissionsExt as _;
    let program = Program::new();
    assert!(!program.console(&[]).finish().stderr.contains("chmod"));
    std::fs::set_permissions(program.data_dir(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let ended = program.console(&[]).finish();
    assert!(ended.code == 0 && ended.stderr.contains("chmod 700"), "{ended:?}");
}

#[test]
fn nobody_at_a_console_is_somebody_on_telegram() {
    use std::io::{BufRead as _, Write as _};
    use std::os::unix::net::UnixStream;
    let program = Program::new();
    for args in [
        &["ask", "hello", "--user", "tg:1"] as &[&str],
        &["console", "--json", "--user", "tg:1"],
        &["ask", "hello", "--user", "TG:1"],
        &["ask", "hello", "--user", "m\u{200b}e"],
    ] {
        let ended = program.run(args);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{args:?}: {ended:?}");
        assert!(ended.stderr.contains("--user") && ended.stderr.contains("terminal"), "{args:?}: {ended:?}");
    }
    assert!(!program.data_dir().exists(), "nothing was opened for them");
    let mut owner = program.console(&["--user", "ann"]);
    let card = owner.say(SEND);
    let refused = owner.send(serde_json::json!({"press": button(&card, "approve"), "user": "tg:11"}));
    assert!(super::super::support::program::errors_of(&refused)[0]["error"].as_str().unwrap().contains("on Telegram"));
    let said = owner.say_as("tg:11", "yes");
    assert_eq!((done_of(&said)["path"].as_str(), done_of(&said)["user"].as_str()), (Some("error"), Some("ann")));
    // Nor by the socket itself.
    let mut socket = UnixStream::connect(program.data_dir().join("control.sock")).unwrap();
    writeln!(socket, "{{\"console\":\"tg:11\"}}\n{{\"text\":\"yes\"}}").unwrap();
    let lines: Vec<String> = std::io::BufReader::new(socket).lines().map_while(Result::ok).collect();
    assert!(lines.len() == 2 && lines[0].contains("on Telegram") && lines[1].contains("\"done\""), "{lines:?}");
    assert_eq!(program.open_cards().len(), 1);
}

#[test]
fn what_a_command_of_ours_has_started_finds_no_way_back_and_decides_nothing() {
    let mail = SmtpServer::start(Mode::Accept);
    let folder = tempfile::TempDir::new().unwrap();
    let (file, script) = (folder.path().join("commands.toml"), folder.path().join("script.sh"));
    let program = Program::new().smtp(&mail).env("BRAIN_COMMANDS", file.to_str().unwrap());
    let (data, binary) = (program.data_dir().display().to_string(), env!("CARGO_BIN_EXE_brain-agent"));
    std::fs::write(
        &script,
        format!(
            "pwd; env\nexport BRAIN_DATA_DIR={data}\n{binary} ask yes\n{binary} console --json </dev/null\n\
             id=$({binary} pending list | cut -d' ' -f1)\n{binary} pending cancel $id 2>&1\necho end\n"
        ),
    )
    .unwrap();
    let service = "[[service]]\nname = \"box\"\nabout = \"a box\"\n[[service.command]]\nname = \"run\"\ndoes = \"run it\"\n\
                   stakes = \"low\"\n";
    std::fs::write(&file, format!("{service}program = [\"/bin/sh\", \"{}\"]\n", script.display())).unwrap();
    let mut owner = program.console(&[]);
    owner.say(SEND);
    let told = text_of(&owner.say("use box: run"));
    assert!(told.contains("end") && told.contains("decides nothing"), "{told}");
    let before = told.split("Brain Agent itself").next().unwrap();
    assert!(before.contains("│ /\n") && !before.contains(&data) && !before.contains("BRAIN_"), "{told}");
    assert_eq!((program.open_cards().len(), mail.mails().len()), (1, 0));
}
