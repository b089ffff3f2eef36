//! A real browser without a window: Chromium, led by its driver over WebDriver.
//!
//! Invariants: both listen on loopback only and end when this is dropped; every wait has a limit.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(30);
/// What the protocol calls an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one page.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    client: reqwest::Client,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Of this size; `dark` as somebody has it whose machine is dark.
    pub async fn open(width: u32, height: u32, dark: bool) -> Browser {
        let profile = tempfile::tempdir().expect("a profile");
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let mut driver = Command::new("chromedriver");
        driver.arg(format!("--port={port}")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let driver = driver.spawn().expect("chromedriver, as tests/servers/install.sh installs it");
        let client = reqwest::Client::builder().no_proxy().timeout(LIMIT).build().expect("a client");
        let mut args = vec![
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--hide-scrollbars".to_owned(),
            format!("--user-data-dir={}", profile.path().display()),
        ];
        if dark {
            args.push("--blink-settings=preferredColorScheme=0".to_owned());
        }
        // A window has a narrowest width, an emulated screen has none.
        let screen = json!({"deviceMetrics": {"width": width, "height": height, "pixelRatio": 1.0}});
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": args, "mobileEmulation": screen},
        }}});
        let base = format!("http://127.0.0.1:{port}/session");
        let mut browser = Browser { driver, client, session: base.clone(), _profile: profile };
        let deadline = Instant::now() + LIMIT;
        let opened = loop {
            match browser.client.post(&base).json(&wanted).send().await {
                Ok(answer) => break answer.json::<Value>().await.expect("JSON"),
                Err(why) => assert!(Instant::now() < deadline, "no driver: {why}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        let id = opened["value"]["sessionId"].as_str().unwrap_or_else(|| panic!("no browser: {opened}"));
        browser.session = format!("{base}/{id}");
        browser
    }

    async fn asks(&self, path: &str, body: Option<Value>) -> Value {
        let place = format!("{}{path}", self.session);
        let request = match body {
            Some(body) => self.client.post(place).json(&body),
            None => self.client.get(place),
        };
        let answer: Value = request.send().await.expect("an answer").json().await.expect("JSON");
        assert!(answer["value"]["error"].is_null(), "{path}: {}", answer["value"]);
        answer["value"].clone()
    }

    pub async fn goes_to(&self, url: &str) {
        self.asks("/url", Some(json!({"url": url}))).await;
    }

    /// What a script gives.
    pub async fn runs(&self, script: &str) -> Value {
        self.asks("/execute/sync", Some(json!({"script": script, "args": []}))).await
    }

    /// What is to be read on the page.
    pub async fn text(&self) -> String {
        self.runs("return document.body.innerText").await.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page says this.
    pub async fn sees(&self, words: &str) {
        let deadline = Instant::now() + LIMIT;
        loop {
            let text = self.text().await;
            if text.contains(words) {
                return;
            }
            assert!(Instant::now() < deadline, "no “{words}” in: {text}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn element(&self, css: &str) -> String {
        let found = self.asks("/element", Some(json!({"using": "css selector", "value": css}))).await;
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("no {css}")).to_owned()
    }

    pub async fn clicks(&self, css: &str) {
        let element = self.element(css).await;
        self.asks(&format!("/element/{element}/click"), Some(json!({}))).await;
    }

    pub async fn types(&self, css: &str, text: &str) {
        let element = self.element(css).await;
        self.asks(&format!("/element/{element}/value"), Some(json!({"text": text}))).await;
    }

    /// Presses keys one after the other, wherever the page's own order has led.
    pub async fn presses(&self, keys: &[char]) {
        let strokes = keys.iter().flat_map(|key| {
            [json!({"type": "keyDown", "value": key.to_string()}), json!({"type": "keyUp", "value": key.to_string()})]
        });
        let actions = json!({"actions": [{"type": "key", "id": "keys", "actions": strokes.collect::<Vec<_>>()}]});
        self.asks("/actions", Some(actions)).await;
    }

    /// A picture of what is seen, kept under this name where the tests' pictures are kept.
    pub async fn takes_picture(&self, name: &str) {
        use base64::Engine as _;
        let picture = self.asks("/screenshot", None).await;
        let bytes = base64::engine::general_purpose::STANDARD.decode(picture.as_str().unwrap_or_default());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(format!("{name}.png")), bytes.expect("a picture")).expect("a file");
    }
}

impl Browser {
    /// Waits, as it is asked where nothing can be awaited.
    fn ends_session(&self) -> std::io::Result<()> {
        use std::io::{Read as _, Write as _};
        let (host, path) = self.session.trim_start_matches("http://").split_once('/').unwrap_or_default();
        let mut stream = std::net::TcpStream::connect(host)?;
        stream.set_read_timeout(Some(LIMIT))?;
        write!(stream, "DELETE /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        // It answers when the browser has ended, and keeps the connection.
        stream.read(&mut [0; 1_024]).map(|_| ())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends its browser with the session, and leaves it when it is killed itself.
        let _ = self.ends_session();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
