//! What another client sees and does in the same collections: Python's caldav (`tests/servers/dav.py`).

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::python;

/// A calendar, task list or address book as the other client finds it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SeenCollection {
    pub href: String,
    /// What a person reads.
    pub name: String,
    /// "calendar" or "addressbook".
    pub kind: String,
    /// In alphabetical order, such as "VEVENT", "VTODO"; none of an address book.
    pub components: Vec<String>,
}

/// One resource as the other client reads it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SeenResource {
    pub href: String,
    /// With its quotes.
    pub etag: String,
    /// Every byte of it, line ends too.
    pub text: String,
}

impl SeenResource {
    /// Its content lines, unfolded: both servers fold and sort calendars in their own way (RFC 5545, 3.1).
    pub fn lines(&self) -> Vec<String> {
        let unfolded = self.text.replace("\r\n ", "").replace("\r\n\t", "");
        unfolded.lines().map(str::to_owned).collect()
    }
}

/// One event or task in a window, by rules of recurrence that are not ours.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SeenOccurrence {
    pub uid: String,
    pub summary: String,
    /// "2026-03-29" of a whole day, "2026-03-29T09:00:00+02:00" in a zone, without offset when floating; empty of a task
    /// without.
    pub start: String,
    /// The same, of the end or what is due.
    pub end: String,
}

/// The server answered that it will not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRefusal {
    pub status: u16,
    /// What it said, for people.
    pub why: String,
}

/// Another client, signed in as one user; one process for all its calls, which ends with its value. Collections are
/// named as a person reads them, or by href.
#[derive(Debug)]
pub struct DavOtherClient {
    talk: Mutex<Talk>,
}

#[derive(Debug)]
struct Talk {
    python: Child,
    answers: BufReader<ChildStdout>,
    errors: File,
}

impl DavOtherClient {
    pub fn on(url: &str, user: &str, password: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/dav.py");
        let errors = tempfile::tempfile().expect("a file");
        let mut command = Command::new(python());
        // `-I`: neither the folder of the script nor the environment says what is imported.
        command.arg("-I").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(errors.try_clone().expect("the same file"));
        let mut python = command.spawn().expect("python");
        let answers = BufReader::new(python.stdout.take().expect("a pipe"));
        let mut talk = Talk { python, answers, errors };
        talk.say(&json!({ "url": url, "user": user, "password": password }));
        Self { talk: Mutex::new(talk) }
    }

    /// All of them, by discovery from the root.
    pub fn collections(&self) -> Vec<SeenCollection> {
        self.step(json!(["collections"]))
    }

    /// Every resource, by href.
    pub fn resources(&self, collection: &str) -> Vec<SeenResource> {
        self.step(json!(["resources", collection]))
    }

    /// The same without what is in them, for large collections: href and ETag.
    pub fn etags(&self, collection: &str) -> Vec<(String, String)> {
        self.step(json!(["etags", collection]))
    }

    /// One resource; the refusal when it is not there.
    pub fn resource(&self, href: &str) -> Result<SeenResource, ServerRefusal> {
        self.try_step(json!(["resource", href]))
    }

    /// The one resource with this UID; panics with what there is when there are more or none.
    pub fn only(&self, collection: &str, uid: &str) -> SeenResource {
        let line = format!("UID:{uid}");
        let is_it = |resource: &SeenResource| resource.lines().contains(&line);
        let (mut found, others): (Vec<_>, Vec<_>) = self.resources(collection).into_iter().partition(is_it);
        assert_eq!(found.len(), 1, "{uid} in {collection}, beside {:?}", others.iter().map(|r| &r.href));
        found.remove(0)
    }

    /// Makes or replaces the resource of this name ("a.ics"), whatever is there; its href.
    pub fn put(&self, collection: &str, name: &str, text: &str) -> String {
        let (href, _): (String, String) = self.step(json!(["put_into", collection, name, text]));
        href
    }

    /// Replaces it only when it is still this one; the new ETag, empty when the server says none.
    pub fn put_if(&self, href: &str, etag: &str, text: &str) -> Result<String, ServerRefusal> {
        self.try_step(json!(["put", href, text, etag]))
    }

