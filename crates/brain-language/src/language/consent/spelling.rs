//! Spelling variants: how people write a word on a phone.
//!
//! Purpose: "yesss", "nao" and "İPTAL" are the words of the books, without being listed there.
//! Invariant: a spelling never turns one letter into another of a different alphabet.
//! Deliberately absent: distance between words; a typo is either listed or not understood.

/// Whether letters drawn out like this are a spelling with these runs. A letter may be drawn out at the end of a word
/// or, three times and more, anywhere. Two inside a word are spelling, not lengthening. A fixed word is not lengthened:
/// there, drawn-out letters are irony or laughter.
pub(super) fn fits(drawn: &[usize], spelled: &[usize], fixed: bool) -> bool {
    let last = drawn.len().saturating_sub(1);
    let fits =
        |(at, (have, want)): (usize, (&usize, &usize))| have == want || (have > want && (*have >= 3 || at == last));
    drawn == spelled || !fixed && drawn.iter().zip(spelled).enumerate().all(fits)
}

/// The letters of a word with each run taken once, and how long the runs are.
pub(super) fn runs(word: &str) -> (String, Vec<usize>) {
    let (mut letters, mut lengths) = (String::with_capacity(word.len()), Vec::new());
    let mut before = None;
    for c in word.chars() {
        match lengths.last_mut() {
            Some(length) if before == Some(c) => *length += 1,
            Some(_) | None => {
                letters.push(c);
                lengths.push(1);
            }
        }
        before = Some(c);
    }
    (letters, lengths)
}
