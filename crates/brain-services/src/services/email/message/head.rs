//! The fields of a head that are read, each cut to what it may hold.
//!
//! Fields nobody asks for are skipped without a look; those that are read are short, as decoding them costs more than
//! their length (an encoded word that never ends is looked for at every beginning of one).

use brain_core::limits;

/// Fields of a whole mail that say who wrote what to whom.
const OF_A_MAIL: [&str; 15] = [
    "from",
    "to",
    "cc",
    "bcc",
    "reply-to",
    "subject",
    "date",
    "message-id",
    "in-reply-to",
    "references",
    // Whether many got it, or a machine wrote it (RFC 2369, 2919, 3834; Precedence is custom).
    "list-id",
    "list-post",
    "list-unsubscribe",
    "precedence",
    "auto-submitted",
];
/// Fields that say what a part is.
const OF_A_PART: [&str; 3] = ["content-type", "content-disposition", "content-transfer-encoding"];
/// White space in front of a field's colon is allowed, but not without end.
const NAME_BYTES_MAX: usize = 64;

/// True for the fields of a whole mail.
pub(in crate::services::email) fn is_of_a_mail(name: &str) -> bool {
    OF_A_MAIL.contains(&name)
}

/// True for the fields of a part.
pub(in crate::services::email) fn is_of_a_part(name: &str) -> bool {
    OF_A_PART.contains(&name)
}

/// The wanted fields of the head that begins at `at`, as a head of their own, and where the body begins. A line that
/// is a `border` ends the head like an empty one, and is left to the body.
pub(in crate::services::email) fn fields(
    mail: &[u8],
    mut at: usize,
    wanted: fn(&str) -> bool,
    border: impl Fn(&[u8]) -> bool,
) -> (Vec<u8>, usize) {
    let mut kept = Vec::new();
    // Bytes that the field being read may still bring; none when nobody wants it.
    let mut room = 0;
    while at < mail.len() {
        let end = line_end(mail, at);
        let line = &mail[at..end];
        let content = line.trim_ascii_end();
        if line.first().is_some_and(|b| matches!(b, b'\n' | b'\r')) && content.is_empty() {
            at = end;
            break;
        }
        if border(line) {
            break;
        }
        let goes_on = matches!(line.first(), Some(b' ' | b'\t'));
        if !goes_on {
            let is_wanted = name(content).is_some_and(|name| wanted(&name));
            room = if is_wanted { limits::MAIL_FIELD_BYTES_MAX } else { 0 };
        }
        room = room.min(limits::MAIL_HEAD_BYTES_MAX.saturating_sub(kept.len()));
        let part = &content[..content.len().min(room)];
        if !part.is_empty() {
            kept.extend_from_slice(part);
            kept.extend_from_slice(b"\r\n");
        }
        room -= part.len();
        at = end;
    }
    kept.extend_from_slice(b"\r\n");
    (kept, at)
}

/// The byte behind the line that `at` stands in.
pub(in crate::services::email) fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    rest.iter().position(|b| *b == b'\n').map_or(bytes.len(), |end| at + end + 1)
}

/// A field's name in small letters.
fn name(line: &[u8]) -> Option<String> {
    let start = &line[..line.len().min(NAME_BYTES_MAX)];
    let colon = start.iter().position(|b| *b == b':')?;
    Some(String::from_utf8_lossy(start[..colon].trim_ascii()).to_ascii_lowercase())
}
