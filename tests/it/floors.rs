//! How the rooms stand on each other inside the larger folders: what is below imports nothing that is above, and files that
//! import each other in a circle are counted. Read from the sources themselves.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, ItemMod, ItemStruct, ItemUse, Signature, Type, UseTree, Visibility};

use crate::architecture::sources;

type Module = Vec<String>;
type Edges = BTreeMap<Module, BTreeSet<Module>>;

/// A folder: its rooms from the ground up (those of one row stand side by side; `""` is its own `mod.rs`), how many imports
/// may go up, and how many files the largest circle may have. The numbers only go down.
struct Room {
    folder: &'static str,
    floors: &'static [&'static [&'static str]],
    upward: usize,
    circle: usize,
}

const ROOMS: [Room; 8] = [
    Room {
        folder: "queries",
        floors: &[
            &[""],
            &["offers", "services", "agenda", "turns", "pending", "usage", "decisions", "shadow"],
            &["questions", "figures", "export", "people"],
            &["health", "archive"],
        ],
        upward: 0,
        circle: 0,
    },
    Room {
        folder: "pipeline",
        floors: &[
            &["brain", "locks", "long_chats", "running"],
            &["turn"],
            &["show"],
            &["commit", "run"],
            &["consent"],
            &["stages"],
            &["intake", "recover"],
            &["", "operator", "public", "import"],
        ],
        upward: 0,
        circle: 4,
    },
    Room {
        folder: "services",
        floors: &[
            &["contract"],
            &["remote", "tool"],
            &["catalog"],
            &["helpers"],
            &["planning"],
            &["task", "calendar", "email", "notes", "memory", "contacts", "mcp", "custom_commands", "assistant"],
            &["across"],
            &[""],
        ],
        upward: 0,
        circle: 4,
    },
    Room {
        folder: "language",
        floors: &[
            &[
                "tokens",
                "tables",
                "words",
                "word_classes",
                "work",
                "memo",
                "measured",
                "likeness",
                "lexicon",
                "terms",
                "says",
                "entries",
                "rows",
            ],
            &["time", "people", "places", "consent", "offset", "record", "fraud"],
            &["requests"],
            &["reading"],
            &["routing", "grounding", "continuation", "known", "own_rule", "nearest"],
            &[""],
        ],
        upward: 0,
        circle: 32,
    },
    Room {
        folder: "language/requests",
        floors: &[
            &["lexicon", "text", "slot_types", "notation", "grammar", "built_in", "prices"],
            &["annotated", "matching", "carried", "question_words", "account", "borders"],
            &[
                "parse_input",
                "understood",
                "condition",
                "built",
                "reading",
                "phrases",
                "parser",
                "history",
                "talk",
                "several",
                "coordination",
            ],
            &["chart", "residue", "asides", "finish", "explain"],
            &["derivation", "antecedent"],
            &["orders", "plan_wording", "families", "question_scoring", "reports"],
            &["", "plan_check", "intents"],
        ],
        upward: 0,
        circle: 5,
    },
    Room {
        folder: "investigate/strategies",
        floors: &[
            &["evidence"],
            &["coverage", "metadata_filter", "statements"],
            &["keyword_search", "batch_thread_read", "cross_reference", "semantic_analysis"],
            &[""],
        ],
        upward: 0,
        circle: 0,
    },
    Room {
        folder: "doctor",
        floors: &[
            &["check", "profile"],
            &["subjects"],
            &["bot"],
            &["account"],
            &["model", "server", "process", "machine"],
            &[""],
        ],
        upward: 0,
        circle: 0,
    },
    Room {
        folder: "channel/telegram",
        floors: &[
            &["api", "backoff", "error", "place", "entities", "moves", "last_edits", "one_text"],
            &["send", "queue", "pace", "keyboard", "files", "readdressed", "probe"],
            &["updates"],
            &["inbox", "access", "pairing", "status", "callback_acks"],
            &["channel"],
            &["context"],
            &["attachments", "turns", "intake"],
            &["debounce", "groups", "edits", "presses", "joined"],
            &["jobs", "dispatch"],
            &["listener", "polling", "webhook", "startup", "redeliver"],
            &[""],
        ],
        upward: 0,
        circle: 0,
    },
];

/// The paths that a file names, outside its tests.
#[derive(Default)]
struct Named(Vec<Vec<String>>);

/// Whether an item is compiled for tests only.
pub fn is_test(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| {
        let tokens = attribute.meta.require_list().map(|list| list.tokens.to_string());
        attribute.path().is_ident("cfg") && tokens.is_ok_and(|tokens| tokens == "test")
    };
    attributes.iter().any(is_test)
}

impl Named {
    fn add_tree(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &dyn ToString| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&path.tree, &with(&path.ident)),
            UseTree::Name(name) => self.0.push(with(&name.ident)),
            UseTree::Rename(name) => self.0.push(with(&name.ident)),
            UseTree::Glob(_) => self.0.push(before.to_vec()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(tree, before)),
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            self.add_tree(&item.tree, &[]);
        }
    }

    /// `pub(in crate::pipeline)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The file that a path leads to, seen from a module: the longest beginning of it that is one.
