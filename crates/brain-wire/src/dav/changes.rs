//! What has changed in a collection since it was read: a report of changes (RFC 6578) where the server has it, else a
//! list of all there is.

use std::collections::HashSet;

use libdav::caldav::{CalendarComponent, ListCalendarResources};
use libdav::dav::{Propfind, SyncCollection};
use libdav::names;
use libdav::requests::DavRequest as _;
use reqwest::Url;

use super::DavKind;
use super::client::{DavAnswer, DavClient, Does, failed};
use super::error::{DavError, garbled};
use super::href::ServerHosts;
use super::multistatus::{DAV, EntryOf, Multistatus};
use brain_core::limits::{DAV_ENTRIES_MAX, DAV_ETAG_BYTES_MAX, DAV_PARTS_MAX};

/// A resource in the state in which it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedResource {
    /// Its name there.
    pub href: String,
    /// Its state.
    pub etag: String,
}

/// What has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CollectionChanges {
    /// What to ask with next time; `None`: the server has no such thing.
    pub token: Option<String>,
    /// All there is was listed: what is not in it is gone.
    pub is_whole: bool,
    /// New, or in another state.
    pub changed: Vec<ListedResource>,
    /// Not there any more.
    pub gone: Vec<String>,
    /// There is more, to be asked for with the token.
    pub is_partial: bool,
}

impl DavClient {
    /// What has changed in a collection since `token`; without one, or when the server knows it no more, all there is.
    pub async fn changes(&self, collection: &str, token: Option<&str>) -> Result<CollectionChanges, DavError> {
        if let Some(token) = token
            && let Some(changes) = self.since(collection, Some(token)).await?
        {
            return Ok(changes);
        }
        match self.since(collection, None).await? {
            Some(first) => self.completed(collection, first).await,
            None => self.listed(collection).await,
        }
    }

    /// All there is, where it comes in parts: only the whole of it says what is gone.
    async fn completed(&self, collection: &str, first: CollectionChanges) -> Result<CollectionChanges, DavError> {
        let mut all = CollectionChanges { is_whole: true, ..first };
        for _ in 0..DAV_PARTS_MAX {
            if !all.is_partial {
                return Ok(all);
            }
            let Some(next) = self.since(collection, all.token.as_deref()).await? else { break };
            // It goes on where it was: what it did not say until now it will not say.
            if next.is_partial && next.token == all.token {
                break;
            }
            all.is_partial = next.is_partial;
            all.token = next.token;
            // Changed between two parts: the later word counts.
            let said: HashSet<&str> =
                next.changed.iter().map(|one| one.href.as_str()).chain(next.gone.iter().map(String::as_str)).collect();
            all.changed.retain(|one| !said.contains(one.href.as_str()));
            all.changed.extend(next.changed);
            if all.changed.len() > DAV_ENTRIES_MAX {
                return Err(DavError::Unexpected(format!("the server lists more than {DAV_ENTRIES_MAX} entries")));
            }
        }
        // Its parts do not come to an end, or not any more.
        self.listed(collection).await
    }

    /// `None`: there are no such reports, or not for this token.
    async fn since(&self, collection: &str, token: Option<&str>) -> Result<Option<CollectionChanges>, DavError> {
        let (base, path) = self.target(collection)?;
        let report = SyncCollection::new(&path);
        let report = match token {
            Some(token) => report.with_sync_token(token),
            None => report,
        };
        let mut request = report.prepare_request(base).map_err(|_| garbled())?;
        request.headers_mut().insert("Depth", http::HeaderValue::from_static("0"));
        let answer = self.ask(request, Does::Reads).await?;
        match answer.status().as_u16() {
            207 => {}
            400 | 403 | 405 | 409 | 412 | 415 | 501 | 507 => return Ok(None),
            410 if token.is_some() => return Ok(None),
            _ => return Err(failed(&answer)),
        }
        let home = self.0.home.clone();
        answer.read(move |all, from| changes_of(all, &home, from, &path)).await
    }

