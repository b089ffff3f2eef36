//! The simulated model endpoint: this binary once more, in a process of its own, so that what it costs is not
//! charged to the program that is measured. It answers each stage after a fixed time and logs when.

use std::collections::BTreeSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use axum::body::Bytes;
use serde_json::{Value, json};

use crate::support::model_server::{
    ModelReply, ModelRequest, Simulated, SimulatedCall, read_simulated_log, serve_simulated,
};

pub const ROLE: &str = "as-model-endpoint";

/// How long each stage takes.
#[derive(Debug, Clone, Copy)]
pub struct Latency {
    pub route_ms: u64,
    pub plan_ms: u64,
    pub respond_ms: u64,
}

impl Latency {
    pub const fn all(ms: u64) -> Self {
        Self { route_ms: ms, plan_ms: ms, respond_ms: ms }
    }
}

/// The running endpoint; it ends when this is dropped.
pub struct Endpoint {
    child: Child,
    folder: tempfile::TempDir,
    pub url: String,
}

/// A call as it came over the wire. Clones share its bytes.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub stage: String,
    pub body: Bytes,
}

impl Recorded {
    /// Makes the call once more and reads its answer to the end, with a client that does nothing else.
    pub async fn repeat(&self, client: &reqwest::Client, url: &str) -> Bytes {
        let request = client.post(format!("{url}/chat/completions"));
        let request = request.header("X-Brain-Stage", &self.stage).header("Content-Type", "application/json");
        let answer = request.body(self.body.clone()).send().await.expect("an answer");
        answer.bytes().await.expect("a body")
    }
}

/// The parts of a prompt that should be the same for every call of a stage with the same domains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    pub stage: String,
    pub domains: String,
    pub digest: String,
    pub system_bytes: usize,
    pub schema_bytes: usize,
}

impl Endpoint {
    pub fn start(latency: Latency) -> Self {
        let folder = crate::folder();
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args([ROLE, folder.path().to_str().expect("UTF-8")])
            .args([latency.route_ms, latency.plan_ms, latency.respond_ms].map(|ms| ms.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the model endpoint");
        let mut port = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut port).expect("the endpoint's port");
        let url = format!("http://127.0.0.1:{}/v1", port.trim());
        Self { child, folder, url }
    }

    /// Every call so far.
    pub fn calls(&self) -> Vec<SimulatedCall> {
        read_simulated_log(&calls_file(self.folder.path()))
    }

    /// From now on until they are taken, the bodies of all calls are kept.
    pub fn record(&self) {
        File::create(bodies_file(self.folder.path())).expect("a file for bodies");
    }

    /// The bodies since then, with their stages, in the order in which they came.
    pub fn recorded(&self) -> Vec<Recorded> {
        let file = bodies_file(self.folder.path());
        let text = std::fs::read_to_string(&file).expect("the bodies");
        std::fs::remove_file(&file).expect("the end of recording");
        text.lines()
            .map(|line| {
                let (stage, body) = line.split_once('\t').expect("a stage and a body");
                Recorded { stage: stage.to_owned(), body: Bytes::from(body.to_owned()) }
            })
            .collect()
    }

    /// The fixed part of every call so far.
    pub fn fixed_parts(&self) -> Vec<Fixed> {
        let text = std::fs::read_to_string(prompts_file(self.folder.path())).expect("the log of prompts");
        text.lines()
            .map(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                let number = |at: usize| fields[at].parse().expect("a number of bytes");
                Fixed {
                    stage: fields[0].to_owned(),
                    domains: fields[1].to_owned(),
                    digest: fields[2].to_owned(),
                    system_bytes: number(3),
                    schema_bytes: number(4),
                }
            })
            .collect()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn calls_file(folder: &Path) -> PathBuf {
    folder.join("calls")
}

fn bodies_file(folder: &Path) -> PathBuf {
    folder.join("bodies")
}

fn prompts_file(folder: &Path) -> PathBuf {
    folder.join("prompts")
}

/// The process of the endpoint. It ends with its standard input, so that it outlives nobody.
pub fn serve(args: &[&str]) {
    serve_with(args, answer);
}

/// The same with other answers. A graph takes as long as a plan, what is asked for evidence as long as an answer.
pub fn serve_with(args: &[&str], answer: fn(&ModelRequest) -> ModelReply) {
    let [folder, route, plan, respond] = args else { panic!("{ROLE} FOLDER ROUTE_MS PLAN_MS RESPOND_MS") };
    let folder = PathBuf::from(folder);
    let after = |ms: &str| Duration::from_millis(ms.parse().expect("milliseconds"));
    let prompts = Mutex::new(File::create(prompts_file(&folder)).expect("the log of prompts"));
    let bodies = bodies_file(&folder);
    let mut simulated = Simulated::new(move |request| {
        note(&prompts, request);
        keep(&bodies, request);
        answer(request)
    })
    .latency("route", after(route))
    .latency("select", after(route));
    for stage in ["plan", "build_params", "decompose"] {
        simulated = simulated.latency(stage, after(plan));
    }
    for stage in ["chat", "respond", "extract", "classify", "rank", "synthesize"] {
        simulated = simulated.latency(stage, after(respond));
    }
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        println!("{}", listener.local_addr().expect("an address").port());
        serve_simulated(listener, simulated, &calls_file(&folder)).await;
    });
}

