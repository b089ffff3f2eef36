//! The parts of a mail, found in one pass with bounds.
//!
//! A parser that builds a tree of what a mail nests has to walk that tree to take it down, and a mail of 700 KB nests
//! deeper than any stack. So no tree is built: one pass over the lines, with a stack of its own that has a limit, cuts
//! the mail into parts (RFC 2046); the library for mails is handed one short head at a time and decodes bodies.
//!
//! Invariants: nothing here recurses, and nothing it calls does; the work grows with the mail's size, not with what it
//! nests; what lies beyond a bound is left out, and [`Mime::partial`] says so. Deliberately not here: mails inside a
//! mail. They are attachments; attachments are named, and decoded only to be passed on as they are.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::html::html_to_text;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Message, MessageParser, MimeHeaders};

use super::head;
use super::links::MailLinks;
use brain_core::limits;

/// A mail's text and the names of what is attached to it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::services::email) struct Mime {
    /// What is meant to be read, lines as the mail ends them.
    pub texts: Vec<String>,
    /// Names of attachments.
    pub attachments: Vec<String>,
    /// Where its markup leads to, whether it is what is read or not.
    pub links: MailLinks,
    /// It nests deeper, or has more parts, than is read.
    pub partial: bool,
}

/// A file that a mail carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::services::email) struct Carried {
    /// None when it has none.
    pub name: Option<String>,
    /// As the mail states it: `application/pdf`.
    pub kind: String,
    /// Decoded.
    pub bytes: Vec<u8>,
}

/// The files that a mail carries, in its order; `None` when it has more than is read.
pub(in crate::services::email) fn carried(mail: &[u8]) -> Option<Vec<Carried>> {
    let walk = Walk::over(mail);
    let carried = |leaf: &Leaf<'_>| match &leaf.is {
        Is::Attachment { name, kind, encoding } => {
            let bytes = decoded(*encoding, leaf.body).unwrap_or_else(|| leaf.body.to_vec());
            Some(Carried { name: name.clone(), kind: kind.clone(), bytes })
        }
        Is::Text { .. } => None,
    };
    (!walk.partial).then(|| walk.leaves.iter().filter_map(carried).collect())
}

/// Reads the parts of a mail.
pub(in crate::services::email) fn read(mail: &[u8]) -> Mime {
    let walk = Walk::over(mail);
    let chosen = chosen(&walk.leaves);
    let mut mime = Mime { partial: walk.partial, ..Mime::default() };
    for leaf in walk.leaves {
        if let Is::Text { text: Text::Html, .. } = leaf.is {
            mime.links.add(&leaf.written());
        }
        let is_chosen = leaf.branches.iter().all(|branch| chosen.contains(branch));
        match leaf.is {
            Is::Text { .. } if is_chosen => mime.texts.push(leaf.text()),
            Is::Text { .. } => {}
            Is::Attachment { name, .. } => mime.attachments.extend(name),
        }
    }
    mime
}

/// A part that holds no others.
#[derive(Debug)]
struct Leaf<'a> {
    is: Is,
    /// Of each `multipart/alternative` around it, which of the alternatives it belongs to.
    branches: Vec<Branch>,
    body: &'a [u8],
}

#[derive(Debug)]
enum Is {
    /// To be read.
    Text { text: Text, encoding: Encoding, charset: Option<String> },
    /// Everything else.
    Attachment { name: Option<String>, kind: String, encoding: Encoding },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Plain,
    Html,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    AsItIs,
    Base64,
    QuotedPrintable,
}

/// One of the alternatives of a multipart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Branch {
    multipart: usize,
    number: usize,
}

/// A multipart whose end has not come yet.
#[derive(Debug)]
struct Open {
    /// Its number among the parts.
    number: usize,
    kind: MultipartKind,
    boundary: Vec<u8>,
    /// How many parts it has had.
    parts: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MultipartKind {
    Alternative,
    /// Its parts are mails where they do not say otherwise.
    Digest,
    Related,
    Mixed,
}

struct Walk<'a> {
    mail: &'a [u8],
    open: Vec<Open>,
    /// The leaf being read, and where its body begins.
    begun: Option<(Is, Vec<Branch>, usize)>,
    leaves: Vec<Leaf<'a>>,
    parts: usize,
    partial: bool,
}

