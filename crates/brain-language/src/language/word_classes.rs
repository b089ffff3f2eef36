//! Classes of words that stand in data: a name, a colon, and words or phrases between commas.
//!
//! A star ends a beginning: `wait*`. A class may have several lines, and stand in several files, one a language; all
//! languages are looked for at once. Not here: the classes that frames speak of (`requests::lexicon`).

use std::collections::{HashMap, HashSet};

use super::words::fold;

/// Words and phrases of one kind, folded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordClass {
    whole: HashSet<String>,
    begins: Vec<String>,
    in_order: Vec<String>,
}

impl WordClass {
    /// Whether a folded word or phrase is one of it.
    pub fn holds(&self, folded: &str) -> bool {
        self.whole.contains(folded) || self.begins.iter().any(|begin| folded.starts_with(begin.as_str()))
    }

    /// Whether one of these is.
    pub fn is_in(&self, folded: &[String]) -> bool {
        folded.iter().any(|word| self.holds(word))
    }

    /// Its words and phrases in the order of the data, stars aside.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.in_order.iter().map(String::as_str)
    }

    /// The beginnings among them.
    pub fn begins(&self) -> impl Iterator<Item = &str> {
        self.begins.iter().map(String::as_str)
    }

    fn add(&mut self, words: &str) {
        for word in words.split(',').map(|word| fold(word.trim())).filter(|word| !word.is_empty()) {
            match word.strip_suffix('*') {
                Some(begin) => self.begins.push(begin.to_owned()),
                None => {
                    self.whole.insert(word.clone());
                    self.in_order.push(word);
                }
            }
        }
    }
}

/// The classes of some files by their names.
#[derive(Debug, Clone, Default)]
pub struct WordClasses(HashMap<String, WordClass>);

impl WordClasses {
    /// The classes that these texts hold; a line without a colon holds none.
    pub fn read(texts: &[&str]) -> Self {
        let mut classes: HashMap<String, WordClass> = HashMap::new();
        let lines = texts.iter().flat_map(|text| text.lines());
        for (name, words) in lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")) {
            classes.entry(name.trim().to_owned()).or_default().add(words);
        }
        Self(classes)
    }

    /// Takes a class out; one without words where there is none.
    pub fn take(&mut self, name: &str) -> WordClass {
        self.0.remove(name).unwrap_or_default()
    }

    /// A class, if there is one of this name.
    pub fn get(&self, name: &str) -> Option<&WordClass> {
        self.0.get(name)
    }

    /// Classes that nobody took: a mistake in a name.
    pub fn left(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

/// A type that holds the classes of some data by their names there, each as a field.
#[macro_export]
macro_rules! class_names {
    ($(#[$of:meta])* $type:ident { $($(#[$doc:meta])* $name:ident,)* }) => {
        $(#[$of])*
        #[derive(Debug)]
        pub(super) struct $type {
            $($(#[$doc])* pub $name: $crate::language::word_classes::WordClass,)*
        }

        impl $type {
            /// Those of these texts.
            fn read(texts: &[&str]) -> Self {
                let mut classes = $crate::language::word_classes::WordClasses::read(texts);
                let read = Self { $($name: classes.take(stringify!($name)),)* };
                debug_assert!(classes.left().is_empty(), "classes that nobody knows: {:?}", classes.left());
                read
            }

            /// The classes that hold nothing: mistakes in their names.
            #[cfg(test)]
            fn empty(&self) -> Vec<&'static str> {
                let all = [$((stringify!($name), &self.$name),)*];
                all.into_iter().filter(|(_, class)| **class == Default::default()).map(|(name, _)| name).collect()
            }
        }
    };
}
pub use class_names;

/// The lines `short = long` of a text, in their order.
pub fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(" = ")).map(|(short, long)| (short.trim_end(), long.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_put_together_from_its_lines() {
        let mut classes = WordClasses::read(&["# no\nwait: wait*, hoping\n", "wait: für dich\njoin: and"]);
        let wait = classes.take("wait");
        for (word, is_one) in [("waiting", true), ("hoping", true), ("hope", false), ("fur dich", true), ("and", false)]
        {
            assert_eq!(wait.holds(word), is_one, "{word}");
        }
        assert_eq!(wait.iter().collect::<Vec<_>>(), ["hoping", "fur dich"]);
        assert_eq!((classes.take("none"), classes.left()), (WordClass::default(), vec!["join"]));
        assert_eq!(pairs("# a\nim = i'm\n").collect::<Vec<_>>(), [("im", "i'm")]);
    }
}
