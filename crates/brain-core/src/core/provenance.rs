//! Taint: a value in a write that occurs in somebody else's text and not in the person's own words.
//!
//! The check is on substance, not on every word: addresses, links, long numbers, and runs of words, each in one
//! spelling (see [`spelling`]). What is tainted becomes high stakes and is shown with its source.
//!
//! Invariant: where a planner wrote the values ([`Folded::tracing`]), an address is in the person's own words, or that
//! of somebody they know, or tainted; it need not be in anybody else's text that is in sight.

mod addresses;
mod spelling;
mod untrusted;

pub use self::addresses::{holds_two_addresses, looks_like, says_address};
pub use self::spelling::is_disguised;
use self::spelling::{Likeness, Piece, Spelled, like_address};
pub use self::untrusted::UntrustedText;
use super::plan::{Params, Taint};

/// Whose words are in sight when a plan is judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Everything the person themself said or picked about this request.
    pub own: String,
    /// Everybody else's.
    pub untrusted: Vec<UntrustedText>,
    /// Others', too, but the person took them as they are, with a press on exactly this: nothing to ask about.
    pub passed_on: Vec<UntrustedText>,
    /// Who wrote the values that are judged.
    pub written_by: WrittenBy,
}

/// Who wrote the values of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum WrittenBy {
    /// Code, out of records: what a button or a command asks for.
    #[default]
    Code,
    /// Code, which takes back what it did: the only one that may name what takes things back.
    Undo,
    /// A planner, who may have them from anywhere; what it saw of the person's own `records` is the person's.
    Planner {
        /// As they were shown to it.
        records: Vec<String>,
        /// What the person said before that this message completes.
        completes: Vec<String>,
    },
}

/// Ends the warning on a card; a message of ours that holds it holds others' words, too.
pub const NOT_YOURS: &str = "not from you";

/// Where an address comes from that was neither said nor read: from whoever wrote the plan.
const UNKNOWN_SOURCE: &str = "an unknown source";

/// Whom the person knows, as far as addresses need it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acquaintances {
    /// Every address that is on record.
    pub addresses: Vec<KnownAddress>,
    /// The names of those whom the person's own words name.
    pub named: Vec<String>,
    /// Records of the person's own that are in sight.
    pub records: Vec<String>,
}

/// An address that is on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAddress {
    /// As it is recorded.
    pub address: String,
    /// What speaks for it.
    pub standing: Standing,
}

/// What speaks for an address that the person did not give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It belongs to somebody the person knows, and whom their words name.
    Named,
    /// It belongs to somebody the person knows.
    Known,
    /// Somebody else said so.
    Said(UntrustedText),
}

/// Whose words are in sight, made comparable: once for all the values that are held against them.
#[derive(Debug, Clone, Default)]
pub struct Folded {
    own: Spelled,
    untrusted: Vec<UntrustedSpelling>,
    traced: Option<Traced>,
}

/// Somebody else's text, and how it is spelled.
#[derive(Debug, Clone)]
struct UntrustedSpelling {
    text: UntrustedText,
    spelled: Spelled,
}

#[derive(Debug, Clone, Default)]
struct Traced {
    addresses: Vec<(String, Standing)>,
    named: Vec<Piece>,
    records: Spelled,
}

impl From<&UntrustedText> for UntrustedSpelling {
    fn from(text: &UntrustedText) -> Self {
        Self { text: text.clone(), spelled: Spelled::of(&text.text) }
    }
}

impl Folded {
    /// Folds every text: these words of others beside the person's own.
    pub fn of(own: &str, untrusted: &[UntrustedText]) -> Self {
        Self { own: Spelled::of(own), untrusted: untrusted.iter().map(UntrustedSpelling::from).collect(), traced: None }
    }

    /// From now on an address has to come from somewhere: from the person's own words or from somebody they know.
    #[must_use]
    pub fn tracing(self, known: &Acquaintances) -> Self {
        let spelled = |known: &KnownAddress| {
            let address = Spelled::of(&known.address).addresses().first()?.clone();
            Some((address, known.standing.clone()))
        };
        let traced = Traced {
            addresses: known.addresses.iter().filter_map(spelled).collect(),
            named: known
                .named
                .iter()
                .flat_map(|name| Spelled::of(name).pieces())
                .filter(|piece| matches!(piece, Piece::Words(_)))
                .collect(),
            records: Spelled::of(&known.records.join("\n")),
        };
        Self { traced: Some(traced), ..self }
    }

