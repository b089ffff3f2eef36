//! Answers of several parts (RFC 4918 §13), read entry by entry.

use roxmltree::{Document, Node, ParsingOptions};

use super::error::{DavError, garbled};
use super::shape::is_bearable;
use brain_core::limits::{DAV_ENTRIES_MAX, DAV_NODES_MAX, DAV_TOKEN_BYTES_MAX};

pub(super) const DAV: &str = "DAV:";
pub(super) const CALDAV: &str = "urn:ietf:params:xml:ns:caldav";
pub(super) const CARDDAV: &str = "urn:ietf:params:xml:ns:carddav";
pub(super) const CALENDAR_SERVER: &str = "http://calendarserver.org/ns/";

/// One entry: a thing, what is wrong with it, and those of its properties that were given.
pub(super) struct EntryOf<'d> {
    pub href: &'d str,
    /// Of the thing itself, where it has one.
    pub status: Option<u16>,
    given: Vec<Node<'d, 'd>>,
}

impl<'d> EntryOf<'d> {
    /// A property that was given.
    pub fn prop(&self, namespace: &str, name: &str) -> Option<Node<'d, 'd>> {
        self.given.iter().find(|node| is(node, namespace, name)).copied()
    }

    /// Its text, if it has any.
    pub fn text(&self, namespace: &str, name: &str) -> Option<&'d str> {
        let text = self.prop(namespace, name)?.text()?.trim();
        Some(text).filter(|text| !text.is_empty())
    }

    /// The addresses in it.
    pub fn hrefs(&self, namespace: &str, name: &str) -> Vec<&'d str> {
        let Some(prop) = self.prop(namespace, name) else { return Vec::new() };
        prop.descendants().filter(|node| is(node, DAV, "href")).filter_map(|node| node.text()).collect()
    }
}

/// An answer.
pub(super) struct Multistatus<'d> {
    pub entries: Vec<EntryOf<'d>>,
    /// Where a listing of changes goes on.
    pub token: Option<String>,
}

pub(super) fn is(node: &Node<'_, '_>, namespace: &str, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name && node.tag_name().namespace() == Some(namespace)
}

/// Reads XML that somebody else wrote.
pub(super) fn parsed(text: &str) -> Result<Document<'_>, DavError> {
    if !is_bearable(text) {
        return Err(garbled());
    }
    let nodes_limit = u32::try_from(DAV_NODES_MAX).unwrap_or(u32::MAX);
    let options = ParsingOptions { allow_dtd: false, nodes_limit, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|_| garbled())
}

/// The entries of an answer.
pub(super) fn entries<'d>(document: &'d Document<'d>) -> Result<Multistatus<'d>, DavError> {
    let root = document.root_element();
    if !is(&root, DAV, "multistatus") {
        return Err(DavError::NotDav(
            "what is at this address answers as no calendar or contact server does".to_owned(),
        ));
    }
    let found = root.children().filter(|node| is(node, DAV, "response")).take(DAV_ENTRIES_MAX + 1);
    let entries: Vec<EntryOf<'d>> = found.filter_map(entry).collect();
    if entries.len() > DAV_ENTRIES_MAX {
        return Err(DavError::Unexpected(format!("the server lists more than {DAV_ENTRIES_MAX} entries")));
    }
    let token = root.children().find(|node| is(node, DAV, "sync-token")).and_then(|node| node.text());
    let token = token.map(str::trim).filter(|token| (1..=DAV_TOKEN_BYTES_MAX).contains(&token.len()));
    Ok(Multistatus { entries, token: token.map(str::to_owned) })
}

fn entry<'d>(response: Node<'d, 'd>) -> Option<EntryOf<'d>> {
    let child = |name: &str| response.children().find(|node| is(node, DAV, name));
    let href = child("href")?.text()?.trim();
    let status = child("status").and_then(|node| status_of(node.text()?));
    let mut given = Vec::new();
    for propstat in response.children().filter(|node| is(node, DAV, "propstat")) {
        let status = propstat.children().find(|node| is(node, DAV, "status")).and_then(|node| status_of(node.text()?));
        if status.is_none_or(|status| (200..300).contains(&status)) {
            let props = propstat.children().filter(|node| is(node, DAV, "prop"));
            given.extend(props.flat_map(|prop| prop.children().filter(Node::is_element)));
        }
    }
    Some(EntryOf { href, status, given })
}

/// The number in `HTTP/1.1 404 Not Found`.
fn status_of(line: &str) -> Option<u16> {
    line.split_whitespace().nth(1)?.parse().ok()
}
