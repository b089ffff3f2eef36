//! Who is let in.

use super::*;
use crate::support::bot_api::Fault;

/// The pairing code on standard error.
async fn pairing_code(daemon: &Daemon) -> String {
    let code = |line: &str| {
        let word = line.trim();
        (word.len() == 10 && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
            .then(|| word.to_owned())
    };
    for _ in 0..12_000 {
        if let Some(code) = daemon.stderr().lines().find_map(code) {
            return code;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("no pairing code in\n{}", daemon.stderr());
}

fn closed() -> Program {
    Program::new().env("BRAIN_TIMEZONE", "UTC")
}

#[tokio::test]
async fn nobody_is_served_before_the_pairing_code_and_nothing_of_a_stranger_is_kept() {
    let api = FakeBotApi::start().await;
    let program = closed();
    let daemon = serve(&program, &api).await;
    let code = pairing_code(&daemon).await;

    api.user_says(EVE, "xylophone secrets");
    answer(&api, EVE, "private assistant").await;
    api.user_says(EVE, "remind me to steal the xylophone tomorrow at 5pm");
    api.user_says(EVE, "aaaaaaaaaa");
    answer(&api, EVE, "not the code").await;
    assert_eq!(texts(&api, EVE).len(), 2, "one sentence and one about the code\n{}", api.transcript());

    api.user_says(ANNA, &code.to_uppercase());
    answer(&api, ANNA, "Welcome").await;
    answer(&api, ANNA, "admin").await;
    api.user_says(ANNA, "/help");
    answer(&api, ANNA, "This is what I can do").await;

    api.user_says(BEN, &code);
    answer(&api, BEN, "don't know you").await;
    assert_eq!(daemon.terminate(), 0);
    let kept = std::fs::read(program.data_dir().join("brain.redb")).unwrap();
    let holds = |words: &[u8]| kept.windows(words.len()).any(|window| window == words);
    assert!(!holds(b"xylophone"), "a stranger's words are not stored");
    assert!(holds(b"tg:1001"), "the person who paired is");

    let daemon = serve(&program, &api).await;
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
    assert!(!daemon.stderr().contains("pairing code"), "{}", daemon.stderr());
}

#[tokio::test]
async fn who_sends_five_wrong_codes_is_not_heard_any_more_and_others_are() {
    let api = FakeBotApi::start().await;
    let daemon = serve(&closed(), &api).await;
    let code = pairing_code(&daemon).await;
    for _ in 0..5 {
        api.user_says(EVE, "aaaaaaaaaa");
    }
    answer(&api, EVE, "last try").await;
    api.user_says(EVE, &code);
    api.user_says(ANNA, &format!("/start {code}"));
    answer(&api, ANNA, "Welcome").await;
    assert_eq!(how_many(&api, EVE, "Welcome"), 0);
}

#[tokio::test]
async fn who_is_taken_off_the_allowlist_is_a_stranger_again() {
    let api = FakeBotApi::start().await;
    let program = installed();
    let daemon = serve(&program, &api).await;
    api.user_says(BEN, "remind me to call mom tomorrow at 5pm");
    answer(&api, BEN, "Reminder set").await;
    assert_eq!(daemon.terminate(), 0);

    let program = program.env("BRAIN_ALLOWED_USERS", &ANNA.to_string());
    let _daemon = serve(&program, &api).await;
    api.user_says(BEN, "/pending");
    answer(&api, BEN, "don't know you").await;
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
    assert_eq!(how_many(&api, BEN, "Nothing is waiting"), 0);
}

#[tokio::test]
async fn who_has_no_account_sends_nothing_in_somebody_elses_name_and_is_told_why() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing();
    let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    api.user_says(BEN, SEND);
    let card = card(&api, BEN).await;
    api.user_replies(BEN, card.id, "yes");
    answer(&api, BEN, "I send nothing in somebody else's name, so nothing was sent").await;
    answer(&api, BEN, "The text is kept as a draft").await;
    assert!(smtp.mails().is_empty());
    // Whose account it is, sends.
    api.user_says(ANNA, SEND);
    let card = super::card(&api, ANNA).await;
    api.user_replies(ANNA, card.id, "yes");
    assert_eq!(smtp.wait_mails(1, SOON).await[0].to, ["bob.miller@example.com"]);
}

#[tokio::test]
async fn what_comes_right_behind_the_pairing_code_is_heard() {
    let api = FakeBotApi::start().await;
    let daemon = serve(&closed(), &api).await;
    let code = pairing_code(&daemon).await;
    // Both wait for the same poll.
    api.fail_until_cleared("getUpdates", Fault::ServerError(500));
    api.user_says(BEN, "me first!");
    api.user_says(ANNA, &code);
    api.user_says(ANNA, "/pending");
    api.user_says(BEN, &code);
    api.clear_faults();
    let welcome = answer(&api, ANNA, "Welcome").await;
    let heard = answer(&api, ANNA, "Nothing is waiting").await;
    assert!(welcome.id < heard.id, "{}", api.transcript());
    answer(&api, BEN, "private assistant").await;
    assert_eq!(how_many(&api, BEN, "Welcome"), 0, "{}", api.transcript());
}
