//! `brain-agent console --json`: a line in, lines out up to the closing `done`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::internals;
use super::child::{Child, Finished};

/// The answer to one input.
pub type Lines = Vec<Value>;

const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// A chat in the terminal; killed when dropped.
#[derive(Debug)]
pub struct Console {
    child: Child,
    limit: Duration,
}

impl Console {
    pub(super) fn new(child: Child) -> Self {
        Self { child, limit: ANSWER_LIMIT }
    }

    /// How long one answer may take.
    pub fn limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Sends one object and reads its answer: every line up to and including the closing `done`.
    pub fn send(&mut self, input: Value) -> Lines {
        self.send_raw(&input.to_string())
    }

    /// Sends a line as it stands, be it JSON or not.
    pub fn send_raw(&mut self, line: &str) -> Lines {
        self.start_sending(line);
        self.answer(line)
    }

    /// Sends without waiting: for a program that is going to stop at a failpoint.
    pub fn start_sending(&mut self, line: &str) {
        self.child.write(format!("{line}\n").as_bytes());
    }

    /// The answer to what was sent before.
    pub fn answer(&mut self, input: &str) -> Lines {
        let deadline = Instant::now() + self.limit;
        let mut lines = Vec::new();
        loop {
            let line = self.child.line(deadline).unwrap_or_else(|why| {
                panic!("no done for {input}: {why}\n{}", self.child.story());
            });
            let value: Value = serde_json::from_str(&line)
                .unwrap_or_else(|error| panic!("{error} in the line {line:?}\n{}", self.child.story()));
            let done = value["type"] == "done";
            value["text"].as_str().iter().for_each(|text| internals::are_not_in(text));
            lines.push(value);
            if done {
                return lines;
            }
        }
    }

    pub fn say(&mut self, text: &str) -> Lines {
        self.send(json!({"text": text}))
    }

    pub fn say_as(&mut self, user: &str, text: &str) -> Lines {
        self.send(json!({"text": text, "user": user}))
    }

    pub fn reply(&mut self, to_message: i64, text: &str) -> Lines {
        self.send(json!({"text": text, "reply_to": to_message}))
    }

    pub fn press(&mut self, data: &str) -> Lines {
        self.send(json!({"press": data}))
    }

    pub fn press_as(&mut self, user: &str, data: &str) -> Lines {
        self.send(json!({"press": data, "user": user}))
    }

    /// Moves the clock of a `--now` console.
    pub fn now(&mut self, rfc3339: &str) -> Lines {
        self.send(json!({"now": rfc3339}))
    }

    pub fn stderr(&self) -> String {
        self.child.stderr()
    }

    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// SIGKILL; the process is gone when this returns.
    pub fn kill(mut self) {
        self.child.kill();
    }

    /// SIGKILL; what it had still printed.
    pub fn kill_and_read(mut self) -> Lines {
        self.child.kill();
        let deadline = Instant::now() + self.limit;
        let mut lines = Vec::new();
        while let Ok(line) = self.child.line(deadline) {
            lines.push(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line:?}")));
        }
        lines
    }

    /// SIGTERM, then how it ended.
    pub fn terminate(self) -> Finished {
        self.child.signal("TERM");
        self.child.finish(ANSWER_LIMIT)
    }

    /// Ends the input and waits for the program to leave.
    pub fn finish(mut self) -> Finished {
        self.child.close_stdin();
        self.child.finish(ANSWER_LIMIT)
    }
}

/// The messages of an answer as they read at its end: edits have replaced what they edit. By id.
pub fn messages_of(lines: &[Value]) -> Vec<Value> {
    let mut messages: BTreeMap<i64, Value> = BTreeMap::new();
    for line in lines {
        let is_message = line["type"] == "message";
        if !is_message && line["type"] != "edit" {
            continue;
        }
        let id = line["id"].as_i64().unwrap_or_else(|| panic!("a message without id: {line}"));
        let message = messages.entry(id).or_insert_with(|| json!({}));
        for (field, value) in line.as_object().into_iter().flatten() {
            message[field] = value.clone();
        }
    }
    messages.into_values().collect()
}

/// The texts of all messages, joined by line breaks.
pub fn text_of(lines: &[Value]) -> String {
    let messages = messages_of(lines);
    let texts: Vec<&str> = messages.iter().filter_map(|message| message["text"].as_str()).collect();
    texts.join("\n")
}

/// The closing line.
pub fn done_of(lines: &[Value]) -> &Value {
    let done = lines.iter().find(|line| line["type"] == "done");
    done.unwrap_or_else(|| panic!("no done in {lines:#?}"))
}

/// The complaints about bad input.
pub fn errors_of(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|line| line["type"] == "error").collect()
}

/// What was done, action by action.
pub fn outcomes_of(lines: &[Value]) -> Vec<Value> {
    done_of(lines)["outcomes"].as_array().cloned().unwrap_or_default()
}

/// What became of each action, as `task.create succeeded`.
pub fn did(lines: &[Value]) -> Vec<String> {
    let field = |outcome: &Value, name: &str| outcome[name].as_str().unwrap_or_default().to_owned();
    let named = |o: &Value| format!("{}.{} {}", field(o, "service"), field(o, "command"), field(o, "status"));
    outcomes_of(lines).iter().map(named).collect()
}

/// What its only action was to do.
pub fn params_of(lines: &[Value]) -> Value {
    let mut outcomes = outcomes_of(lines);
    assert_eq!(outcomes.len(), 1, "one action expected in {lines:#?}");
    outcomes.remove(0)["params"].take()
}

/// The way its turn went.
pub fn path_of(lines: &[Value]) -> &str {
    done_of(lines)["path"].as_str().unwrap_or_else(|| panic!("no path in {lines:#?}"))
}

/// All buttons of all messages, in order, as objects with `text`, `data` and `role`.
pub fn buttons_of(lines: &[Value]) -> Vec<Value> {
    let rows = |message: &Value| message["buttons"].as_array().cloned().unwrap_or_default();
    let messages = messages_of(lines);
    messages.iter().flat_map(rows).flat_map(|row| row.as_array().cloned().unwrap_or_default()).collect()
}

/// The data of the first button with this role; panics with the answer when there is none.
pub fn button(lines: &[Value], role: &str) -> String {
    let found = buttons_of(lines).into_iter().find(|button| button["role"] == role);
    let data = found.as_ref().and_then(|button| button["data"].as_str());
    data.unwrap_or_else(|| panic!("no {role} button in {lines:#?}")).to_owned()
}

/// The ids of all pending actions whose cards are in this answer.
pub fn pending_ids(lines: &[Value]) -> Vec<String> {
    let id = |message: &Value| match &message["pending"] {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let mut ids: Vec<String> = messages_of(lines).iter().filter_map(id).collect();
    ids.dedup();
    ids
}

/// The id of the one pending action in this answer; panics when there are none or several.
pub fn pending_id(lines: &[Value]) -> String {
    let ids = pending_ids(lines);
    assert_eq!(ids.len(), 1, "one pending action expected in {lines:#?}");
    ids[0].clone()
}
