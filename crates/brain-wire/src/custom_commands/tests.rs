//! What the file may say, and what becomes of values.

use std::net::TcpListener;

use serde_json::{Value, json};

use super::http::HttpTemplate;
use super::template::Template;
use super::*;
use crate::outside::Variables;

const ENV: &Variables<'static> = &|name| (name == "TOKEN").then(|| "geheim".to_owned());

fn read(text: &str) -> Result<Vec<CustomService>, Vec<String>> {
    read_services(text, ENV)
}

/// A service with one command of these lines.
fn one(lines: &str) -> Result<CustomService, Vec<String>> {
    let head = "[[service]]\nname = \"home\"\nabout = \"lights\"\nurl = \"http://127.0.0.1:1/api/\"\n";
    let command = "[[service.command]]\nname = \"do\"\ndoes = \"do it\"\n";
    read(&format!("{head}{command}{lines}")).map(|mut services| services.remove(0))
}

fn params(value: Value) -> Params {
    value.as_object().cloned().unwrap()
}

/// What goes out with these values, as its debug form shows it.
fn call(service: &CustomService, values: Value) -> Result<String, UnfitValue> {
    service.call("do", &params(values)).unwrap().map(|call| format!("{call:?}"))
}

#[test]
fn a_file_is_read_with_what_it_leaves_out_at_its_safest() {
    let services = read(
        r#"
        [[service]]
        name = "home"
        about = "lights and temperatures at home"
        users = ["tg:1001", "terminal"]
        url = "https://home.example.org/api"
        headers = { Authorization = "Bearer ${TOKEN}" }

        [[service.command]]
        name = "temperature"
        does = "look up how warm a room is"
        stakes = "low"
        params = [{ name = "room", one_of = ["hall", "attic"] }, { name = "on", type = "date", required = false }]
        http = { path = "/rooms/{room}", query = { on = "{on}", unit = "celsius" } }
        answer = "own"
        show = "/value"

        [[service.command]]
        name = "print"
        does = "print a label"
        params = [{ name = "text", about = "what stands on it", max = 40 }, { name = "copies", type = "whole", min = 1 }]
        program = ["/usr/bin/label", "--copies={copies}", "{text}"]
        timeout = 5
        "#,
    )
    .unwrap();
    let [home] = services.as_slice() else { panic!("{services:?}") };
    assert_eq!((home.title.as_str(), home.users.len()), ("Home", 2));
    let [look, print] = home.commands.as_slice() else { panic!("{home:?}") };
    assert_eq!((look.stakes, look.only_reads, look.is_vouched_for), (Stakes::Low, true, true));
    assert_eq!((print.stakes, print.only_reads, print.is_vouched_for), (Stakes::High, false, false));
    assert_eq!(look.schema["required"], json!(["room"]));
    assert_eq!(look.schema["properties"]["on"], json!({"type": "string", "format": "date"}));
    assert_eq!(look.schema["properties"]["room"]["enum"], json!(["hall", "attic"]));
    let text = json!({"type": "string", "maxLength": 40, "description": "what stands on it"});
    assert_eq!(print.schema["properties"]["text"], text);
    assert_eq!(home.program().unwrap().name, "print");
    assert!(!format!("{services:?}").contains("geheim"), "no secret is shown");
    assert!(!look.written.to_string().contains("geheim"), "nor in what a digest is made of");
}

