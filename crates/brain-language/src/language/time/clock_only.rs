//! Words that name a time of day and no day.

/// True for words that name a time of day and no day, in figures or in words.
pub fn is_clock_only(text: &str) -> bool {
    const CLOCK_WORDS: [&str; 22] = [
        "a", "am", "at", "around", "half", "h", "midnight", "noon", "o'clock", "oclock", "p", "past", "pm", "quarter",
        "to", "from", "till", "until", "um", "uhr", "viertel", "nach",
    ];
    let lower = text.to_lowercase();
    let date_like = lower.contains('/') || lower.matches('-').count() > 1 || lower.matches('.').count() > 2;
    !date_like
        && lower
            .split(|c: char| c.is_whitespace() || c.is_ascii_digit() || matches!(c, ':' | '.' | ',' | '-' | '–'))
            .filter(|word| !word.is_empty())
            .all(|word| CLOCK_WORDS.contains(&word))
}
