//! Which collections an account has: from any address of the server, its principal, its home, or a collection itself
//! (RFC 6764, 5397, 4791 §6.2.1).

use libdav::{Depth, PropertyName, names};
use reqwest::Url;

use super::client::DavClient;
use super::error::DavError;
use super::multistatus::{CALDAV, CALENDAR_SERVER, CARDDAV, DAV, EntryOf, Multistatus, is};
use super::{DavKind, component};
use brain_core::limits::{DAV_COLLECTIONS_MAX, DAV_HOMES_MAX, DAV_NAME_CHARS_MAX, DAV_PLACES_MAX};

const PRIVILEGES: PropertyName<'_, '_> = PropertyName::new(DAV, "current-user-privilege-set");
const OWNER: PropertyName<'_, '_> = PropertyName::new(DAV, "owner");
const DEFAULT_CALENDAR: PropertyName<'_, '_> = PropertyName::new(CALDAV, "schedule-default-calendar-URL");

/// A calendar, task list or address book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Its name there, with a slash at its end.
    pub href: String,
    /// What people call it.
    pub name: String,
    /// Whether something may be written into it.
    pub is_writable: bool,
    /// Whether others see it, or it is somebody else's.
    pub is_shared: bool,
    /// Whether the server puts there what is new.
    pub is_default: bool,
}

/// What a place of the server says of itself.
#[derive(Default)]
struct SeenPlace {
    /// It is a collection of the kind.
    collection: Option<Collection>,
    /// It is a calendar or an address book, of whatever kind.
    is_collection: bool,
    homes: Vec<String>,
    principal: Option<String>,
}

