//! Events as the text of one calendar file, for other programs.

use std::collections::BTreeSet;

use super::record::Event;
use super::resource;
use super::service::CalendarService;
use crate::services::contract::archived::{ArchivedFile, ArchivedFiles, FileContent};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::helpers::components::ParsedResource;
use crate::services::remote::dav::DavReader;
use brain_core::core::turn::Attachment;
use brain_core::limits::ATTACHMENT_BYTES_MAX;
use brain_core::ports::{RecordExt as _, Scan};
use brain_language::language::terms;
use brain_wire::ical::folded;

const MIME: &str = "text/calendar";
/// What it is called in an archive.
const IN_ARCHIVE: &str = "calendar.ics";

impl CalendarService {
    /// The events whose name holds these words, or all, as a file; `None`: there are none.
    pub(super) async fn as_file(
        &self,
        ctx: &RequestContext,
        words: &str,
    ) -> Result<Option<(Attachment, usize)>, ServiceError> {
        let wanted = terms::fold(words);
        let of_owner = self.store.list::<Event>(Scan::of::<Event>(&[ctx.owner.as_str()], usize::MAX)).await?;
        let is_wanted = |event: &Event| wanted.is_empty() || terms::fold(&event.summary).contains(&wanted);
        let events: Vec<Event> = of_owner.into_iter().map(|(event, _)| event).filter(is_wanted).collect();
        let count = events.len();
        let content = written(ctx, events).await?;
        if content.len() > ATTACHMENT_BYTES_MAX {
            return Err(ServiceError::Refused(format!(
                "These {count} events are larger than the {} MB I can send in a message. Name some: /export calendar NAME",
                ATTACHMENT_BYTES_MAX / 1024 / 1024
            )));
        }
        let at = ctx.now.with_timezone(&ctx.zone).format("%Y-%m-%d-%H%M%S");
        let name = format!("calendar-{at}.ics");
        Ok((count > 0).then(|| (Attachment { name, mime: MIME.to_owned(), content }, count)))
    }

    /// All events, for an archive.
    pub(super) async fn for_archive(&self, ctx: &RequestContext) -> Result<ArchivedFiles, ServiceError> {
        let events = self.store.list_all::<Event>(&[ctx.owner.as_str()]).await?;
        let told = vec![format!("{IN_ARCHIVE}  your events, for other calendars: {}", events.len())];
        let content = FileContent::Bytes(written(ctx, events).await?);
        let files = vec![ArchivedFile { name: IN_ARCHIVE.to_owned(), content }];
        Ok(ArchivedFiles { files, told, ..ArchivedFiles::default() })
    }
}

async fn written(ctx: &RequestContext, events: Vec<Event>) -> Result<Vec<u8>, ServiceError> {
    let (owner, chat, zone, now) = (ctx.owner.clone(), ctx.chat.clone(), ctx.zone, ctx.now);
    let text = move || {
        let reader = DavReader { owner: &owner, chat: &chat, zone, own: &[], is_shared: false, now };
        as_ics(&events, &reader).into_bytes()
    };
    tokio::task::spawn_blocking(text).await.map_err(|bad| ServiceError::Broken(bad.to_string()))
}

/// One text with all of them; an event that cannot be written is left out and logged.
fn as_ics(events: &[Event], reader: &DavReader<'_>) -> String {
    let (mut zones, mut named, mut inner) = (String::new(), BTreeSet::new(), String::new());
    for event in events {
        let Some(text) = resource::text(event, reader) else {
            tracing::warn!(event = event.id, "an event was left out of a file: it cannot be written");
            continue;
        };
        let Ok(parsed) = ParsedResource::of(&text) else { continue };
        for zone in parsed.block.inner("VTIMEZONE") {
            let name = zone.line("TZID").map(|line| line.value().to_owned()).unwrap_or_default();
            if named.insert(name) {
                zones.push_str(&text[zone.span.clone()]);
            }
        }
        parsed.block.inner("VEVENT").for_each(|one| inner.push_str(&text[one.span.clone()]));
    }
    let head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Brain Agent//EN", "CALSCALE:GREGORIAN"];
    let head: String = head.iter().map(|line| folded(line, "\r\n")).collect();
    format!("{head}{zones}{inner}END:VCALENDAR\r\n")
}
