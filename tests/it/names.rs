//! Who knows whom by name: a service is known in its own folder, and where the built-in ones are put together.

use std::collections::BTreeMap;
use std::path::Path;

use syn::Item;
use syn::visit::{self, Visit};

use crate::architecture::{sources, without_tests};
use crate::floors::is_test;

/// Folder of each built-in service, and its name in plans.
fn services() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/brain-services/src/services");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).unwrap() {
        let folder = entry.unwrap().path();
        let texts =
            ["record.rs", "message/mail.rs"].map(|file| std::fs::read_to_string(folder.join(file)).unwrap_or_default());
        let mut lines = texts.iter().flat_map(|text| text.lines());
        let Some(line) = lines.find(|line| line.starts_with("pub const NAME: &str = \"")) else { continue };
        let name = line.split('"').nth(1).unwrap().to_owned();
        found.push((folder.file_name().unwrap().to_str().unwrap().to_owned(), name));
    }
    found.sort();
    found
}

/// Files that may name services, each with its reason.
const MAY: &[(&str, &str)] = &[
    ("services/mod.rs", "registers the built-in ones"),
    (
        "services/across/filling.rs",
        "puts together what the built-in ones make of phrases, and settles whose thing is meant",
    ),
    ("services/across/demo.rs", "fills all of them with made-up data"),
    ("app.rs", "gives them their backends"),
    ("eval/example", "puts made-up records into all of them, and reads them back"),
    ("eval/plan.rs", "needs their commands over nothing"),
    ("eval/memory.rs", "keeps facts as the service does, to measure how they are found"),
    ("eval/grounded.rs", "invents values for their commands, in a test"),
    ("language/requests", "the reader of requests, which knows the built-in ones until its phrases are theirs"),
    ("language/routing/mod.rs", "asks that reader"),
];

/// Words that are no services although one is called so.
const OTHERWISE: &[(&str, &str)] = &[
    ("ports/table.rs", "\"contacts\""),
    ("pipeline/intake/commands/mod.rs", "\"memory\""),
    ("pipeline/intake/commands/trace.rs", "\"keep\""),
    ("pipeline/stages/guard.rs", "\"email\""),
    ("pipeline/stages/guard.rs", "\"task\""),
    ("pipeline/stages/guard.rs", "\"calendar\""),
    ("eval/mod.rs", "\"memory\""),
    ("eval/report.rs", "\"memory\""),
    ("services/helpers/described.rs", "\"task\""),
    ("services/helpers/search.rs", "\"memory\""),
    ("services/helpers/search.rs", "\"task\""),
    ("services/across/completion.rs", "\"email\""),
    ("services/tool/form.rs", "\"email\""),
    ("services/contacts/save.rs", "\"email\""),
    ("services/contacts/resource/read.rs", "\"email\""),
    ("services/email/message/mime.rs", "\"calendar\""),
    ("dav/discovery.rs", "\"calendar\""),
    ("accounts/collections.rs", "\"calendar\""),
    ("accounts/collections.rs", "\"contacts\""),
];

