//! What a server says when it wants to know who asks: `WWW-Authenticate` (RFC 9110 11.6.1, RFC 6750 3, RFC 9728 5.1).

/// The part of it that is about bearer tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthChallenge {
    /// Where the server describes itself.
    pub resource_metadata: Option<String>,
    /// What a token has to be good for.
    pub scopes: Vec<String>,
    /// Why the token that was sent is none, as a code.
    pub error: Option<String>,
}

impl AuthChallenge {
    /// Reads the header's values; what makes no sense is left out.
    pub fn parse<'h>(headers: impl Iterator<Item = &'h str>) -> Self {
        let mut challenge = Self::default();
        for (name, value) in headers.flat_map(parameters) {
            match name.as_str() {
                "resource_metadata" => challenge.resource_metadata = Some(value),
                "scope" => challenge.scopes = scopes(&value),
                "error" => challenge.error = Some(value),
                _ => {}
            }
        }
        challenge
    }

    /// The token is good, but not for this.
    pub fn wants_scope(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
    }
}

/// Scopes in one text (RFC 6749 3.3).
pub(super) fn scopes(text: &str) -> Vec<String> {
    let is_scope = |word: &&str| word.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    text.split(' ').filter(|word| !word.is_empty()).filter(is_scope).map(str::to_owned).collect()
}

/// The parameters of the scheme `Bearer`, their names in small letters.
fn parameters(header: &str) -> Vec<(String, String)> {
    let (mut found, mut is_bearer, mut rest) = (Vec::new(), false, header);
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let end = rest.find([' ', '\t', ',', '=']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.is_empty() {
            return found;
        }
        let Some(value) = after.trim_start().strip_prefix('=') else {
            // A word without a value begins the next challenge.
            is_bearer = word.eq_ignore_ascii_case("bearer");
            rest = after;
            continue;
        };
        let (value, after) = value_of(value.trim_start());
        if is_bearer {
            found.push((word.to_ascii_lowercase(), value));
        }
        rest = after;
    }
}

/// A word or a quoted text, and what stands behind it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([' ', '\t', ',']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, c) in quoted.char_indices() {
        match c {
            _ if is_escaped => (value.push(c), is_escaped = false).0,
            '\\' => is_escaped = true,
            '"' => return (value, &quoted[at + 1..]),
            c => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bearer_part_is_read_among_others_and_out_of_order() {
        let read = |headers: &[&str]| AuthChallenge::parse(headers.iter().copied());
        let whole = read(&[
            r#"Basic realm="a, scope=\"x\"", Bearer error="insufficient_scope", scope="files:read  files:write","#,
            r#"bearer resource_metadata = "https://a.example/.well-known/x""#,
        ]);
        assert!(whole.wants_scope());
        assert_eq!(whole.scopes, ["files:read", "files:write"]);
        assert_eq!(whole.resource_metadata.as_deref(), Some("https://a.example/.well-known/x"));
        assert_eq!(
            read(&[r#"Basic realm="x", scope="y""#, "Digest", "", "=", "Bearer", "Bearer scope=\"open"]).scopes,
            ["open"]
        );
        assert_eq!(read(&["Bearer scope=one"]).scopes, ["one"]);
    }
}
