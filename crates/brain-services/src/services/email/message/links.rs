//! Links of a mail's markup: where they lead, and whether one says that it leads elsewhere. The text that is read aloud
//! has their words alone.
//!
//! Invariants: nothing recurses and nothing is opened; the work grows with the markup, what is kept is bounded
//! ([`LINKS_MAX`]), and no input makes it fail.

use brain_core::limits::{LINK_WORDS_CHARS_MAX, LINKS_MAX};

/// Where a mail leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailLinks {
    /// The hosts, in small letters, none twice.
    pub hosts: Vec<String>,
    /// A link's words are an address of one host, and it leads to another.
    pub is_misleading: bool,
}

impl MailLinks {
    /// Adds those of some markup.
    pub(in crate::services::email) fn add(&mut self, markup: &str) {
        let mut rest = markup;
        for _ in 0..LINKS_MAX {
            let Some((anchor, behind)) = next_anchor(rest) else { return };
            rest = behind;
            let Some(to) = anchor.target.and_then(host) else { continue };
            let said = anchor.words.split_whitespace().find_map(host);
            self.is_misleading |= said.is_some_and(|said| !is_same_house(&said, &to));
            if !self.hosts.contains(&to) {
                self.hosts.push(to);
            }
        }
    }
}

/// `<a href="target">words</a>`.
struct Anchor<'m> {
    target: Option<&'m str>,
    words: &'m str,
}

/// The next anchor, and what stands behind its head.
fn next_anchor(markup: &str) -> Option<(Anchor<'_>, &str)> {
    let mut from = 0;
    let (head, inside) = loop {
        let at = from + markup[from..].find('<')?;
        let tag = &markup[at + 1..];
        from = at + 1;
        let is_anchor = tag.starts_with(['a', 'A']) && tag[1..].starts_with(|c: char| c.is_ascii_whitespace());
        if is_anchor {
            // Where none ends, none behind it does.
            let end = tag.find('>')?;
            break (&tag[1..end], &tag[end + 1..]);
        }
    };
    let until = inside.char_indices().nth(LINK_WORDS_CHARS_MAX).map_or(inside.len(), |(at, _)| at);
    let words = &inside[..until];
    let words = words.find('<').map_or(words, |end| &words[..end]);
    Some((Anchor { target: attribute(head), words }, inside))
}

/// The value of `href`.
fn attribute(head: &str) -> Option<&str> {
    let lower = head.to_ascii_lowercase();
    let at = lower.find("href")?;
    let value = head[at + "href".len()..].trim_start().strip_prefix('=')?.trim_start();
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next(),
        _ => value.split_ascii_whitespace().next(),
    }
}

/// The host that a word says, with or without a scheme.
fn host(word: &str) -> Option<String> {
    let word = word.trim().trim_matches(|c: char| "()[]\"'.,:;!".contains(c));
    let lower = word.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    let host = rest.unwrap_or(&lower).split(['/', '?', '#', ':']).next()?;
    let is_host = host.contains('.')
        && !host.contains('@')
        && host.split('.').all(|label| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-'))
        && host.rsplit('.').next().is_some_and(|end| end.chars().any(char::is_alphabetic));
    (is_host && (rest.is_some() || host.starts_with("www.") || lower == host)).then(|| host.to_owned())
}

/// Whether two hosts have the same end.
fn is_same_house(a: &str, b: &str) -> bool {
    let end = |host: &str| host.rsplit('.').take(2).map(str::to_owned).collect::<Vec<_>>();
    end(a) == end(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_testing::fuzzing::fuzz;

    fn links(markup: &str) -> MailLinks {
        let mut links = MailLinks::default();
        links.add(markup);
        links
    }

    #[test]
    fn a_link_that_says_another_host_than_it_leads_to_is_told() {
        for (markup, hosts, is_misleading) in [
            ("<a href=\"https://evil.example/x\">www.bank.example</a>", vec!["evil.example"], true),
            ("<A class=x HREF='http://evil.example'>https://bank.example/login</A>", vec!["evil.example"], true),
            ("<a href=https://login.bank.example>bank.example</a>", vec!["login.bank.example"], false),
            ("<a href=\"https://evil.example\">click here</a>", vec!["evil.example"], false),
            ("<abbr href=\"https://evil.example\">bank.example</abbr>", vec![], false),
            ("<a href=\"mailto:a@b.example\">a@b.example</a>", vec![], false),
            ("<a name=top>bank.example</a", vec![], false),
        ] {
            let found = links(markup);
            assert_eq!(
                (found.hosts, found.is_misleading),
                (hosts.iter().map(|h| (*h).to_owned()).collect(), is_misleading),
                "{markup}"
            );
        }
    }

    #[test]
    fn fuzzed_links_of_markup() {
        let seeds = ["<a href=\"https://x.example/\">www.y.example</a>", "<a\thref='http://é.example'>z</a>"];
        let tokens = ["<a ", "href", "=", "\"", "'", ">", "</a>", "http://", ".", "@", "é", "<"];
        fuzz("links", &seeds, &tokens, |bytes| {
            let found = links(&String::from_utf8_lossy(bytes));
            assert!(found.hosts.len() <= LINKS_MAX);
        });
    }
}
