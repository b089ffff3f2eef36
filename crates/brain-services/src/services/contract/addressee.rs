//! Addressees: who is told the values of a call that needs no yes, where that is nobody of the person's own.

/// Begins the names of parameters that hold answers to what a server asked; alone it names the call that was asked.
pub(in crate::services) const ASKED: &str = "asked:";

/// Whoever answers a look elsewhere, or is told a value by a command that needs no yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressee<'a> {
    /// What it is called.
    pub title: &'a str,
    /// Whose words its answers are, as they are kept: [`UntrustedText::source`](brain_core::core::provenance::UntrustedText).
    pub source: &'a str,
    /// Where it is, if it is somewhere on the network.
    pub host: Option<String>,
}

impl Addressee<'_> {
    /// Whether a parameter of this name answers what was asked before a call went on.
    pub(in crate::services) fn is_answer(name: &str) -> bool {
        name.starts_with(ASKED)
    }

    /// Whether it only says which call that was.
    pub(in crate::services) fn names_a_call(name: &str) -> bool {
        name == ASKED
    }
}
