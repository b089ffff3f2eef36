//! Answers of several parts (RFC 4918 §13), read entry by entry.

use roxmltree::{Document, Node, ParsingOptions};

use super::error::{DavError, garbled};
use crate::limits::{DAV_DEPTH_MAX, DAV_ENTRIES_MAX};

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
    // The parser goes down by recursion.
    if is_too_deep(text) {
        return Err(garbled());
    }
    let nodes_limit = u32::try_from(DAV_ENTRIES_MAX * 40).unwrap_or(u32::MAX);
    let options = ParsingOptions { allow_dtd: false, nodes_limit, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|_| garbled())
}

/// Whether elements lie deeper in each other than the bound. One pass: what is text (CDATA, comments, values of
/// attributes) does not count, and what never ends is left to the parser, which refuses it.
fn is_too_deep(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0_usize);
    while let Some(next) = text[at..].find('<') {
        at += next;
        let rest = &text[at..];
        let (opens, end) = if rest.starts_with("<![CDATA[") {
            (false, "]]>")
        } else if rest.starts_with("<!--") {
            (false, "-->")
        } else if rest.starts_with("<?") {
            (false, "?>")
        } else {
            (!rest.starts_with("</") && !rest.starts_with("<!"), ">")
        };
        let end = if opens { tag_end(bytes, at) } else { rest.find(end).map(|found| at + found + end.len()) };
        let Some(end) = end else { return false };
        if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if opens && bytes.get(end - 2) != Some(&b'/') {
            depth += 1;
        }
        if depth > DAV_DEPTH_MAX {
            return true;
        }
        at = end;
    }
    false
}

/// Behind the tag that begins here.
fn tag_end(bytes: &[u8], begin: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate().skip(begin) {
        match (quote, *byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
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
    Ok(Multistatus { entries, token: token.map(|token| token.trim().to_owned()).filter(|token| !token.is_empty()) })
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
