//! The graphs that are measured.

use brain_agent::ports::Stage;

/// Takes 100 ms.
pub const SHORT: Stage = Stage::Route;
/// Takes 200 ms.
pub const ORDINARY: Stage = Stage::Respond;
/// Takes 400 ms.
pub const LONG: Stage = Stage::Plan;

/// A node: so many calls of one kind, side by side.
#[derive(Debug, Clone)]
pub struct Asking {
    pub id: String,
    pub after: Vec<String>,
    pub stage: Stage,
    pub calls: usize,
}

/// A graph and what is expected of it.
#[derive(Debug, Clone)]
pub struct Measured {
    pub name: &'static str,
    pub nodes: Vec<Asking>,
    /// How many times faster than one by one, where that is asked for.
    pub faster: Option<f64>,
}

pub fn asking(id: &str, after: &[&str], stage: Stage, calls: usize) -> Asking {
    Asking { id: id.to_owned(), after: after.iter().map(|on| (*on).to_owned()).collect(), stage, calls }
}

pub fn all() -> Vec<Measured> {
    let wide = (0..20).map(|index| asking(&format!("thread {index}"), &[], ORDINARY, 1));
    let links = ["a", "b", "c", "d", "e"];
    let chain = links
        .iter()
        .enumerate()
        .map(|(at, id)| asking(id, at.checked_sub(1).map_or(&[], |on| &links[on..at]), ORDINARY, 1));
    let diamond = vec![
        asking("find", &[], ORDINARY, 1),
        asking("left", &["find"], ORDINARY, 1),
        asking("right", &["find"], ORDINARY, 1),
        asking("compare", &["left", "right"], ORDINARY, 1),
    ];
    // Each half has its long part elsewhere; stages wait for both long ones.
    let uneven = vec![
        asking("find mails", &[], SHORT, 1),
        asking("find events", &[], LONG, 1),
        asking("read mails", &["find mails"], LONG, 1),
        asking("read events", &["find events"], SHORT, 1),
        asking("compare", &["read mails", "read events"], ORDINARY, 1),
    ];
    let question = vec![
        asking("find", &[], SHORT, 1),
        asking("read", &["find"], ORDINARY, 20),
        asking("events", &[], LONG, 1),
        asking("compare", &["read", "events"], ORDINARY, 1),
    ];
    vec![
        Measured { name: "20 threads, a node each", nodes: wide.collect(), faster: Some(4.0) },
        Measured { name: "20 threads in one node", nodes: vec![asking("read", &[], ORDINARY, 20)], faster: Some(4.0) },
        Measured { name: "chain of 5", nodes: chain.collect(), faster: None },
        Measured { name: "diamond", nodes: diamond, faster: None },
        Measured { name: "two uneven halves", nodes: uneven, faster: None },
        Measured { name: "a question: find, read 20, events, compare", nodes: question, faster: None },
    ]
}
