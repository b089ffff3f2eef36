//! A message as it is heard: with what was said before it, and with what people say for which services.

use super::built::Builders;
use super::phrases::Phrases;
use crate::language::time::Reference;
use brain_core::core::history::PastAction;

/// A message and what is known around it.
#[derive(Debug, Clone, Copy)]
pub struct ParseInput<'a> {
    pub text: &'a str,
    pub reference: &'a Reference,
    /// Earlier turns, oldest first.
    pub history: &'a [Past],
    /// What people say for the services that are not built in.
    pub phrases: &'a [&'a Phrases],
    pub builders: Builders,
}

impl<'a> ParseInput<'a> {
    /// A message that follows nothing, with nothing said for other services.
    pub fn new(text: &'a str, reference: &'a Reference, builders: Builders) -> Self {
        ParseInput { text, reference, history: &[], phrases: &[], builders }
    }

    /// Other words in its place, as if they followed nothing.
    pub fn alone<'t>(&self, text: &'t str) -> ParseInput<'t>
    where
        'a: 't,
    {
        ParseInput::new(text, self.reference, self.builders)
    }
}

/// An earlier turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// The person's own words.
    pub said: String,
    pub actions: Vec<PastAction>,
}
