//! What another client sees and does in the same mailbox: Python's imaplib (`tests/servers/imap.py`).

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::super::guarded::program_path;
use super::Dovecot;

/// One message as the other client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenMessage {
    pub uid: u32,
    /// In alphabetical order, such as "\\Flagged", "\\Seen"; "\\Recent" left out.
    pub flags: Vec<String>,
    /// As the server writes it.
    pub internal_date: String,
    /// With angle brackets; empty when it has none.
    pub message_id: String,
    /// Every byte; empty when only ids were asked for.
    pub raw: Vec<u8>,
}

impl SeenMessage {
    fn of(value: &Value) -> Self {
        let text = |key: &str| value[key].as_str().expect("a text").to_owned();
        let flags = value["flags"].as_array().expect("a list").iter().filter_map(Value::as_str);
        Self {
            uid: u32::try_from(value["uid"].as_u64().expect("a number")).expect("32 bits"),
            flags: flags.filter(|flag| *flag != "\\Recent").map(str::to_owned).collect(),
            internal_date: text("internal_date"),
            message_id: text("message_id"),
            raw: text("raw").chars().map(|byte| u8::try_from(u32::from(byte)).expect("Latin-1")).collect(),
        }
    }

    /// The message as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }
}

/// Another client, signed in as one user with the password. Each call is a connection of its own.
#[derive(Clone, Debug)]
pub struct OtherClient {
    signed_in: Value,
}

impl Dovecot {
    pub fn other_client(&self, user: &str) -> OtherClient {
        let (user, password) = self.password_of(Some(user));
        OtherClient::on(self.port(), &user, &password)
    }
}

impl OtherClient {
    /// Over a plain port of 127.0.0.1.
    pub fn on(port: u16, user: &str, password: &str) -> Self {
        Self { signed_in: json!({ "host": "127.0.0.1", "port": port, "user": user, "password": password }) }
    }

    /// Every message of this folder, by UID.
    pub fn messages(&self, folder: &str) -> Vec<SeenMessage> {
        self.listed("messages", folder)
    }

    /// The same without what is in them, for large folders.
    pub fn ids(&self, folder: &str) -> Vec<SeenMessage> {
        self.listed("ids", folder).into_iter().map(|message| SeenMessage { raw: Vec::new(), ..message }).collect()
    }

    /// The one message with this Message-ID; panics with what there is when there are more or none.
    pub fn only(&self, folder: &str, message_id: &str) -> SeenMessage {
        let wanted = message_id.trim_matches(['<', '>']);
        let (found, others): (Vec<_>, Vec<_>) = self
            .messages(folder)
            .into_iter()
            .partition(|message| message.message_id.trim_matches(['<', '>']) == wanted);
        assert_eq!(found.len(), 1, "{message_id} in {folder}, beside {:?}", others.iter().map(|m| &m.message_id));
        found.into_iter().next().expect("it was counted")
    }

    /// "OK" or "NO" to this token in a connection of its own; by XOAUTH2 or OAUTHBEARER.
    pub fn signs_in_by(&self, mechanism: &str, token: &str) -> String {
        self.step(json!(["token", mechanism, token])).as_str().expect("a text").to_owned()
    }

    /// Names of the folders as the server writes them, with their attributes.
    pub fn folders(&self) -> Vec<(String, Vec<String>)> {
        let answer = self.step(json!(["folders"]));
        serde_json::from_value(answer).expect("names with attributes")
    }

    pub fn uid_validity(&self, folder: &str) -> u32 {
        u32::try_from(self.step(json!(["uid_validity", folder])).as_u64().expect("a number")).expect("32 bits")
    }

    pub fn append(&self, folder: &str, flags: &[&str], mail: &[u8]) {
        let text: String = mail.iter().map(|byte| char::from(*byte)).collect();
        self.step(json!(["append", folder, flags, text]));
    }

    /// Adds these flags.
    pub fn flag(&self, folder: &str, uid: u32, flags: &[&str]) {
        self.step(json!(["flag", folder, uid, "+", flags]));
    }

    /// Takes these flags away.
    pub fn unflag(&self, folder: &str, uid: u32, flags: &[&str]) {
        self.step(json!(["flag", folder, uid, "-", flags]));
    }

    pub fn move_to(&self, folder: &str, uid: u32, target: &str) {
        self.step(json!(["move", folder, uid, target]));
    }

    pub fn copy_to(&self, folder: &str, uid: u32, target: &str) {
        self.step(json!(["copy", folder, uid, target]));
    }

    /// The message is gone for good.
    pub fn expunge(&self, folder: &str, uid: u32) {
        self.step(json!(["expunge", folder, uid]));
    }

    /// Any name; it is encoded as IMAP wants it.
    pub fn create(&self, folder: &str) {
        self.step(json!(["create", folder]));
    }

    /// The folder and all in it.
    pub fn delete(&self, folder: &str) {
        self.step(json!(["delete", folder]));
    }

    pub fn rename(&self, folder: &str, name: &str) {
        self.step(json!(["rename", folder, name]));
    }

    /// Deletes the folder and makes one of that name: empty, with another UIDVALIDITY. Not INBOX, see
    /// [`Dovecot::renumber`].
    pub fn recreate(&self, folder: &str) {
        self.steps(&[json!(["delete", folder]), json!(["create", folder])]);
    }

    /// Several steps in one connection, named as in `tests/servers/imap.py`; one answer each.
    pub fn steps(&self, steps: &[Value]) -> Vec<Value> {
        let mut told = self.signed_in.clone();
        told["steps"] = json!(steps);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/imap.py");
        let mut command = Command::new(program_path("python3"));
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut python = command.spawn().expect("python3");
        let mut pipe = python.stdin.take().expect("a pipe");
        // It reads everything before it answers.
        pipe.write_all(told.to_string().as_bytes()).expect("python3 reads");
        drop(pipe);
        let output = python.wait_with_output().expect("python3");
        assert!(output.status.success(), "{steps:?}: {}", String::from_utf8_lossy(&output.stderr));
        let answers: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(answers.len(), steps.len(), "one answer each");
        answers
    }

    fn step(&self, step: Value) -> Value {
        self.steps(&[step]).remove(0)
    }

    fn listed(&self, how: &str, folder: &str) -> Vec<SeenMessage> {
        self.step(json!([how, folder])).as_array().expect("a list").iter().map(SeenMessage::of).collect()
    }
}