fn file_of(files: &BTreeMap<Module, Vec<Vec<String>>>, from: &Module, path: &[String]) -> Option<Module> {
    let mut at = from.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        first if first == "crate" || first.starts_with("brain_") => (at, rest) = (Module::new(), &rest[1..]),
        "super" | "self" => {
            while let [first, more @ ..] = rest {
                match first.as_str() {
                    "super" => _ = at.pop(),
                    "self" => {}
                    _ => break,
                }
                rest = more;
            }
        }
        first => {
            at.push(first.to_owned());
            rest = &rest[1..];
            files.contains_key(&at).then_some(())?;
        }
    }
    let mut found = files.contains_key(&at).then(|| at.clone());
    for segment in rest {
        at.push(segment.clone());
        match files.contains_key(&at) {
            true => found = Some(at.clone()),
            false => break,
        }
    }
    found.filter(|found| found != from)
}

/// What each file imports of ours.
fn imports() -> Edges {
    let is_tests = |part: &str| part == "tests" || part == "testing" || part.ends_with("_tests");
    let mut files = BTreeMap::new();
    for (path, text) in sources() {
        let mut module: Module = path.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        module.pop_if(|last| last == "mod" || last == "lib");
        if module.first().is_some_and(|first| first == "bin") || module.iter().any(|part| is_tests(part)) {
            continue;
        }
        let mut named = Named::default();
        named.visit_file(&syn::parse_file(&text).unwrap());
        files.insert(module, named.0);
    }
    let of = |(module, named): (&Module, &Vec<Vec<String>>)| {
        (module.clone(), named.iter().filter_map(|path| file_of(&files, module, path)).collect())
    };
    files.iter().map(of).collect()
}

/// What can be reached from a file inside a folder.
fn reached<'e>(edges: &'e Edges, from: &'e Module, folder: &[String]) -> BTreeSet<&'e Module> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(at) = next.pop() {
        let inside = edges.get(at).into_iter().flatten().filter(|to| to.starts_with(folder));
        next.extend(inside.filter(|to| seen.insert(*to)));
    }
    seen
}

