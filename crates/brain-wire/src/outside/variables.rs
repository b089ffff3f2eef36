//! `${NAME}` and `${NAME:-otherwise}` in what a file says.

use brain_core::limits::EXPANDED_BYTES_MAX;

/// The variables that a file may name.
pub type Variables<'v> = dyn Fn(&str) -> Option<String> + 'v;

/// A text with the variables that it names in their place.
pub fn expanded(text: &str, env: &Variables<'_>) -> Result<String, String> {
    let (mut whole, mut rest) = (String::new(), text);
    while let Some(start) = rest.find("${") {
        let after = &rest[start + 2..];
        let end = after.find('}').ok_or_else(|| format!("“{}” has no end", &rest[start..]))?;
        let (name, otherwise) = match after[..end].split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise.to_owned())),
            None => (&after[..end], None),
        };
        whole += &rest[..start];
        whole += &env(name).or(otherwise).ok_or_else(|| format!("the variable {name} is not set"))?;
        rest = &after[end + 1..];
        if whole.len() > EXPANDED_BYTES_MAX {
            return Err(format!("with its variables it is longer than {EXPANDED_BYTES_MAX} bytes"));
        }
    }
    Ok(whole + rest)
}