    /// The addresses of those whom the person knows.
    fn known_addresses(&self) -> impl Iterator<Item = &String> {
        let known = |(_, standing): &&(String, Standing)| !matches!(standing, Standing::Said(_));
        self.traced.iter().flat_map(|traced| &traced.addresses).filter(known).map(|(address, _)| address)
    }
}

/// What one action's values are held against.
#[derive(Debug, Clone)]
struct WordsSeen<'s> {
    own: &'s Spelled,
    untrusted: Vec<&'s UntrustedSpelling>,
    traced: Option<&'s Traced>,
}

impl WordsSeen<'_> {
    /// Where this piece comes from when it is not the person's own.
    fn source(&self, piece: &Piece) -> Option<UntrustedText> {
        let own = self.own.likeness(piece);
        let standing = self.standing(piece);
        if own == Some(Likeness::Same) || standing == Some(&Standing::Named) || self.names(piece) {
            return None;
        }
        let seen = |at_least| {
            let like = |foreign: &&&UntrustedSpelling| foreign.spelled.likeness(piece) >= Some(at_least);
            self.untrusted.iter().find(like).map(|foreign| foreign.text.clone())
        };
        // What is close to the person's own words is theirs, unless somebody else said just that.
        if let Some(said) = seen(Likeness::Same) {
            return Some(said);
        }
        if own == Some(Likeness::Related) {
            return None;
        }
        match (seen(Likeness::Related), standing) {
            (Some(said), _) => Some(said),
            (None, Some(Standing::Named | Standing::Known)) => None,
            (None, Some(Standing::Said(said))) => Some(seen(Likeness::Near).unwrap_or_else(|| said.clone())),
            (None, None) => seen(Likeness::Near).or_else(|| self.untraced(piece)),
        }
    }

    /// The source of an address that is in nobody's words here.
    fn untraced(&self, piece: &Piece) -> Option<UntrustedText> {
        let (Piece::Address(address), Some(traced)) = (piece, self.traced) else { return None };
        let recorded = traced.records.likeness(piece) == Some(Likeness::Same);
        (!recorded).then(|| UntrustedText::new(UNKNOWN_SOURCE, address.clone()))
    }

    /// Whoever knows an address knows it, whoever else has said it.
    fn standing(&self, piece: &Piece) -> Option<&Standing> {
        let (Piece::Address(address), Some(traced)) = (piece, self.traced) else { return None };
        let found = traced.addresses.iter().filter(|(known, _)| known == address).map(|(_, standing)| standing);
        found.max_by_key(|standing| match standing {
            Standing::Said(_) => 0,
            Standing::Known => 1,
            Standing::Named => 2,
        })
    }

    /// Whether the piece is the name of somebody whom the person has named.
    fn names(&self, piece: &Piece) -> bool {
        self.traced.is_some_and(|traced| traced.named.contains(piece))
    }

    fn taints(&self, params: &Params, judged: impl Fn(&str) -> bool) -> Vec<Taint> {
        let mut taints = Vec::new();
        for (param, value) in params.iter().filter(|(param, _)| judged(param)) {
            visit(value, &mut |text| {
                let source = Spelled::of(text).pieces().iter().find_map(|piece| self.source(piece));
                taints.extend(source.map(|UntrustedText { source, kept_in, .. }| Taint {
                    param: param.clone(),
                    value: text.to_owned(),
                    source,
                    kept_in,
                }));
            });
        }
        taints
    }
}

/// Every tainted value in `params`; `touched` are the texts of others that only this action touches.
pub fn find(params: &Params, exempt: &[&str], seen: &Folded, touched: &[UntrustedText]) -> Vec<Taint> {
    let touched: Vec<UntrustedSpelling> = touched.iter().map(UntrustedSpelling::from).collect();
    let untrusted: Vec<&UntrustedSpelling> = seen.untrusted.iter().chain(&touched).collect();
    if untrusted.is_empty() && seen.traced.is_none() {
        return Vec::new();
    }
    let sight = WordsSeen { own: &seen.own, untrusted, traced: seen.traced.as_ref() };
    sight.taints(params, |param| !exempt.contains(&param))
}

/// Words of others in parameters that only say which entry is meant.
pub fn find_in_references(params: &Params, references: &[&str], seen: &Folded) -> Vec<Taint> {
    let sight = WordsSeen { own: &seen.own, untrusted: seen.untrusted.iter().collect(), traced: None };
    sight.taints(params, |param| references.contains(&param))
}