    /// Makes it only when nothing has this name; its href.
    pub fn put_new(&self, collection: &str, name: &str, text: &str) -> Result<String, ServerRefusal> {
        let put: (String, String) = self.try_step(json!(["put_into", collection, name, text, null, "*"]))?;
        Ok(put.0)
    }

    /// The resource is gone, whatever is in it.
    pub fn delete(&self, href: &str) {
        self.step::<()>(json!(["delete", href]));
    }

    /// Only when it is still this one.
    pub fn delete_if(&self, href: &str, etag: &str) -> Result<(), ServerRefusal> {
        self.try_step(json!(["delete", href, etag]))
    }

    /// A calendar for events and tasks, with an href of the client's choice, which is returned.
    pub fn make_calendar(&self, name: &str) -> String {
        self.step(json!(["make_calendar", name, ["VEVENT", "VTODO"]]))
    }

    /// A list for tasks alone.
    pub fn make_task_list(&self, name: &str) -> String {
        self.step(json!(["make_calendar", name, ["VTODO"]]))
    }

    /// Its last part of the path is `href_name`.
    pub fn make_address_book(&self, name: &str, href_name: &str) -> String {
        self.step(json!(["make_address_book", name, href_name]))
    }

    /// The collection and all in it.
    pub fn remove_collection(&self, collection: &str) {
        self.step::<()>(json!(["remove_collection", collection]));
    }

    /// Deletes the collection and makes one of that name, kind and href: empty, with other sync tokens.
    pub fn recreate(&self, collection: &str) -> String {
        self.step(json!(["recreate", collection]))
    }

    /// What happens in this window by `recurring_ical_events`, over what is there; each end is "2026-03-01" or
    /// "2026-03-01T00:00:00+01:00". By start, then UID.
    pub fn occurrences(&self, collection: &str, from: &str, to: &str) -> Vec<SeenOccurrence> {
        self.step(json!(["occurrences", collection, from, to]))
    }

    /// What happens in this window by the server's own expansion (RFC 4791, 9.6.5); events only.
    pub fn expanded_by_server(&self, collection: &str, from: &str, to: &str) -> Vec<SeenOccurrence> {
        self.step(json!(["expanded_by_server", collection, from, to]))
    }

    /// One step, named as in `tests/servers/dav.py`; panics with what the server said when it refuses.
    pub fn step<T: DeserializeOwned>(&self, step: Value) -> T {
        let told = step.to_string();
        self.try_step(step).unwrap_or_else(|refusal| panic!("{told}: {refusal:?}"))
    }

    /// One step that the server may refuse.
    pub fn try_step<T: DeserializeOwned>(&self, step: Value) -> Result<T, ServerRefusal> {
        let mut answer = {
            let mut talk = self.talk.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            talk.say(&step);
            talk.hear(&step)
        };
        if let Some(status) = answer["refused"].as_u64() {
            let status = u16::try_from(status).expect("a status");
            return Err(ServerRefusal { status, why: answer["why"].as_str().unwrap_or_default().to_owned() });
        }
        assert!(answer["error"].is_null(), "{step}: {}", answer["error"].as_str().unwrap_or_default());
        Ok(serde_json::from_value(answer["done"].take()).unwrap_or_else(|error| panic!("{step}: {error}")))
    }
}

impl Talk {
    fn say(&mut self, what: &Value) {
        let pipe = self.python.stdin.as_mut().expect("it is open until the end");
        // When it has died, `hear` says why.
        let _ = writeln!(pipe, "{what}").and_then(|()| pipe.flush());
    }

    fn hear(&mut self, step: &Value) -> Value {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line).expect("a pipe");
        assert!(read > 0, "{step}: the other client ended: {}", self.errors());
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{step}: {error}: {line}"))
    }

    fn errors(&mut self) -> String {
        let mut text = String::new();
        let _ = self.errors.rewind().and_then(|()| self.errors.read_to_string(&mut text));
        text
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop(self.python.stdin.take());
        let _ = self.python.wait();
    }
}
