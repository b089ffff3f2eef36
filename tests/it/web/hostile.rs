//! Who must not get in, and what must not get out of its place.

use super::*;

#[tokio::test]
async fn nothing_is_shown_without_the_token() {
    let rig = Rig::plain();
    let page = Page::of(&rig).await;
    for path in PAGES.into_iter().chain(["/pending/x", "/turns/1/x", "/chat/events", "/nowhere", "/../etc/passwd"]) {
        for cookie in ["", "brain_session=", "brain_session=0000", "other=1; brain_session=0000"] {
            let answer = page.asks(Method::GET, path).header(COOKIE, cookie).send().await.unwrap();
            let status = answer.status();
            assert!([StatusCode::SEE_OTHER, StatusCode::UNAUTHORIZED].contains(&status), "{path}: {status}");
            assert!(answer.text().await.unwrap().len() < 100, "{path}");
        }
        let answer = page.asks(Method::GET, path).header(AUTHORIZATION, "Bearer a-token-of-the-test").send().await;
        assert_ne!(answer.unwrap().status(), StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn a_program_reads_with_the_token_and_guessing_ends_soon() {
    let rig = Rig::plain();
    let page = Page::of(&rig).await;
    let with = |token: &str| {
        let asked = page.asks(Method::GET, "/api/pending").header(AUTHORIZATION, format!("Bearer {token}"));
        async move { asked.send().await.unwrap().status() }
    };
    assert_eq!(with(TOKEN).await, StatusCode::OK);
    for guess in 0..20 {
        assert_eq!(with(&format!("guess-{guess}")).await, StatusCode::UNAUTHORIZED);
    }
    assert_eq!(with(TOKEN).await, StatusCode::UNAUTHORIZED, "after so many guesses nobody gets in for a minute");
    let form = page.asks(Method::POST, "/login").body(format!("token={TOKEN}")).send().await.unwrap();
    assert_eq!(form.status(), StatusCode::UNAUTHORIZED);
    assert!(form.text().await.unwrap().contains("Wait a minute"));
}

#[tokio::test]
async fn a_page_elsewhere_reaches_nothing() {
    let rig = Rig::plain();
    let card = rig.card_for(json!([send("bob@example.com", "Late", "It is late.")])).await;
    let page = Page::open(&rig).await;
    let cancel = format!("/pending/{}/cancel", card.id);
    // A name that leads here (DNS rebinding).
    let (_, port) = page.base.rsplit_once(':').unwrap();
    for name in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]", "10.0.0.1"] {
        for host in [name.to_owned(), format!("{name}:{port}")] {
            let answer = page.asks(Method::GET, "/pending").header(HOST, &host).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::MISDIRECTED_REQUEST, "{host}");
        }
    }
    for host in [format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")] {
        let answer = page.asks(Method::GET, "/pending").header(HOST, &host).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{host}");
    }
    // A form of another page, with the cookie that a browser might send along.
    for (name, value) in [("origin", "http://evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")] {
        let answer = page.asks(Method::POST, &cancel).header(name, value).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::MISDIRECTED_REQUEST, "{name}: {value}");
    }
    // The right cookie and place, and no secret of a form, or another one.
    for body in ["", "secret=", "secret=0000", "secret=0&secret=1"] {
        let answer = page.asks(Method::POST, &cancel).header(ORIGIN, &page.base).body(body).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{body}");
    }
    // What only shows decides nothing.
    let answer = page.asks(Method::GET, &cancel).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert_eq!(rig.pending(&card.id).await.state, State::Pending);
    // Who has logged out is out.
    let (status, _) = page.sends("/pending", "/logout", "").await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    assert_eq!(page.asks(Method::GET, "/pending").send().await.unwrap().status(), StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn what_anybody_has_written_is_text_on_every_page() {
    const SCRIPT: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><b>";
    let rig = Rig::new(Setup::default());
    rig.plans(json!([send("bob@example.com", SCRIPT, SCRIPT)]));
    let user = format!("eve{SCRIPT}");
    rig.as_user(&user).says(SCRIPT).await;
    rig.as_user(&user).says("what is the time").await;
    let page = Page::open(&rig).await;
    let list = page.get("/pending").await;
    let ids: Vec<&str> = list.split("href=\"/pending/").skip(1).filter_map(|part| part.split('"').next()).collect();
    let turns = page.get("/turns").await;
    let turn = turns.split("href=\"/turns/").nth(1).unwrap().split('"').next().unwrap();
    let paths = ids.iter().map(|id| format!("/pending/{id}")).chain([format!("/turns/{turn}")]);
    let shown: Vec<String> = paths.chain(PAGES[..7].iter().map(|page| (*page).to_owned())).collect();
    assert!(!ids.is_empty());
    for path in shown.iter().filter(|path| *path != "/") {
        let answer = page.asks(Method::GET, path).send().await.unwrap();
        let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
        let text = answer.text().await.unwrap();
        assert!(!text.contains("<script>") && !text.contains("<img") && !text.contains("<b>\""), "{path}: {text}");
        assert!(!text.contains(" style=") && !text.contains(" onclick="), "{path}: {text}");
    }
    let metrics = page.get("/metrics").await;
    assert!(metrics.lines().all(|line| line.starts_with('#') || line.starts_with("brain_")), "{metrics}");
}

#[tokio::test]
async fn what_is_too_large_or_no_path_of_ours_is_refused() {
    let rig = Rig::plain();
    let page = Page::open(&rig).await;
    let huge = page.asks(Method::POST, "/login").body("x".repeat(2_000_000)).send().await;
    assert!(huge.is_err() || huge.unwrap().status() == StatusCode::PAYLOAD_TOO_LARGE);
    for path in
        ["/style.css/..", "/pending/%2e%2e%2f", "/turns/../../etc/passwd/x", "/%00", "/pending/%ff%fe", "/turns/x"]
    {
        let answer = page.asks(Method::GET, path).send().await.unwrap();
        assert!(answer.status().is_client_error() || answer.status().is_redirection(), "{path}: {}", answer.status());
    }
    for query in
        ["/pending?after=%01%ff", "/turns?before=", "/pending?chat=%3Cscript%3E&after=x", "/turns?before=zzz&&&=&%"]
    {
        assert!(page.get(query).await.contains("</html>"), "{query}");
    }
}

#[tokio::test]
async fn the_token_of_the_data_folder_is_made_once_and_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let config = WebConfig { addr: "127.0.0.1:0".parse().unwrap(), token: None };
    Web::bind(&config, folder.path()).await.unwrap();
    let path = folder.path().join("admin-token");
    let token = std::fs::read_to_string(&path).unwrap();
    assert!(token.trim().len() >= 32);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    Web::bind(&config, folder.path()).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), token);
}
