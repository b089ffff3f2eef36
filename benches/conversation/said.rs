//! What a person says over the years: orders, remarks, and now and then something that is asked for long after.

const BEGINS: [&str; 16] =
    ["ba", "du", "fe", "gi", "ho", "ka", "lu", "me", "ni", "po", "ra", "su", "te", "vi", "wo", "za"];
const ENDS: [&str; 8] = ["rik", "mol", "dan", "gus", "lep", "tov", "nar", "bix"];

/// Something that was said once.
#[derive(Debug, Clone)]
pub struct Planted {
    /// What it is about: a name of its own.
    place: String,
    /// Said nowhere else.
    pub code: String,
    /// Whether it was to be remembered, or was told in passing.
    pub kept: bool,
}

impl Planted {
    /// For something that needs it.
    pub fn order(&self) -> String {
        format!("please put the code of the {} locker on my list", self.place)
    }

    pub fn question(&self) -> String {
        format!("what did I tell you about the {} locker?", self.place)
    }
}

/// Everything that was said so far.
#[derive(Debug, Default)]
pub struct Said {
    pub planted: Vec<Planted>,
}

/// A word that stands for one number alone.
fn name(number: usize) -> String {
    let (first, rest) = (number % BEGINS.len(), number / BEGINS.len());
    let (second, third) = (rest % BEGINS.len(), rest / BEGINS.len());
    format!("{}{}{}", BEGINS[first], BEGINS[second], ENDS[(third + first + second) % ENDS.len()])
}

impl Said {
    /// The words of a turn.
    pub fn next(&mut self, turn: usize) -> String {
        match turn % 20 {
            3 | 13 => {
                let kept = turn % 20 == 3;
                let number = self.planted.len();
                let planted = Planted { place: name(number), code: format!("{}", 730_001 + 17 * number), kept };
                let Planted { place, code, .. } = &planted;
                let words = match kept {
                    true => format!("remember that the code of the {place} locker is {code}"),
                    false => format!("the code of the {place} locker is {code}, they told me at the desk this morning"),
                };
                self.planted.push(planted);
                words
            }
            0 | 2 | 5 | 8 | 10 | 15 | 18 => {
                format!(
                    "please put the errand number {turn:05} on my list, which is to be done before the end of it all"
                )
            }
            _ => format!(
                "what a day it was, the one with number {turn:05}, with so much to do and so little to show for it"
            ),
        }
    }
}
