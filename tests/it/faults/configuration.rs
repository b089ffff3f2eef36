//! Configurations that cannot be meant.

use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Finished, Program};

fn refused(ended: &Finished, name: &str) {
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{name}: {ended:?}");
    assert!(ended.stderr.contains(name), "{name} is not named: {ended:?}");
    assert!(!ended.stderr.contains("panicked"), "{ended:?}");
}

#[test]
fn a_bad_setting_stops_the_start_by_name() {
    let bad = [
        ("BRAIN_NONSENSE", "1"),
        ("BRAIN_DATADIR", "x"),
        ("BRAIN_TIMEZONE", "Mars/Olympus"),
        ("BRAIN_PENDING_TTL", "soon"),
        ("BRAIN_PENDING_TTL", "0s"),
        ("BRAIN_PENDING_TTL", "99999999999999999999d"),
        ("BRAIN_PENDING_TTL", "é"),
        ("BRAIN_ALLOWED_USERS", "alice"),
        ("BRAIN_ADMINS", "-5"),
        ("BRAIN_ADMIN_MAY_APPROVE", "perhaps"),
        ("BRAIN_PROMPTS_DIR", "/nowhere/at/all"),
        ("LLM_BASE_URL", "not a url"),
        ("LLM_MODEL", "alone"),
        ("TELEGRAM_BOT_TOKEN", "token"),
        ("SMTP_URL", "mail.example.com"),
        ("SMTP_URL", "http://example.com"),
        ("SMTP_URL", "smtp://user:geheim@example.com"),
    ];
    std::thread::scope(|scope| {
        for some in bad.chunks(bad.len().div_ceil(3)) {
            scope.spawn(move || {
                for (key, value) in some {
                    let ended = Program::new().env(key, value).run(&["ask", "hi"]);
                    refused(&ended, key);
                    assert!(!ended.stderr.contains("geheim"), "{ended:?}");
                }
            });
        }
    });
}

#[test]
fn a_bad_env_file_stops_the_start_by_name() {
    for (content, name) in [
        ("LLM_MODLE=x\n", "LLM_MODLE"),
        ("BRAIN_TIMEZONE=Mars/Olympus\n", "BRAIN_TIMEZONE"),
        ("PATH=/bin\n", "PATH"),
        ("this is no line\n", ".env"),
    ] {
        let program = Program::new();
        std::fs::write(program.cwd().join(".env"), content).unwrap();
        refused(&program.run(&["console", "--json"]), name);
    }
}

#[test]
fn a_bad_command_line_stops_the_start() {
    for args in [
        &["console", "--now", "yesterday"] as &[&str],
        &["console", "--tz", "Mars/Olympus"],
        &["console", "--jsn"],
        &["dance"],
        &["pending"],
        &["ask"],
    ] {
        let ended = Program::new().run(args);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{args:?}: {ended:?}");
        assert!(!ended.stderr.is_empty());
    }
}

/// Keys whose value is a name or a path: an error that did not show it would be of no use.
const NAMED: [&str; 5] = ["_MODEL", "BRAIN_DATA_DIR", "BRAIN_PROMPTS_DIR", "BRAIN_MCP_CONFIG", "BRAIN_COMMANDS"];

#[test]
fn no_value_that_cannot_be_meant_is_repeated_anywhere() {
    let example = include_str!("../../../.env.example");
    let keys: Vec<&str> = example
        .lines()
        .filter_map(|line| Some(line.trim_start_matches("# ").split_once('=')?.0))
        .filter(|key| !NAMED.iter().any(|named| key.contains(named)))
        .collect();
    assert!(keys.len() > 25, "{keys:?}");
    let values = ["kanari vogel", "smtps://me:12/kanari#vogel@h.example", "http://kanari:12?vogel@h.example"];
    let quiet = |ended: &Finished, how: &str| {
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(!said.contains("kanari") && !said.contains("vogel") && !said.contains("me:12"), "{how}: {said}");
        assert!(!said.contains("panicked"), "{how}: {said}");
    };
    std::thread::scope(|scope| {
        for some in keys.chunks(keys.len().div_ceil(3)) {
            scope.spawn(move || {
                for key in some {
                    for value in values {
                        let program = Program::new().env("RUST_LOG", "info");
                        quiet(&program.clone().env(key, value).run(&["ask", "hello"]), &format!("{key}={value}"));
                    }
                    let program = Program::new();
                    // The value ends at the space, or at the line; what is left of it is no key.
                    let broken = format!("{key}=a kanari=vogel\n{key}=b\nkanari=vogel\nkanari vogel\n");
                    std::fs::write(program.cwd().join(".env"), broken).unwrap();
                    let ended = program.run(&["ask", "hello"]);
                    refused(&ended, ".env, line 1");
                    refused(&ended, key);
                    refused(&ended, ".env, line 3");
                    quiet(&ended, key);
                }
            });
        }
    });
}

