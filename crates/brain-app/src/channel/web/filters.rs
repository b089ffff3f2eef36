//! Filters of lists: their fields, what was chosen, and the way to the next page with the same choice.

use brain_core::core::text::grouped;
use maud::{Markup, html};

use super::{PAGE_ROWS, PageRequest, encoded};

/// What was asked under a name; `None` where nothing was.
pub(super) fn chosen<'a>(asked: &'a PageRequest<'_>, name: &str) -> Option<&'a str> {
    asked.query.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
}

/// One field of a filter.
pub(super) enum FilterField {
    /// Typed: name, label, an example.
    Typed(&'static str, &'static str, &'static str),
    /// One of these: name, label, what is sent and how it is called. The first is what is meant where nothing is chosen.
    Choice(&'static str, &'static str, Vec<(String, String)>),
}

impl FilterField {
    fn name(&self) -> &'static str {
        match self {
            Self::Typed(name, ..) | Self::Choice(name, ..) => name,
        }
    }
}

/// The form, with what was chosen in it.
pub(super) fn form(asked: &PageRequest<'_>, place: &str, fields: &[FilterField]) -> Markup {
    html! {
        form.filters method="get" action=(place) role="search" {
            @for field in fields {
                @let value = chosen(asked, field.name()).unwrap_or_default();
                div { @match field {
                    FilterField::Typed(name, label, example) => {
                        label for=(name) { (label) }
                        input id=(name) name=(name) value=(value) placeholder=(example);
                    }
                    FilterField::Choice(name, label, options) => {
                        label for=(name) { (label) }
                        select id=(name) name=(name) {
                            @for (sent, called) in options { option value=(sent) selected[sent == value] { (called) } }
                        }
                    }
                } }
            }
            button.quiet { "Filter" }
        }
    }
}

/// The way on: where it begins, and how far this page has looked when it is not full.
pub(super) struct ContinuedList<'a> {
    pub place: &'a str,
    pub fields: &'a [FilterField],
    /// Under which name the place to begin at is sent.
    pub from: &'a str,
    pub key: &'a str,
    pub words: &'a str,
    pub rows: usize,
    pub looked_at: usize,
}

/// A link to the next page with the same choice.
pub(super) fn further(asked: &PageRequest<'_>, page: &ContinuedList<'_>) -> Markup {
    let chosen = page.fields.iter().filter_map(|field| Some((field.name(), chosen(asked, field.name())?)));
    let query: String = chosen.map(|(name, value)| format!("{name}={}&", encoded(value))).collect();
    let to = format!("{}?{query}{}={}", page.place, page.from, encoded(page.key));
    html! {
        p {
            @if page.rows < PAGE_ROWS { "I looked at " (grouped(page.looked_at)) " so far, and there are more. " }
            a href=(to) { (page.words) }
        }
    }
}
