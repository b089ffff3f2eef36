//! Services that the operator describes in a file, with the real program: an HTTP API and programs of this machine, from
//! a message over a card to what was asked of them, and what values and answers cannot make of that.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use brain_agent::core::outcome::Status;
use brain_agent::custom_commands::read_services;
use brain_agent::services::Holder;
use brain_agent::services::custom_commands;
use serde_json::{Value, json};

use crate::rig::{Rig, Setup, action};
use crate::support::program::{Lines, Program, button, buttons_of, did, outcomes_of, text_of};
use crate::support::web_api::{FORGED, HUGE, WebApi};

/// Of the API at `URL`, with a key that nobody sees.
const HOME: &str = r#"
[[service]]
name = "home"
about = "lights, temperatures and labels at home"
url = "URL/api"
headers = { Authorization = "Bearer ${HOME_TOKEN}" }

[[service.command]]
name = "temperature"
does = "look up how warm a room is"
example = "how warm is the hall?"
stakes = "low"
params = [{ name = "room", about = "which room", max = 40 }, { name = "unit", one_of = ["celsius", "kelvin"], required = false }]
http = { path = "/rooms/{room}", query = { unit = "{unit}", exact = true } }
show = "/celsius"

[[service.command]]
name = "lamp"
does = "set a lamp"
params = [
  { name = "room", max = 40 },
  { name = "level", type = "whole", min = 0, max = 100 },
  { name = "note", required = false },
]
http = { method = "POST", path = "/rooms/{room}/lamp", json = { level = "{level}", note = "{note}", by = "brain" } }

[[service.command]]
name = "say"
does = "say something aloud"
stakes = "low"
params = [{ name = "text" }]
http = { method = "PUT", path = "/say", form = { text = "{text}" } }
"#;

/// A folder with a file of services, and a program that is started with it.
struct Told {
    folder: tempfile::TempDir,
    program: Program,
}

impl Told {
    fn of(text: &str) -> Self {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("commands.toml");
        let program = Program::new().env("BRAIN_COMMANDS", file.to_str().unwrap()).env("HOME_TOKEN", "geheim");
        let told = Self { folder, program };
        told.says(text);
        told
    }

