//! Streaming parser of a graph: each node is there the moment its last brace is.
//!
//! ```text
//! words ─► prose, fences ─► { "classification": {…}, "nodes": [ {…}, {…}, … ], … } ─► anything
//!                                       └► Class          └► Node └► Node
//! ```
//!
//! Only brackets, strings and commas are told apart here; what stands between them is parsed by `serde_json`, once it
//! is whole. Invariants: how the words are cut into pieces changes nothing; every byte is looked at once; what is no
//! graph gives nothing. Deliberately not here: whether a node makes sense ([`super::checked`]), and repairs of broken
//! JSON (the adapter's; its reading of the whole answer has the last word).

use brain_core::limits::MODEL_REPLY_BYTES_MAX;

/// A piece of a graph that is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphPiece {
    /// What kind of question it is, as JSON.
    Class(String),
    /// The next element of the nodes, as JSON.
    Node(String),
}

/// Where the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReaderPosition {
    /// Before the brace that opens the graph.
    Outside,
    /// Behind it; its first member is not certain yet.
    Opened,
    /// Between members of the graph.
    Members,
    /// In a member's value, or in an element of the nodes; `from`: where it begins, `depth`: its open brackets.
    Value { from: usize, depth: usize, is_node: bool },
    /// Between elements of the nodes.
    Nodes,
    /// Behind the nodes' graph.
    Over,
}

/// See the module.
#[derive(Debug)]
pub struct GraphReader {
    text: String,
    /// Everything before it has been looked at.
    at: usize,
    place: ReaderPosition,
    /// In a string, which began here.
    string: Option<usize>,
    escaped: bool,
    /// The last string between members: the name of what follows.
    key: String,
    seen_nodes: bool,
}

impl Default for GraphReader {
    fn default() -> Self {
        Self {
            text: String::new(),
            at: 0,
            place: ReaderPosition::Outside,
            string: None,
            escaped: false,
            key: String::new(),
            seen_nodes: false,
        }
    }
}

impl GraphReader {
    /// What is whole with this piece.
    pub fn push(&mut self, piece: &str) -> Vec<GraphPiece> {
        let mut whole = Vec::new();
        if self.text.len() + piece.len() > MODEL_REPLY_BYTES_MAX {
            self.place = ReaderPosition::Over;
        }
        if self.place == ReaderPosition::Over {
            return whole;
        }
        self.text.push_str(piece);
        while self.at < self.text.len() && self.place != ReaderPosition::Over {
            let byte = self.text.as_bytes()[self.at];
            whole.extend(self.byte(byte));
            self.at += 1;
        }
        whole
    }

    fn byte(&mut self, byte: u8) -> Option<GraphPiece> {
        if self.place != ReaderPosition::Outside && self.in_string(byte) {
            return None;
        }
        match self.place {
            ReaderPosition::Outside => {
                if byte == b'{' {
                    self.place = ReaderPosition::Opened;
                }
            }
            // A brace of prose is followed by anything else.
            ReaderPosition::Opened if !byte.is_ascii_whitespace() => {
                self.place = if byte == b'{' { ReaderPosition::Opened } else { ReaderPosition::Outside };
            }
            ReaderPosition::Opened => {}
            ReaderPosition::Members => self.between_members(byte),
            ReaderPosition::Nodes => match byte {
                b']' => self.place = ReaderPosition::Members,
                b',' => {}
                byte if byte.is_ascii_whitespace() => {}
                byte => self.opens(byte, true),
            },
            ReaderPosition::Value { from, depth, is_node } => return self.in_value(byte, from, depth, is_node),
            ReaderPosition::Over => {}
        }
        None
    }