#[test]
fn what_is_below_imports_nothing_that_is_above() {
    let edges = imports();
    let mut wrong = Vec::new();
    for Room { folder, floors, upward, circle } in ROOMS {
        let folder: Module = folder.split('/').map(str::to_owned).collect();
        let files: Vec<&Module> = edges.keys().filter(|file| file.starts_with(&folder)).collect();
        let room = |file: &Module| file.get(folder.len()).map_or("", String::as_str).to_owned();
        let floor = |file: &Module| floors.iter().position(|rooms| rooms.contains(&room(file).as_str()));
        let mut up = Vec::new();
        for file in &files {
            let Some(here) = floor(file) else {
                wrong.push(format!("{}: give this room its floor", file.join("/")));
                continue;
            };
            let above = edges[*file].iter().filter(|to| to.starts_with(&folder) && floor(to) > Some(here));
            up.extend(above.map(|to| format!("{} imports {}", file.join("/"), to.join("/"))));
        }
        if up.len() != upward {
            wrong.push(format!(
                "{}: {} imports go up, {upward} are known:\n{}",
                folder.join("/"),
                up.len(),
                up.join("\n")
            ));
        }
        let reach: BTreeMap<&Module, BTreeSet<&Module>> =
            files.iter().map(|file| (*file, reached(&edges, file, &folder))).collect();
        let circle_of = |file: &&Module| -> Vec<String> {
            let both = reach[*file].iter().filter(|to| reach[**to].contains(*file));
            both.map(|to| to.join("/")).collect()
        };
        let largest = files.iter().map(circle_of).max_by_key(Vec::len).unwrap_or_default();
        if largest.len() != circle {
            let (name, largest, len) = (folder.join("/"), largest.join(" "), largest.len());
            wrong.push(format!("{name}: the largest circle has {len} files, {circle} are known:\n{largest}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What the operator sees is queried; what they decide is the one thing that the pipeline is asked for.
#[test]
fn the_operators_commands_reach_into_no_room_of_the_pipeline() {
    let imports = imports();
    let pipeline = vec!["pipeline".to_owned()];
    let of_it = imports[&vec!["admin".to_owned()]].iter().filter(|to| to.starts_with(&pipeline));
    let named: Vec<String> = of_it.map(|to| to[1..].join("/")).collect();
    assert_eq!(named, ["brain", "operator"]);
}

#[test]
fn every_way_to_import_is_seen() {
    let text = "use super::a::{b, c as d};\npub(in crate::no) use self::e::*;\nfn f() { crate::g::h(); i::j() }\n\
                #[cfg(test)]\nmod tests { use crate::no; }\n#[cfg(test)]\nuse crate::never;";
    let mut named = Named::default();
    named.visit_file(&syn::parse_file(text).unwrap());
    let named: Vec<String> = named.0.iter().map(|path| path.join("::")).collect();
    assert_eq!(named, ["super::a::b", "super::a::c", "self::e", "crate::g::h", "i::j"]);
}

/// Functions that may take the whole turn; everything else takes what it needs of it. The number only goes down.
const TAKE_THE_TURN: usize = 78;
/// What a turn is made of.
const FIELDS_OF_THE_TURN: usize = 5;

/// What takes a whole turn, and what a turn is made of.
#[derive(Default)]
struct OfTheTurn {
    taken_by: Vec<String>,
    fields: usize,
}

fn is_turn(kind: &Type) -> bool {
    match kind {
        Type::Reference(reference) => is_turn(&reference.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Turn"),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for OfTheTurn {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        let takes = |input: &FnArg| matches!(input, FnArg::Typed(input) if is_turn(&input.ty));
        if signature.inputs.iter().any(takes) {
            self.taken_by.push(signature.ident.to_string());
        }
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        if item.ident == "Turn" {
            self.fields += item.fields.len();
        }
    }
}

#[test]
fn most_functions_take_less_than_the_whole_turn() {
    let mut all = OfTheTurn::default();
    let mut by_file = Vec::new();
    for (path, text) in sources().into_iter().filter(|(path, _)| path.starts_with("pipeline")) {
        let mut here = OfTheTurn::default();
        here.visit_file(&syn::parse_file(&text).unwrap());
        if !here.taken_by.is_empty() {
            by_file.push(format!("{}: {}", path.display(), here.taken_by.join(" ")));
        }
        all.taken_by.extend(here.taken_by);
        all.fields += here.fields;
    }
    let (taken, listed) = (all.taken_by.len(), by_file.join("\n"));
    assert_eq!(taken, TAKE_THE_TURN, "this many functions take the whole turn:\n{listed}");
    assert_eq!(all.fields, FIELDS_OF_THE_TURN, "this many fields has a turn");
}
