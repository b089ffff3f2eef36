//! The clean room, with a shell script in place of the program: what is tested is the room.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::support::bot_api::FakeBotApi;
use crate::support::program::{
    Program, button, buttons_of, done_of, messages_of, outcomes_of, pending_id, text_of, wait_reached,
};

/// `sh COMMAND …` runs the file of that name in the working folder.
fn shell(command: &str, script: &str) -> Program {
    let program = Program::new().binary(Path::new("/bin/sh"));
    std::fs::write(program.cwd().join(command), script).unwrap();
    program
}

#[test]
fn the_environment_holds_what_was_given_and_nothing_else() {
    let program = shell("env", "env; pwd; ls; echo \"$1 $2\" >&2; cat; exit 3").env("LLM_MODEL", "m");
    let ended = program.run_with_stdin(&["env", "a", "b c"], "typed");
    assert_eq!(ended.code, 3);
    assert_eq!(ended.stderr, "a b c\n");
    assert!(ended.stdout.ends_with("typed"), "{ended:?}");
    let data = format!("BRAIN_DATA_DIR={}", program.data_dir().display());
    let known = ["LLM_MODEL=m", data.as_str(), "RUST_LOG=off"];
    for line in ended.stdout.lines().filter(|line| line.contains('=')) {
        // The shell adds some of its own.
        let own = ["PATH=", "PWD=", "OLDPWD=", "SHLVL=", "_="].iter().any(|name| line.starts_with(name));
        assert!(own || known.contains(&line), "{line}");
    }
    assert!(known.iter().all(|line| ended.stdout.lines().any(|l| l == *line)), "{}", ended.stdout);
    assert!(program.data_dir().parent().unwrap().exists());
    assert!(!program.data_dir().exists(), "the program makes its own data folder");
}

#[test]
fn the_real_binary_is_there() {
    assert!(Path::new(env!("CARGO_BIN_EXE_brain-agent")).is_file());
    let ended = Program::new().run(&["--help"]);
    assert_eq!(ended.code, 0, "{ended:?}");
}

const CHAT: &str = r#"
echo "started $*" >&2
while read -r line; do
  case "$line" in
    *boom*) exit 1 ;;
    *quiet*) exec sleep 60 ;;
    *noise*) echo "not json" ;;
    *) cat <<'END'
{"type":"typing","user":"u"}
{"type":"status","text":"Looking…","user":"u"}
{"type":"message","id":5,"text":"Send it?","buttons":[[{"text":"Send","data":"a:1","role":"approve"},{"text":"No","data":"c:1","role":"cancel"}]],"pending":"p1","user":"u"}
{"type":"message","id":6,"text":"first","buttons":[],"pending":null,"user":"u"}
{"type":"edit","id":6,"text":"second","user":"u"}
{"type":"done","path":"action","llm_calls":2,"outcomes":[{"status":"pending"}]}
END
    ;;
  esac
done
"#;

#[test]
fn an_answer_is_read_up_to_its_done() {
    let mut console = shell("console", CHAT).console(&["--now", "2026-11-21T09:00:00Z"]);
    for _ in 0..2 {
        let lines = console.say("email Bob");
        assert_eq!(lines.len(), 6);
        assert_eq!(text_of(&lines), "Send it?\nsecond");
        assert_eq!(messages_of(&lines).len(), 2);
        assert_eq!(done_of(&lines)["llm_calls"], 2);
        assert_eq!(outcomes_of(&lines), [json!({"status": "pending"})]);
        assert_eq!(buttons_of(&lines).len(), 2);
        assert_eq!(button(&lines, "cancel"), "c:1");
        assert_eq!(pending_id(&lines), "p1");
    }
    assert!(console.send_raw("not json at all").len() == 6);
    let ended = console.finish();
    assert_eq!(ended.code, 0);
    assert!(ended.stderr.contains("started --json --now 2026-11-21T09:00:00Z"), "{ended:?}");
    assert_eq!(ended.json_lines().len(), 18);
}

#[test]
#[should_panic(expected = "it has closed its output")]
fn a_program_that_dies_is_noticed_at_once() {
    shell("console", CHAT).console(&[]).say("boom");
}

#[test]
#[should_panic(expected = "too slow")]
fn a_program_that_says_nothing_is_given_up() {
    shell("console", CHAT).console(&[]).limit(Duration::from_millis(300)).say("quiet");
}

#[test]
#[should_panic(expected = "in the line \"not json\\n\"")]
fn anything_but_json_on_standard_output_fails() {
    shell("console", CHAT).console(&[]).say("noise");
}

#[test]
fn a_huge_input_that_nobody_reads_blocks_nothing() {
    let program = shell("deaf", "echo done");
    let ended = program.run_with_stdin(&["deaf"], &"x".repeat(1 << 20));
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "done\n"));
}

#[test]
fn much_output_on_both_sides_blocks_nothing() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo 'a line of some length that fills the pipe'; \
                  echo 'the same once more on the other side' >&2; i=$((i+1)); done";
    let ended = shell("noisy", script).run(&["noisy"]);
    assert_eq!((ended.stdout.lines().count(), ended.stderr.lines().count()), (3_000, 3_000));
}

/// Polls once by a raw request, then waits for a signal.
const SERVE: &str = r#"
trap 'exit 7' TERM
host=${TELEGRAM_API_URL#http://}
bash -c "exec 3<>/dev/tcp/${host%:*}/${host#*:}
printf 'POST /bot$TELEGRAM_BOT_TOKEN/getUpdates HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' >&3
cat <&3 >&2"
if [ -n "$FAIL_AT" ]; then echo "$FAIL_AT" > "$FAIL_REACHED"; fi
while :; do sleep 0.02; done
"#;

#[tokio::test]
async fn a_daemon_is_ready_when_it_polls_and_each_start_counts_anew() {
    let api = FakeBotApi::start().await;
    let program = shell("serve", SERVE);
    let mut first = program.daemon(&api);
    first.wait_ready().await;
    assert!(first.is_running());
    let pid = first.pid().to_string();
    first.kill();
    assert!(!Path::new("/proc").join(pid).exists());

    let mut second = program.daemon(&api);
    second.wait_ready().await;
    assert_eq!(api.calls("getUpdates").len(), 2);
    assert_eq!(second.terminate(), 7);
}

#[tokio::test]
#[should_panic(expected = "before it was ready")]
async fn a_daemon_that_ends_at_once_is_never_ready() {
    let api = FakeBotApi::start().await;
    shell("serve", "echo 'no token' >&2; exit 2").daemon(&api).wait_ready().await;
}

#[tokio::test]
async fn a_program_is_killed_where_its_failpoint_stops_it() {
    let api = FakeBotApi::start().await;
    let program = shell("serve", SERVE).fail_at("after-approve");
    let mut daemon = program.daemon(&api);
    daemon.wait_ready().await;
    wait_reached(&program.reached_file(), "after-approve");
    daemon.kill_at("after-approve");
}
