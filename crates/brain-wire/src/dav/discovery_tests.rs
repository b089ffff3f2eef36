//! Which collections there are, as servers of several makes tell it.

use super::scripted::{parts, prop, says, server};
use super::{Collection, DavError, DavKind};

fn names(found: &[Collection]) -> Vec<&str> {
    found.iter().map(|one| one.name.as_str()).collect()
}

fn calendar(href: &str, name: &str, more: &str, kinds: &str) -> String {
    let kinds: String = kinds.split_whitespace().map(|kind| format!("<c:comp name=\"{kind}\"/>")).collect();
    prop(
        href,
        &format!(
            "<d:resourcetype><d:collection/><c:calendar/>{more}</d:resourcetype><d:displayname>{name}</d:displayname>\
             <c:supported-calendar-component-set>{kinds}</c:supported-calendar-component-set>\
             <d:owner><d:href>/dav/principals/anna/</d:href></d:owner>"
        ),
    )
}

fn principal_at(href: &str) -> String {
    prop(href, "<d:current-user-principal><d:href>/dav/principals/anna/</d:href></d:current-user-principal>")
}

fn home_at(href: &str) -> String {
    prop(
        "/dav/principals/anna/",
        &format!(
            "<c:calendar-home-set><d:href>{href}</d:href></c:calendar-home-set><a:addressbook-home-set><d:href>/dav/books/</d:href></a:addressbook-home-set>"
        ),
    )
}

/// As Nextcloud answers.
fn nextcloud(request: &str) -> Vec<u8> {
    let path = request.split(' ').nth(1).unwrap_or_default();
    match path {
        "/dav/" => parts(&principal_at("/dav/")),
        "/dav/principals/anna/" => parts(&home_at("/dav/calendars/anna/")),
        "/dav/calendars/anna/inbox/" => parts(&prop(
            path,
            "<c:schedule-default-calendar-URL><d:href>/dav/calendars/anna/personal</d:href></c:schedule-default-calendar-URL>",
        )),
        "/dav/calendars/anna/" => parts(
            &[
                prop(path, "<d:resourcetype><d:collection/></d:resourcetype>"),
                prop(
                    "/dav/calendars/anna/inbox/",
                    "<d:resourcetype><d:collection/><c:schedule-inbox/></d:resourcetype>",
                ),
                prop(
                    "/dav/calendars/anna/outbox/",
                    "<d:resourcetype><d:collection/><c:schedule-outbox/></d:resourcetype>",
                ),
                calendar("/dav/calendars/anna/office/", "Work &amp; more", "<cs:shared-owner/>", "VEVENT"),
                calendar("/dav/calendars/anna/personal/", "Personal", "", "VEVENT VTODO"),
                calendar("/dav/calendars/anna/list/", "List", "", "VTODO"),
                calendar("/dav/calendars/anna/holidays/", "Holidays", "<cs:subscribed/>", "VEVENT"),
                calendar(
                    "/dav/calendars/anna/old/",
                    "Old",
                    "<n:deleted-calendar xmlns:n=\"http://nextcloud.com/ns\"/>",
                    "VEVENT",
                ),
                prop(
                    "/dav/calendars/anna/team_shared_by_bob/",
                    "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>Team</d:displayname>\
                     <d:owner><d:href>/dav/principals/bob/</d:href></d:owner><d:current-user-privilege-set>\
                     <d:privilege><d:read/></d:privilege></d:current-user-privilege-set>",
                ),
            ]
            .concat(),
        ),
        "/dav/books/" => {
            parts(&prop("/dav/books/all/", "<d:resourcetype><d:collection/><a:addressbook/></d:resourcetype>"))
        }
        _ => says("404 Not Found", "", ""),
    }
}

#[tokio::test]
async fn a_server_root_leads_to_what_is_kept_there() {
    let (client, _) = server(nextcloud).await;
    let found = client.collections(DavKind::Events).await.unwrap();
    assert_eq!(names(&found), ["Work & more", "Personal", "Team"]);
    let flags: Vec<_> = found.iter().map(|one| (one.is_writable, one.is_shared, one.is_default)).collect();
    assert_eq!(flags, [(true, true, false), (true, false, true), (false, true, false)]);
    assert_eq!(names(&client.collections(DavKind::Tasks).await.unwrap()), ["Personal", "List", "Team"]);
    // Without a name the last part of its address serves.
    assert_eq!(names(&client.collections(DavKind::Contacts).await.unwrap()), ["all"]);
}

#[tokio::test]
async fn a_collection_itself_is_the_only_one() {
    let (client, _) = server(|request| match request {
        request if request.starts_with("PROPFIND /dav/ ") => parts(&calendar("/dav/", "Only", "", "VEVENT")),
        _ => says("404 Not Found", "", ""),
    })
    .await;
    assert_eq!(names(&client.collections(DavKind::Events).await.unwrap()), ["Only"]);
    assert_eq!(client.collections(DavKind::Tasks).await.unwrap(), []);
}

/// As Fastmail and others do, whose root is a page.
#[tokio::test]
async fn the_well_known_place_leads_on_where_the_address_is_a_page() {
    let (client, said) = server(|request| match request.split(' ').nth(1).unwrap_or_default() {
        "/.well-known/caldav" => says("301 Moved", "location: /dav/calendars\r\n", ""),
        "/dav/calendars" => parts(&principal_at("/dav/calendars")),
        "/dav/principals/anna/" => parts(&home_at("/dav/home/")),
        "/dav/home/" => parts(&calendar("/dav/home/a%40b/", "Mine", "", "")),
        _ => says("200 OK", "content-type: text/html\r\n", "<html>"),
    })
    .await;
    let found = client.collections(DavKind::Tasks).await.unwrap();
    assert_eq!((found[0].href.as_str(), found.len()), ("/dav/home/a@b/", 1));
    assert!(said.lock().unwrap().iter().all(|request| request.starts_with("PROPFIND")));
}

#[tokio::test]
async fn one_home_that_is_closed_costs_itself_alone() {
    let (client, _) = server(|request| match request.split(' ').nth(1).unwrap_or_default() {
        "/dav/" => parts(&prop(
            "/dav/",
            "<c:calendar-home-set><d:href>/dav/bob/</d:href><d:href>/dav/anna/</d:href></c:calendar-home-set>",
        )),
        "/dav/anna/" => parts(&calendar("/dav/anna/c/", "Mine", "", "VEVENT")),
        _ => says("403 Forbidden", "", ""),
    })
    .await;
    assert_eq!(names(&client.collections(DavKind::Events).await.unwrap()), ["Mine"]);
}

#[tokio::test]
async fn a_password_follows_no_redirection_to_another_host() {
    let (client, said) = server(|_| says("301 Moved", "location: https://evil.example/\r\n", "")).await;
    assert!(client.collections(DavKind::Events).await.is_err());
    assert!(!said.lock().unwrap().is_empty());
    let (client, said) = server(|_| says("307 Moved", "location: /round\r\n", "")).await;
    assert!(client.collections(DavKind::Events).await.is_err());
    assert!(said.lock().unwrap().len() <= 24, "{}", said.lock().unwrap().len());
}

#[tokio::test]
async fn a_page_or_nothing_is_told_as_that() {
    for status in ["200 OK", "404 Not Found", "405 Method Not Allowed"] {
        let (client, _) = server(move |_| says(status, "", "<html>")).await;
        let error = client.collections(DavKind::Events).await.unwrap_err();
        assert!(matches!(error, DavError::NotDav(_)), "{status}: {error:?}");
    }
}
