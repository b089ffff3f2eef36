//! What a yes or no is when it comes to cards: which button it stands for, and why it does not count.

use brain_core::core::button::CardVerb;
use brain_core::core::turn::Origin;
use brain_language::language::consent::Consent;

/// The button that words stand for.
pub(super) fn verb(said: Consent) -> Option<CardVerb> {
    match said {
        Consent::Yes => Some(CardVerb::Approve),
        Consent::No => Some(CardVerb::Cancel),
        Consent::Wait | Consent::Other => None,
    }
}

/// Why words that were not typed decide nothing.
pub(super) fn not_typed(origin: Origin) -> &'static str {
    match origin {
        Origin::PartialQuote => {
            "You quoted only a part, so I'm not sure what the yes or no is for. Please press a button, or reply to the card itself."
        }
        Origin::Edited => "An edited message can't decide a card. Please press a button, or write yes or no anew.",
        Origin::InGroup => "A card is decided where I asked. Please press its button there, or reply to it.",
        Origin::Forwarded | Origin::OnBehalf | Origin::Caption | Origin::Transcript | Origin::Typed => {
            "That can't decide a card. Please press a button, or type yes or no."
        }
    }
}
