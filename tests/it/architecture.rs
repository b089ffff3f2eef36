//! The direction of dependencies (STYLE, "Layout") and the size of files, read from the sources themselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What each module may name of its own crate. A module may always name itself; of other crates it names what Cargo lets it.
fn allowed(module: &str) -> Option<&'static [&'static str]> {
    const FRONT: &[&str] = &["admin", "backup", "channel", "config", "scheduler", "upkeep"];
    Some(match module {
        "core" | "secret_files" => &["limits"],
        "ports" | "archive" | "kept_files" => &["core", "limits"],
        "prompts" => &["core", "limits", "ports", "secret_files"],
        "clock" => &["core", "limits", "ports"],
        "dav" => &["accounts"],
        "mcp" => &["accounts", "outside"],
        "custom_commands" => &["outside"],
        "queries" => &["investigate"],
        "metering" => &["queries"],
        "pipeline" => &["investigate", "metering", "queries"],
        "shadow" => &["metering", "queries", "pipeline"],
        "scheduler" | "upkeep" | "admin" | "channel" => FRONT,
        // It looks at everything, and nothing but the command line names it.
        "doctor" => &["app", "channel", "config"],
        // They put everything together.
        "app" | "bin" | "lib" => return None,
        // The others, and a module nobody has given its place yet.
        _ => &[],
    })
}

/// Every source file, by its path below the `src` of its crate.
pub fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut all = Vec::new();
    for root in roots() {
        let mut found = Vec::new();
        walk(&root, &mut found);
        all.extend(found.into_iter().map(|(path, text)| (path.strip_prefix(&root).unwrap().to_owned(), text)));
    }
    all.sort();
    all
}

/// Where the sources of each crate are.
pub fn roots() -> Vec<PathBuf> {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = std::fs::read_dir(ours.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut roots: Vec<PathBuf> = crates.chain([ours.to_owned()]).map(|folder| folder.join("src")).collect();
    roots.sort();
    roots
}

fn module_of(path: &Path) -> String {
    let first = path.iter().next().unwrap().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

/// Test modules of a file may use anything.
pub fn without_tests<'a>(path: &Path, text: &'a str) -> &'a str {
    let is_tests =
        path.iter().any(|part| ["tests", "tests.rs", "testing", "testing.rs"].iter().any(|name| part == *name));
    if is_tests { "" } else { text.split("#[cfg(test)]\nmod tests {").next().unwrap() }
}

/// Every `crate::NAME` of a text, wherever it stands; `crate::{a, b}` counts as both.
fn named(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(is_name) || code[..at].ends_with('$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let mut depth = 1;
                let mut name = String::new();
                let mut fresh = true;
                for c in group.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 1 => fresh = true,
                        c if depth == 1 && fresh && is_name(c) => {
                            name.push(c);
                            continue;
                        }
                        _ => {}
                    }
                    if !name.is_empty() {
                        names.push(std::mem::take(&mut name));
                        fresh = c == ',';
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            None => names.push(rest.chars().take_while(|c| is_name(*c)).collect()),
        }
    }
    names
}