#[test]
fn no_file_outside_a_services_folder_names_it() {
    let services = services();
    assert_eq!(services.len(), 6, "{services:?}");
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let relative = path.to_str().unwrap();
        if MAY.iter().any(|(may, _)| relative.starts_with(may)) {
            continue;
        }
        let lines = without_tests(&path, &text).lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            for (folder, name) in &services {
                if relative.starts_with(&format!("services/{folder}/")) {
                    continue;
                }
                let literal = format!("\"{name}\"");
                let otherwise = OTHERWISE.contains(&(relative, literal.as_str()));
                let by_name = line.contains(&literal) && !otherwise;
                // One service may use another's types (contacts read mailboxes); nobody else knows a folder.
                let by_path = line.contains(&format!("services::{folder}::")) && !relative.starts_with("services/");
                if by_name || by_path {
                    wrong.push(format!("{relative}: {}", line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_exception_is_still_needed() {
    let files = sources();
    for (file, _) in MAY {
        assert!(files.iter().any(|(path, _)| path.starts_with(file)), "{file}");
    }
    for (file, literal) in OTHERWISE {
        let named = files.iter().find(|(path, _)| path == Path::new(file));
        assert!(named.is_some_and(|(_, text)| text.contains(literal)), "{file} {literal}");
    }
}

/// The types that a file declares, outside its tests.
#[derive(Default)]
struct Declared(Vec<String>);

impl<'ast> Visit<'ast> for Declared {
    fn visit_item(&mut self, item: &'ast Item) {
        let (name, attributes) = match item {
            Item::Struct(item) => (&item.ident, &item.attrs),
            Item::Enum(item) => (&item.ident, &item.attrs),
            Item::Trait(item) => (&item.ident, &item.attrs),
            Item::Type(item) => (&item.ident, &item.attrs),
            Item::Mod(item) if is_test(&item.attrs) => return,
            other => return visit::visit_item(self, other),
        };
        if !is_test(attributes) {
            self.0.push(name.to_string());
        }
    }
}

/// The types of every file, outside its tests.
fn types() -> Vec<(String, String)> {
    let is_tests = |part: &str| part == "tests" || part == "testing" || part.ends_with("_tests");
    let is_test = |path: &Path| path.with_extension("").iter().any(|part| is_tests(part.to_str().unwrap()));
    let mut found = Vec::new();
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_test(path)) {
        let mut declared = Declared::default();
        declared.visit_file(&syn::parse_file(&text).unwrap());
        found.extend(declared.0.into_iter().map(|name| (name, path.display().to_string())));
    }
    found
}

/// Words that were ours alone, where the field has a term: none of them is part of a name.
const PRIVATE_WORDS: [&str; 51] = [
    "breath",
    "gather",
    "heard",
    "hearing",
    "senses",
    "companions",
    "unread",
    "peel",
    "foreign",
    "scene",
    "desk",
    "trouble",
    "home",
    "deed",
    "held",
    "sought",
    "wanted",
    "asked",
    "told",
    "house",
    "shelf",
    "slip",
    "slips",
    "nursery",
    "paper",
    "further",
    "beside",
    "whole",
    "lead",
    "ahead",
    "said",
    "seat",
    "seats",
    "courier",
    "lookout",
    "keeper",
    "taps",
    "dear",
    "leanings",
    "laying",
    "kinds",
    "face",
    "things",
    "ring",
    "rooms",
    "enclosed",
    "attaching",
    "pointed",
    "salient",
    "excess",
    "relayed",
];

#[test]
fn no_private_word_names_a_type_a_file_or_a_setting() {
    let words_of_type = |name: &str| -> Vec<String> {
        let begins = |(at, c): (usize, char)| (c.is_uppercase() || at == 0).then_some(at);
        let starts: Vec<usize> = name.char_indices().filter_map(begins).collect();
        let ends = starts.iter().skip(1).copied().chain([name.len()]);
        starts.iter().zip(ends).map(|(from, to)| name[*from..to].to_lowercase()).collect()
    };
    let parts = |name: &str| name.to_lowercase().split(['/', '_', '.']).map(str::to_owned).collect::<Vec<_>>();
    let settings =
        include_str!("../../.env.example").lines().filter_map(|line| line.trim_start_matches("# ").split_once('='));
    let keys =
        settings.map(|(key, _)| key.to_owned()).filter(|key| key.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
    let files = sources().into_iter().map(|(path, _)| path.display().to_string());
    let named = types().into_iter().map(|(name, file)| (words_of_type(&name), format!("{name} in {file}")));
    let named = named.chain(files.chain(keys).map(|name| (parts(&name), name)));
    let private: Vec<String> = named
        .filter(|(words, _)| words.iter().any(|word| PRIVATE_WORDS.contains(&word.as_str())))
        .map(|(_, name)| name)
        .collect();
    assert!(private.is_empty(), "{}", private.join("\n"));
}

/// The same thing has one type, and other things have other names.
#[test]
fn no_type_name_stands_twice() {
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, file) in types() {
        seen.entry(name).or_default().push(file);
    }
    seen.retain(|_, files| files.len() > 1);
    let twice: Vec<String> = seen.iter().map(|(name, files)| format!("{name}: {}", files.join(", "))).collect();
    assert!(twice.is_empty(), "{}", twice.join("\n"));
}
