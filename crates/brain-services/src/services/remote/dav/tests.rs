//! Passes over a server that says what a test wants.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::place::DavPlace;
use super::sync::{DavPass, PassError};
use crate::services::calendar::Event;
use crate::services::contract::error::ServiceError;
use crate::services::remote::backend::{Mirror, RecordEdit, RecordOrigin, Replicated as _};
use crate::testing::request_context;
use brain_adapters::store::MemoryStore;
use brain_core::limits::DAV_SINGLY_MAX;
use brain_wire::dav::scripted::{Requests, etag, parts, prop, says, server};

/// What the replica holds.
#[derive(Default)]
struct ReplicaContents(Mutex<Vec<Event>>);

#[async_trait]
impl Mirror<Event> for ReplicaContents {
    async fn origins(&self) -> Result<Vec<RecordOrigin>, ServiceError> {
        Ok(self.0.lock().unwrap().iter().filter_map(|event| event.origin.clone()).collect())
    }

    async fn held(&self, ids: &[String]) -> Result<Vec<(Event, u64)>, ServiceError> {
        let is_one = |event: &&Event| event.origin().is_some_and(|origin| ids.contains(&origin.id));
        Ok(self.0.lock().unwrap().iter().filter(is_one).map(|event| (event.clone(), 1)).collect())
    }

    async fn apply(&self, edits: Vec<RecordEdit<Event>>) -> Result<(), ServiceError> {
        let mut all = self.0.lock().unwrap();
        for edit in edits {
            let gone = edit.before.map(|(event, _)| event.id);
            all.retain(|event| Some(&event.id) != gone.as_ref());
            all.extend(edit.after);
        }
        Ok(())
    }
}

const ALL: usize = 1_300;

fn listing() -> Vec<u8> {
    let all: String = (0..ALL).map(|at| etag(&format!("/dav/c/{at:05}.ics"), "\"1\"")).collect();
    parts(&format!("{all}<d:sync-token>t1</d:sync-token>"))
}

/// A calendar of many events whose server answers nothing when it is asked for several; `got`: what it says to a GET.
async fn silent(got: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> (DavPlace<Event>, Requests) {
    let (client, said) = server(move |request| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        match request {
            request if request.starts_with("GET") => got(path),
            request if request.contains("multiget") => parts(""),
            request if request.starts_with("REPORT") => listing(),
            request if request.starts_with("PROPFIND") && path == "/dav/" => {
                parts(&prop("/dav/c/", "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"))
            }
            _ => says("404 Not Found", "", ""),
        }
    })
    .await;
    (DavPlace::reaching(client, Arc::new(MemoryStore::new())), said)
}

fn gets(said: &Requests) -> usize {
    said.lock().unwrap().iter().filter(|request| request.starts_with("GET")).count()
}

#[tokio::test]
async fn a_server_that_answers_nothing_is_asked_singly_a_bounded_number_of_times_and_the_rest_comes_next() {
    let event = |path: &str| {
        let uid = path.trim_matches(|c: char| !c.is_ascii_digit());
        let text = format!(
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nDTSTART:20260112T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        );
        says("200 OK", "etag: \"1\"\r\n", &text)
    };
    let (place, said) = silent(event).await;
    let (held, ctx) =
        (ReplicaContents::default(), request_context("tg:1", "2026-01-10T08:00:00Z".parse().unwrap(), chrono_tz::UTC));
    let mut asked = 0;
    for pass in 1..=3 {
        let ended = DavPass { place: &place, ctx: &ctx, mirror: &held }.run().await;
        let there = held.0.lock().unwrap().len();
        assert_eq!(there, (pass * DAV_SINGLY_MAX).min(ALL));
        assert!(gets(&said) - asked <= DAV_SINGLY_MAX, "{}", gets(&said));
        asked = gets(&said);
        match ended {
            Err(error @ PassError::LeftOut { left, .. }) => {
                assert_eq!(left, ALL - there);
                assert!(error.to_string().contains("one by one"), "{error}");
            }
            other => assert!(there == ALL && other.is_ok(), "{other:?}"),
        }
    }
    assert_eq!(asked, ALL, "nothing was fetched twice");
}

#[tokio::test]
async fn what_is_not_there_keeps_nothing_behind_it_from_being_read() {
    let event =
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260112T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let (place, _) = silent(move |path| match path {
        path if path > "/dav/c/01100" => says("200 OK", "etag: \"1\"\r\n", event),
        _ => says("404 Not Found", "", ""),
    })
    .await;
    let (held, ctx) =
        (ReplicaContents::default(), request_context("tg:1", "2026-01-10T08:00:00Z".parse().unwrap(), chrono_tz::UTC));
    for _ in 0..3 {
        let _ = DavPass { place: &place, ctx: &ctx, mirror: &held }.run().await;
    }
    assert_eq!(held.0.lock().unwrap().len(), 200);
}
