//! An address as a person writes it: `anna@example.com` or `Anna Example <anna@example.com>`.

use lettre::Address;

use super::account::Sender;
use brain_core::core::text::{one_line, shorten};
use brain_core::limits::NAME_CHARS_MAX;

/// Reads one; `None`: it is no address that mail can go out from.
pub fn parse_sender(text: &str) -> Option<Sender> {
    let text = text.trim();
    let (name, address) = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((name, address)) => (name.trim().trim_matches('"'), address),
        None => ("", text),
    };
    let name = shorten(&one_line(name), NAME_CHARS_MAX);
    Some(Sender { name: (!name.is_empty()).then_some(name), address: parse_address(address)? })
}

/// Ordinary characters before the `@`, a domain with a dot behind it; letters of other scripts in punycode.
fn parse_address(text: &str) -> Option<Address> {
    let (user, domain) = text.trim().rsplit_once('@')?;
    let atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    let is_user = user.len() <= 64 && user.split('.').all(|part| !part.is_empty() && part.chars().all(atom));
    let domain = idna::domain_to_ascii_strict(domain).ok()?;
    let is_domain = domain.contains('.') && domain.len() <= 253 && !domain.split('.').any(str::is_empty);
    (is_user && is_domain).then(|| Address::new(user, domain).ok()).flatten()
}

/// As it is written again.
pub fn sender_text(sender: &Sender) -> String {
    match &sender.name {
        Some(name) => format!("{name} <{}>", sender.address),
        None => sender.address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_with_its_name_and_what_is_none_is_not() {
        for (text, expected) in [
            ("anna@example.com", Some("anna@example.com")),
            (" Anna Example <anna@example.com> ", Some("Anna Example <anna@example.com>")),
            ("\"Anna, Example\" <a.b+c@example.com>", Some("Anna, Example <a.b+c@example.com>")),
            ("anna@bücher.example", Some("anna@xn--bcher-kva.example")),
            ("anna", None),
            ("anna@host", None),
            ("anna@example..com", None),
            ("an na@example.com", None),
            ("anna@example.com>", None),
            ("<a@example.com> b@example.com", None),
            ("a\r\nb@example.com", None),
        ] {
            assert_eq!(parse_sender(text).as_ref().map(sender_text).as_deref(), expected, "{text:?}");
        }
    }
}
