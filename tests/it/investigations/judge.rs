//! What an answer gave, compared with what is true, and the sums of that.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// One question in its wordings, as `data/demo/README.md` describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub family: String,
    pub texts: Vec<String>,
    pub expect: Vec<String>,
    #[serde(default)]
    pub may: Vec<String>,
    #[serde(default)]
    pub says: Vec<String>,
}

/// What the program answered to one wording.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The names of the items that it rests on; a thread or event also goes by `with:` and the people's addresses.
    pub items: Vec<Item>,
    /// What was said at once, without further pages.
    pub text: String,
    /// As `done` names it.
    pub path: String,
}

/// A source of an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    pub name: String,
    /// What else may stand for it in a truth.
    pub aliases: BTreeSet<String>,
}

impl Item {
    fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(name)
    }
}

/// Sums over wordings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    pub asked: usize,
    /// Answered as an investigation.
    pub investigated: usize,
    pub right: usize,
    /// Without what may be given.
    pub given: usize,
    pub expected: usize,
    pub said: usize,
    pub to_say: usize,
}

fn percent(part: usize, whole: usize) -> usize {
    (part * 100).checked_div(whole).unwrap_or(100)
}

impl Score {
    pub fn add(&mut self, other: Self) {
        self.asked += other.asked;
        self.investigated += other.investigated;
        self.right += other.right;
        self.given += other.given;
        self.expected += other.expected;
        self.said += other.said;
        self.to_say += other.to_say;
    }

    /// Of what was given, how much is right. Nothing is right where nothing was expected, and wrong elsewhere.
    pub fn precision(&self) -> usize {
        if self.given == 0 && self.expected > 0 { 0 } else { percent(self.right, self.given) }
    }

    pub fn recall(&self) -> usize {
        percent(self.right, self.expected)
    }

    pub fn says(&self) -> usize {
        percent(self.said, self.to_say)
    }
}

/// One wording: its score, and what was missed and what was wrong.
#[derive(Debug)]
pub struct Verdict {
    pub score: Score,
    pub missed: Vec<String>,
    pub wrong: Vec<String>,
    pub unsaid: Vec<String>,
}

impl Verdict {
    /// Not understanding a question whose answer is "nothing" is no answer.
    pub fn is_perfect(&self) -> bool {
        self.score.investigated > 0 && self.missed.is_empty() && self.wrong.is_empty() && self.unsaid.is_empty()
    }
}

/// Judges one answer. `names` gives the ways a person of an address may be named in a text.
pub fn judge(question: &Question, given: &Given, names: &BTreeMap<String, String>) -> Verdict {
    let text = given.text.to_lowercase();
    let is_told = |expected: &String| {
        let Some(address) = expected.strip_prefix("person:") else { return false };
        let name = names.get(address).map(|name| name.to_lowercase());
        text.contains(address) || name.is_some_and(|name| text.contains(&name))
    };
    let is_given = |expected: &String| given.items.iter().any(|item| item.is(expected)) || is_told(expected);
    let (found, missed): (Vec<&String>, Vec<&String>) = question.expect.iter().partition(|name| is_given(name));
    let known = |item: &&Item| question.expect.iter().chain(&question.may).any(|name| item.is(name));
    let wrong: Vec<String> = given.items.iter().filter(|item| !known(item)).map(|item| item.name.clone()).collect();
    let (said, unsaid): (Vec<&String>, Vec<&String>) =
        question.says.iter().partition(|words| text.contains(&words.to_lowercase()));
    let score = Score {
        asked: 1,
        investigated: usize::from(given.path == "investigate"),
        right: found.len(),
        given: found.len() + wrong.len(),
        expected: question.expect.len(),
        said: said.len(),
        to_say: question.says.len(),
    };
    let owned = |names: Vec<&String>| names.into_iter().cloned().collect();
    Verdict { score, missed: owned(missed), wrong, unsaid: owned(unsaid) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(expect: &[&str], may: &[&str], says: &[&str]) -> Question {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let family = "about".to_owned();
        Question { family, texts: Vec::new(), expect: owned(expect), may: owned(may), says: owned(says) }
    }

    fn given(names: &[&str], text: &str) -> Given {
        let item = |name: &&str| Item { name: (*name).to_owned(), aliases: BTreeSet::from(["with:a@x".to_owned()]) };
        Given { items: names.iter().map(item).collect(), text: text.to_owned(), path: "investigate".to_owned() }
    }

    #[test]
    fn what_may_be_given_counts_neither_way() {
        let verdict = judge(&question(&["a", "b"], &["m"], &["4.20"]), &given(&["a", "m", "x"], "4.20"), &[].into());
        assert_eq!(
            (verdict.missed, verdict.wrong, verdict.unsaid),
            (vec!["b".to_owned()], vec!["x".to_owned()], vec![])
        );
        assert_eq!((verdict.score.precision(), verdict.score.recall(), verdict.score.says()), (50, 50, 100));
    }

    #[test]
    fn nothing_is_the_right_answer_where_nothing_is_expected() {
        assert!(judge(&question(&[], &[], &[]), &given(&[], "Nothing."), &[].into()).is_perfect());
        assert_eq!(judge(&question(&[], &[], &[]), &given(&["x"], ""), &[].into()).score.precision(), 0);
        assert_eq!(judge(&question(&["a"], &[], &[]), &given(&[], ""), &[].into()).score.precision(), 0);
        assert!(judge(&question(&[], &["with:a@x"], &[]), &given(&["x"], ""), &[].into()).is_perfect());
    }

    #[test]
    fn a_person_is_given_by_being_named() {
        let names = BTreeMap::from([("eve@x".to_owned(), "Eve Ray".to_owned())]);
        assert!(judge(&question(&["person:eve@x"], &[], &[]), &given(&[], "eve ray: 4"), &names).is_perfect());
        assert_eq!(judge(&question(&["person:bob@x"], &[], &[]), &given(&[], "Eve Ray"), &names).score.recall(), 0);
    }
}