/// Addresses that code found where somebody else had said them: in a mail, or in a record that keeps their words.
pub fn find_recorded(params: &Params, exempt: &[&str], seen: &Folded) -> Vec<Taint> {
    let sight = WordsSeen { own: &seen.own, untrusted: Vec::new(), traced: seen.traced.as_ref() };
    let is_said = |piece: &Piece| matches!(sight.standing(piece), Some(Standing::Said(_)));
    let mut taints = sight.taints(params, |param| !exempt.contains(&param));
    taints.retain(|taint| Spelled::of(&taint.value).pieces().iter().any(is_said));
    taints
}

/// The addresses that these values hold, in the spelling in which they are compared.
pub fn addresses(params: &Params) -> Vec<String> {
    let mut found = Vec::new();
    for value in params.values() {
        visit(value, &mut |text| found.extend(Spelled::of(text).addresses().iter().cloned()));
    }
    found
}

/// Addresses in these values that look like another one, which the person gave or knows, and are not it.
pub fn lookalikes(params: &Params, exempt: &[&str], seen: &Folded) -> Vec<(String, String)> {
    let known: Vec<&String> = seen.known_addresses().collect();
    let mut found: Vec<(String, String)> = Vec::new();
    for (_, value) in params.iter().filter(|(param, _)| !exempt.contains(&param.as_str())) {
        visit(value, &mut |text| {
            for address in Spelled::of(text).addresses().iter().filter(|address| !known.contains(address)) {
                let own = seen.own.addresses().iter().filter(|_| !seen.own.addresses().contains(address));
                let near = |other: &&String| like_address(address, other) == Some(Likeness::Near);
                let like = known.iter().copied().chain(own).find(near);
                found.extend(like.map(|like| (address.clone(), like.clone())));
            }
        });
    }
    found.dedup();
    found
}

/// What `text`, an answer of ours, repeats of these words of others. Of a source that is longer than the answer, the
/// lines that repeat it are all there is to take from.
pub fn repeated(text: &str, words: impl IntoIterator<Item = UntrustedText>) -> Vec<UntrustedText> {
    let said = Spelled::of(text);
    let mut repeated: Vec<UntrustedText> = Vec::new();
    for mut untrusted in words {
        let pieces = Spelled::of(&untrusted.text).pieces();
        let repeats = |said: &Spelled| pieces.iter().any(|piece| said.likeness(piece) >= Some(Likeness::Related));
        if !repeats(&said) {
            continue;
        }
        if untrusted.text.len() > text.len() {
            let lines: Vec<&str> = text.lines().filter(|line| repeats(&Spelled::of(line))).collect();
            let lines = if lines.is_empty() { text.to_owned() } else { lines.join("\n") };
            let read = read_just_so(&lines, untrusted.as_read());
            untrusted = UntrustedText { text: lines, ..untrusted }.retold(read);
        }
        if !repeated.contains(&untrusted) {
            repeated.push(untrusted);
        }
    }
    repeated
}

/// The longest runs of words in `text` that stand in `source` just so, a line each: what else a line of ours holds may be
/// a planner's.
fn read_just_so(text: &str, source: &str) -> String {
    let is_around = |c: char| "()<>[]{}“”‘’„\"'`*_,;:!?.".contains(c);
    let tokens = |text: &str| -> Vec<String> {
        let tokens = text.split_whitespace().map(|word| word.trim_matches(is_around).to_owned());
        tokens.filter(|word| !word.is_empty()).collect()
    };
    let source = format!(" {} ", tokens(source).join(" "));
    let stands = |run: &[String]| !run.is_empty() && source.contains(&format!(" {} ", run.join(" ")));
    let mut runs: Vec<String> = Vec::new();
    for line in text.lines() {
        let tokens = tokens(line);
        let mut from = 0;
        while from < tokens.len() {
            let to = (from + 1..=tokens.len()).take_while(|to| stands(&tokens[from..*to])).last();
            runs.extend(to.map(|to| tokens[from..to].join(" ")));
            from = to.unwrap_or(from + 1);
        }
    }
    runs.join("\n")
}

/// The texts among these values that nobody else's words were found in when they were judged; of what was not judged
/// nobody can say that.
pub fn untainted(params: &Params, exempt: &[&str], taints: &[Taint]) -> Vec<String> {
    let mut texts = Vec::new();
    for (_, value) in params.iter().filter(|(param, _)| !exempt.contains(&param.as_str())) {
        visit(value, &mut |text| texts.push(text.to_owned()));
    }
    texts.retain(|text| taints.iter().all(|taint| taint.value != *text));
    texts
}

fn visit(value: &serde_json::Value, f: &mut dyn FnMut(&str)) {
    use serde_json::Value;
    match value {
        Value::String(text) => f(text),
        Value::Array(items) => items.iter().for_each(|item| visit(item, f)),
        Value::Object(map) => map.values().for_each(|item| visit(item, f)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests;