#[test]
fn what_an_endpoint_is_reached_with_stays_out_of_the_log_when_it_is_not_there() {
    let program = Program::new()
        .env("RUST_LOG", "debug")
        .env("LLM_BASE_URL", "http://me:kanari@127.0.0.1:1/v1?key=kanari")
        .env("LLM_API_KEY", "kanari")
        .env("LLM_MODEL", "small")
        .env("SMTP_URL", "smtp://a%40b.example:kanari@127.0.0.1:1");
    for words in ["tell me a story", "what do you think of that?"] {
        let ended = program.run(&["ask", words]);
        assert!(!format!("{}{}", ended.stdout, ended.stderr).contains("kanari"), "{ended:?}");
    }
    let log = std::fs::read_to_string(program.data_dir().join("brain-agent.log")).unwrap_or_default();
    assert!(!log.contains("kanari"), "{log}");
}

#[test]
fn a_found_env_file_gets_no_words_and_gives_no_rights_over_a_data_folder_of_the_environment() {
    let server = ModelServer::scripted(Script::new().otherwise(ModelReply::text("ok")));
    let program = Program::new();
    let said = |rest: &str| {
        let url = server.url();
        let text = format!(
            "LLM_BASE_URL={url}\nLLM_MODEL=m\nLLM_BASE_URL_CHAT={url}\nLLM_FALLBACK_BASE_URL={url}\n\
             LLM_FALLBACK_MODEL=m\nEMBEDDINGS_BASE_URL={url}\nEMBEDDINGS_MODEL=m\nBRAIN_ADMINS=666\n\
             BRAIN_ADMIN_MAY_APPROVE=true\nBRAIN_TIMEZONE=Europe/Berlin\n{rest}"
        );
        std::fs::write(program.cwd().join(".env"), text).unwrap();
    };
    said("");
    let ended = program.run(&["ask", "tell me a story about 4711-Canary"]);
    assert_eq!((ended.code, server.calls().len()), (0, 0), "{ended:?}");
    for part in
        ["BRAIN_TIMEZONE; from the environment: ", "LLM_BASE_URL_CHAT", "BRAIN_ADMINS", "BRAIN_DATA_DIR is set in"]
    {
        assert!(ended.stderr.contains(part), "{part} in {ended:?}");
    }
    assert!(!ended.stderr.contains(&server.url()), "{ended:?}");
    let doctor = program.run(&["doctor", "--json"]).stdout;
    assert!(doctor.contains("BRAIN_ADMINS") && doctor.contains("\"settings\""), "{doctor}");
    // The same file with a data folder of its own.
    said("BRAIN_DATA_DIR=own\n");
    let own = program.clone().without_env("BRAIN_DATA_DIR");
    let ended = own.run(&["ask", "tell me a story"]);
    assert!(ended.code == 0 && !server.calls().is_empty() && ended.stderr.contains("LLM_BASE_URL, "), "{ended:?}");
    // Nor does it send anything of the environment along.
    std::fs::write(program.cwd().join(".env"), format!("LLM_BASE_URL={}/${{CANARY}}\nLLM_MODEL=m\n", server.url()))
        .unwrap();
    let ended = own.env("CANARY", "4711").run(&["ask", "hello"]);
    refused(&ended, ".env, line 1: a $ in the value of LLM_BASE_URL");
    assert!(!server.calls().iter().any(|call| format!("{call:?}").contains("4711")));
}
