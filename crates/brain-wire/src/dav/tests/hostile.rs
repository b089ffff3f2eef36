//! Answers that are made to cost much: each is refused or read in time that grows with its length, on a small stack.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::super::DavKind;
use super::super::changes::{all_of, changes_of};
use super::super::discovery::in_home;
use super::super::href::ServerHosts;
use super::super::multistatus::{entries, parsed};
use super::super::resource::sorted;
use super::{etag, parts, prop, says, server};
use brain_core::limits::{DAV_HOMES_MAX, DAV_NAME_CHARS_MAX, DAV_PLACES_MAX, DAV_REDIRECTS_MAX, DAV_TOKEN_BYTES_MAX};
use brain_testing::fuzzing::fuzz;

fn is_read(text: &str) -> bool {
    parsed(text).is_ok()
}

/// What an unoptimised build may take for some megabytes.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn what_a_parser_compares_with_each_other_is_bounded() {
    let many = |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<String>();
    let began = Instant::now();
    // Compared each with each: hours, at the length that an answer may have.
    assert!(!is_read(&format!("<a {}/>", many(60_000, &|at| format!(" b{at}=''")))));
    assert!(!is_read(&format!("<a {}/>", many(60_000, &|at| format!(" xmlns:b{at}='u'")))));
    assert!(!is_read(&format!("<a {}/>", many(60_000, &|at| format!(" xmlns:b{at} = \"u\"")))));
    // Taken over by each.
    let inheriting =
        format!("<a {}>{}</a>", many(60, &|at| format!(" xmlns:b{at}='u'")), "<c xmlns='v'/>".repeat(100_000));
    assert!(!is_read(&inheriting));
    let nested = many(90, &|at| format!("<a xmlns:b{at}='u'>")) + &"</a>".repeat(90);
    assert!(!is_read(&nested));
    // Room that is made before anything is read.
    assert!(!is_read(&format!("<a><![CDATA[{}]]></a>", "<".repeat(5_000_000))));
    assert!(!is_read(&format!("<a>{}</a>", "=".repeat(5_000_000))));
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn what_servers_write_is_read() {
    let declared: String = (0..50).map(|at| format!(" xmlns:n{at}='urn:{at}'")).collect();
    assert!(is_read(&format!("<a{declared}><b x='1' y='2'/></a>")));
    // Each entry declares its namespaces anew.
    let entry = "<D:response xmlns:D='DAV:' xmlns:C='c' xmlns:S='s'><D:href>/a</D:href></D:response>";
    assert!(is_read(&format!(
        "<D:multistatus xmlns:D='DAV:' xmlns:C='c' xmlns:S='s'>{}</D:multistatus>",
        entry.repeat(5_000)
    )));
    assert!(is_read("<a b='xmlns=' c=\"x='1' y='2'\"/>"));
}

#[test]
fn a_hundred_thousand_levels_are_refused_on_a_small_stack() {
    let small = std::thread::Builder::new().stack_size(128 * 1024);
    let read = small.spawn(|| {
        let levels = 100_000;
        let deep = |open: &str, close: &str| format!("{}{}", open.repeat(levels), close.repeat(levels));
        let all = [
            deep("<a>", "</a>"),
            deep("<a x='/'>", "</a>"),
            deep("<a><!--", "--></a>"),
            deep("<a><![CDATA[", "]]></a>"),
        ];
        all.iter().any(|text| is_read(text)) || is_read(&"<a>".repeat(levels))
    });
    assert!(!read.unwrap().join().unwrap());
}

#[test]
fn fuzzed_multistatus() {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let body = |answer: Vec<u8>| text(answer).split_once("\r\n\r\n").unwrap().1.to_owned();
    let listed = body(parts(&format!(
        "{}{}<d:response><d:href>/dav/c/g.ics</d:href><d:status>HTTP/1.1 404 Gone</d:status></d:response><d:sync-token>t</d:sync-token>",
        etag("/dav/c/a%2eics", "\"1\""),
        prop(
            "/dav/c/",
            "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>A &amp; B</d:displayname>"
        ),
    )));
    let texts = body(parts(&prop(
        "/dav/c/a.ics",
        "<d:getetag>\"1\"</d:getetag><c:calendar-data><![CDATA[BEGIN:VCALENDAR]]>&#13;</c:calendar-data>",
    )));
    let tokens = [
        "<a>",
        "</a>",
        "<a ",
        " b='",
        "'",
        "\"",
        "=",
        "/>",
        ">",
        "<",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?",
        "?>",
        "&lt;",
        "&#x0;",
        "&",
        " xmlns:a='u'",
        " xmlns='DAV:'",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "<d:response>",
        "</d:response>",
        "<d:href>/dav/c/x</d:href>",
        "<d:propstat>",
        "<d:prop>",
        "HTTP/1.1 507 Full",
        "..",
        "%2e",
        "\u{0}",
        "\u{feff}",
    ];
    fuzz("multistatus", &[&listed, &texts, "<a/>"], &tokens, |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let Ok(document) = parsed(text) else { return };
        let Ok(all) = entries(&document) else { return };
        let home = ServerHosts { url: "https://dav.example.com/dav/".parse().unwrap() };
        let _ = changes_of(&all, &home, &home.url, "/dav/c/");
        let _ = all_of(&all, &home, &home.url);
        let wanted = BTreeMap::from([("/dav/c/a.ics".to_owned(), "/dav/c/a.ics".to_owned())]);
        let _ = sorted(&all, &home.url, &home, wanted);
        for kind in [DavKind::Events, DavKind::Tasks, DavKind::Contacts] {
            let _ = in_home(&all, &|text| home.href(text, &home.url), kind, Some("/p/"));
        }
    });
}

