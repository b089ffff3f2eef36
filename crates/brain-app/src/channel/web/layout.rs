//! What every page has: its head, the way to the others, and how it looks.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use maud::{DOCTYPE, Markup, html};

use super::door::SECRET_FIELD;

pub(super) const STYLE: &str = include_str!("style.css");
pub(super) const SCRIPT: &str = include_str!("page.js");
pub(super) const LIVE: &str = include_str!("live.js");

const PAGES: [(&str, &str); 6] = [
    ("/pending", "Pending"),
    ("/turns", "Turns"),
    ("/figures", "Figures"),
    ("/people", "People"),
    ("/system", "System"),
    ("/chat", "Chat"),
];

fn document(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Brain Agent" }
                link rel="stylesheet" href="/style.css";
            }
            body { (body) }
        }
    }
}

/// A page of somebody who is logged in; `secret` is what its forms carry.
pub(super) fn page(title: &str, secret: &str, body: &Markup) -> Markup {
    document(
        title,
        &html! {
            a.skip href="#main" { "To the content" }
            header {
                nav aria-label="Pages" {
                    @for (place, name) in PAGES {
                        a href=(place) aria-current=[(name == title).then_some("page")] { (name) }
                    }
                }
                form method="post" action="/logout" { (secret_field(secret)) button.quiet { "Log out" } }
            }
            main #main { h1 { (title) } (body) }
        },
    )
}

/// What a form carries to show that it is one of ours.
pub(super) fn secret_field(secret: &str) -> Markup {
    html! { input type="hidden" name=(SECRET_FIELD) value=(secret); }
}

/// Where a browser is let in; why it was not.
pub(super) fn log_in(why_not: Option<&str>) -> Markup {
    document(
        "Log in",
        &html! {
            main.narrow #main {
                h1 { "Brain Agent" }
                @if let Some(why) = why_not { p.warning role="alert" { (why) } }
                form method="post" action="/login" {
                    label for="token" { "Token" }
                    input #token name="token" type="password" autocomplete="current-password" required autofocus;
                    p.hint { "It stands in BRAIN_ADMIN_TOKEN, or else in the file admin-token of the data folder." }
                    button { "Log in" }
                }
            }
        },
    )
}

/// A moment as the operator reads it.
pub(super) fn moment(at: DateTime<Utc>, zone: Tz) -> Markup {
    html! { time datetime=(at.to_rfc3339()) { (at.with_timezone(&zone).format("%a %-d %b %Y, %H:%M:%S")) } }
}

/// Microseconds, as long as they are worth telling.
pub(super) fn length(us: u64) -> String {
    match us {
        0..10_000 => format!("{:.1} ms", us as f64 / 1_000.0),
        10_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{:.2} s", us as f64 / 1_000_000.0),
    }
}
