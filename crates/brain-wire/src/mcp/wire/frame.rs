//! A message of a server, from bytes that may be anything.
//!
//! It is looked through once, without recursion, before it is parsed. Invariants: what is nested deeper than any of ours
//! is cut out, so that it costs its own place and not the message, which a parser would refuse whole; a message of more
//! values than may be kept is not parsed, and the request that it answers is told so.

use std::borrow::Cow;
use std::ops::Range;

use rmcp::model::ServerJsonRpcMessage;
use serde_json::{Value, json};

use brain_core::limits::{MCP_MESSAGE_DEPTH_MAX, MCP_MESSAGE_VALUES_MAX};

/// Stands for what was cut out: no schema and no value of a form is that.
const CUT_OUT: &[u8] = "\"…\"".as_bytes();
/// UTF-8 byte order mark, which a parser may ignore (RFC 8259 8.1).
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A message; `None`: it is none that can be read.
pub(super) fn message(bytes: &[u8]) -> Option<ServerJsonRpcMessage> {
    serde_json::from_slice(&readable(bytes)?).ok()
}

/// A message as it may be parsed; in place of one that may not an error for the request that it answers, and `None`
/// where it answers none.
pub(super) fn readable(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let look = FrameLook::at(bytes);
    if look.values > MCP_MESSAGE_VALUES_MAX {
        let id: Value = serde_json::from_slice(&bytes[look.id?]).ok()?;
        let why = format!("its answer holds more than {MCP_MESSAGE_VALUES_MAX} values, and was not read");
        let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": why}});
        return Some(error.to_string().into_bytes().into());
    }
    if look.too_deep.is_empty() {
        return Some(bytes.into());
    }
    let (mut kept, mut at) = (Vec::with_capacity(bytes.len()), 0);
    for cut in look.too_deep {
        kept.extend_from_slice(&bytes[at..cut.start]);
        kept.extend_from_slice(CUT_OUT);
        at = cut.end;
    }
    kept.extend_from_slice(&bytes[at..]);
    Some(kept.into())
}

/// What a text holds if it is JSON; for any other it says something, and ends.
#[derive(Debug, Default)]
struct FrameLook {
    /// About as many; never fewer than a parser would make of what is not too deep.
    values: usize,
    /// Arrays and objects that begin one level too deep, whole.
    too_deep: Vec<Range<usize>>,
    /// The value of `id` in the outermost object.
    id: Option<Range<usize>>,
}

impl FrameLook {
    fn at(text: &[u8]) -> Self {
        let mut look = Self { values: 1, ..Self::default() };
        let (mut depth, mut begun, mut at) = (0_usize, 0, 0);
        // In the outermost object: the text that came last, and where a value begins behind the name `id`.
        let (mut name, mut id) = (0..0, None);
        while let Some(byte) = text.get(at) {
            match byte {
                b'"' => {
                    let end = end_of_text(text, at);
                    name = at..end;
                    at = end;
                    continue;
                }
                b'{' | b'[' => {
                    depth += 1;
                    if depth == MCP_MESSAGE_DEPTH_MAX + 1 {
                        begun = at;
                    }
                }
                b':' if depth == 1 && text[name.clone()] == *b"\"id\"" => id = Some(at + 1),
                _ => {}
            }
            // What is cut out makes none.
            if depth <= MCP_MESSAGE_DEPTH_MAX && matches!(byte, b'{' | b'[' | b',') {
                look.values += 1;
            }
            if depth == 1 && matches!(byte, b',' | b'}') {
                look.id = id.take().map(|from| from..at).or(look.id);
            }
            if matches!(byte, b'}' | b']') {
                if depth == MCP_MESSAGE_DEPTH_MAX + 1 {
                    look.too_deep.push(begun..at + 1);
                }
                depth = depth.saturating_sub(1);
            }
            at += 1;
        }
        look
    }
}

/// Behind the quotation mark that ends a text which begins there.
fn end_of_text(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use rmcp::model::{JsonRpcMessage, ServerResult};

    use super::*;
    use brain_testing::fuzzing::fuzz;

    fn listing(schema: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"tools":[{{"name":"deep","inputSchema":{schema}}},
               {{"name":"look","inputSchema":{{"type":"object"}}}}]}}}}"#
        )
    }

    fn nested(levels: usize) -> String {
        let (open, close) = (r#"{"a":"#.repeat(levels), "}".repeat(levels));
        format!("{open}{{}}{close}")
    }

    #[test]
    fn what_is_nested_too_deep_costs_its_own_place_alone() {
        for levels in [200, 100_000] {
            let Some(JsonRpcMessage::Response(answer)) = message(listing(&nested(levels)).as_bytes()) else {
                panic!("{levels}: no answer")
            };
            let ServerResult::ListToolsResult(list) = answer.result else { panic!("{levels}: no list") };
            let names: Vec<&str> = list.tools.iter().map(|tool| &*tool.name).collect();
            assert_eq!(names, ["deep", "look"], "{levels}");
        }
        assert!(matches!(readable(listing("{}").as_bytes()), Some(Cow::Borrowed(_))), "others stay as they are");
        assert!(message("[".repeat(100_000).as_bytes()).is_none(), "what has no end is nothing");
    }

    #[test]
    fn more_values_than_may_be_kept_are_an_error_of_that_request() {
        let many = format!(r#"{{"id":"a\"b","jsonrpc":"2.0","result":{{"x":[{}1]}}}}"#, "{},".repeat(200_000));
        let Some(JsonRpcMessage::Error(error)) = message(many.as_bytes()) else { panic!("no error") };
        assert!(error.error.message.contains("was not read"), "{error:?}");
        assert_eq!(error.id.unwrap().to_string(), "a\"b");
        assert!(message(format!("[{}1]", "1,".repeat(200_000)).as_bytes()).is_none(), "it answers nobody");
        let long = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"x":"{}"}}}}"#, ",[{".repeat(200_000));
        assert!(matches!(message(long.as_bytes()), Some(JsonRpcMessage::Response(_))), "a text is one value");
    }

    #[test]
    fn fuzzed_frames_of_a_server() {
        let seeds = [
            &listing(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#),
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok \"\\"}],"structuredContent":{"a":[1,2]}}}"#,
            r#"{"jsonrpc":"2.0","id":"asked-1","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"a":{"enum":["x"]}}}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}},"requestState":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no","data":[]}}"#,
            "\u{feff}{}",
        ];
        let tokens = ["{", "}", "[", "]", "{\"a\":", "[[", "\"", "\\", ",", ":", "\"id\":", "1e999", "null", "\\ud800"];
        fuzz("mcp_frames", &seeds, &tokens, |bytes| drop(message(bytes)));
    }
}
