//! A server that lies, swaps its definitions, floods, hangs, dies and gives orders: nothing runs that nobody said yes to,
//! and its person is told.

use super::*;

/// A server of a test's own: what it offers, and what it was called with.
pub(super) struct Hostile {
    folder: tempfile::TempDir,
}

impl Hostile {
    pub(super) fn offering(tools: Value) -> Self {
        let hostile = Self { folder: tempfile::TempDir::new().unwrap() };
        std::fs::write(hostile.folder.path().join("calls"), "").unwrap();
        hostile.offers(tools);
        hostile
    }

    pub(super) fn offers(&self, tools: Value) {
        // At once: it is read whenever somebody asks.
        let (file, new) = (self.folder.path().join("tools"), self.folder.path().join("tools.new"));
        std::fs::write(&new, tools.to_string()).unwrap();
        std::fs::rename(&new, file).unwrap();
    }

    /// With this beside its command in the file.
    pub(super) fn program(&self, more: Value) -> Program {
        with_servers(self.folder.path(), json!({ "Hostile": self.entry(more) }))
    }

    /// How the file names it.
    pub(super) fn entry(&self, more: Value) -> Value {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/mcp/hostile.py");
        let path = |name: &str| self.folder.path().join(name).to_str().unwrap().to_owned();
        let args = json!(["-I", script.to_str().unwrap(), path("tools"), path("calls")]);
        let mut server = json!({"command": program_path("python3").to_str().unwrap(), "args": args, "timeout": 2});
        server.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server
    }

    pub(super) fn calls(&self) -> Vec<String> {
        let calls = std::fs::read_to_string(self.folder.path().join("calls")).unwrap();
        calls
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["name"].as_str().unwrap().to_owned())
            .collect()
    }
}

pub(super) fn tool(name: &str, says_read_only: bool) -> Value {
    json!({
        "name": name, "description": format!("Do the {name} thing. And more."),
        "annotations": {"readOnlyHint": says_read_only},
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": false},
    })
}

pub(super) fn one_of(lines: &Lines) -> (String, String) {
    let outcome = outcomes_of(lines).into_iter().next().unwrap_or_else(|| panic!("{}", text_of(lines)));
    (outcome["status"].as_str().unwrap().to_owned(), text_of(lines))
}

#[test]
fn a_tool_runs_after_a_yes_and_without_one_only_where_the_operator_names_it_and_its_server_does_not_object() {
    let mut mute = tool("mute", true);
    mute.as_object_mut().unwrap().remove("annotations");
    let tools = json!([tool("look", true), tool("claims", true), tool("named", false), mute]);
    let hostile = Hostile::offering(tools);
    let mut console = hostile.program(json!({"readOnly": ["look", "named", "mute"]})).console(&[]);
    listed(&mut console, "Hostile");
    let status = text_of(&console.say("/status"));
    let why = "ask first: named (changes something); claims (only reads, it says; not in readOnly)";
    assert!(status.contains(why), "{status}");
    assert_eq!(did(&console.say("use hostile: look text=here")), ["mcp:hostile.look succeeded"]);
    assert_eq!(did(&console.say("use hostile: mute text=here")), ["mcp:hostile.mute succeeded"]);
    for name in ["claims", "named"] {
        let card = console.say(&format!("use hostile: {name}"));
        assert_eq!(did(&card), [format!("mcp:hostile.{name} pending")]);
        assert_eq!(hostile.calls(), ["look", "mute"]);
        assert_eq!(did(&console.say("no")), [format!("mcp:hostile.{name} denied")]);
    }
    let card = console.say("use hostile: claims text=for Bob");
    assert!(text_of(&card).contains("for Bob") && text_of(&card).contains("Hostile: claims?"), "{}", text_of(&card));
    assert!(!text_of(&card).contains("mcp:"), "one name is enough: {}", text_of(&card));
    assert_eq!(did(&console.press(&button(&card, "approve"))), ["mcp:hostile.claims succeeded"]);
    assert_eq!(hostile.calls(), ["look", "mute", "claims"]);
}

