//! Nothing on a turn's path is trained, parsed or compiled at its first use: the first message of the day costs what the
//! second does, and no chat waits for what another's message needs. What is made of texts is made when a process starts.

use std::path::PathBuf;

use crate::architecture::{sources, without_tests};

/// What keeps something from its first use on, or makes something that is worth keeping.
const MARKS: &[&str] =
    &["LazyLock", "LazyCell", "OnceLock", "OnceCell", "thread_local!", "lazy_static", "Regex::new", "RegexSet::new"];

/// Where one of them stands all the same, and why nobody waits for it.
const MAY: &[(&str, &str, &str)] = &[
    ("language/tables.rs", "LazyLock", "tables of texts, all made when a process starts that reads messages"),
    (
        "core/forgotten.rs",
        "Regex::new",
        "what one person had forgotten, looked for once, after the turn, and kept by nobody",
    ),
    ("language/time/once.rs", "thread_local!", "the times of one message while it is read, empty before and after"),
    ("pipeline/brain.rs", "OnceLock", "who the first admin is, set at start or by pairing"),
    ("services/contract/holder.rs", "OnceLock", "the same"),
    ("services/remote/dav/sync_worker.rs", "OnceLock", "the same"),
    ("services/remote/dav/place.rs", "OnceLock", "the same"),
    ("services/email/mailbox/elsewhere.rs", "OnceLock", "the same"),
    (
        "services/email/imap/folders.rs",
        "LazyLock",
        "a kilobyte of names, split once when a server first lists its folders, which takes a hundred times as long",
    ),
    ("pipeline/stages/gate.rs", "OnceLock", "one turn's own memory of what it asked, gone with the turn"),
    (
        "language/requests/residue.rs",
        "OnceCell",
        "what each time of one message is to one plan, found once for all its words",
    ),
    (
        "language/requests/plan_wording.rs",
        "OnceCell",
        "what one plan says, read when a message names a number or a time",
    ),
    (
        "language/requests/question_words.rs",
        "LazyLock",
        "seven kilobytes of words, split once when a message first may be a question over everything",
    ),
    (
        "language/reading/mood.rs",
        "LazyLock",
        "fifteen kilobytes of words of two languages, split once when a message is first planned",
    ),
    (
        "language/fraud/sentences.rs",
        "LazyLock",
        "fifteen kilobytes of words, split once when a mail is first looked at",
    ),
    ("language/work.rs", "thread_local!", "what tests count of steps"),
    ("services/tool/secret_words.rs", "LazyLock", "six kilobytes of words, split once when a server first asks back"),
    ("language/people/fit.rs", "LazyLock", "two kilobytes of words, split once when a name is first compared"),
    ("language/grounding/choices.rs", "LazyLock", "three kilobytes of words, split once when a plan is first judged"),
    (
        "language/grounding/own_words.rs",
        "LazyLock",
        "four kilobytes of words, split once when a look first goes elsewhere",
    ),
    ("pipeline/turn/account.rs", "OnceCell", "one turn's own memory of what the guard said, gone with the turn"),
    ("language/rows.rs", "LazyLock", "two kilobytes of words, split once when a message may first point at a row"),
    ("language/own_rule.rs", "LazyLock", "three kilobytes of words, split once when a message may first be a rule"),
    (
        "services/planning/amending.rs",
        "Regex::new",
        "compiled when a card is changed, some tenths of a millisecond each, and kept by nobody",
    ),
];

/// Files that are part of the tests: all below a module that is declared so.
fn only_in_tests(files: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let declared = |(file, text): &(PathBuf, String)| {
        let folder = if file.ends_with("mod.rs") { file.with_file_name("") } else { file.with_extension("") };
        let after = |part: &str| {
            let (_visibility, name) = part.trim_start().lines().next()?.split_once("mod ")?;
            Some(folder.join(name.strip_suffix(';')?))
        };
        text.split("#[cfg(test)]").skip(1).filter_map(after).collect::<Vec<_>>()
    };
    files.iter().flat_map(declared).collect()
}

#[test]
fn what_is_made_of_texts_is_made_when_a_process_starts() {
    let files = sources();
    let count = |what: &str| {
        let texts = files.iter().map(|(path, text)| without_tests(path, text));
        texts.map(|text| text.matches(what).count()).sum::<usize>()
    };
    assert!(count(": MadeTables<") > 5);
    assert_eq!(count(": MadeTables<"), count("MadeTables::force(&"));
    assert_eq!(count("spawn(language::ready)"), 1, "where a process opens what it serves from");
}

#[test]
fn nothing_on_a_turns_path_is_made_at_its_first_use() {
    let mut files = sources();
    files.retain(|(path, _)| ["core", "language", "services", "pipeline"].iter().any(|room| path.starts_with(room)));
    let tests = only_in_tests(&files);
    let (mut wrong, mut seen) = (Vec::new(), Vec::new());
    for (path, text) in &files {
        if tests.iter().any(|test| path.starts_with(test) || path.with_extension("") == *test) {
            continue;
        }
        let relative = path.to_str().unwrap();
        let code = without_tests(path, text);
        for mark in MARKS.iter().filter(|mark| code.contains(**mark)) {
            match MAY.iter().find(|(may, what, _)| (*may, *what) == (relative, *mark)) {
                Some(may) => seen.push(may),
                None => wrong.push(format!("{relative}: {mark}")),
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(seen.len(), MAY.len(), "an exception that nobody needs any more");
    assert!(tests.len() > 3 && files.len() > 100, "the sources were read");
}