    async fn listed(&self, collection: &str) -> Result<CollectionChanges, DavError> {
        let answer = self.properties(collection, &[&names::GETETAG, &names::RESOURCETYPE], libdav::Depth::One).await?;
        let home = self.0.home.clone();
        let changed = answer.read(move |all, from| all_of(all, &home, from)).await?;
        Ok(CollectionChanges { is_whole: true, changed, ..CollectionChanges::default() })
    }

    /// Which resources of a calendar hold this kind of thing; `None`: that cannot be asked.
    pub async fn holding(&self, kind: DavKind, collection: &str) -> Result<Option<HashSet<String>>, DavError> {
        let component = match kind {
            DavKind::Events => CalendarComponent::VEvent,
            DavKind::Tasks => CalendarComponent::VTodo,
            DavKind::Contacts => return Ok(None),
        };
        let (base, path) = self.target(collection)?;
        let report = ListCalendarResources::new(&path).with_component(component);
        let answer = self.ask(report.prepare_request(base).map_err(|_| garbled())?, Does::Reads).await?;
        if answer.status().as_u16() != 207 {
            return Ok(None);
        }
        let home = self.0.home.clone();
        let names = move |all: &Multistatus<'_>, from: &Url| {
            all.entries.iter().filter_map(|entry| home.href(entry.href, from)).collect()
        };
        answer.read(names).await.map(Some)
    }

    /// Asks for properties; the answer has several parts.
    pub(super) async fn properties(
        &self,
        href: &str,
        wanted: &[&libdav::PropertyName<'_, '_>],
        depth: libdav::Depth,
    ) -> Result<DavAnswer, DavError> {
        let (base, path) = self.target(href)?;
        let request = Propfind::new(&path).with_properties(wanted).with_depth(depth);
        let answer = self.ask(request.prepare_request(base).map_err(|_| garbled())?, Does::Reads).await?;
        if answer.status().as_u16() == 207 { Ok(answer) } else { Err(failed(&answer)) }
    }
}

/// What a report of changes of the collection with this path says; `None`: it is none.
pub(super) fn changes_of(
    all: &Multistatus<'_>,
    home: &ServerHosts,
    from: &Url,
    collection: &str,
) -> Option<CollectionChanges> {
    let mut changes = CollectionChanges { token: Some(all.token.clone()?), ..CollectionChanges::default() };
    for entry in &all.entries {
        let Some(href) = home.href(entry.href, from) else { continue };
        let is_itself = href.trim_end_matches('/') == collection.trim_end_matches('/');
        match (entry.status, etag(entry)) {
            (Some(507), _) if is_itself => changes.is_partial = true,
            _ if is_itself => {}
            (Some(404 | 410), _) => changes.gone.push(href),
            (Some(status), None) if status >= 300 => {}
            // A collection in it.
            _ if href.ends_with('/') => {}
            // Without a state it is there nevertheless, and is read each time.
            (_, etag) => changes.changed.push(ListedResource { href, etag: etag.unwrap_or_default() }),
        }
    }
    Some(changes)
}

/// The resources of a list of all there is.
pub(super) fn all_of(all: &Multistatus<'_>, home: &ServerHosts, from: &Url) -> Vec<ListedResource> {
    let is_collection = |entry: &&EntryOf<'_>| {
        entry.prop(DAV, "resourcetype").is_some_and(|kind| kind.children().any(|node| node.is_element()))
    };
    let is_there = |entry: &&EntryOf<'_>| entry.status.is_none_or(|status| status < 300);
    let resources = all.entries.iter().filter(|entry| !is_collection(entry) && is_there(entry));
    let listed = resources.filter_map(|entry| {
        let href = home.href(entry.href, from)?;
        (!href.ends_with('/')).then(|| ListedResource { href, etag: etag(entry).unwrap_or_default() })
    });
    listed.collect()
}

pub(super) fn etag(entry: &EntryOf<'_>) -> Option<String> {
    entry.text(DAV, "getetag").filter(|etag| etag.len() <= DAV_ETAG_BYTES_MAX).map(str::to_owned)
}