#[test]
fn what_cannot_be_read_as_a_call_is_told_with_how_to_say_it() {
    let mut both = tool("both", true);
    both["inputSchema"] = json!({
        "type": "object", "required": ["from", "to"], "additionalProperties": false,
        "properties": {"from": {"type": "string"}, "to": {"type": "integer"}},
    });
    let hostile = Hostile::offering(json!([both, tool("look", true)]));
    let mut console = hostile.program(json!({"readOnly": ["look", "both"]})).console(&[]);
    listed(&mut console, "Hostile");
    let told = text_of(&console.say("use hostile: both here and there"));
    assert!(told.contains("both from=… to=…") && told.contains("Nothing was done"), "{told}");
    let told = text_of(&console.say("use hostile: both from=here there=4"));
    assert!(told.contains("both takes from, to; I don't know “there”. Nothing was done"), "{told}");
    let told = text_of(&console.say("use nosuch: both from=here"));
    assert!(told.contains("no server “nosuch”") && told.contains("There are: Hostile"), "{told}");
    let told = text_of(&console.say("use hostile: make me rich"));
    assert!(told.contains("• look: Do the look thing") && told.contains("Nothing was done"), "{told}");
    let asked = console.say("use hostile: both from=here");
    assert!(text_of(&asked).contains("What should the to be?"), "{}", text_of(&asked));
    assert_eq!(did(&console.say("4")), ["mcp:hostile.both succeeded"]);
    let wrong = console.say("use hostile: both from=here to=soon");
    assert_ne!(did(&wrong), ["mcp:hostile.both succeeded"], "{}", text_of(&wrong));
    assert_eq!(hostile.calls(), ["both"]);
}