#[tokio::test]
async fn a_large_answer_is_parsed_beside_the_runtime() {
    let (client, _) = server(|_| {
        let all: String = (0..20_000).map(|at| etag(&format!("/dav/c/{at}.ics"), "\"1\"")).collect();
        parts(&format!("{all}<d:sync-token>t</d:sync-token>"))
    })
    .await;
    // There is one thread for everything: somebody else's turn goes on meanwhile.
    let others = tokio::spawn(async {
        let mut longest = Duration::ZERO;
        loop {
            let began = Instant::now();
            tokio::time::sleep(Duration::from_millis(5)).await;
            longest = longest.max(began.elapsed());
            if OVER.load(std::sync::atomic::Ordering::SeqCst) {
                return longest;
            }
        }
    });
    static OVER: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let began = Instant::now();
    let changes = client.changes("/dav/c/", None).await.unwrap();
    let took = began.elapsed();
    OVER.store(true, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(changes.changed.len(), 20_000);
    let waited = others.await.unwrap();
    assert!(waited < took / 2, "somebody waited {waited:?} of {took:?}");
}

#[tokio::test]
async fn what_a_server_leaves_out_is_asked_for_singly_a_bounded_number_of_times() {
    let (client, said) = server(|request| match request {
        request if request.starts_with("REPORT") => parts(""),
        _ => says("200 OK", "etag: \"1\"\r\n", "BEGIN:VCALENDAR"),
    })
    .await;
    let hrefs: Vec<String> = (0..21_519).map(|at| format!("/dav/c/{at:06}.ics")).collect();
    let fetched = client.fetch(DavKind::Events, "/dav/c/", &hrefs, 150).await.unwrap();
    assert_eq!((fetched.resources.len(), fetched.singly), (150, 150));
    assert_eq!((fetched.not_asked.len(), fetched.not_asked[0].as_str()), (21_369, "/dav/c/000150.ics"));
    assert_eq!(said.lock().unwrap().len(), 152, "two questions for a hundred each, and no more than was allowed");
}

#[tokio::test]
async fn a_list_whose_token_leads_back_to_itself_is_never_taken_for_the_whole() {
    const CUT: &str =
        "<d:response><d:href>/dav/c/</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>";
    let (client, said) = server(|request| match request {
        request if request.starts_with("REPORT") => {
            parts(&format!("{}{CUT}<d:sync-token>t1</d:sync-token>", etag("/dav/c/a.ics", "\"1\"")))
        }
        _ => parts(&format!("{}{}", etag("/dav/c/a.ics", "\"1\""), etag("/dav/c/b.ics", "\"2\""))),
    })
    .await;
    let all = client.changes("/dav/c/", None).await.unwrap();
    assert_eq!((all.changed.len(), all.is_whole, all.is_partial), (2, true, false));
    assert_eq!(said.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn homes_inboxes_names_and_tokens_are_bounded() {
    let homes: String = (0..5_000).map(|at| format!("<d:href>/dav/home{at}/</d:href>")).collect();
    let name = "n".repeat(100_000);
    let calendars: String = (0..3_000)
        .map(|at| {
            let kind = if at % 2 == 0 { "<c:calendar/>" } else { "<c:schedule-inbox/>" };
            prop(
                &format!("/dav/c{at}/"),
                &format!(
                    "<d:resourcetype><d:collection/>{kind}</d:resourcetype><d:displayname>{}</d:displayname>",
                    if at == 0 { &name } else { "x" }
                ),
            )
        })
        .collect();
    let (client, said) = server(move |request| match request {
        request if request.contains("calendar-home-set") => {
            parts(&prop("/dav/", &format!("<c:calendar-home-set>{homes}</c:calendar-home-set>")))
        }
        request if request.contains("schedule-default-calendar-URL") => parts(""),
        request if request.starts_with("REPORT") => {
            parts(&format!("<d:sync-token>{}</d:sync-token>", "t".repeat(DAV_TOKEN_BYTES_MAX + 1)))
        }
        _ => parts(&calendars),
    })
    .await;
    let found = client.collections(DavKind::Events).await.unwrap();
    assert_eq!((found.len(), found[0].name.len()), (200, DAV_NAME_CHARS_MAX));
    assert_eq!(said.lock().unwrap().len(), 1 + DAV_HOMES_MAX + 1, "the start, the homes, and one inbox");
    let changes = client.changes("/dav/c/", None).await.unwrap();
    assert_eq!(changes.token, None, "it would be kept, and sent with every look");
}

#[tokio::test]
async fn principals_that_lead_to_others_and_redirections_come_to_an_end() {
    let (client, said) = server(|request| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        parts(&prop(path, &format!("<d:current-user-principal><d:href>{path}x/</d:href></d:current-user-principal>")))
    })
    .await;
    assert_eq!(client.collections(DavKind::Events).await.unwrap(), []);
    assert_eq!(said.lock().unwrap().len(), DAV_PLACES_MAX + 1);
    let (client, said) = server(|request| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        says("302 Found", &format!("location: {path}x/\r\n"), "")
    })
    .await;
    assert!(client.changes("/dav/c/", None).await.is_err());
    assert_eq!(said.lock().unwrap().len(), DAV_REDIRECTS_MAX + 1);
}
