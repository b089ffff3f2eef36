//! What it costs to leave a word out, by its class, and what a part of a message costs as a whole:
//! `data/language/requests/prices.txt`, read where it stands.

use std::fmt;

/// An enum, and each of its values by its name in the table.
macro_rules! named {
    ($(#[$about:meta])* $vis:vis enum $name:ident, $all:ident {
        $($(#[$what:meta])* $value:ident => $said:literal,)*
    }) => {
        $(#[$about])*
        $vis enum $name {
            $($(#[$what])* $value,)*
        }

        const $all: [($name, &str); [$($said),*].len()] = [$(($name::$value, $said)),*];
    };
}

named! {
    /// What a part of a message is when no plan uses it, from what is rarely meant to what always is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum TokenClass, CLASSES {
        /// A comma, a full stop, an emoji.
        Mark => "mark",
        Politeness => "politeness",
        Function => "function",
        /// A word that requests are made of.
        Plain => "plain",
        Unknown => "unknown",
        Number => "number",
        Time => "time",
        /// A person, or whatever else is written as a name.
        Name => "name",
        Address => "address",
        Quotation => "quotation",
        /// A negation.
        Negation => "negation",
        /// Conjunctions of condition.
        Condition => "condition",
        /// Words that restrict or quantify.
        Restriction => "restriction",
        /// Phrases of self-correction.
        Correction => "correction",
        /// What asks for something more.
        Request => "request",
    }
}

impl TokenClass {
    /// Whether a request without it may mean the opposite, as without an exception.
    pub fn turns_around(self) -> bool {
        matches!(self, Self::Negation | Self::Condition | Self::Restriction | Self::Correction)
    }
}

impl fmt::Display for TokenClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CLASSES[*self as usize].1)
    }
}

named! {
    /// What a part of a message costs as a whole.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum PartPrice, PARTS {
        /// A request: a second one is worth more than a remark.
        Request => "asked",
        /// One that is right only when nothing else fits.
        Weak => "weak",
        /// One that lacks something.
        Lacking => "lacking",
        /// The less likely of two readings of the same words.
        Second => "second",
        /// What is only said beside the requests.
        Remark => "remark",
        /// One more part of the same remark.
        GoesOn => "goes-on",
        /// A request that is taken for something told.
        LeftOut => "left-out",
        /// The same of one that is right only when nothing else fits.
        LeftOutWeak => "left-out-weak",
        /// A part of a sentence inside what something is called.
        Swallowed => "swallowed",
        /// Words behind a mark that may go on with a name or a list.
        RunOn => "run-on",
        /// The same where nothing goes on: behind its time, and in what is looked for by its name.
        BehindItsEnd => "behind-its-end",
        /// A statement inside what somebody is to read later.
        ToldInside => "told-inside",
        /// A request made of words that tell something.
        ToldAsRequest => "told-as-request",
        /// What leads over to a request by a conjunction of consequence, as a request of its own.
        LeadsOver => "leads-over",
        /// An address or a number in what is only remembered.
        Details => "details",
        /// Two requests where nothing says that a second one begins.
        Undivided => "undivided",
    }
}

/// The prices of all classes and parts, and what a plan may spend.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prices {
    by_class: [u32; CLASSES.len()],
    by_part: [u32; PARTS.len()],
    pub budget: u32,
}

impl Prices {
    /// A class that the table does not name is more than any plan may spend.
    pub fn read() -> Prices {
        let mut prices = Prices { by_class: [u32::MAX; CLASSES.len()], by_part: [0; PARTS.len()], budget: 0 };
        for (name, price) in lines() {
            let class = CLASSES.iter().find(|(_, known)| *known == name).map(|(class, _)| *class as usize);
            let part = PARTS.iter().find(|(_, known)| *known == name).map(|(part, _)| *part as usize);
            match (class, part) {
                (Some(class), _) => prices.by_class[class] = price,
                (None, Some(part)) => prices.by_part[part] = price,
                (None, None) => prices.budget = price,
            }
        }
        prices
    }

    pub fn of(&self, class: TokenClass) -> u32 {
        self.by_class[class as usize]
    }

    pub fn part(&self, part: PartPrice) -> u32 {
        self.by_part[part as usize]
    }
}

fn lines() -> impl Iterator<Item = (&'static str, u32)> {
    let text = include_str!("../../../../../data/language/requests/prices.txt");
    let lines = text.lines().filter(|line| super::lexicon::is_data(line));
    lines.filter_map(|line| line.split_once(':')).filter_map(|(name, price)| Some((name, price.trim().parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_one_price_and_nothing_else_has() {
        let names: Vec<&str> = lines().map(|(name, _)| name).collect();
        assert_eq!(names.len(), CLASSES.len() + PARTS.len() + 1, "{names:?}");
        assert_eq!(names[0], "budget");
        for (at, (class, name)) in CLASSES.into_iter().enumerate() {
            assert_eq!((class as usize, names.iter().filter(|known| **known == name).count()), (at, 1), "{name}");
        }
        for (at, (part, name)) in PARTS.into_iter().enumerate() {
            assert_eq!((part as usize, names.iter().filter(|known| **known == name).count()), (at, 1), "{name}");
        }
    }

    #[test]
    fn what_changes_a_request_costs_more_than_a_plan_may_spend() {
        let prices = Prices::read();
        for (class, name) in CLASSES {
            assert_eq!(prices.of(class) > prices.budget, class >= TokenClass::Number, "{name}");
        }
    }
}