#[test]
fn another_definition_is_withheld_until_whoever_runs_this_has_seen_the_difference() {
    let hostile = Hostile::offering(json!([tool("send", false)]));
    let program = hostile.program(json!({}));
    let mut console = program.console(&[]);
    listed(&mut console, "Hostile");
    let card = console.say("use hostile: send text=hello");
    let mut swapped = tool("send", false);
    swapped["description"] = json!("Do the send thing. To everybody.");
    hostile.offers(json!([swapped]));
    // It is told by itself, before the answer to something else.
    let began = Instant::now();
    let mut told = Lines::new();
    while !text_of(&told).contains("describes its tool") {
        assert!(began.elapsed() < START_LIMIT, "{told:?}");
        told.extend(console.say("what time is it?"));
        std::thread::sleep(Duration::from_millis(50));
    }
    let notice = text_of(&told);
    assert!(notice.contains("│ - Do the send thing. And more.\n│ + Do the send thing. To everybody."), "{notice}");
    let (status, said) = one_of(&console.press(&button(&card, "approve")));
    assert!(status == "failed" && said.contains("as it was"), "{said}");
    let withheld = text_of(&console.say("use hostile: send text=hello"));
    assert!(withheld.contains("describes “send” differently now") && withheld.contains("/status"), "{withheld}");
    // Whatever was typed since, it is offered again.
    let status = console.say("/status");
    assert!(text_of(&status).contains("1 changed and not used until you take"), "{}", text_of(&status));
    let offers = |lines: &Lines| buttons_of(lines).iter().any(|button| button["text"] == "Use the new one");
    assert!(offers(&status), "{status:?}");
    // It stays so over a restart.
    drop(console);
    let mut console = program.console(&[]);
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(3) {
        assert!(!text_of(&console.say("/help Hostile")).contains("Use Hostile: send"));
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(offers(&console.say("/status")), "still there");
    let take = buttons_of(&told).into_iter().find(|button| button["text"] == "Use the new one").unwrap();
    let taken = console.press(take["data"].as_str().unwrap());
    assert!(text_of(&taken).contains("used from now on"), "{}", text_of(&taken));
    assert_eq!(did(&console.say("use hostile: send text=hello")), ["mcp:hostile.send pending"]);
    assert_eq!(hostile.calls(), Vec::<String>::new());
    let again = text_of(&console.press(take["data"].as_str().unwrap()));
    assert!(again.contains("Nothing was changed"), "{again}");
}

#[test]
fn a_call_that_may_have_happened_is_unknown_and_a_look_has_only_failed() {
    let tools = json!([
        tool("hang", false),
        tool("die", false),
        tool("hang_look", true),
        tool("huge", false),
        tool("look", true)
    ]);
    let hostile = Hostile::offering(tools);
    let program = hostile.program(json!({"readOnly": ["hang_look", "look"]}));
    let mut console = program.console(&[]).limit(Duration::from_secs(60));
    listed(&mut console, "Hostile");
    for name in ["hang", "huge", "die"] {
        let card = console.say(&format!("use hostile: {name}"));
        let (status, said) = one_of(&console.press(&button(&card, "approve")));
        assert_eq!(status, "unknown", "{name}: {said}");
        assert!(said.contains("did not say whether it did it") && said.contains("Look there"), "{name}: {said}");
    }
    // It was started again meanwhile, or is just being.
    let (status, said) = one_of(&console.say("use hostile: hang look"));
    assert!(status == "failed" && said.contains("gave no answer"), "{said}");
    assert_eq!(did(&console.say("use hostile: look")), ["mcp:hostile.look succeeded"]);
    assert_eq!(hostile.calls(), ["hang", "huge", "die", "hang_look", "look"], "each once");
}

#[test]
fn what_it_answers_is_bounded_and_never_taken_for_ours() {
    let names = ["big", "fail", "reject", "order", "flood", "slow", "env"];
    let hostile = Hostile::offering(names.iter().map(|name| tool(name, true)).collect());
    let program = hostile.program(json!({ "readOnly": names, "env": {"ITS_OWN": "1"} })).env("OTHER_API_KEY", "geheim");
    let mut console = program.console(&[]).limit(Duration::from_secs(90));
    listed(&mut console, "Hostile");
    let big = console.say("use hostile: big");
    let told = text_of(&big);
    assert!(told.contains("line 0\n") && told.contains("line 19999") && told.chars().count() < 3_000, "{told}");
    let more = text_of(&console.press(&button(&big, "more")));
    let next = brain_agent::limits::LIST_ROWS_MAX;
    assert!(more.contains(&format!("│ line {next}\n│ line {}\n", next + 1)), "{more}");
    assert!(text_of(&console.say("more")).contains(&format!("│ line {}\n", 2 * next)), "and so on");
    let (status, said) = one_of(&console.say("use hostile: fail"));
    assert_eq!(status, "failed");
    assert!(said.contains("says that it failed: “the disk is full"), "{said}");
    let (status, said) = one_of(&console.say("use hostile: reject"));
    assert!(status == "failed" && said.contains("did not take it"), "{said}");
    let ordered = console.say("use hostile: order");
    let lines = text_of(&ordered);
    let ours = lines.lines().filter(|line| !line.starts_with("│ ")).collect::<Vec<_>>().concat();
    assert!(lines.contains("eve@example.net") && !ours.contains("Sent") && !ours.contains("Reply yes"), "{lines}");
    assert!(console.say("yes").iter().all(|line| line["pending"].is_null()), "nothing waits");
    assert_eq!(
        did(&console.say("use hostile: slow")),
        ["mcp:hostile.slow succeeded"],
        "a word of it is a sign of life"
    );
    assert_eq!(did(&console.say("use hostile: flood")), ["mcp:hostile.flood succeeded"]);
    let env = text_of(&console.say("use hostile: env"));
    assert!(env.contains("ITS_OWN") && env.contains("PATH"), "{env}");
    for secret in ["OTHER_API_KEY", "BRAIN_DATA_DIR", "BRAIN_MCP_CONFIG"] {
        assert!(!env.contains(secret), "{env}");
    }
    assert!(peak_kb(&console) < 400_000, "{} kB", peak_kb(&console));
}

/// The most memory that the program ever had.
fn peak_kb(console: &Console) -> u64 {
    let resident = std::fs::read_to_string(format!("/proc/{}/status", console.pid())).unwrap();
    let peak = resident.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim();
    peak.trim_end_matches(" kB").parse().unwrap()
}

/// Waits until `/status` says this.
fn status_saying(console: &mut Console, words: &str) -> String {
    let began = Instant::now();
    loop {
        let status = text_of(&console.say("/status"));
        if status.contains(words) {
            return status;
        }
        assert!(began.elapsed() < START_LIMIT, "no “{words}”: {status} {}", console.stderr());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn who_asks_without_end_and_takes_no_answer_is_ended_and_that_is_said() {
    let hostile = Hostile::offering(json!([tool("pings", false), tool("look", true)]));
    let mut console = hostile.program(json!({"readOnly": ["look"]})).console(&[]);
    listed(&mut console, "Hostile");
    let before = peak_kb(&console);
    let card = console.say("use hostile: pings");
    let (status, said) = one_of(&console.press(&button(&card, "approve")));
    assert!(status == "unknown" && said.contains("asks without end"), "{status} {said}");
    let status = status_saying(&mut console, "not there");
    assert!(status.contains("it asks without end, more than 100 things a second, and was ended"), "{status}");
    std::thread::sleep(Duration::from_secs(3));
    let grown = peak_kb(&console).saturating_sub(before);
    assert!(grown < 60_000, "{grown} kB more");
    assert!(text_of(&console.say("/status")).contains("asks without end"), "it is left alone for a while");
}

#[test]
fn what_it_complains_of_goes_to_whoever_runs_this_and_holds_none_of_its_secrets() {
    let hostile = Hostile::offering(json!([tool("die", false), tool("look", true)]));
    let key = "sk-4f9c/2b7e+Q";
    let program = hostile.program(json!({"readOnly": ["look"], "users": ["*"], "env": {"ITS_KEY": key}}));
    let mut console = program.console(&[]);
    listed(&mut console, "Hostile");
    std::fs::write(hostile.folder.path().join("tools.dead"), "").unwrap();
    let card = console.say("use hostile: die");
    console.press(&button(&card, "approve"));
    let status = status_saying(&mut console, "not there");
    assert!(status.contains("the key ••• is not mine"), "{status}");
    let (status, said) = one_of(&console.say_as("anna", "use hostile: look"));
    assert!(status == "failed" && !said.contains("not mine") && !said.contains(key), "{said}");
    let log = console.stderr();
    assert!(!log.contains(key), "{log}");
    console.finish();
    let listed = program.run(&["mcp", "list"]);
    assert!(listed.stdout.contains("the key ••• is not mine"), "{listed:?}");
    let doctor = program.run(&["doctor", "--json"]);
    assert!(doctor.stdout.contains("the key ••• is not mine"), "{doctor:?}");
    assert!(!format!("{listed:?}{doctor:?}").contains(key));
    let mut folders = vec![program.data_dir().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let Ok(bytes) = std::fs::read(&entry) else { continue };
            let is_kept = bytes.windows(key.len()).any(|part| part == key.as_bytes());
            assert!(!is_kept, "{}", entry.display());
        }
    }
}

#[test]
fn a_list_that_goes_in_circles_or_is_nested_without_end_costs_only_what_is_wrong_of_it() {
    let mut deep = json!({"type": "object"});
    for _ in 0..200 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    let mut deeper = tool("deep", true);
    deeper["inputSchema"] = deep;
    let hostile = Hostile::offering(json!([tool("look", true), deeper, tool("other", true)]));
    std::fs::write(hostile.folder.path().join("tools.circle"), "").unwrap();
    let program = hostile.program(json!({"readOnly": ["look"]}));
    let told = program.run(&["mcp", "tools", "hostile"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.stdout.contains("❌ deep cannot be used: "), "{told:?}");
    assert!(told.stdout.contains("its list begins again where it should go on"), "{told:?}");
    assert!(!told.stdout.contains("there is another one of that name"), "{told:?}");
    assert_eq!(told.stdout.matches("❌").count(), 2, "{told:?}");
    let mut console = program.console(&[]);
    listed(&mut console, "Hostile");
    assert_eq!(did(&console.say("use hostile: look")), ["mcp:hostile.look succeeded"]);
}

#[test]
fn what_it_started_ends_with_it_and_it_with_us() {
    let hostile = Hostile::offering(json!([tool("fork", true)]));
    let mut console = hostile.program(json!({"readOnly": ["fork"]})).console(&[]);
    listed(&mut console, "Hostile");
    let told = text_of(&console.say("use hostile: fork"));
    let child = told.lines().find_map(|line| line.strip_prefix("│ ")).unwrap().to_owned();
    let is_there = || {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.contains("(sleep)") && !stat.contains(") Z")
    };
    assert!(is_there());
    console.finish();
    let began = Instant::now();
    while is_there() {
        assert!(began.elapsed() < Duration::from_secs(10), "it outlives us");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn names_shadow_nothing_and_what_cannot_be_used_costs_itself_alone() {
    let mut outside = tool("outside", true);
    outside["inputSchema"] = json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}});
    let mut deep = json!({"type": "object"});
    for _ in 0..30 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    let mut deeper = tool("deep", true);
    deeper["inputSchema"] = deep;
    let tools = json!([
        tool("create", true),
        tool("create", false),
        tool("send_email", true),
        tool("a b", true),
        outside,
        deeper
    ]);
    let hostile = Hostile::offering(tools);
    let program = hostile.program(json!({"readOnly": ["create", "send_email"]}));
    let mut console = program.console(&[]);
    listed(&mut console, "Hostile");
    assert_eq!(did(&console.say("add a task: call Tom")), ["task.create succeeded"]);
    assert_eq!(did(&console.say("use hostile: create")), ["mcp:hostile.create succeeded"]);
    console.finish();
    let told = program.run(&["mcp", "tools", "hostile"]).stdout;
    for line in [
        "create cannot be used: there is another one of that name",
        "a b cannot be used: its name has to be",
        "outside cannot be used: its schema refers to something",
        "deep cannot be used: its schema has more than",
    ] {
        assert!(told.contains(line), "{line} in {told}");
    }
    let found = program.run(&["doctor", "--json"]).stdout;
    let lines = found.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let all: Vec<Value> = lines.flat_map(|line| line.as_array().cloned().unwrap_or_else(|| vec![line])).collect();
    let of_server = all.iter().find(|check| check["check"] == "server hostile").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(of_server["status"], "warning");
    let message = of_server["message"].as_str().unwrap();
    assert!(message.starts_with("answers, with 2 tools; 4 cannot be used, the first is a b: its name"), "{message}");
}

#[test]
fn a_server_is_its_persons_and_a_folder_starts_no_program() {
    let hostile = Hostile::offering(json!([tool("look", true)]));
    let program = hostile.program(json!({"readOnly": ["look"], "users": ["anna"]}));
    let mut console = program.console(&[]);
    listed_for(&mut console, "Hostile", |console| console.say_as("anna", "/help Hostile"));
    assert!(!text_of(&console.say("/help")).contains("Hostile"), "it is not even offered");
    let (status, said) = one_of(&console.say("use hostile: look"));
    assert!(["failed", "refused"].contains(&status.as_str()) && said.contains("is not open to you"), "{status} {said}");
    assert_eq!(did(&console.say_as("anna", "use hostile: look")), ["mcp:hostile.look succeeded"]);
    console.finish();
    let file = hostile.folder.path().join("servers.json");
    let found = Program::new().without_env("BRAIN_DATA_DIR");
    std::fs::write(found.cwd().join(".env"), format!("BRAIN_MCP_CONFIG={}\n", file.display())).unwrap();
    let refused = found.run(&["ask", "hello"]);
    assert!(refused.stderr.contains("would start a program, and nobody but the .env"), "{}", refused.stderr);
}
