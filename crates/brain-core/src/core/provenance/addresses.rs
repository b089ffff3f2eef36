//! Addresses in texts: which ones there are, whether there is another one, and which only look like one.

use super::spelling::{Likeness, Spelled, like_address};

/// Whether this text holds this address, however either is spelled.
pub fn says_address(text: &str, address: &str) -> bool {
    let said = Spelled::of(text);
    Spelled::of(address).addresses().iter().any(|address| said.addresses().contains(address))
}

/// Whether a text holds more than one address, as one before the address that it leads to: what is read is not where it
/// goes then.
pub fn holds_two_addresses(text: &str) -> bool {
    let spelled = Spelled::of(text);
    let first = spelled.addresses().first();
    spelled.addresses().iter().any(|address| Some(address) != first)
}

/// The one of these addresses that `address` looks like and is not; none where it is one of them.
pub fn looks_like<'k>(address: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let spelled = Spelled::of(address);
    let address = spelled.addresses().first()?;
    let mut alike = None;
    for other in known {
        // What looks alike is about as long; the rest needs no look at how it is drawn.
        if other.chars().count().abs_diff(address.chars().count()) > LIKE_CHARS {
            continue;
        }
        match Spelled::of(other).addresses().first().and_then(|other| like_address(address, other)) {
            Some(Likeness::Same) => return None,
            Some(Likeness::Near) => alike = alike.or(Some(other)),
            Some(Likeness::Related) | None => {}
        }
    }
    alike
}

/// By so many characters addresses that look alike may differ in length: "vv" for "w", and punycode is read before.
const LIKE_CHARS: usize = 16;
