//! Schema of the index: how documents look in it.
//!
//! | field | holds |
//! |---|---|
//! | `key` | kind and id; one document each |
//! | `kind`, `flag`, `group`, `person` | exact words, for filters; a person's also with the role before it |
//! | `title`, `body` | all forms of the words, with positions |
//! | `stem`, `title_stem` | kind and stem: what a description can mean, counted within the kind |
//! | `exact` | kind and folded title |
//! | `at`, `id`, `kept` | by document, for order and answers |
//! | `text` | the body as it stands, stored, for snippets |

use chrono::{DateTime, Utc};
use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, STORED, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{TantivyDocument, Term};

use super::text;
use brain_core::limits::{INDEX_BODY_BYTES_MAX, INDEX_SNIPPET_BYTES_MAX};
use brain_core::ports::Document;
use brain_language::language::terms;

/// Raised whenever a document is kept in another way: indexes of another shape are built again.
pub(super) const SHAPE: u32 = 1;

/// Stands between the parts of a word that has several.
const BETWEEN: char = '\u{1}';

/// The fields of a document, as the index numbers them.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexFields {
    pub(super) key: Field,
    pub(super) kind: Field,
    pub(super) flag: Field,
    pub(super) group: Field,
    pub(super) person: Field,
    pub(super) title: Field,
    pub(super) body: Field,
    pub(super) stem: Field,
    pub(super) title_stem: Field,
    pub(super) exact: Field,
    pub(super) at: Field,
    pub(super) id: Field,
    pub(super) kept: Field,
    pub(super) text: Field,
}

/// Name of a field that is read by document.
pub(super) const AT: &str = "at";
/// See [`AT`].
pub(super) const ID: &str = "id";
/// See [`AT`].
pub(super) const KIND: &str = "kind";
/// See [`AT`].
pub(super) const KEPT: &str = "kept";

/// The schema and its fields.
pub(super) fn schema() -> (Schema, IndexFields) {
    let mut schema = Schema::builder();
    let plain = || TextFieldIndexing::default().set_tokenizer("raw").set_fieldnorms(false);
    let word = || TextOptions::default().set_indexing_options(plain().set_index_option(IndexRecordOption::Basic));
    let ranked = || TextFieldIndexing::default().set_tokenizer("raw");
    let words = || {
        TextOptions::default().set_indexing_options(ranked().set_index_option(IndexRecordOption::WithFreqsAndPositions))
    };
    let column = || TextOptions::default().set_fast("raw");
    let fields = IndexFields {
        key: schema.add_text_field("key", word()),
        kind: schema.add_text_field(KIND, word().set_fast("raw")),
        flag: schema.add_text_field("flag", word()),
        group: schema.add_text_field("group", word()),
        person: schema.add_text_field("person", word()),
        title: schema.add_text_field("title", words()),
        body: schema.add_text_field("body", words()),
        stem: schema.add_text_field("stem", word()),
        title_stem: schema.add_text_field("title_stem", word()),
        exact: schema.add_text_field("exact", word()),
        at: schema.add_i64_field(AT, NumericOptions::default().set_fast()),
        id: schema.add_text_field(ID, column()),
        kept: schema.add_bytes_field(KEPT, BytesOptions::default().set_fast()),
        text: schema.add_text_field("text", STORED),
    };
    (schema.build(), fields)
}

/// Two parts as one word.
pub(super) fn joined(first: &str, second: &str) -> String {
    format!("{first}{BETWEEN}{second}")
}

/// A time as it is kept.
pub(super) fn millis(at: DateTime<Utc>) -> i64 {
    at.timestamp_millis()
}

impl IndexFields {
    /// The place of a document.
    pub(super) fn key(&self, kind: &str, id: &str) -> Term {
        Term::from_field_text(self.key, &joined(kind, id))
    }

    /// A document as tantivy takes it.
    pub(super) fn document(&self, document: &Document) -> TantivyDocument {
        let mut made = TantivyDocument::default();
        let kind = document.kind.as_str();
        made.add_text(self.key, joined(kind, &document.id));
        made.add_text(self.kind, kind);
        made.add_text(self.id, &document.id);
        made.add_bytes(self.kept, &document.kept);
        if let Some(at) = document.at {
            made.add_i64(self.at, millis(at));
        }
        for flag in &document.flags {
            made.add_text(self.flag, flag);
        }
        if let Some(group) = &document.group {
            made.add_text(self.group, group);
        }
        made.add_pre_tokenized_text(self.person, text::exactly(people(document)));
        let body = beginning(&document.body, INDEX_BODY_BYTES_MAX);
        made.add_pre_tokenized_text(self.title, text::indexed(&document.title));
        made.add_pre_tokenized_text(self.body, text::indexed(body));
        let folded = terms::fold(&document.title);
        let of_kind = |stems: Vec<String>| {
            let mut stems: Vec<String> = stems.iter().map(|stem| joined(kind, stem)).collect();
            stems.sort_unstable();
            stems.dedup();
            stems
        };
        let title = terms::stems(&folded);
        let mut all = title.clone();
        all.extend(terms::stems(&terms::fold(body)));
        made.add_pre_tokenized_text(self.title_stem, text::exactly(of_kind(title)));
        made.add_pre_tokenized_text(self.stem, text::exactly(of_kind(all)));
        made.add_pre_tokenized_text(self.exact, text::exactly([exact(kind, &folded)]));
        made.add_text(self.text, beginning(&document.body, INDEX_SNIPPET_BYTES_MAX));
        made
    }
}

/// A folded title as one word. Long ones are told apart by their beginning.
pub(super) fn exact(kind: &str, folded: &str) -> String {
    joined(kind, beginning(folded, 200))
}

fn people(document: &Document) -> Vec<String> {
    let of_one = |participant: &brain_core::ports::Participant| {
        let words = [&participant.name, &participant.address].map(|text| text::name_words(text)).concat();
        let role = participant.role.clone();
        words.into_iter().flat_map(move |word| [joined(&role, &word), joined("", &word)])
    };
    let mut words: Vec<String> = document.people.iter().flat_map(of_one).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// At most so many bytes from the beginning.
fn beginning(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or(text)
}