#[test]
fn no_module_names_one_it_may_not_know() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let module = module_of(&path);
        let Some(allowed) = allowed(&module) else {
            continue;
        };
        for name in named(without_tests(&path, &text)) {
            // Macros and items at the root of the crate begin with something else.
            if name != module && !allowed.contains(&name.as_str()) {
                wrong.push(format!("{} names crate::{name}", path.display()));
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_edges_sees_every_way_to_write_one() {
    let seen = named(
        "use crate::store::X;\nlet a = crate::llm::f();\nuse crate::{core::a, records::{b, c}, app};\n// crate::no\nmycrate::no",
    );
    assert_eq!(seen, ["store", "llm", "core", "records", "app"]);
}

/// Nothing that a lower layer must not touch is reached past our own modules either.
#[test]
fn the_core_touches_nothing_of_the_world() {
    let world = [
        "std::fs",
        "std::net",
        "std::env",
        "std::process",
        "tokio",
        "SystemTime::now",
        "Utc::now",
        "Local::now",
        "Uuid",
        "rand::",
        "async fn",
    ];
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        if module_of(&path) == "core" {
            let code = without_tests(&path, &text);
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in lines {
                wrong.extend(world.iter().filter(|w| line.contains(**w)).map(|w| format!("{}: {w}", path.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const LINES_MAX: usize = 400;

/// Files that are longer, each with its reason. A file that got shorter again must leave the list.
const LONG: &[(&str, &str)] = &[];

#[test]
fn a_file_fits_a_head() {
    let listed: BTreeMap<&str, &str> = LONG.iter().copied().collect();
    assert!(listed.values().all(|why| why.len() > 10), "every exception has a reason");
    let mut wrong = Vec::new();
    // Tests are tables: they may be as long as there are rows.
    let is_tests = |path: &Path| path.iter().any(|part| part == "tests" || part == "tests.rs");
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_tests(path)) {
        let name = path.to_str().unwrap();
        let lines = text.lines().count();
        match (lines > LINES_MAX, listed.contains_key(name)) {
            (false, true) if lines > LINES_MAX * 9 / 10 => {}
            (true, false) => {
                wrong.push(format!("{name} has {lines} lines: split it by idea, or list it with its reason"))
            }
            (false, true) => wrong.push(format!("{name} has {lines} lines: take it off the list")),
            (true, true) | (false, false) => {}
        }
    }
    for name in listed.keys() {
        if !sources().iter().any(|(path, _)| path.to_str() == Some(name)) {
            wrong.push(format!("{name} is listed and does not exist"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines of code that may be spent on what understands without a model. They only go down.
const LINES_WITHOUT_A_MODEL: usize = 12_130;
/// What is only there for that. Times, consent, the moods of clauses and grounding are not: a model needs them as well.
const WITHOUT_A_MODEL: [&str; 33] = [
    "language/requests",
    "language/routing",
    "language/rows",
    "language/own_rule",
    "language/continuation",
    "language/nearest",
    "language/record",
    "language/likeness",
    "investigate/features",
    "investigate/templates",
    "investigate/synthesize",
    "pipeline/turn/understanding",
    "pipeline/intake/rows",
    "pipeline/intake/coreference",
    "pipeline/intake/standing_rules",
    "pipeline/intake/report",
    "pipeline/intake/named_tool",
    "pipeline/intake/question",
    "pipeline/intake/known",
    "pipeline/stages/built_in",
    "pipeline/stages/without_model",
    "pipeline/stages/guessed",
    "pipeline/stages/later",
    "pipeline/stages/omissions",
    "pipeline/stages/answers",
    "services/across/filling",
    "services/helpers/described",
    "services/email/filling",
    "services/email/compose/letter",
    "services/across/completion",
    "services/helpers/reported",
    "services/task/reminder_offset",
    "services/across/condition",
];
/// What a function takes that makes a plan of a clause; those of the services stand beside their commands.
const FILLS_FROM_A_CLAUSE: &str = "ClauseReading";

/// Lines that are neither empty nor a comment, without the tests.
fn lines_of_code(text: &str) -> usize {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    code.lines().filter(is_code).count()
}

/// The functions of a file whose parameters name a type.
fn functions_taking<'t>(text: &'t str, of: &'t str) -> impl Iterator<Item = &'t str> {
    let is_function = |line: &str| line.trim_start().trim_start_matches("pub").contains("fn ") && line.contains('(');
    let begins = text.lines().filter(move |line| is_function(line));
    begins.filter_map(move |line| {
        let from = line.as_ptr().addr() - text.as_ptr().addr();
        let head = text[from..].split_once('{')?.0;
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = text[from..].find(&format!("\n{indent}}}"))?;
        head.contains(of).then_some(&text[from..from + end + indent.len() + 2])
    })
}

#[test]
fn what_works_without_a_model_costs_less_and_never_more() {
    let is_tests = |path: &Path| path.iter().any(|part| part.to_str().is_some_and(|part| part.contains("tests")));
    let belongs = |path: &Path| {
        let name = path.with_extension("");
        WITHOUT_A_MODEL.iter().any(|folder| name.starts_with(folder))
    };
    let sources = sources();
    let (whole, others): (Vec<_>, Vec<_>) =
        sources.iter().filter(|(path, _)| !is_tests(path)).partition(|(path, _)| belongs(path));
    let is_there = |folder: &&&str| whole.iter().any(|(path, _)| path.with_extension("").starts_with(folder));
    assert_eq!(WITHOUT_A_MODEL.iter().filter(|folder| !is_there(folder)).collect::<Vec<_>>(), Vec::<&&str>::new());
    let fills = |text: &str| -> usize { functions_taking(text, FILLS_FROM_A_CLAUSE).map(lines_of_code).sum() };
    let all = whole.iter().map(|(_, text)| lines_of_code(text)).chain(others.iter().map(|(_, text)| fills(text)));
    let lines: usize = all.sum();
    assert!(lines <= LINES_WITHOUT_A_MODEL, "{lines} lines, and {LINES_WITHOUT_A_MODEL} are allowed: take some out");
    assert!(lines + 100 > LINES_WITHOUT_A_MODEL, "{lines} lines: lower the budget to that, so that it stays so");
}

/// What is known stands in texts, which a person can read, review and change.
#[test]
fn nothing_is_kept_that_was_compiled_of_texts() {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data"), &mut files);
    assert!(files.len() > 50);
    let is_text = |bytes: &[u8]| !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
    files.retain(|file| !is_text(&std::fs::read(file).unwrap()));
    assert_eq!(files, Vec::<PathBuf>::new());
}
