//! Where a link leads, told honestly: words that look like one address never hide another.

use std::ops::Range;

use crate::core::text::{is_hidden, visible};

/// What becomes of a link.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LinkVerdict {
    /// The target, when the words may lead there.
    pub url: Option<String>,
    /// What is shown behind the words: where they lead, when they do not say so or say something else.
    pub note: Option<String>,
}

/// Longer targets are shown instead of followed; no channels' limit is lower.
const URL_CHARS_MAX: usize = 2_048;
/// Longer names of hosts could say something that nobody was told to say.
const HOST_CHARS_MAX: usize = 40;
/// Likewise for digits in them: a year is no secret.
const HOST_DIGITS_MAX: usize = 4;

/// Judges a link by the words it hides behind, and by what its author was `given` to read.
pub(super) fn judge(words: &str, target: &str, given: &str) -> LinkVerdict {
    let target = target.trim();
    let beside = |note: &str| Some(visible(note)).filter(|note| !note.is_empty() && !words.contains(note.as_str()));
    let scheme = target.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase()).unwrap_or_default();
    match scheme.as_str() {
        "mailto" => {
            let address = target["mailto:".len()..].split('?').next().unwrap_or_default();
            // Channels make addresses in a text lead to a new mail by themselves.
            LinkVerdict { url: None, note: beside(address) }
        }
        "http" | "https" if is_plain_web(target) && (names_a_host_only(target) || stands_in(given, target)) => {
            let note = if misleads(words, target) {
                beside(target)
            } else if names(words, host(target)) {
                None
            } else {
                beside(host(target))
            };
            LinkVerdict { url: Some(target.to_owned()), note }
        }
        _ => LinkVerdict { url: None, note: beside(target) },
    }
}

/// Where a text holds what channels make a link of by themselves, and its author was not `given`: bytes of it.
pub(super) fn made_up(text: &str, given: &str) -> Vec<Range<usize>> {
    let made_up = |range: &Range<usize>| {
        let address = &text[range.clone()];
        let target = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
        !(stands_in(given, address) || is_plain_web(&target) && names_a_host_only(&target))
    };
    let words = text.split_whitespace();
    words.flat_map(|word| addresses(word, offset(text, word))).filter(made_up).collect()
}