    fn says(&self, text: &str) {
        std::fs::write(self.path("commands.toml"), text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What is wrong with the file.
    fn refused(&self) -> String {
        let ended = self.program.run(&["ask", "hello"]);
        assert_ne!(ended.code, 0, "{ended:?}");
        ended.stderr
    }
}

fn home(api: &WebApi) -> String {
    HOME.replace("URL", &api.url())
}

/// A command of the same API that has its path for a name.
fn command(name: &str, more: &str) -> String {
    format!("[[service.command]]\nname = \"{name}\"\ndoes = \"do the {name} thing\"\n{more}\n")
}

/// A service of one shell script with these arguments, in TOML, and with more lines.
fn script(told: &Path, text: &str, args: &str, more: &str) -> String {
    let file = told.join("script.sh");
    std::fs::write(&file, text).unwrap();
    let head = "[[service]]\nname = \"box\"\nabout = \"a box with a script\"\nenv = { ITS_OWN = \"${HOME_TOKEN}\" }\n";
    let program = format!("program = [\"/bin/sh\", \"{}\"{args}]", file.display());
    format!("{head}{}", command("run", &format!("{program}\n{more}")))
}

fn one_of(lines: &Lines) -> (String, String) {
    let outcome = outcomes_of(lines).into_iter().next().unwrap_or_else(|| panic!("{}", text_of(lines)));
    (outcome["status"].as_str().unwrap().to_owned(), text_of(lines))
}

#[test]
fn a_look_is_answered_at_once_and_a_change_waits_for_a_yes_to_exactly_its_values() {
    let api = WebApi::start();
    let told = Told::of(&home(&api));
    let mut console = told.program.console(&[]);
    let help = text_of(&console.say("/help home"));
    assert!(help.contains("\nHome\n• Use Home: lamp\n") && help.contains("\n• how warm is the hall?"), "{help}");
    let looked = console.say("use home: temperature room=the hall unit=kelvin");
    assert_eq!(did(&looked), ["home.temperature succeeded"], "{}", text_of(&looked));
    assert!(text_of(&looked).contains("│ 21.5"), "{}", text_of(&looked));
    assert_eq!(did(&console.say("use home: temperature attic")), ["home.temperature succeeded"]);
    let lines = ["GET /api/rooms/the%20hall?exact=true&unit=kelvin", "GET /api/rooms/attic?exact=true"];
    assert_eq!(api.lines(), lines);

    let card = console.say("use home: lamp room=hall level=40");
    assert_eq!(did(&card), ["home.lamp pending"], "{}", text_of(&card));
    let shown = text_of(&card);
    for part in ["Home: lamp?", "“Set a lamp”", "Room: “hall”", "Level: “40”"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert_eq!(api.asked().len(), 2, "nothing goes out before the yes");
    assert_eq!(did(&console.press(&button(&card, "approve"))), ["home.lamp succeeded"]);
    let asked = api.asked().pop().unwrap();
    assert_eq!(asked.line, "POST /api/rooms/hall/lamp");
    assert_eq!(serde_json::from_str::<Value>(&asked.body).unwrap(), json!({"level": 40, "by": "brain"}));
    assert_eq!(asked.headers["authorization"], "Bearer geheim");
    assert!(!shown.contains("geheim"));

    // Low stakes, as the file says: done at once, with a receipt.
    let said = console.say("use home: say text=Dinner & more");
    assert_eq!(did(&said), ["home.say succeeded"]);
    assert!(text_of(&said).contains("Home did say"), "{}", text_of(&said));
    assert_eq!(api.asked().pop().unwrap().body, "text=Dinner+%26+more");
    assert_eq!(did(&console.say("no")), Vec::<String>::new(), "nothing waits any more");
}

#[test]
fn what_may_have_been_done_is_unknown_and_never_tried_again() {
    let api = WebApi::start();
    let post = |name: &str| {
        let http = format!("http = {{ method = \"POST\", path = \"/{name}\" }}");
        command(name, &format!("stakes = \"low\"\ntimeout = 1\n{http}"))
    };
    let get = command("slow-look", "stakes = \"low\"\ntimeout = 1\nhttp = { path = \"/slow\" }");
    let all: String = ["slow", "broken", "refused", "moved"].map(post).concat() + &get;
    let told = Told::of(&(home(&api) + &all));
    let mut console = told.program.console(&[]);
    for (name, status, says) in [
        ("slow", "unknown", "it did not answer within 1 seconds"),
        ("broken", "unknown", "500 Internal Server Error: the disk is full"),
        ("moved", "unknown", "302 Found, which is not followed"),
        ("refused", "failed", "Home did not take it, and nothing was done: “422 Unprocessable Entity: no such thing”."),
        ("slow-look", "failed", "Home gave no answer"),
    ] {
        let (found, said) = one_of(&console.say(&format!("use home: {name}")));
        assert_eq!(found, status, "{name}: {said}");
        assert!(said.contains(says), "{name}: {said}");
    }
    console.finish();
    told.program.console(&[]).finish();
    let lines = ["POST /api/slow", "POST /api/broken", "POST /api/moved", "POST /api/refused", "GET /api/slow"];
    assert_eq!(api.lines(), lines, "each once, and no redirect is followed");
}

#[test]
fn no_value_becomes_another_path_query_field_or_header() {
    let api = WebApi::start();
    let told = Told::of(&home(&api));
    let mut console = told.program.console(&[]);
    for room in ["../admin", "..", ".", "hall/lamp", "..\\admin", "hall\r\nX-Other: 1", "a/../../b"] {
        let lines = console.say(&format!("use home: temperature {}", json!({ "room": room })));
        assert!(!did(&lines).iter().any(|did| did.ends_with("succeeded")), "{room}: {}", text_of(&lines));
        assert!(text_of(&lines).contains("passed nothing on"), "{room}: {}", text_of(&lines));
    }
    assert_eq!(api.lines(), Vec::<String>::new());
    for (room, path) in
        [("%2e%2e%2fadmin", "%252e%252e%252fadmin"), ("x?y=1#z", "x%3Fy%3D1%23z"), ("a;b&c", "a%3Bb%26c")]
    {
        assert_eq!(did(&console.say(&format!("use home: temperature room={room}"))), ["home.temperature succeeded"]);
        assert_eq!(api.lines().pop().unwrap(), format!("GET /api/rooms/{path}?exact=true"));
    }
    let note = "x\", \"level\": 100, \"admin\": true, \"y\": \"\r\nX-Other: 1 {level} ${HOME_TOKEN}";
    let card = console.say(&format!("use home: lamp {}", json!({"room": "hall", "level": 1, "note": note})));
    assert_eq!(did(&card), ["home.lamp pending"]);
    assert_eq!(did(&console.press(&button(&card, "approve"))), ["home.lamp succeeded"]);
    let asked = api.asked().pop().unwrap();
    let body = json!({"level": 1, "note": note, "by": "brain"});
    assert_eq!(serde_json::from_str::<Value>(&asked.body).unwrap(), body);
    assert!(!asked.headers.contains_key("x-other"));
    // What is none of its values is none of it.
    for wrong in [json!({"room": "hall", "level": 101}), json!({"room": "hall", "level": 1, "admin": true})] {
        let lines = console.say(&format!("use home: lamp {wrong}"));
        assert!(!did(&lines).iter().any(|did| did.ends_with("pending")), "{}", text_of(&lines));
    }
}

#[test]
fn a_program_gets_each_value_as_one_argument_and_no_shell_reads_it() {
    let folder = tempfile::TempDir::new().unwrap();
    let (log, gone) = (folder.path().join("log"), folder.path().join("gone"));
    std::fs::write(&gone, "here").unwrap();
    let text = format!(
        "for arg in \"$@\"; do printf '<%s>\\n' \"$arg\" >> '{}'; done; cat; env | grep -e OWN -e PATH -e KEY -e BRAIN -e TOKEN",
        log.display()
    );
    let args = ", \"{text}\", \"--room={room}\", \"-n{count}\"";
    let params = "params = [{ name = \"text\" }, { name = \"room\", required = false }, \
                  { name = \"count\", type = \"whole\", required = false }]\nstdin = \"in: {text}\"";
    let told = Told::of(&script(folder.path(), &text, args, params));
    let mut console = told.program.clone().env("OTHER_API_KEY", "kanari").console(&[]);
    let evil = format!("; rm {} $(rm {}) `rm {}` | x > y {{room}}", gone.display(), gone.display(), gone.display());
    let card = console.say(&format!("use box: run {}", json!({"text": evil, "room": "--force", "count": 2})));
    assert_eq!(did(&card), ["box.run pending"], "{}", text_of(&card));
    assert!(!log.exists(), "nothing runs before the yes");
    let ran = console.press(&button(&card, "approve"));
    assert_eq!(did(&ran), ["box.run succeeded"], "{}", text_of(&ran));
    let logged = std::fs::read_to_string(&log).unwrap();
    assert_eq!(logged, format!("<{evil}>\n<--room=--force>\n<-n2>\n"));
    assert!(gone.exists());
    let told_of = text_of(&ran);
    assert!(
        told_of.contains("│ in: ; rm") && told_of.contains("ITS_OWN=geheim") && told_of.contains("PATH="),
        "{told_of}"
    );
    for secret in ["OTHER_API_KEY", "BRAIN_", "HOME_TOKEN"] {
        assert!(!told_of.contains(secret), "{told_of}");
    }
    let option = console.say("use box: run text=--delete-all");
    assert!(!did(&option).iter().any(|did| did.ends_with("pending")), "{}", text_of(&option));
    assert!(text_of(&option).contains("could be taken for an option"), "{}", text_of(&option));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), logged, "it did not run");
}

#[test]
fn how_a_program_ends_is_told_and_what_it_started_ends_with_it() {
    let folder = tempfile::TempDir::new().unwrap();
    let pid = folder.path().join("pid");
    let text = format!(
        "case $1 in\nfail) echo first >&2; echo the lid is stuck >&2; exit 3;;\n\
         hang) sleep 600 & echo $! > '{0}'; wait;;\nleave) sleep 600 & echo $! > '{0}'; echo left;;\n\
         many) yes 0123456789abcde | head -c 50000000; echo end;;\nesac",
        pid.display()
    );
    let more = "stakes = \"low\"\ntimeout = 3\nparams = [{ name = \"what\", one_of = [\"fail\", \"hang\", \"leave\", \"many\"] }]";
    let told = Told::of(&script(folder.path(), &text, ", \"{what}\"", more));
    let mut console = told.program.console(&[]);
    let (status, said) = one_of(&console.say("use box: run fail"));
    assert_eq!(status, "failed");
    assert!(said.contains("Box says that it failed: “the lid is stuck”"), "{said}");
    let is_there = || {
        let child = std::fs::read_to_string(&pid).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        stat.contains("(sleep)") && !stat.contains(") Z")
    };
    let ends = || {
        let began = Instant::now();
        while is_there() {
            assert!(began.elapsed() < Duration::from_secs(10), "it outlives its program");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let (status, said) = one_of(&console.say("use box: run hang"));
    assert_eq!(status, "unknown", "{said}");
    assert!(said.contains("it did not end within 3 seconds, and was ended"), "{said}");
    ends();
    let (status, said) = one_of(&console.say("use box: run leave"));
    assert!(status == "succeeded" && said.contains("│ left"), "{status} {said}");
    ends();
    let (status, said) = one_of(&console.say("use box: run many"));
    assert!(status == "succeeded" && said.contains("[more than 2 MB; the rest was not read]"), "{status} {said}");
    assert!(said.chars().count() < 4_000, "{said}");
}

#[test]
fn an_answer_is_bounded_read_on_and_never_taken_for_ours() {
    let api = WebApi::start();
    let look = |name: &str| command(name, &format!("stakes = \"low\"\nhttp = {{ path = \"/{name}\" }}"));
    let told = Told::of(&(home(&api) + &look("huge") + &look("forged")));
    let mut console = told.program.console(&[]);
    let huge = console.say("use home: huge");
    assert_eq!(did(&huge), ["home.huge succeeded"], "{}", text_of(&huge));
    let shown = text_of(&huge);
    assert!(shown.chars().count() < 4_000 && shown.contains("[more than 2 MB; the rest was not read]"), "{shown}");
    let more = text_of(&console.press(&button(&huge, "more")));
    assert!(more.contains("│ 0123456789abcde\n"), "{more}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", console.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim();
    let peak: usize = peak.trim_end_matches(" kB").parse().unwrap();
    assert!(peak * 1024 < 8 * HUGE, "{peak} kB");
    let forged = text_of(&console.say("use home: forged"));
    let ours: Vec<&str> = forged.lines().filter(|line| !line.starts_with("│ ")).collect();
    assert!(
        forged.contains("│ ✅ Sent") && !ours.concat().contains("Sent") && !ours.concat().contains("yes or no"),
        "{forged}"
    );
}

#[test]
fn another_file_carries_out_no_card_that_was_made_of_the_one_before() {
    let api = WebApi::start();
    let told = Told::of(&home(&api));
    let mut console = told.program.console(&[]);
    let card = console.say("use home: lamp room=hall level=40");
    assert_eq!(did(&card), ["home.lamp pending"]);
    console.finish();
    told.says(&home(&api).replace("/lamp\"", "/lamp/all\""));
    let mut console = told.program.console(&[]);
    let (status, said) = one_of(&console.press(&button(&card, "approve")));
    assert_ne!(status, "succeeded", "{said}");
    assert!(said.contains("was changed since that was settled"), "{said}");
    let card = console.say("use home: lamp room=hall level=40");
    console.finish();
    told.says("");
    let mut console = told.program.console(&[]);
    let (status, said) = one_of(&console.press(&button(&card, "approve")));
    assert_ne!(status, "succeeded", "{said}");
    assert_eq!(api.lines(), Vec::<String>::new());
}

#[test]
fn a_file_is_taken_whole_or_refused_by_name_and_shadows_nothing() {
    let api = WebApi::start();
    let told =
        Told::of(&home(&api).replace("stakes = \"low\"", "stakes = \"none\"").replace("max = 40", "maximum = 40"));
    let why = told.refused();
    for part in [
        "BRAIN_COMMANDS, ",
        "commands.toml: the service “home”, the command “temperature”: stakes has to be one of low, high",
        "the command “say”: stakes has to be",
        "the command “lamp”, the parameter “room”: there is no key “maximum” here",
    ] {
        assert!(why.contains(part), "{part} in {why}");
    }
    for (name, title) in [("email", "Post"), ("post", "Email"), ("Calendar", "Days"), ("mcp:files", "Files")] {
        told.says(&home(&api).replace("name = \"home\"", &format!("name = \"{name}\"\ntitle = \"{title}\"")));
        let why = told.refused();
        assert!(why.contains("BRAIN_COMMANDS"), "{name} {title}: {why}");
        assert!(why.contains("choose another name and title") || why.contains("name has to be"), "{why}");
    }
    told.says(&home(&api).replace("${HOME_TOKEN}", "${NOT_SET}"));
    assert!(told.refused().contains("headers: the variable NOT_SET is not set"));
    told.says(&"#".repeat(2_000_000));
    assert!(told.refused().contains("it has more than"));
    std::fs::remove_file(told.path("commands.toml")).unwrap();
    assert!(told.refused().contains("BRAIN_COMMANDS"));
}

#[test]
fn a_folder_starts_no_program_and_lends_no_key_of_the_environment() {
    let api = WebApi::start();
    let described = script(tempfile::TempDir::new().unwrap().path(), "", "", "");
    let told = Told::of(&described.replace("${HOME_TOKEN}", "1"));
    let file = told.path("commands.toml");
    // Nothing but the folder says whose data it is.
    let found = Program::new().without_env("BRAIN_DATA_DIR").env("HOME_TOKEN", "geheim");
    std::fs::write(found.cwd().join(".env"), format!("BRAIN_COMMANDS={}\n", file.display())).unwrap();
    let refused = found.run(&["ask", "hello"]);
    assert!(
        refused.stderr.contains("the service “box”, the command “run” would start a program, and nobody but the .env"),
        "{refused:?}"
    );
    told.says(&home(&api));
    let refused = found.run(&["ask", "hello"]);
    assert!(refused.stderr.contains("the variable HOME_TOKEN is not set"), "{refused:?}");
    told.says(&home(&api).replace("Bearer ${HOME_TOKEN}", "${BRAIN_TIMEZONE}"));
    let values = format!("BRAIN_COMMANDS={}\nBRAIN_TIMEZONE=Europe/Berlin\n", file.display());
    std::fs::write(found.cwd().join(".env"), values).unwrap();
    let mut console = found.console(&[]);
    assert_eq!(did(&console.say("use home: temperature hall")), ["home.temperature succeeded"]);
    assert_eq!(api.asked()[0].headers["authorization"], "Europe/Berlin");
}

#[test]
fn what_others_may_write_gets_no_variable_no_header_and_no_program() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    let api = WebApi::start();
    let told = Told::of(&home(&api));
    let file = told.path("commands.toml");
    let allow = |folder: u32, mode: u32| {
        set_permissions(told.folder.path(), Permissions::from_mode(folder)).unwrap();
        set_permissions(&file, Permissions::from_mode(mode)).unwrap();
    };
    let fixed = home(&api).replace("Bearer ${HOME_TOKEN}", "Bearer fixed");
    let plain = home(&api).replace("headers = {", "# {");
    let plain = plain.replace("${HOME_TOKEN}", "…");
    let program = script(told.folder.path(), "", "", "").replace("${HOME_TOKEN}", "1");
    for (folder, mode, why) in [
        (0o700, 0o666, "may be written by others"),
        (0o700, 0o620, "may be written by others"),
        (0o777, 0o600, "lies in a folder that others may write"),
    ] {
        for (text, what) in [
            (&home(&api), "it names variables"),
            (&fixed, "the service “home” has headers or a secret"),
            (&program, "the service “box”, the command “run” would start a program"),
        ] {
            allow(0o700, 0o600);
            told.says(text);
            allow(folder, mode);
            let refused = told.refused();
            assert!(refused.contains(what) && refused.contains(why), "{folder:o} {mode:o} {what}: {refused}");
        }
        told.says(&plain);
        assert_eq!(told.program.run(&["ask", "hello"]).code, 0, "addresses alone are read");
    }
    told.says(&home(&api));
    for folder in [0o700, 0o755, 0o1777] {
        allow(folder, 0o644);
        assert_eq!(told.program.run(&["ask", "hello"]).code, 0, "{folder:o}");
    }
}

#[test]
fn a_text_runs_nowhere_and_adds_nothing_to_a_body() {
    let api = WebApi::start();
    let head = "[[service]]\nname = \"box\"\nabout = \"a box\"\n";
    let run = |program: &str| head.to_owned() + &command("run", &format!("params = [{{ name = \"a\" }}]\n{program}"));
    let told = Told::of("");
    for program in [
        r#"program = ["/bin/sh", "-ce", "{a}"]"#,
        "program = [\"/bin/sh\"]\nstdin = \"{a}\"",
        r#"program = ["/usr/bin/perl", "-e", "{a}"]"#,
        r#"program = ["/usr/bin/awk", "{a}"]"#,
        r#"program = ["/usr/bin/env", "-S", "{a}"]"#,
        r#"program = ["/usr/bin/nice", "busybox", "sh", "-c", "{a}"]"#,
        r#"program = ["/usr/bin/find", "/tmp", "-exec", "sh", "-c", "{a}", ";"]"#,
    ] {
        told.says(&run(program));
        let refused = told.refused();
        assert!(refused.contains("the service “box”, the command “run”: program: "), "{program}: {refused}");
        assert!(refused.contains("begins with “#!”"), "{program}: {refused}");
    }
    told.says(&run("program = [\"/bin/sh\", \"-c\", \"cat; echo \\\"<$1>\\\"\", \"sh\", \"{a}\"]\nstdin = \"{a}\"\nstakes = \"low\""));
    let mut console = told.program.console(&[]);
    let said = text_of(&console.say("use box: run a=\"$(id); ls\""));
    assert!(said.contains("$(id); ls<$(id); ls>"), "{said}");
    console.finish();
    let body = "params = [{ name = \"a\" }]\nstakes = \"low\"\n\
                http = { method = \"PUT\", path = \"/say\", body = '{{\"said\": \"{a}\"}}' }";
    told.says(&(home(&api) + &command("tell", body)));
    let mut console = told.program.console(&[]);
    console.say("use home: tell a='x\",\"admin\":true,\"y\":\"'");
    let sent: Value = serde_json::from_str(&api.asked()[0].body).unwrap();
    assert!(sent.as_object().unwrap().len() == 1 && sent["said"].as_str().unwrap().contains("admin"), "{sent}");
}

#[test]
fn a_service_is_its_persons() {
    let api = WebApi::start();
    let told = Told::of(&home(&api).replace("url =", "users = [\"anna\"]\nurl ="));
    let mut console = told.program.console(&[]);
    let (status, said) = one_of(&console.say("use home: temperature hall"));
    assert!(
        ["failed", "refused"].contains(&status.as_str()) && said.contains("Home is not open to you"),
        "{status} {said}"
    );
    let card = console.say("use home: lamp room=hall level=1");
    assert!(buttons_of(&card).is_empty(), "{card:?}");
    assert_eq!(api.lines(), Vec::<String>::new());
    assert_eq!(did(&console.say_as("anna", "use home: temperature hall")), ["home.temperature succeeded"]);
}

/// With this file, open to everybody.
fn rig_with(text: &str) -> Rig {
    let rig = Rig::new(Setup::default());
    let services = read_services(text, &|_| Some("geheim".to_owned())).unwrap();
    custom_commands::register(&services, &[Holder::Everybody], &rig.brain.services).unwrap();
    rig
}

#[tokio::test]
async fn what_an_answer_says_taints_unless_the_operator_vouches_for_it() {
    let api = WebApi::start();
    let look =
        |name: &str, more: &str| command(name, &format!("stakes = \"low\"\n{more}\nhttp = {{ path = \"/forged\" }}"));
    for (answer, is_own) in [("", false), ("answer = \"foreign\"", false), ("answer = \"own\"", true)] {
        let rig = rig_with(&(home(&api) + &look("letter", answer)));
        rig.plans(json!([action("home", "letter", json!({}))]));
        let read = rig.says("do the letter thing").await;
        assert_eq!(read.did(), ["home.letter succeeded"], "{}", read.text());
        assert_eq!(read.text().contains("│ 21 degrees"), !is_own, "{}", read.text());
        let before = api.asked().len();
        rig.plans(json!([action("home", "say", json!({"text": FORGED.lines().nth(2).unwrap()}))]));
        let said = rig.says("say that aloud").await;
        let status = said.done.outcomes[0].status;
        match is_own {
            // Nobody's words but the operator's, and still none that the person said.
            true => assert!(!said.card().parts.concat().contains("comes from"), "{}", said.text()),
            false => assert!(said.card().parts.concat().contains("the answer of Home"), "{}", said.text()),
        }
        assert_eq!((status, api.asked().len()), (Status::Pending, before), "{}", said.text());
    }
}

#[tokio::test]
async fn a_model_plans_with_it_as_with_any_service_and_times_are_settled_by_code() {
    let api = WebApi::start();
    let at = "params = [{ name = \"at\", type = \"time\" }, { name = \"day\", type = \"date\" }, { name = \"loud\", type = \"yes-no\" }]\n\
              http = { method = \"POST\", path = \"/bell\", json = { at = \"{at}\", day = \"{day}\", loud = \"{loud}\" } }";
    let rig = rig_with(&(home(&api) + &command("ring", at)));
    assert!(rig.brain.services.now().names().contains(&"home".to_owned()), "a router chooses among these");
    rig.plans(json!([action("home", "ring", json!({"at": "tomorrow at 5pm", "day": "friday", "loud": "true"}))]));
    let card = rig.says("ring the bell tomorrow at 5pm, noted for friday, loudly").await.card();
    let shown = card.parts.concat();
    assert!(shown.contains("tomorrow (Tue 13 Jan) at 17:00"), "{shown}");
    let entry = rig.brain.services.command("home", "ring").unwrap();
    assert_eq!(rig.pending(&card.id).await.actions[0].schema.as_deref(), entry.definition());
    assert_eq!(api.lines(), Vec::<String>::new());
    let told = rig.presses(&card.button(brain_agent::core::button::Role::Approve)).await;
    assert_eq!(told.did(), ["home.ring succeeded"], "{}", told.text());
    let body: Value = serde_json::from_str(&api.asked()[0].body).unwrap();
    assert_eq!(body, json!({"at": "2026-01-13T17:00:00+00:00", "day": "2026-01-16", "loud": true}));
}
