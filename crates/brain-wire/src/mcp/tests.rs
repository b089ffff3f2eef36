//! What the file may say.

use std::time::Duration;

use secrecy::ExposeSecret as _;

use super::{McpConfig, McpServer, ServerReach};

fn read(text: &str) -> Result<McpConfig, String> {
    let env = |name: &str| (name == "TOKEN").then(|| "geheim".to_owned());
    McpConfig::parse(text, &env).map_err(|error| error.to_string())
}

#[test]
fn the_format_of_others_is_read_with_variables_in_their_place() {
    let config = read(
        r#"{"mcpServers": {
            "My Files": {"command": "npx", "args": ["-y", "files", "${FOLDER:-/srv}"], "env": {"KEY": "${TOKEN}"}},
            "home": {"type": "http", "url": "https://home.example.org/mcp",
                     "headers": {"Authorization": "Bearer ${TOKEN}"}, "timeout": 5, "readOnly": ["look"], "autoApprove": ["all"],
                     "readonly": ["x"]},
            "off": {"command": "true", "disabled": true}
        }, "inputs": []}"#,
    )
    .unwrap();
    let [files, home] = config.servers.as_slice() else { panic!("{config:?}") };
    let ServerReach::Program(program) = &files.reach else { panic!("{files:?}") };
    assert_eq!((files.name.as_str(), program.args[2].as_str()), ("my-files", "/srv"));
    assert_eq!(program.env["KEY"].expose_secret(), "geheim");
    let ServerReach::Url(endpoint) = &home.reach else { panic!("{home:?}") };
    assert_eq!(endpoint.place.headers["Authorization"].expose_secret(), "Bearer geheim");
    assert_eq!((home.timeout, home.read_only.len()), (Duration::from_secs(5), 1));
    assert!(
        config.warnings.concat().contains("autoApprove, readonly do nothing here; write “readOnly”"),
        "{:?}",
        config.warnings
    );
    assert!(config.warnings.concat().contains("“off” is disabled"), "{:?}", config.warnings);
    assert!(!format!("{config:?}").contains("geheim"), "no secret is shown");
}

#[test]
fn what_cannot_be_a_server_is_said_by_its_name() {
    for (text, says) in [
        ("[]", "mcpServers"),
        ("{}", "mcpServers"),
        (r#"{"mcpServers": {"!!": {"command": "x"}}}"#, "letters or digits"),
        (r#"{"mcpServers": {"a b": {"command": "x"}, "A-B": {"command": "x"}}}"#, "another one called “a-b”"),
        (r#"{"mcpServers": {"a": {"command": ["x"]}}}"#, "“a”"),
    ] {
        let why = read(text).unwrap_err();
        assert!(why.contains(says), "{text}: {why}");
    }
}

#[test]
fn what_is_wrong_with_one_server_costs_that_one_and_is_said() {
    for (text, says) in [
        (r#"{"mcpServers": {"a": {}}}"#, "it has neither a command nor a url"),
        (r#"{"mcpServers": {"a": {"command": "x", "url": "http://y"}}}"#, "only one of them"),
        (r#"{"mcpServers": {"a": {"url": "ftp://y"}}}"#, "http:// or https://"),
        (r#"{"mcpServers": {"a": {"type": "sse", "url": "http://y/sse"}}}"#, "streamable HTTP"),
        (r#"{"mcpServers": {"a": {"command": "${NOT_SET}"}}}"#, "the variable NOT_SET is not set"),
        (r#"{"mcpServers": {"a": {"command": "${NOT_SET"}}}"#, "has no end"),
        (r#"{"mcpServers": {"a": {"command": "~/x"}}}"#, "HOME is not set"),
        (r#"{"mcpServers": {"a": {"command": "x", "timeout": "soon"}}}"#, "number of seconds"),
        (r#"{"mcpServers": {"a": {"command": "x", "timeout": 0}}}"#, "1 to"),
        (r#"{"mcpServers": {"a": {"url": "http://y", "oauth": {"grant": "password"}}}}"#, "client_credentials"),
        (r#"{"mcpServers": {"a": {"url": "http://y", "oauth": {"clientSecret": "x"}}}}"#, "no clientId"),
        (
            r#"{"mcpServers": {"a": {"url": "http://y", "oauth": {"clientId": "x", "clientSecret": "${NO}"}}}}"#,
            "NO is not set",
        ),
    ] {
        let config = read(text).unwrap();
        let [McpServer { reach: ServerReach::Unusable(why), .. }] = config.servers.as_slice() else { panic!("{text}") };
        assert!(why.contains(says), "{text}: {why}");
        assert_eq!(config.warnings, [format!("the server “a” cannot be used: {why}")]);
    }
}

#[test]
fn fuzzed_files_of_servers_are_read_or_refused() {
    let seed = r#"{"mcpServers": {
        "My Files": {"command": "npx", "args": ["-y", "files", "${FOLDER:-/srv}"], "env": {"KEY": "${TOKEN}"}, "cwd": "~/x"},
        "home": {"type": "http", "url": "https://home.example.org/mcp", "headers": {"A": "Bearer ${TOKEN}"}, "timeout": 5,
                 "oauth": {"clientId": "x", "clientSecret": "y", "scopes": ["a"]}, "users": ["anna"]}
    }}"#;
    let tokens =
        ["[", "]", "{", "}", "{\"a\":", "\"", "\\", ",", ":", "${TOKEN}", "${", ":-", "null", "1e9", "\\u0000", "\n"];
    brain_testing::fuzzing::fuzz("servers", &[seed], &tokens, |bytes| {
        let _ = std::str::from_utf8(bytes).map(read);
    });
}

#[test]
fn a_hundred_thousand_levels_of_a_file_are_refused() {
    const LEVELS: usize = 100_000;
    for inner in ["[".repeat(LEVELS), "{\"a\":".repeat(LEVELS), format!("{}{}", "[".repeat(LEVELS), "]".repeat(LEVELS))]
    {
        for text in [inner.clone(), format!("{{\"mcpServers\": {{\"a\": {inner}"), format!("{{\"other\": {inner}")] {
            assert!(read(&text).is_err(), "{text:.40}");
        }
    }
}

#[test]
fn a_variable_that_is_named_without_end_is_refused() {
    let text = format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"{}\"}}}}}}", "${TOKEN}".repeat(100_000));
    assert!(read(&text).unwrap().warnings.concat().contains("longer than"), "it costs that server");
}