    /// Whether the byte belongs to a string, its quotes included.
    fn in_string(&mut self, byte: u8) -> bool {
        let Some(from) = self.string else {
            if byte != b'"' {
                return false;
            }
            match self.place {
                ReaderPosition::Opened => self.place = ReaderPosition::Members,
                ReaderPosition::Nodes => self.place = ReaderPosition::Value { from: self.at, depth: 0, is_node: true },
                ReaderPosition::Outside
                | ReaderPosition::Members
                | ReaderPosition::Value { .. }
                | ReaderPosition::Over => {}
            }
            self.string = Some(self.at);
            return true;
        };
        if self.escaped {
            self.escaped = false;
        } else if byte == b'\\' {
            self.escaped = true;
        } else if byte == b'"' {
            self.string = None;
            if self.place == ReaderPosition::Members {
                self.text[from + 1..self.at].clone_into(&mut self.key);
            }
        }
        true
    }

    fn between_members(&mut self, byte: u8) {
        match byte {
            b':' => self.place = ReaderPosition::Value { from: self.at + 1, depth: 0, is_node: false },
            b'}' => self.closes_graph(),
            _ => {}
        }
    }

    /// A brace or bracket, or the beginning of a bare word, in the nodes.
    fn opens(&mut self, byte: u8, is_node: bool) {
        let depth = usize::from(matches!(byte, b'{' | b'['));
        self.place = ReaderPosition::Value { from: self.at, depth, is_node };
    }

    fn in_value(&mut self, byte: u8, from: usize, depth: usize, is_node: bool) -> Option<GraphPiece> {
        let at = |depth| ReaderPosition::Value { from, depth, is_node };
        match (byte, depth) {
            (b'[', 0) if !is_node && self.key == "nodes" && self.text[from..self.at].trim().is_empty() => {
                self.seen_nodes = true;
                self.place = ReaderPosition::Nodes;
                None
            }
            (b'{' | b'[', _) => {
                self.place = at(depth + 1);
                None
            }
            // A bare word, or a string, ends with what comes after it.
            (b',' | b']' | b'}', 0) => {
                let piece = self.piece(from, self.at, is_node);
                match (is_node, byte) {
                    (true, b',') => self.place = ReaderPosition::Nodes,
                    (true, _) => self.place = ReaderPosition::Members,
                    (false, b'}') => self.closes_graph(),
                    (false, _) => self.place = ReaderPosition::Members,
                }
                piece
            }
            (b'}' | b']', 1) => {
                let piece = self.piece(from, self.at + 1, is_node);
                self.place = if is_node { ReaderPosition::Nodes } else { ReaderPosition::Members };
                piece
            }
            (b'}' | b']', _) => {
                self.place = at(depth - 1);
                None
            }
            (_, _) => None,
        }
    }

    fn piece(&self, from: usize, to: usize, is_node: bool) -> Option<GraphPiece> {
        let text = || self.text[from..to].trim().to_owned();
        match (is_node, self.key.as_str()) {
            (true, _) => Some(GraphPiece::Node(text())),
            (false, "classification") => Some(GraphPiece::Class(text())),
            (false, _) => None,
        }
    }