#[test]
fn what_cannot_be_meant_is_said_by_its_place_and_its_key() {
    let http = "http = { path = \"/x\" }\n";
    for (lines, says) in [
        (format!("{http}tiemout = 3"), "the service “home”, the command “do”: there is no key “tiemout” here"),
        (format!("{http}timeout = \"geheim\""), "timeout has to be a whole number from 1 to 600"),
        (format!("{http}timeout = 0"), "timeout has to be"),
        (format!("{http}stakes = \"none\""), "stakes has to be one of low, high"),
        (format!("{http}answer = 1"), "answer has to be one of own, foreign"),
        (format!("{http}reads = \"yes\""), "reads has to be true or false"),
        (format!("{http}show = \"a\""), "show has to be a JSON pointer"),
        (format!("{http}stdin = \"a\""), "stdin is for a program"),
        (format!("{http}program = [\"/x\"]"), "only one of them can be"),
        (format!("{http}params = [{{ name = \"a\" }}]"), "the parameter “a” is used nowhere"),
        (format!("{http}params = [{{ name = \"A\" }}]"), "a parameter: name has to be"),
        (format!("{http}params = [{{ nam = \"a\" }}]"), "name is missing"),
        (String::new(), "it has neither http nor a program"),
        ("http = 3".to_owned(), "http: has to be a table"),
        ("http = { path = \"x\" }".to_owned(), "http: path has to begin with “/”"),
        ("http = { path = \"/a/../b\" }".to_owned(), "path cannot stand in an address as it is written"),
        ("http = { path = \"/a b\" }".to_owned(), "path cannot stand in an address as it is written"),
        ("http = { path = \"/{x}\" }".to_owned(), "“{x}” is none of its params"),
        ("http = { path = \"/{x\" }".to_owned(), "stands alone"),
        ("http = { path = \"/${NOT_SET}\" }".to_owned(), "path: the variable NOT_SET is not set"),
        ("http = { path = \"/x\", body = \"a\" }".to_owned(), "a GET has no json, form or body"),
        ("http = { path = \"/x\", method = \"get\" }".to_owned(), "method has to be one of GET, POST"),
        ("http = { path = \"/x\", query = { a = [1] } }".to_owned(), "query: a has to be a text"),
        ("http = { path = \"/x\", verb = \"GET\" }".to_owned(), "http: there is no key “verb” here"),
        (
            "params = [{ name = \"x\", required = false }]\nhttp = { path = \"/{x}\" }".to_owned(),
            "“x” is a part of the path, and cannot be left out there",
        ),
        ("program = []".to_owned(), "program is empty"),
        ("program = [\"label\"]".to_owned(), "program has to begin with a program's whole path"),
        ("program = [\"/x\", 3]".to_owned(), "program has to be a list of texts"),
    ] {
        let why = one(&lines).unwrap_err().join("\n");
        assert!(why.contains(says), "{lines}: {why}");
        assert!(!why.contains("geheim"), "{why}");
    }
    for (text, says) in [
        ("x = ", "line 1 cannot be read as TOML"),
        ("[[services]]", "the file: there is no key “services” here"),
        ("[[service]]\nname = \"mcp:x\"\nabout = \"a\"", "name has to be 1 to 40 small letters"),
        ("[[service]]\nname = \"a\"", "the service “a”: about is missing"),
        ("[[service]]\nname = \"a\"\nabout = \"b\"", "the service “a”: it has no command"),
        ("[[service]]\nname = \"a\"\nabout = \"b\"\nurl = \"ftp://x\"", "the service “a”: url: its url has to begin"),
        ("[[service]]\nname = \"a\"\nabout = \"b\"\nheaders = { A = \"b\" }", "headers go along with requests"),
        (
            "[[service]]\nname = \"a\"\nabout = \"b\"\nurl = \"http://x\"\nheaders = { A = \"b\\r\\nC: d\" }",
            "headers: “A” is no HTTP header that can be sent",
        ),
    ] {
        let why = read(text).unwrap_err().join("\n");
        assert!(why.contains(says), "{text}: {why}");
    }
    let twice = "[[service]]\nname = \"a\"\nabout = \"b\"\n[[service.command]]\nname = \"x\"\ndoes = \"x\"\nprogram = [\"/x\"]\n";
    let why = read(&format!("{twice}{}", twice.replace("\"a\"", "\"c\"\ntitle = \"A\""))).unwrap_err().join("\n");
    assert!(why.contains("the service “c”: another service has its name or its title"), "{why}");
}

#[test]
fn every_problem_of_a_file_is_named_at_once() {
    let why = one("timeout = 0\nstakes = \"no\"\nhttp = { path = \"x\", verb = 1 }").unwrap_err();
    assert!(why.len() >= 4, "{why:?}");
}

