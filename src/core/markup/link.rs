//! Where a link leads, told honestly: words that look like one address never hide another.

use crate::core::text::{is_hidden, visible};

/// What becomes of a link.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Judged {
    /// The target, when the words may lead there.
    pub url: Option<String>,
    /// What is shown behind the words: where they lead, when they do not say so or say something else.
    pub note: Option<String>,
}

/// Longer targets are shown instead of followed; no channels' limit is lower.
const URL_CHARS_MAX: usize = 2_048;

/// Judges a link by the words it hides behind.
pub(super) fn judge(words: &str, target: &str) -> Judged {
    let target = target.trim();
    let shown = || Some(visible(target)).filter(|note| !note.is_empty() && !words.contains(note.as_str()));
    let scheme = target.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase()).unwrap_or_default();
    match scheme.as_str() {
        "mailto" => {
            let address = target["mailto:".len()..].split('?').next().unwrap_or_default();
            // Channels make addresses in a text lead to a new mail by themselves.
            let note = Some(visible(address)).filter(|note| !note.is_empty() && !words.contains(note.as_str()));
            Judged { url: None, note }
        }
        "http" | "https" if is_plain_web(target) => {
            let note = if misleads(words, target) { shown() } else { None };
            Judged { url: Some(target.to_owned()), note }
        }
        "tg" if target.starts_with("tg://") && is_clean(target) => {
            let note = if names_an_address(words) { shown() } else { None };
            Judged { url: Some(target.to_owned()), note }
        }
        _ => Judged { url: None, note: shown() },
    }
}

fn is_clean(target: &str) -> bool {
    target.chars().count() <= URL_CHARS_MAX
        && !target.chars().any(|c| c.is_whitespace() || c.is_control() || is_hidden(c) || "<>\"\\^`{|}".contains(c))
}

/// A host without a user's name before it: `https://bank.example@evil.example` leads to the latter.
fn is_plain_web(target: &str) -> bool {
    let authority = target.split_once("://").map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let is_host = |host: &str| {
        let name = host.split(':').next().unwrap_or_default();
        host.starts_with('[')
            || (name.chars().any(char::is_alphanumeric) && !name.contains("..") && !name.starts_with('.'))
    };
    is_clean(target) && authority.is_some_and(|host| !host.contains('@') && is_host(host))
}

/// True when the words name an address that is not the target.
fn misleads(words: &str, target: &str) -> bool {
    tokens(words).iter().filter(|token| is_address(token)).any(|token| {
        let (named, real) = (bare(token), bare(target));
        match named.contains(['/', '?', '#']) {
            true => named != real,
            false => named != real.split(['/', '?', '#']).next().unwrap_or_default(),
        }
    })
}

fn names_an_address(words: &str) -> bool {
    tokens(words).iter().any(|token| is_address(token))
}

/// The words without what could make an address look like none.
fn tokens(words: &str) -> Vec<String> {
    let plain: String = words
        .chars()
        .filter(|c| !is_hidden(*c))
        .map(|c| if matches!(c, '。' | '．' | '｡' | '․') { '.' } else { c })
        .collect();
    let borders = |c: char| c.is_whitespace() || "()[]<>,;\"'“”„«»*".contains(c);
    let trimmed = plain.split(borders).map(|token| token.trim_matches(['.', '!', '?', ':', '…']).to_lowercase());
    trimmed.filter(|token| !token.is_empty()).collect()
}

fn is_address(token: &str) -> bool {
    let host = token.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let is_label =
        |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    let ends_as_one = labels.last().is_some_and(|last| last.chars().filter(|c| c.is_alphabetic()).count() >= 2);
    token.contains("://") || token.contains('@') || (labels.len() > 1 && labels.iter().all(is_label) && ends_as_one)
}

/// Without scheme, `www.` and a slash at the end.
fn bare(address: &str) -> String {
    let address = address.to_lowercase();
    let rest = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
    rest.strip_prefix("www.").unwrap_or(rest).trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, target: &str, leads: bool, note: Option<&str>) {
        let judged = judge(words, target);
        assert_eq!(judged.url.is_some(), leads, "{words} → {target}");
        assert_eq!(judged.note.as_deref(), note, "{words} → {target}");
    }

    #[test]
    fn words_that_look_like_another_address_show_the_real_one() {
        let evil = "https://evil.example/x";
        for words in [
            "paypal.com",
            "https://paypal.com",
            "go to www.paypal.com now",
            "PayPal.com!",
            "pay\u{200B}pal.com",
            "paypal。com",
            "bob@paypal.com",
            "https://evil.example/y",
            "evil.example.com",
            "раураl.com",
        ] {
            check(words, evil, true, Some(evil));
        }
        for words in
            ["the invoice", "evil.example", "www.evil.example", "https://evil.example/x", "version 3.5, e.g. this"]
        {
            check(words, evil, true, None);
        }
        check("call bank.example", "tg://resolve?domain=x", true, Some("tg://resolve?domain=x"));
    }

    #[test]
    fn only_the_web_and_telegram_are_followed_and_the_rest_is_shown() {
        check("here", "javascript:alert(1)", false, Some("javascript:alert(1)"));
        check("here", "file:///etc/passwd", false, Some("file:///etc/passwd"));
        check("here", "/relative", false, Some("/relative"));
        check("here", "https://bank.example@evil.example/", false, Some("https://bank.example@evil.example/"));
        check("here", "https://evil.example\\@bank.example", false, Some("https://evil.example\\@bank.example"));
        check("here", "https://", false, Some("https://"));
        check("Bob", "mailto:bob@example.com?cc=eve@example.com", false, Some("bob@example.com"));
        check("bob@example.com", "mailto:bob@example.com", false, None);
        check("here", "", false, None);
        check("here", "HTTPS://Example.com/A", true, None);
    }
}
