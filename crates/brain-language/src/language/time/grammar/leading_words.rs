//! The small words before an expression, and between its parts.

use super::super::TimeRole;
use super::super::words::{Link, TokenLine};
use super::numbered::abbreviated;
use super::role_of;

const LEADS: [Link; 8] = [Link::By, Link::At, Link::On, Link::In, Link::Since, Link::From, Link::Between, Link::For];
const LEADS_MAX: usize = 4;

/// What was said before a component.
#[derive(Debug, Clone, Copy)]
pub struct LeadingWords {
    /// The last preposition.
    pub link: Option<Link>,
    pub role: TimeRole,
    /// Did an article follow the preposition ("on the")?
    pub article: bool,
    pub next: usize,
}

impl LeadingWords {
    pub fn none(i: usize) -> LeadingWords {
        LeadingWords { link: None, role: TimeRole::Plain, article: false, next: i }
    }

    /// Reads prepositions and articles at `i`; `moves`: "to" is one of them. In a table one word
    /// may be several prepositions ("bis"): the first of [`LEADS`] counts, `Until` comes before By.
    pub fn read(line: &TokenLine, i: usize, moves: bool) -> LeadingWords {
        let mut lead = LeadingWords::none(i);
        for _ in 0..LEADS_MAX {
            let found = longest(line, lead.next, moves);
            match found {
                Some((link, next)) => {
                    lead.role = role_of(link, lead.role);
                    lead.link = Some(link);
                    lead.article = false;
                    // "Ca. 17 Uhr".
                    lead.next = if abbreviated(line, next) { next + 1 } else { next };
                }
                None => match line.link(lead.next, Link::The) {
                    Some(next) => (lead.article, lead.next) = (true, next),
                    None => break,
                },
            }
        }
        lead
    }

    /// Every shorter way to read the same words: "on the" may belong to the component.
    pub fn says_day(&self) -> bool {
        matches!(self.link, Some(Link::On | Link::By | Link::Until | Link::Since | Link::From | Link::MovedTo))
    }
}

fn longest(line: &TokenLine, i: usize, moves: bool) -> Option<(Link, usize)> {
    let moved = moves.then_some(Link::MovedTo);
    let links = std::iter::once(Link::Until).chain(LEADS).chain(moved);
    links
        .filter_map(|link| Some((link, line.link(i, link)?)))
        .reduce(|best, other| if other.1 > best.1 { other } else { best })
}