    /// An object without nodes was part of the prose.
    fn closes_graph(&mut self) {
        self.place = if self.seen_nodes { ReaderPosition::Over } else { ReaderPosition::Outside };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(pieces: &[&str]) -> Vec<String> {
        let mut reader = GraphReader::default();
        let pieces = pieces.iter().flat_map(|piece| reader.push(piece)).collect::<Vec<_>>();
        pieces
            .into_iter()
            .map(|piece| match piece {
                GraphPiece::Class(text) => format!("class {text}"),
                GraphPiece::Node(text) => text,
            })
            .collect()
    }

    #[test]
    fn nodes_are_found_wherever_the_graph_stands() {
        let rows: &[(&str, &[&str])] = &[
            (r#"{"nodes": [{"id": "a"}, {"id": "b"}]}"#, &[r#"{"id": "a"}"#, r#"{"id": "b"}"#]),
            ("```json\n{\"nodes\":[{\"id\":\"a\"}]}\n```\nThat is {all}.", &[r#"{"id":"a"}"#]),
            (r#"Here {it} is, {"so": 1} to say: {"nodes":[{}]} and {"nodes":[{"late":1}]}"#, &["{}"]),
            (r#"{{"nodes": [{"id": 1}]}}"#, &[r#"{"id": 1}"#]),
            (
                r#"{"classification": {"type": "direct"}, "nodes": [{"a":{"b":[1,{"c":2}]}}]}"#,
                &[r#"class {"type": "direct"}"#, r#"{"a":{"b":[1,{"c":2}]}}"#],
            ),
            (
                r#"{"nodes":[{"d":"a } ] { \" \\"},{"d":"\\\\\"}"}]}"#,
                &[r#"{"d":"a } ] { \" \\"}"#, r#"{"d":"\\\\\"}"}"#],
            ),
            (r#"{"nodes": [], "synthesis": {"nodes": [{"no": 1}]}}"#, &[]),
            (r#"{"why": "nodes", "x": ["nodes", [{"no":1}]], "nodes" : [ {"id":"ü€🦀"} , ] }"#, &[r#"{"id":"ü€🦀"}"#]),
            (r#"{"nodes": ["a", 7, null, [1], {"id": "b"}]}"#, &[r#""a""#, "7", "null", "[1]", r#"{"id": "b"}"#]),
            (r#"{"nodes": {"id": "a"}, "n": 1}"#, &[]),
            (r#"{"nodes": [{"id": "a"}, {"id": "b", "#, &[r#"{"id": "a"}"#]),
            ("no graph at all", &[]),
            ("", &[]),
        ];
        for (text, nodes) in rows {
            assert_eq!(read(&[text]), *nodes, "{text}");
        }
    }

    #[test]
    fn a_node_is_there_with_its_last_brace() {
        let mut reader = GraphReader::default();
        assert_eq!(reader.push(r#"{"nodes": [{"id": "a""#), []);
        assert_eq!(reader.push("}"), [GraphPiece::Node(r#"{"id": "a"}"#.to_owned())]);
        assert_eq!(reader.push(", {"), []);
    }

    #[test]
    fn an_endless_answer_is_not_kept() {
        let mut reader = GraphReader::default();
        let long = "x".repeat(64 * 1024);
        for _ in 0..100 {
            assert_eq!(reader.push(&long), []);
        }
        assert!(reader.text.len() <= MODEL_REPLY_BYTES_MAX);
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof!["[\\[\\]{}\",:\\\\ a-zé€🦀\n]{0,12}", "\\PC{0,8}"]
    }

    fn nodes() -> impl Strategy<Value = Vec<Value>> {
        let node = (texts(), texts(), 0..9_i64).prop_map(|(id, text, n)| {
            json!({"id": id, "params": {"words": [text, "{{a.items}}"], "n": n, "none": null, "in": {"a": []}}})
        });
        proptest::collection::vec(node, 0..5)
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_nodes(
            nodes in nodes(),
            before in "[a-z{ ]{0,10}",
            after in "\\PC{0,20}",
            pretty in any::<bool>(),
            cuts in proptest::collection::vec(0..2_000_usize, 0..12),
        ) {
            let graph = json!({"classification": {"type": "direct"}, "nodes": nodes, "synthesis": {"goal": "}"}});
            let graph = if pretty { serde_json::to_string_pretty(&graph) } else { serde_json::to_string(&graph) }.unwrap();
            let text = format!("{before}\n{graph}{after}");
            let mut cuts: Vec<usize> = cuts.iter().map(|at| text.floor_char_boundary(at % (text.len() + 1))).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
            let found: Vec<Value> =
                read(&pieces).iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
            prop_assert_eq!(found, nodes);
        }

        #[test]
        fn no_text_is_too_strange_for_it(text in "[\\[\\]{}\",:\\\\ nodes]{0,60}") {
            read(&[&text]);
        }
    }
}
