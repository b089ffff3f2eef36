//! Progress: what a turn is doing, for whoever waits for it.

use std::fmt;

use super::text::grouped;

/// One thing being done, and how far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// In words, e.g. `Checking your calendar…`.
    pub what: String,
    /// How many of how many, where it has parts.
    pub counted: Option<(usize, usize)>,
}

impl Progress {
    /// Something without parts.
    pub fn of(what: impl Into<String>) -> Self {
        Self { what: what.into(), counted: None }
    }

    /// The same, so far. One of one is no news.
    #[must_use]
    pub fn counting(self, done: usize, of: usize) -> Self {
        Self { counted: (of > 1).then_some((done.min(of), of)), ..self }
    }
}

/// As the status line says it: `Reading 20 threads… 12/20`.
impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match self.counted {
            Some((done, of)) => write!(f, " {done}/{of}"),
            None => Ok(()),
        }
    }
}

/// By what a text is known to say already how much was read.
pub const MAILS_SO_FAR: &str = "mails so far";

/// How many of somebody's mails were read so far, as a sentence without its end: `I've read 3,200 of your 10,000 mails
/// so far`.
pub fn mails_read(read: usize, of: usize) -> String {
    match of {
        0 => "I've only begun to read your mail".to_owned(),
        of => format!("I've read {} of your {} {MAILS_SO_FAR}", grouped(read), grouped(of)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_where_there_are_some() {
        let reading = Progress::of("Reading 20 threads…");
        assert_eq!(reading.clone().counting(12, 20).to_string(), "Reading 20 threads… 12/20");
        assert_eq!(reading.clone().counting(21, 20).to_string(), "Reading 20 threads… 20/20");
        assert_eq!(reading.counting(0, 1).to_string(), "Reading 20 threads…");
    }
}
