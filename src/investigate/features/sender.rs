//! Who wrote: a person, a list or a machine, or somebody whom it is better not to answer.

use serde::{Deserialize, Serialize};

use super::cues::{Cue, says};
use super::letter::Sentence;
use crate::language::words::fold;
use crate::services::searchable::{Party, WrittenText};

/// Of what sort the sender of a letter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SenderSort {
    /// Somebody who may wait for an answer.
    Person,
    /// A machine wrote it.
    Automatic,
    /// It went to many.
    Bulk,
    /// Nobody known, and it reads like a fraud or like something to sell.
    Suspect,
}

/// First parts of addresses behind which nobody waits.
const ROLES: [&str; 44] = [
    "noreply",
    "no-reply",
    "no_reply",
    "donotreply",
    "do-not-reply",
    "notification",
    "notifications",
    "notice",
    "notices",
    "alert",
    "alerts",
    "mailer-daemon",
    "postmaster",
    "newsletter",
    "newsletters",
    "news",
    "booking",
    "bookings",
    "order",
    "orders",
    "billing",
    "receipt",
    "receipts",
    "invoice",
    "invoices",
    "update",
    "updates",
    "marketing",
    "promo",
    "offers",
    "monitor",
    "robot",
    "bot",
    "system",
    "daemon",
    "confirm",
    "confirmation",
    "tracking",
    "delivery",
    "shipping",
    "shipment",
    "digest",
    "automated",
    "statements",
];

/// Of what sort who wrote this is. `is_known`: the person has written to them, or saved them.
pub fn sort_of(letter: &WrittenText, subject: &str, sentences: &[Sentence], is_known: bool) -> SenderSort {
    let any = |cue| sentences.iter().any(|sentence| says(sentence, cue));
    if letter.is_bulk || any(Cue::Bulk) {
        return SenderSort::Bulk;
    }
    if !is_known && any(Cue::Order) {
        return SenderSort::Suspect;
    }
    if !is_known && (is_role(&letter.by) || is_slip(subject)) {
        return SenderSort::Automatic;
    }
    let is_disguised = is_mixed(&letter.by.address) || letter.answers_elsewhere;
    let is_dubious = any(Cue::Order) || any(Cue::Cold) || is_disguised;
    if is_dubious && (!is_known || is_mixed(&letter.by.address)) { SenderSort::Suspect } else { SenderSort::Person }
}

/// A subject that machines write: "Invoice 2207: paid", "Your order 50381".
fn is_slip(subject: &str) -> bool {
    const SLIPS: [&str; 24] = [
        "invoice",
        "receipt",
        "order",
        "payment",
        "statement",
        "booking",
        "reservation",
        "delivery",
        "parcel",
        "shipment",
        "ticket",
        "tickets",
        "subscription",
        "renewal",
        "bill",
        "refund",
        "rechnung",
        "quittung",
        "bestellung",
        "zahlung",
        "buchung",
        "lieferung",
        "sendung",
        "beleg",
    ];
    let folded = fold(subject);
    let has_number = folded.chars().filter(char::is_ascii_digit).count() >= 3;
    has_number && folded.split(|c: char| !c.is_alphanumeric()).any(|word| SLIPS.contains(&word))
}

fn is_role(by: &Party) -> bool {
    let local = by.address.split('@').next().unwrap_or_default();
    local.split(['+', '.']).any(|part| ROLES.contains(&part))
        || local.starts_with("noreply")
        || local.starts_with("no-reply")
}

/// An address whose domain mixes letters of several scripts looks like another one.
fn is_mixed(address: &str) -> bool {
    let domain = address.rsplit('@').next().unwrap_or_default();
    let mut labels = domain.split('.');
    labels
        .any(|label| label.starts_with("xn--") || (label.chars().any(|c| c.is_ascii_alphabetic()) && !label.is_ascii()))
}