impl<'a> Walk<'a> {
    fn over(mail: &'a [u8]) -> Self {
        let mut walk = Self { mail, open: Vec::new(), begun: None, leaves: Vec::new(), parts: 0, partial: false };
        walk.all();
        walk
    }

    fn all(&mut self) {
        let mut at = self.begin(0);
        while at < self.mail.len() && !self.open.is_empty() {
            let end = head::line_end(self.mail, at);
            match self.delimiter(&self.mail[at..end]) {
                Some((level, ends)) => {
                    self.end_leaf(at);
                    self.open.truncate(if ends { level } else { level + 1 });
                    at = if ends { end } else { self.begin(end) };
                }
                None => at = end,
            }
        }
        self.end_leaf(self.mail.len());
    }

    /// The multipart that a line belongs to as a border between its parts, and whether it is the last one.
    fn delimiter(&self, line: &[u8]) -> Option<(usize, bool)> {
        let name = line.strip_prefix(b"--")?.trim_ascii_end();
        let borders = self.open.iter().enumerate().rev();
        borders.filter_map(|(level, open)| Some((level, name.strip_prefix(open.boundary.as_slice())?))).find_map(
            |(level, rest)| match rest {
                b"" => Some((level, false)),
                b"--" => Some((level, true)),
                _ => None,
            },
        )
    }

    /// A part begins with its head; returns where its body begins.
    fn begin(&mut self, at: usize) -> usize {
        self.parts += 1;
        if self.parts > limits::MAIL_PARTS_MAX {
            self.partial = true;
            self.open.clear();
            return self.mail.len();
        }
        let within = |line: &[u8]| self.delimiter(line).is_some();
        let (fields, body) = head::fields(self.mail, at, head::is_of_a_part, within);
        let head = MessageParser::default().parse_headers(&fields);
        let kind = head.as_ref().and_then(|head| head.content_type()).filter(|kind| kind.ctype() == "multipart");
        match kind.and_then(|kind| Some((kind, kind.attribute("boundary").filter(|b| !b.is_empty())?))) {
            Some((kind, boundary)) => self.descend(kind, boundary.as_bytes()),
            None => self.begun = Some((self.leaf_of(head.as_ref()), self.branches(), body)),
        }
        body
    }

    fn descend(&mut self, kind: &ContentType<'_>, boundary: &[u8]) {
        if self.open.len() == limits::MAIL_DEPTH_MAX {
            // What follows up to the next border of those that are open is no part of its own.
            self.partial = true;
            return;
        }
        if let Some(outer) = self.open.last_mut() {
            outer.parts += 1;
        }
        let kind = match kind.subtype() {
            Some("alternative") => MultipartKind::Alternative,
            Some("digest") => MultipartKind::Digest,
            Some("related") => MultipartKind::Related,
            _ => MultipartKind::Mixed,
        };
        self.open.push(Open { number: self.parts, kind, boundary: boundary.to_vec(), parts: 0 });
    }

    /// Where a part stands among the alternatives around it.
    fn branches(&mut self) -> Vec<Branch> {
        if let Some(outer) = self.open.last_mut() {
            outer.parts += 1;
        }
        let around = self.open.iter().filter(|open| open.kind == MultipartKind::Alternative);
        around.map(|open| Branch { multipart: open.number, number: open.parts }).collect()
    }

