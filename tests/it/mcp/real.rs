//! Real servers: the reference ones of the protocol (npm) and one by its library for Python, and the protocol's own suite.

use std::path::PathBuf;
use std::process::Command;

use super::*;
use crate::support::dav_server::python;
use crate::support::guarded::{Guarded, free_ports, output_of, start_on_free_ports};
use crate::support::model_server::{ModelReply, ModelServer};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(name)
}

/// A server of npm, with these arguments.
fn of_npm(package: &str, args: &[&str], more: Value) -> Value {
    let folder = output_of(Command::new(program_path("bash")).arg(script("install.sh")).arg("--node"));
    let file = Path::new(folder.trim()).join("node_modules/@modelcontextprotocol").join(package).join("dist/index.js");
    assert!(file.is_file(), "{} is not there: tests/run.sh installs it", file.display());
    let args: Vec<&str> = [file.to_str().unwrap()].into_iter().chain(args.iter().copied()).collect();
    let mut server = json!({"command": program_path("node").to_str().unwrap(), "args": args});
    server.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server
}

#[test]
fn from_a_message_to_a_changed_file_with_the_card_in_between() {
    let folder = tempfile::TempDir::new().unwrap();
    let papers = folder.path().join("papers");
    std::fs::create_dir(&papers).unwrap();
    let papers = papers.canonicalize().unwrap();
    let file = papers.join("list.txt");
    let files = of_npm(
        "server-filesystem",
        &[papers.to_str().unwrap()],
        json!({"readOnly": ["read_text_file", "list_directory"]}),
    );
    let values = json!({"path": file.to_str().unwrap(), "content": "milk and bread"});
    let model = ModelServer::start(move |request| match request.stage.as_str() {
        "select_services" => ModelReply::json(json!({"kind": "order", "services": ["mcp:files"]})),
        "select_commands" => ModelReply::json(json!({"commands": ["mcp:files.write_file"]})),
        "build_params" => ModelReply::json(values.clone()),
        _ => ModelReply::text("Done."),
    });
    let program = with_servers(folder.path(), json!({ "files": files })).model(&model).env("BRAIN_PLANNING", "steps");
    let mut console = program.console(&[]);
    listed(&mut console, "Files");
    let empty = console.say(&format!("use files: list_directory path=\"{}\"", papers.display()));
    assert!(text_of(&empty).contains("its answer is empty"), "{}", text_of(&empty));
    let card = console.say(&format!("write milk and bread into the file {}", file.display()));
    assert_eq!(did(&card), ["mcp:files.write_file pending"], "{}", text_of(&card));
    let shown = text_of(&card);
    assert!(shown.contains("milk and bread") && shown.contains("list.txt") && !file.exists(), "{shown}");
    assert_eq!(did(&console.press(&button(&card, "approve"))), ["mcp:files.write_file succeeded"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "milk and bread");
    let read = console.say(&format!("use files: read text file {}", file.display()));
    assert!(text_of(&read).contains("│ milk and bread"), "{}", text_of(&read));
    let outside = console.say("use files: read text file /etc/hostname");
    assert_eq!(did(&outside), ["mcp:files.read_text_file failed"]);
    assert!(text_of(&outside).contains("says that it failed"), "{}", text_of(&outside));
    // An open card over a restart, right after which its server is only just starting.
    let card = console.say(&format!("write milk and bread into the file {}", file.display()));
    console.kill();
    std::fs::remove_file(&file).unwrap();
    let mut console = program.console(&[]);
    assert_eq!(did(&console.press(&button(&card, "approve"))), ["mcp:files.write_file succeeded"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "milk and bread");
}

#[test]
fn other_servers_answer_as_well() {
    let folder = tempfile::TempDir::new().unwrap();
    let graph = folder.path().join("graph.jsonl");
    let memory = of_npm(
        "server-memory",
        &[],
        json!({"env": {"MEMORY_FILE_PATH": graph.to_str().unwrap()}, "readOnly": ["read_graph"]}),
    );
    let everything =
        of_npm("server-everything", &[], json!({"readOnly": ["echo", "trigger-long-running-operation"], "timeout": 6}));
    let time = json!({"command": python(), "args": ["-I", "-m", "mcp_server_time"], "readOnly": ["convert_time"]});
    let servers = json!({"graph": memory, "everything": everything, "clock": time});
    let program = with_servers(folder.path(), servers);
    let listed_all = program.run(&["mcp", "list"]);
    assert_eq!((listed_all.code, listed_all.stdout.lines().count()), (0, 3), "{listed_all:?}");
    let mut console = program.console(&[]).limit(Duration::from_secs(60));
    for title in ["Graph", "Everything", "Clock"] {
        listed(&mut console, title);
    }
    let entities = r#"use graph: create_entities {"entities": [{"name": "Ana", "entityType": "person", "observations": ["likes tea"]}]}"#;
    let card = console.say(entities);
    assert_eq!(did(&console.press(&button(&card, "approve"))), ["mcp:graph.create_entities succeeded"]);
    assert!(std::fs::read_to_string(&graph).unwrap().contains("likes tea"));
    assert!(text_of(&console.say("use graph: read_graph")).contains("likes tea"));
    assert!(text_of(&console.say("use everything: echo message=good day")).contains("good day"));
    let told = console.say("use everything: trigger-long-running-operation duration=9 steps=18");
    assert_eq!(
        did(&told),
        ["mcp:everything.trigger-long-running-operation succeeded"],
        "longer than its patience, with progress"
    );
    // It is offered only to who can be asked. One of its thirteen fields speaks of a PIN, if only to ask for none: what a
    // server says of its own good will is not believed.
    let began = Instant::now();
    let mut card = console.say("use everything: trigger-elicitation-request");
    while did(&card).is_empty() {
        assert!(began.elapsed() < START_LIMIT, "{}", text_of(&card));
        std::thread::sleep(Duration::from_millis(200));
        card = console.say("use everything: trigger-elicitation-request");
    }
    let refused = text_of(&console.press(&button(&card, "approve")));
    assert!(refused.contains("asks for a secret (“integer”)") && refused.contains("servers file"), "{refused}");
    let card = console.say("use clock: get_current_time timezone=Europe/Lisbon");
    assert_eq!(did(&card), ["mcp:clock.get_current_time pending"], "it says nothing of itself");
    assert!(text_of(&console.press(&button(&card, "approve"))).contains("Europe/Lisbon"));
}

#[test]
fn over_http_a_session_that_was_forgotten_is_begun_anew() {
    let folder = tempfile::TempDir::new().unwrap();
    let page = folder.path().join("page");
    std::fs::write(&page, "first words").unwrap();
    let start = |port: u16| {
        let log = folder.path().join("server.log");
        let of_server = folder.path().join("of-server");
        std::fs::create_dir_all(&of_server).unwrap();
        let port = port.to_string();
        let offers = script("mcp/offers.py");
        let command = [python(), "-I", offers.to_str().unwrap(), &port, page.to_str().unwrap()];
        let guarded = Guarded::start(Command::new(program_path("sh")), &of_server, &log, &command);
        let port = port.parse::<u16>().unwrap();
        guarded.wait_ready(|| std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()).map(|()| guarded)
    };
    let mut port = 0;
    let server = start_on_free_ports(|| {
        [port] = free_ports();
        start(port)
    });
    let notebook = json!({"url": format!("http://127.0.0.1:{port}/mcp"), "readOnly": ["read_page"]});
    let program = with_servers(folder.path(), json!({ "notebook": notebook }));
    let mut console = program.console(&[]);
    listed(&mut console, "Notebook");
    assert!(text_of(&console.say("use notebook: read_page")).contains("first words"));
    drop(server);
    let gone = console.say("use notebook: read_page");
    assert_eq!(did(&gone), ["mcp:notebook.read_page failed"], "{}", text_of(&gone));
    let _server = start(port).unwrap();
    let began = Instant::now();
    while did(&console.say("use notebook: read_page")) != ["mcp:notebook.read_page succeeded"] {
        assert!(began.elapsed() < START_LIMIT, "it is not found again");
        std::thread::sleep(Duration::from_millis(200));
    }
    let card = console.say("use notebook: write page text=ha times=3");
    assert_eq!(did(&console.press(&button(&card, "approve"))), ["mcp:notebook.write_page succeeded"]);
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "hahaha");
}

#[test]
fn every_scenario_of_the_protocols_suite_that_applies_passes() {
    let suite = Command::new(program_path("bash"))
        .arg(script("mcp/conformance.sh"))
        .arg(env!("CARGO_BIN_EXE_brain-agent"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&suite.stdout);
    assert!(suite.status.success(), "{said}{}", String::from_utf8_lossy(&suite.stderr));
    assert!(said.matches(" passed").count() >= 10, "{said}");
}
