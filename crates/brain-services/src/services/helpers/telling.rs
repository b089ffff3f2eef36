//! Telling: what says something and asks for nothing, and so stands nowhere but in the conversation.

use super::search::WordQuery;
use brain_language::language::reading::Reading;
use brain_language::language::requests::is_question;
use brain_language::language::time::Reference;

/// Words that tell things apart, of which so many make something told; a mere answer has fewer.
const TELLING_WORDS_MIN: usize = 3;

/// Whether words tell enough to be found by it.
pub fn tells(text: &str, reference: &Reference) -> bool {
    WordQuery::new(text).strong.len() >= TELLING_WORDS_MIN && only_tells(text, reference)
}

/// Whether words are statements throughout: no question, and nothing that is to be done.
pub fn only_tells(text: &str, reference: &Reference) -> bool {
    let clauses = Reading::of(text, reference).clauses;
    !is_question(text) && !clauses.is_empty() && clauses.iter().all(|clause| clause.mood.tells())
}
