//! Configurations that cannot be meant.

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