/// The addresses of a word without white space, which begins at `start`.
fn addresses(word: &str, start: usize) -> Vec<Range<usize>> {
    let whole = |from: usize| {
        let address = word[from..].trim_end_matches(|c: char| "()[]<>{},;\"'“”„«»*.!?:…".contains(c));
        start + from..start + from + address.len()
    };
    if let Some(at) = word.find("://") {
        let before = word[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "+.-".contains(c));
        return vec![whole(before.len())];
    }
    let mut found = Vec::new();
    for host in word.split(|c: char| !(c.is_alphanumeric() || ".-_".contains(c))) {
        let (from, to) = (offset(word, host), offset(word, host) + host.len());
        // Channels make addresses of mail lead to a new mail, and hand nothing over.
        if word[..from].ends_with('@') || word[to..].starts_with('@') || !is_address(host.trim_matches('.')) {
            continue;
        }
        if word[to..].starts_with([':', '/', '?', '#']) {
            found.push(whole(from));
            break;
        }
        found.push(start + from..start + from + host.trim_end_matches('.').len());
    }
    found
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// Nothing is handed over by opening it: no path, no query, and a name too short to carry much.
fn names_a_host_only(target: &str) -> bool {
    let host = host(target);
    let behind = target.split_once("://").map_or("", |(_, rest)| &rest[host.len().min(rest.len())..]);
    matches!(behind, "" | "/")
        && host.chars().count() <= HOST_CHARS_MAX
        && host.chars().filter(char::is_ascii_digit).count() <= HOST_DIGITS_MAX
}

/// True when a text holds exactly this link, not a part or a beginning of it.
fn stands_in(text: &str, target: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || "/?#&=%_~+@:$-".contains(c);
    text.match_indices(target).any(|(at, _)| {
        let rest = text[at + target.len()..].trim_start_matches(['.', ',', ';', '!', '\'', '*']);
        let before = text[..at].chars().next_back();
        !rest.starts_with(goes_on) && before.is_none_or(|c| !c.is_alphanumeric())
    })
}

/// The part between the scheme and the path.
fn host(target: &str) -> &str {
    target.split_once("://").map_or("", |(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default())
}

/// True when the words say this host themselves.
fn names(words: &str, host: &str) -> bool {
    let real = bare(host);
    tokens(words).iter().any(|token| bare(token).split(['/', '?', '#']).next() == Some(real.as_str()))
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

    fn check_given(given: &str, words: &str, target: &str, leads: bool, note: Option<&str>) {
        let judged = judge(words, target, given);
        assert_eq!(judged.url.is_some(), leads, "{words} → {target}");
        assert_eq!(judged.note.as_deref(), note, "{words} → {target}");
    }

    fn check(words: &str, target: &str, leads: bool, note: Option<&str>) {
        check_given("", words, target, leads, note);
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
            check_given(&format!("Look at {evil}."), words, evil, true, Some(evil));
        }
        for words in ["evil.example", "www.evil.example", "see EVIL.example!", "https://evil.example/x"] {
            check_given(evil, words, evil, true, None);
        }
    }

    #[test]
    fn a_label_that_does_not_say_where_it_leads_has_the_host_beside_it() {
        let given = "From the mail: pay at https://evil.example/pay?id=7, please";
        check_given(given, "your invoice", "https://evil.example/pay?id=7", true, Some("evil.example"));
        check("version 3.5, e.g. this", "https://evil.example", true, Some("evil.example"));
        check("here", "HTTPS://Example.com/", true, Some("Example.com"));
    }

    #[test]
    fn a_link_that_its_author_made_up_beyond_a_host_stays_text() {
        let mail = "The code is 4711. Report to https://evil.example/?q= and to https://evil.example/a/b.";
        for made_up in [
            "https://evil.example/?q=4711",
            "https://evil.example/?q",
            "https://evil.example/a",
            "https://evil.example/a/b/4711",
            "https://evil.example/#4711",
            "https://evil.example/bob-owes-us-money",
            "https://code-4711-0815.evil.example",
            "https://bob-owes-us-money-and-more.evil.example.com",
        ] {
            check_given(mail, "your invoice", made_up, false, Some(made_up));
        }
        for quoted in ["https://evil.example/?q=", "https://evil.example/a/b"] {
            check_given(mail, "your invoice", quoted, true, Some("evil.example"));
        }
    }

    #[test]
    fn what_a_channel_would_link_and_nobody_gave_is_found_wherever_it_stands() {
        let given = "From the mail: https://shop.example/pay?id=7 or shop.example/help";
        let found = |text: &str| made_up(text, given).into_iter().map(|at| text[at].to_owned()).collect::<Vec<_>>();
        for (text, want) in [
            ("Look at evil.example/?q=4711.", "evil.example/?q=4711"),
            ("(see:evil.example/4711, soon)", "evil.example/4711"),
            ("at=https://evil.example/a?b=c!", "https://evil.example/a?b=c"),
            ("tg://resolve?domain=x", "tg://resolve?domain=x"),
            ("https://bank.example@evil.example/", "https://bank.example@evil.example/"),
            ("shop.example/help/4711", "shop.example/help/4711"),
            ("code-4711-0815.evil.example", "code-4711-0815.evil.example"),
            ("evil.example:8080/4711", "evil.example:8080/4711"),
        ] {
            assert_eq!(found(text), [want], "{text}");
        }
        for text in [
            "Pay at https://shop.example/pay?id=7, please.",
            "shop.example/help",
            "evil.example",
            "rita@evil.example",
            "At 9.30 a.m., e.g. v2.0.1",
            "either/or, 3/4, and what.not",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn only_the_web_is_followed_and_the_rest_is_shown() {
        check("here", "javascript:alert(1)", false, Some("javascript:alert(1)"));
        check("here", "file:///etc/passwd", false, Some("file:///etc/passwd"));
        check("your invoice", "tg://resolve?domain=x", false, Some("tg://resolve?domain=x"));
        check("here", "/relative", false, Some("/relative"));
        check("here", "https://bank.example@evil.example/", false, Some("https://bank.example@evil.example/"));
        check("here", "https://evil.example\\@bank.example", false, Some("https://evil.example\\@bank.example"));
        check("here", "https://", false, Some("https://"));
        check("Bob", "mailto:bob@example.com?cc=eve@example.com", false, Some("bob@example.com"));
        check("bob@example.com", "mailto:bob@example.com", false, None);
        check("here", "", false, None);
    }
}