fn note(log: &Mutex<File>, request: &ModelRequest) {
    let system = request.said_by("system");
    let schema = request.response_format.as_ref().map(Value::to_string).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (&system, &schema).hash(&mut hasher);
    let line = format!(
        "{}\t{}\t{:016x}\t{}\t{}\n",
        request.stage,
        domains(request),
        hasher.finish(),
        system.len(),
        schema.len()
    );
    log.lock().unwrap().write_all(line.as_bytes()).expect("a line in the log");
}

/// Keeps a body while that is wanted: while there is a file for it.
fn keep(file: &Path, request: &ModelRequest) {
    if let Ok(mut file) = File::options().append(true).open(file) {
        let line = format!("{}\t{}\n", request.stage, request.body);
        file.write_all(line.as_bytes()).expect("a body");
    }
}

/// The services whose commands the schema of a plan holds.
fn domains(request: &ModelRequest) -> String {
    let format = request.response_format.clone().unwrap_or_default();
    let actions = &format["json_schema"]["schema"]["properties"]["actions"]["items"]["anyOf"];
    let names: BTreeSet<&str> = actions
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|action| action["properties"]["service"]["const"].as_str())
        .collect();
    names.into_iter().collect::<Vec<_>>().join("+")
}

/// Answers by simple rules over the person's words, which stand at the end of the prompt.
pub fn answer(request: &ModelRequest) -> ModelReply {
    let prompt = request.said_by("user");
    let said = ["Message: ", "Request: "].iter().find_map(|mark| prompt.rsplit_once(mark)).map_or("", |(_, said)| said);
    match request.stage.as_str() {
        "route" => {
            let domains: Vec<&str> = if said.starts_with("remind me") {
                vec!["task"]
            } else if said.starts_with("invite") {
                vec!["calendar"]
            } else if let Some(names) = said.strip_prefix("look through ") {
                names.trim().split(" and ").collect()
            } else {
                Vec::new()
            };
            let kind = if domains.is_empty() { "chat" } else { "action" };
            ModelReply::json(json!({"type": kind, "domains": domains, "is_followup": false}))
        }
        "plan" => ModelReply::json(json!({"actions": planned(said), "question": null, "open": null})),
        "select" => {
            let name = |action: &Value| format!("{}.{}", text(&action["service"]), text(&action["command"]));
            let names: Vec<String> = planned(said).as_array().into_iter().flatten().map(name).collect();
            let kind = if names.is_empty() { "remark" } else { "order" };
            ModelReply::json(json!({"kind": kind, "commands": names}))
        }
        "build_params" => ModelReply::json(planned(said)[0]["params"].clone()),
        _ => ModelReply::text("Happy to help with that, just say the word."),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn planned(said: &str) -> Value {
    if let Some(title) = said.strip_prefix("remind me to ").and_then(|rest| rest.split(" tomorrow").next()) {
        return json!([{"service": "task", "command": "create", "depends_on": [], "reasoning": "asked for",
            "params": {"title": title, "deadline": "tomorrow at 5pm"}}]);
    }
    if let Some(address) = said.strip_prefix("invite ").and_then(|rest| rest.split(" to ").next()) {
        return json!([{"service": "calendar", "command": "create_event", "depends_on": [], "reasoning": "asked for",
            "params": {"summary": "Lunch", "start_time": "tomorrow at noon", "attendees": [address]}}]);
    }
    json!([])
}
