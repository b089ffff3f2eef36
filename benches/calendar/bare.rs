//! A bare client: the reports as text, over connections of its own, and what stands between two marks. It understands
//! nothing and keeps nothing.

use crate::served::{Served, USER};

/// So many are asked for at once.
const AT_ONCE: usize = 500;

/// Everything since a token: how many resources, and the next token.
pub fn read_all(served: &Served, token: Option<&str>) -> (usize, String) {
    let collection = served.server.href(USER, "Work");
    let since = token.unwrap_or_default();
    let changes = report(
        served,
        &collection,
        &format!(
            "<d:sync-collection xmlns:d=\"DAV:\"><d:sync-token>{since}</d:sync-token><d:sync-level>1</d:sync-level>\
             <d:prop><d:getetag/></d:prop></d:sync-collection>"
        ),
    );
    let hrefs: Vec<&str> = between(&changes, "<href>", "</href>").filter(|href| href.ends_with(".ics")).collect();
    let token = between(&changes, "<sync-token>", "</sync-token>").next().expect("a token").to_owned();
    let mut count = 0;
    for some in hrefs.chunks(AT_ONCE) {
        let wanted: String = some.iter().map(|href| format!("<d:href>{href}</d:href>")).collect();
        let texts = report(
            served,
            &collection,
            &format!(
                "<c:calendar-multiget xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><d:prop><d:getetag/>\
                 <c:calendar-data/></d:prop>{wanted}</c:calendar-multiget>"
            ),
        );
        count += texts.matches("BEGIN:VCALENDAR").count();
    }
    (count, token)
}

fn report(served: &Served, collection: &str, body: &str) -> String {
    let headers = [("Depth", "1"), ("Content-Type", "application/xml; charset=utf-8")];
    let answer = served.server.request(USER, "REPORT", collection, &headers, body);
    assert_eq!(answer.status, 207, "{answer:?}");
    answer.text()
}

fn between<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(open).skip(1).filter_map(move |rest| rest.split(close).next())
}