    /// What a part without parts of its own is, by its head and the multipart it stands in.
    fn leaf_of(&self, head: Option<&Message<'_>>) -> Is {
        let outer = self.open.last();
        let kind = head.and_then(|head| head.content_type());
        let data = kind.and_then(data_name);
        let text = match kind {
            Some(_) if data.is_some() => None,
            Some(kind) if kind.ctype() == "text" => match kind.subtype() {
                Some("plain") => Some(Text::Plain),
                Some("html") => Some(Text::Html),
                _ => Some(Text::Other),
            },
            Some(_) => None,
            None if outer.is_some_and(|outer| outer.kind == MultipartKind::Digest) => None,
            None => Some(Text::Plain),
        };
        let is_attached = head.and_then(|head| head.content_disposition()).is_some_and(ContentType::is_attachment);
        let is_named = kind.is_some_and(|kind| kind.has_attribute("name"));
        let is_inline = !is_attached
            && outer.is_none_or(|outer| match outer.kind {
                MultipartKind::Related => outer.parts == 0,
                MultipartKind::Alternative => text != Some(Text::Other),
                MultipartKind::Digest | MultipartKind::Mixed => outer.parts == 0 || !is_named,
            });
        match text {
            Some(text) if is_inline => Is::Text {
                text,
                encoding: encoding(head),
                charset: kind.and_then(|kind| kind.attribute("charset")).map(str::to_owned),
            },
            _ => Is::Attachment {
                name: head.and_then(|head| head.attachment_name()).or(data).map(str::to_owned),
                kind: kind.map_or_else(String::new, |kind| {
                    format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()).to_ascii_lowercase()
                }),
                encoding: encoding(head),
            },
        }
    }

    fn end_leaf(&mut self, end: usize) {
        if let Some((is, branches, start)) = self.begun.take() {
            let body = self.mail.get(start..end).unwrap_or_default();
            // The line end before a border belongs to the border.
            let body = if self.open.is_empty() { body } else { without_line_end(body) };
            self.leaves.push(Leaf { is, branches, body });
        }
    }
}

/// What a text that is written for programs is called where the mail gives it no name.
fn data_name(kind: &ContentType<'_>) -> Option<&'static str> {
    match (kind.ctype(), kind.subtype()?) {
        ("text", "calendar" | "x-vcalendar") => Some("invitation.ics"),
        ("text", "vcard" | "x-vcard" | "directory") => Some("contact.vcf"),
        _ => None,
    }
}

/// Of each set of alternatives the one to read: the first with plain text, else the first with any.
fn chosen(leaves: &[Leaf<'_>]) -> Vec<Branch> {
    let mut chosen: Vec<(Branch, bool)> = Vec::new();
    for leaf in leaves {
        let Is::Text { text, .. } = leaf.is else { continue };
        let is_plain = text == Text::Plain;
        for branch in &leaf.branches {
            match chosen.iter_mut().find(|(other, _)| other.multipart == branch.multipart) {
                Some(entry) if is_plain && !entry.1 => *entry = (*branch, true),
                Some(_) => {}
                None => chosen.push((*branch, is_plain)),
            }
        }
    }
    chosen.into_iter().map(|(branch, _)| branch).collect()
}

fn encoding(head: Option<&Message<'_>>) -> Encoding {
    match head.and_then(|head| head.content_transfer_encoding()).map(str::trim) {
        Some(named) if named.eq_ignore_ascii_case("base64") => Encoding::Base64,
        Some(named) if named.eq_ignore_ascii_case("quoted-printable") => Encoding::QuotedPrintable,
        _ => Encoding::AsItIs,
    }
}

/// `None` for what is not encoded, or badly.
fn decoded(encoding: Encoding, body: &[u8]) -> Option<Vec<u8>> {
    match encoding {
        Encoding::AsItIs => None,
        Encoding::Base64 => base64_decode(body),
        Encoding::QuotedPrintable => quoted_printable_decode(body),
    }
}

fn without_line_end(body: &[u8]) -> &[u8] {
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    body.strip_suffix(b"\r").unwrap_or(body)
}

impl Leaf<'_> {
    /// Decoded as far as it can be; what is badly encoded is shown as it stands.
    fn text(&self) -> String {
        let written = self.written();
        match &self.is {
            Is::Text { text: Text::Html, .. } => html_to_text(&written),
            Is::Text { .. } | Is::Attachment { .. } => written,
        }
    }

    /// Decoded, as it is written: markup and all.
    fn written(&self) -> String {
        let Is::Text { encoding, charset, .. } = &self.is else { return String::new() };
        let decoded = decoded(*encoding, self.body);
        let bytes = decoded.as_deref().unwrap_or(self.body);
        match charset.as_ref().and_then(|name| charset_decoder(name.as_bytes())) {
            Some(decode) => decode(bytes),
            None => String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}
