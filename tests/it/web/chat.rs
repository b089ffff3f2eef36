//! The chat of the page: answers that grow, files in both directions, and what is refused of them.

use super::browser::{logs_in, program, served};
use super::*;
use crate::support::bot_api::FakeBotApi;
use crate::support::browser::Browser;
use crate::support::model_server::{ModelReply, ModelServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_grows_in_the_browser_until_the_message_replaces_it() {
    let words: String = (0..40).map(|n| format!("word{n:03} ")).collect();
    let story = words.trim().to_owned();
    let said = story.clone();
    let model = ModelServer::start(move |request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        _ => ModelReply::text(said.clone()).chunks(8, Duration::from_millis(150)),
    });
    let api = FakeBotApi::start_blocking();
    let program = program().model(&model);
    let (_daemon, base) = served(&program, &api).await;
    let browser = Browser::open(900, 700, false).await;
    logs_in(&browser, &base).await;
    browser.goes_to(&format!("{base}/chat")).await;
    browser.types("#text", "tell me a long story please").await;
    browser.clicks("#say button").await;
    let draft = "const at = document.getElementById('draft'); return at.hidden ? '' : at.textContent";
    let last = "return document.querySelector('#said .bubble:last-child').firstChild.textContent";
    let mut grown: Vec<String> = Vec::new();
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    loop {
        let now = browser.runs(draft).await.as_str().unwrap_or_default().to_owned();
        if !now.is_empty() && grown.last() != Some(&now) {
            grown.push(now);
            if grown.len() == 2 {
                browser.takes_picture("chat-draft").await;
            }
        }
        if browser.runs(last).await == story {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "{grown:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(grown.len() > 1 && grown.windows(2).all(|two| two[1].starts_with(two[0].as_str())), "{grown:?}");
    assert_eq!(browser.runs(draft).await, "", "the answer replaces what grew");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_goes_along_with_a_mail_and_what_is_handed_over_is_a_link() {
    let api = FakeBotApi::start_blocking();
    let program = program();
    let (_daemon, base) = served(&program, &api).await;
    let browser = Browser::open(900, 900, false).await;
    logs_in(&browser, &base).await;
    browser.goes_to(&format!("{base}/chat")).await;
    let (sent, listed) = (program.cwd().join("report.pdf"), program.cwd().join("list.txt"));
    std::fs::write(&sent, b"%PDF-1.4 not much").unwrap();
    std::fs::write(&listed, "milk and the zeppelin").unwrap();
    browser.types("#files", sent.to_str().unwrap()).await;
    browser.types("#text", "email this to bob.miller@example.com saying here it is").await;
    browser.clicks("#say button").await;
    browser.sees("📎 report.pdf").await;
    browser.sees("I can't look into report.pdf").await;
    browser.sees("Send this email?").await;
    let card = browser.text().await;
    assert!(card.matches("report.pdf").count() >= 3, "the card names the file: {card}");
    browser.takes_picture("chat-file").await;

    // A file without words is somebody else's, and nothing is done that it says.
    browser.types("#files", listed.to_str().unwrap()).await;
    browser.clicks("#say button").await;
    browser.sees("list.txt").await;

    browser.types("#text", "/export").await;
    browser.clicks("#say button").await;
    browser.sees("Saved as").await;
    let link = browser.runs("return document.querySelector('#said .bubble a').getAttribute('href')").await;
    let link = link.as_str().unwrap();
    let fetched = format!(
        "return fetch('{link}').then((answer) => answer.arrayBuffer()).then((all) => [...new Uint8Array(all)].slice(0, 2))"
    );
    assert_eq!(browser.runs(&fetched).await, json!([b'P', b'K']), "{link}");
}

/// A rig's page, with the secret of its session.
async fn chat(rig: &Rig) -> (Page, String) {
    let page = Page::open(rig).await;
    let shown = page.get("/chat").await;
    let secret = shown.split("data-secret=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    (page, secret)
}

#[tokio::test]
async fn no_file_is_taken_without_the_session_its_secret_and_room_for_it() {
    let rig = Rig::plain();
    let nobody = Page::of(&rig).await;
    let (page, secret) = chat(&rig).await;
    let kept = rig.folder().join("files");
    let hands_over = |page: &Page, secret: &str, bytes: usize| {
        let asked = page.asks(Method::POST, "/chat/files?name=a.txt&kind=text%2Fplain");
        asked.header(ORIGIN, &page.base).header("x-secret", secret).body("x".repeat(bytes)).send()
    };
    assert_eq!(hands_over(&nobody, &secret, 10).await.unwrap().status(), StatusCode::UNAUTHORIZED);
    for wrong in ["", "0000"] {
        assert_eq!(hands_over(&page, wrong, 10).await.unwrap().status(), StatusCode::FORBIDDEN);
    }
    let huge = hands_over(&page, &secret, 21 * 1024 * 1024).await;
    assert!(huge.is_err() || huge.unwrap().status() == StatusCode::PAYLOAD_TOO_LARGE);
    assert!(!kept.exists(), "nothing was kept");
    let answer = hands_over(&page, &secret, 10).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let file: Value = answer.json().await.unwrap();
    assert_eq!((&file["name"], &file["kind"], &file["bytes"]), (&json!("a.txt"), &json!("text/plain"), &json!(10)));
    assert!(kept.exists());
}

#[tokio::test]
async fn no_other_file_is_handed_out_than_those_for_people() {
    let rig = Rig::plain();
    let (page, _) = chat(&rig).await;
    let exports = rig.folder().join("exports");
    std::fs::create_dir_all(&exports).unwrap();
    std::fs::write(exports.join("mine & yours.zip"), "whole").unwrap();
    std::fs::write(exports.join(".hidden"), "not").unwrap();
    std::fs::write(rig.folder().join("admin-token"), "not").unwrap();
    let answer = page.asks(Method::GET, "/chat/files/mine%20%26%20yours.zip").send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/octet-stream");
    let kept_as = answer.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert!(kept_as.starts_with("attachment") && kept_as.is_ascii(), "{kept_as}");
    assert_eq!(answer.text().await.unwrap(), "whole");
    for name in ["..%2fadmin-token", ".hidden", "%2fetc%2fpasswd", "%00", "none.zip", "..%5cadmin-token"] {
        let answer = page.asks(Method::GET, &format!("/chat/files/{name}")).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{name}");
    }
}

#[test]
fn a_line_brings_only_files_that_are_kept_for_whoever_writes_it() {
    let program = Program::new();
    let mut console = program.console(&[]);
    let none = json!({"name": "a.txt", "kind": "text/plain", "bytes": 1, "sha256": "0".repeat(64)});
    let told = console.send(json!({"text": "what does it say?", "files": [none]}));
    assert!(format!("{told:?}").contains("a.txt is not kept here any more; hand it over again"), "{told:?}");
    let told = console.send(json!({"text": "", "files": vec![none.clone(); 11]}));
    assert!(format!("{told:?}").contains("more than 10 files"), "{told:?}");
    let long = json!({"name": "a".repeat(300), "kind": "text/plain", "bytes": 1, "sha256": "0".repeat(64)});
    let told = console.send(json!({"text": "this", "files": [long]}));
    assert!(format!("{told:?}").contains("longer than 255 bytes"), "{told:?}");
    let told = console.send(json!({"press": "x", "files": [none]}));
    assert!(format!("{told:?}").contains("files come with text only"), "{told:?}");
    console.finish();
}