impl DavClient {
    /// Those that hold this kind of thing.
    pub async fn collections(&self, kind: DavKind) -> Result<Vec<Collection>, DavError> {
        let start = self.0.home.url.path().to_owned();
        let mut places = vec![start.clone(), well_known(kind).to_owned()];
        let mut looked: Vec<String> = Vec::new();
        let mut first_error = None;
        let mut principal = None;
        while let Some(place) = (!places.is_empty()).then(|| places.remove(0)) {
            if looked.contains(&place) || looked.len() >= DAV_PLACES_MAX {
                continue;
            }
            looked.push(place.clone());
            match self.seen(&place, kind).await {
                Ok(SeenPlace { collection: Some(only), .. }) => return Ok(vec![only]),
                // One calendar is what the account has; it is not left for others.
                Ok(SeenPlace { is_collection: true, .. }) if place == start => return Ok(Vec::new()),
                Ok(seen) => {
                    principal = seen.principal.clone().or(principal);
                    if !seen.homes.is_empty() {
                        return self.in_homes(&seen.homes, kind, principal.as_deref()).await;
                    }
                    if let Some(next) = seen.principal {
                        places.insert(0, next);
                    }
                }
                Err(error @ (DavError::NotSignedIn { .. } | DavError::Unreachable(_))) => return Err(error),
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        // A home that does not say that it is one.
        let found = self.in_homes(&[start], kind, principal.as_deref()).await;
        match (found, first_error) {
            (Ok(found), _) if !found.is_empty() => Ok(found),
            (_, Some(DavError::Gone)) | (Err(DavError::Gone), None) => {
                Err(DavError::NotDav("there is nothing at this address (404)".to_owned()))
            }
            (_, Some(error)) => Err(error),
            (found, None) => found,
        }
    }

    async fn seen(&self, place: &str, kind: DavKind) -> Result<SeenPlace, DavError> {
        let wanted = [&names::CURRENT_USER_PRINCIPAL, home_set(kind)];
        let wanted: Vec<&PropertyName<'_, '_>> = wanted.into_iter().chain(of_collections()).collect();
        let answer = self.properties(place, &wanted, Depth::Zero).await?;
        let (home, place) = (self.0.home.clone(), place.to_owned());
        answer.read(move |all, from| place_of(all, &|text| home.href(text, from), &place, kind)).await
    }

    async fn in_homes(
        &self,
        homes: &[String],
        kind: DavKind,
        principal: Option<&str>,
    ) -> Result<Vec<Collection>, DavError> {
        let mut found: Vec<Collection> = Vec::new();
        let (mut inbox, mut closed, mut opened) = (None, None, false);
        for home in homes.iter().take(DAV_HOMES_MAX) {
            let wanted: Vec<&PropertyName<'_, '_>> = of_collections().collect();
            let answer = match self.properties(home, &wanted, Depth::One).await {
                Ok(answer) => answer,
                // Somebody else's that is not open any more; ours are there nevertheless.
                Err(error @ (DavError::Gone | DavError::Refused(_))) => {
                    closed.get_or_insert(error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            opened = true;
            let (home, principal) = (self.0.home.clone(), principal.map(str::to_owned));
            let read =
                answer.read(move |all, from| in_home(all, &|text| home.href(text, from), kind, principal.as_deref()));
            let (there, invitations) = read.await?;
            inbox = inbox.or(invitations);
            for new in there {
                if found.len() < DAV_COLLECTIONS_MAX && !found.iter().any(|known| known.href == new.href) {
                    found.push(new);
                }
            }
        }
        let default = match inbox {
            Some(inbox) => self.default_of(&inbox).await,
            None => None,
        };
        if let Some(error) = closed.filter(|_| !opened) {
            return Err(error);
        }
        for one in &mut found {
            one.is_default = default.as_ref() == Some(&one.href);
        }
        Ok(found)
    }

    /// Where the server puts invitations; nothing depends on it.
    async fn default_of(&self, inbox: &str) -> Option<String> {
        let answer = self.properties(inbox, &[&DEFAULT_CALENDAR], Depth::Zero).await.ok()?;
        let home = self.0.home.clone();
        let told = move |all: &Multistatus<'_>, from: &Url| {
            let href = all.entries.first()?.hrefs(CALDAV, "schedule-default-calendar-URL").into_iter().next()?;
            home.href(href, from).map(with_slash)
        };
        answer.read(told).await.ok()?
    }
}

/// What a place says of itself; `href`: how something that an answer names is called here.
fn place_of(all: &Multistatus<'_>, href: &dyn Fn(&str) -> Option<String>, place: &str, kind: DavKind) -> SeenPlace {
    let Some(entry) = all.entries.first() else { return SeenPlace::default() };
    let (namespace, name) = (home_set(kind).namespace(), home_set(kind).name());
    let principal = entry.hrefs(DAV, "current-user-principal").into_iter().find_map(href);
    SeenPlace {
        is_collection: is_of(entry, CALDAV, "calendar") || is_of(entry, CARDDAV, "addressbook"),
        collection: href(entry.href).and_then(|href| collection(entry, href, kind, false)),
        homes: entry.hrefs(namespace, name).into_iter().filter_map(href).take(DAV_HOMES_MAX).collect(),
        principal: principal.filter(|principal| principal != place),
    }
}

/// The collections of a kind in a home, and where it takes invitations.
pub(super) fn in_home(
    all: &Multistatus<'_>,
    href: &dyn Fn(&str) -> Option<String>,
    kind: DavKind,
    principal: Option<&str>,
) -> (Vec<Collection>, Option<String>) {
    let (mut found, mut inbox) = (Vec::new(), None);
    for entry in &all.entries {
        let Some(name) = href(entry.href) else { continue };
        if kind == DavKind::Events && inbox.is_none() && is_of(entry, CALDAV, "schedule-inbox") {
            inbox = Some(name.clone());
        }
        let owner = entry.hrefs(DAV, "owner").into_iter().find_map(href);
        let is_others =
            owner.zip(principal).is_some_and(|(owner, own)| owner.trim_end_matches('/') != own.trim_end_matches('/'));
        found.extend(collection(entry, name, kind, is_others).filter(|_| found.len() < DAV_COLLECTIONS_MAX));
    }
    (found, inbox)
}

fn well_known(kind: DavKind) -> &'static str {
    match kind {
        DavKind::Events | DavKind::Tasks => "/.well-known/caldav",
        DavKind::Contacts => "/.well-known/carddav",
    }
}

fn home_set(kind: DavKind) -> &'static PropertyName<'static, 'static> {
    match kind {
        DavKind::Events | DavKind::Tasks => &names::CALENDAR_HOME_SET,
        DavKind::Contacts => &names::ADDRESSBOOK_HOME_SET,
    }
}

fn of_collections() -> impl Iterator<Item = &'static PropertyName<'static, 'static>> {
    [&names::RESOURCETYPE, &names::DISPLAY_NAME, &names::SUPPORTED_CALENDAR_COMPONENT_SET, &PRIVILEGES, &OWNER]
        .into_iter()
}

fn is_of(entry: &EntryOf<'_>, namespace: &str, name: &str) -> bool {
    entry.prop(DAV, "resourcetype").is_some_and(|kind| kind.children().any(|node| is(&node, namespace, name)))
}

/// An entry as a collection of this kind.
fn collection(entry: &EntryOf<'_>, href: String, kind: DavKind, is_others: bool) -> Option<Collection> {
    let is_it = match kind {
        DavKind::Events | DavKind::Tasks => is_of(entry, CALDAV, "calendar"),
        DavKind::Contacts => is_of(entry, CARDDAV, "addressbook"),
    };
    let is_left_out = is_of(entry, CALENDAR_SERVER, "subscribed")
        || is_of(entry, CALDAV, "schedule-inbox")
        || is_of(entry, CALDAV, "schedule-outbox")
        || is_of(entry, "http://nextcloud.com/ns", "deleted-calendar")
        || is_of(entry, "http://nextcloud.com/ns", "trash-bin");
    if !is_it || is_left_out || !holds(entry, kind) {
        return None;
    }
    let last = href.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let name = entry.text(DAV, "displayname").unwrap_or(&last).chars().take(DAV_NAME_CHARS_MAX).collect();
    let is_shared =
        is_of(entry, CALENDAR_SERVER, "shared") || is_of(entry, CALENDAR_SERVER, "shared-owner") || is_others;
    Some(Collection { href: with_slash(href), name, is_writable: may_write(entry), is_shared, is_default: false })
}

/// A calendar that does not say what it holds holds everything.
fn holds(entry: &EntryOf<'_>, kind: DavKind) -> bool {
    let Some(component) = component(kind) else { return true };
    let Some(set) = entry.prop(CALDAV, "supported-calendar-component-set") else { return true };
    let mut named =
        set.children().filter(|node| is(node, CALDAV, "comp")).filter_map(|comp| comp.attribute("name")).peekable();
    named.peek().is_none() || named.any(|name| name.eq_ignore_ascii_case(component))
}

fn may_write(entry: &EntryOf<'_>) -> bool {
    let Some(privileges) = entry.prop(DAV, "current-user-privilege-set") else { return true };
    let writes = ["all", "write", "write-content", "bind"];
    privileges.descendants().any(|node| writes.iter().any(|name| is(&node, DAV, name)))
}

fn with_slash(href: String) -> String {
    if href.ends_with('/') { href } else { format!("{href}/") }
}