#[test]
fn a_program_is_given_no_value_that_it_could_take_for_something_else() {
    for (lines, says) in [
        ("params = [{ name = \"x\" }]\nprogram = [\"/x\", \"--{x}\"]", "a value cannot be the name of an option"),
        ("params = [{ name = \"x\" }]\nprogram = [\"/bin/sh\", \"-c\", \"echo {x}\"]", "would run a text as a program"),
        ("params = [{ name = \"x\" }]\nprogram = [\"/bin/bash\", \"-lc\", \"{x}\"]", "would run a text as a program"),
        (
            "params = [{ name = \"x\", required = false }]\nprogram = [\"/x\", \"--copies\", \"{x}\"]",
            "--copies would take the next one",
        ),
        ("params = [{ name = \"x\" }]\nprogram = [\"/{x}\"]", "program has to begin with"),
    ] {
        let why = one(lines).unwrap_err().join("\n");
        assert!(why.contains(says), "{lines}: {why}");
    }
    let home =
        one("params = [{ name = \"x\" }, { name = \"y\", required = false }, { name = \"n\", type = \"number\" }]\n\
         program = [\"/x\", \"{x}\", \"--y={y}\", \"-n{n}\"]\nstdin = \"<{y}>\"")
        .unwrap();
    let args = |values: Value| call(&home, values).map(|call| call.split("args: ").nth(1).unwrap().to_owned());
    let whole = args(json!({"x": "a b; rm $(y) {n} ${TOKEN}", "y": "-z", "n": -1.5})).unwrap();
    assert!(whole.starts_with(r#"["a b; rm $(y) {n} ${TOKEN}", "--y=-z", "-n-1.5"]"#), "{whole}");
    let less = args(json!({"x": "a", "n": 2})).unwrap();
    assert!(less.starts_with(r#"["a", "-n2"]"#) && less.contains("stdin: \"\""), "{less}");
    assert_eq!(args(json!({"x": "--help", "n": 1})).unwrap_err(), UnfitValue::Option);
    assert_eq!(args(json!({"x": "a\0b", "n": 1})).unwrap_err(), UnfitValue::Sign);
}

#[test]
fn a_value_stays_inside_its_segment_its_query_and_its_body() {
    let home = one(
        "params = [{ name = \"x\" }, { name = \"y\", required = false }, { name = \"n\", type = \"whole\", required = false }]\n\
         http = { method = \"POST\", path = \"/a/{x}.txt\", query = { q = \"{y}\", v = 1 }, \
         json = { whole = \"{n}\", part = \"n {n}\", list = [\"{y}\", \"fixed\"], deep = { x = \"{x}\" }, on = true } }",
    )
    .unwrap();
    let sent = call(&home, json!({"x": "ä?#%2e&", "y": "1&v=2\r\nX: y", "n": 5})).unwrap();
    assert!(sent.contains("/api/a/%C3%A4%3F%23%252e%26.txt"), "{sent}");
    assert!(sent.contains("q=1%26v%3D2%0D%0AX%3A+y&v=1"), "{sent}");
    let json = |values: Value| {
        let Carrier::Http(http) = &home.commands[0].carrier else { panic!() };
        format!("{:?}", http.filled(home.place.as_ref().unwrap(), &params(values)).unwrap())
    };
    let whole = json(json!({"x": "\"}, \"admin\": true", "y": "z", "n": 5}));
    assert!(whole.contains(r#""whole": Number(5)"#) && whole.contains(r#""part": String("n 5")"#), "{whole}");
    assert!(whole.contains(r#""x": String("\"}, \"admin\": true")"#), "{whole}");
    let less = json(json!({"x": "a"}));
    assert!(!less.contains("whole") && !less.contains("part") && less.contains(r#"Array [String("fixed")]"#), "{less}");
    for other in ["..", "a/b", "../b", "a\\b", "a\nb", "%2e%2e/"] {
        // With what stands behind it in the segment, two dots alone are a name.
        let is_fine = other == "..";
        assert_eq!(call(&home, json!({"x": other})).is_ok(), is_fine, "{other}");
    }
    let alone = one("params = [{ name = \"x\" }, { name = \"y\" }]\nhttp = { path = \"/a/{x}{y}/b\" }").unwrap();
    for (x, y) in [("..", ""), (".", "."), ("", ""), (".", "")] {
        assert_eq!(call(&alone, json!({"x": x, "y": y})).unwrap_err(), UnfitValue::Path, "{x} {y}");
    }
    assert!(call(&alone, json!({"x": "%2e", "y": "%2E"})).unwrap().contains("/a/%252e%252E/b"));
}

#[test]
fn what_is_told_of_an_answer_is_what_its_place_holds_or_all_of_it() {
    let answer = r#"{"a": {"b": "x", "c": [1]}}"#;
    assert_eq!(shown(answer, "/a/b"), "x");
    assert_eq!(shown(answer, "/a/c"), "[\n  1\n]");
    assert_eq!(shown(answer, "/z"), answer);
    assert_eq!(shown("no JSON", "/a"), "no JSON");
}

#[test]
fn signs_of_a_template_can_be_written_themselves() {
    let text = |text: &str| Template::read(text, ENV).unwrap().text(&params(json!({"x": "{y}"})));
    assert_eq!(text("{{{x}}} $1 ${TOKEN}").unwrap(), "{{y}} $1 geheim");
    assert_eq!(text("{y}"), None);
    assert!(Template::read("}", ENV).is_err() && Template::read("${X", ENV).is_err());
}

#[tokio::test]
async fn a_server_that_is_not_there_was_asked_for_nothing() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let place = HttpPlace::new(format!("http://{free}"), Default::default()).unwrap();
    let client = HttpPlace::client().unwrap();
    let mut problems = super::table::FileProblems::default();
    let table = super::table::FileTable::of(json!({"path": "/x"}), String::new(), &mut problems).unwrap();
    let request = HttpTemplate::read(table, ENV, Some(&place)).unwrap().filled(&place, &Params::new()).unwrap();
    let answer = request.sent(&client, &place, Duration::from_secs(5)).await;
    assert!(matches!(answer, Err(CallError::Unreachable(_))), "{answer:?}");
}

const FUZZED: &str = r#"
[[service]]
name = "home"
about = "lights"
url = "http://127.0.0.1:1/api"
headers = { Authorization = "Bearer ${B}" }

[[service.command]]
name = "lamp"
does = "set a lamp"
params = [{ name = "room", max = 40 }, { name = "level", type = "whole", min = 0, max = 100 }]
http = { method = "POST", path = "/rooms/{room}", query = { a = "{level}" }, body = '{{"level": {level}}}' }

[[service.command]]
name = "run"
does = "run it"
params = [{ name = "a" }, { name = "b", one_of = ["x", "y"], required = false }]
program = ["/bin/sh", "-c", "cat", "sh", "--b={b}", "{a}"]
"#;

#[test]
fn fuzzed_files_of_services_are_read_or_refused() {
    let tokens = [
        "[",
        "]",
        "{",
        "}",
        "[[service]]\n",
        "[[service.command]]\n",
        "a.",
        "a = ",
        "\"",
        "'''",
        "\"\"\"",
        "=",
        ",",
        "\n",
        "{a}",
        "${B}",
        "{{",
        "#",
        "/",
        "\\",
    ];
    brain_testing::fuzzing::fuzz("commands", &[FUZZED], &tokens, |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let _ = read_services(text, &|name| (name == "B").then(|| "b".to_owned()));
    });
}

#[test]
fn a_hundred_thousand_levels_of_a_file_are_refused() {
    const LEVELS: usize = 100_000;
    for text in [
        format!("a = {}", "[".repeat(LEVELS)),
        format!("a = {}{}", "[".repeat(LEVELS), "]".repeat(LEVELS)),
        format!("a = {}", "{ a = ".repeat(LEVELS)),
        format!("{}a = 1", "a.".repeat(LEVELS)),
        format!("[{}a]", "a.".repeat(LEVELS)),
        format!("[[{}a]]", "a.".repeat(LEVELS)),
    ] {
        assert!(read_services(&text, &|_| None).is_err(), "{text:.40}");
    }
}
