//! Files that a person sent, on whatever channel: kept for them, and read where they are plain text.
//!
//! Invariant: what a file says is somebody else's words ([`Origin::Forwarded`]); what is not read is told, and can go
//! along with a mail all the same.

use brain_core::core::ids::{MessageId, UserId};
use brain_core::core::text::{head_and_tail, visible};
use brain_core::core::turn::{Along, KeptFile, Origin, Part};
use brain_core::kept_files::KeptFiles;
use brain_core::limits;
use brain_core::ports::why_not;

/// Keeps a file for somebody, and hands its bytes back; `Err` holds why it is not kept, for them.
pub(super) async fn keep(
    files: &KeptFiles,
    owner: UserId,
    name: Option<String>,
    kind: Option<String>,
    bytes: Vec<u8>,
) -> Result<(KeptFile, Vec<u8>), String> {
    let files = files.clone();
    let keep = move || files.keep(&owner, &bytes).map(|sha256| (sha256, bytes));
    let kept = tokio::task::spawn_blocking(keep).await.map_err(std::io::Error::other).and_then(|kept| kept);
    let (sha256, bytes) = kept.map_err(|cause| {
        tracing::warn!(%cause, "a file could not be kept");
        format!("I could not keep that file: {}. Please send it again later.", why_not(&cause))
    })?;
    let said = |words: Option<String>| words.filter(|words| !words.trim().is_empty());
    let name = said(name).unwrap_or_else(|| "file".to_owned());
    let kind = said(kind).unwrap_or_else(|| "application/octet-stream".to_owned());
    Ok((KeptFile { name, kind, bytes: bytes.len(), sha256 }, bytes))
}

/// A file as a part of a message, with what to say beside the answer where it is not `read`.
pub(super) fn part(message: MessageId, file: KeptFile, read: Result<String, String>) -> (Part, Option<String>) {
    let (text, along, beside) = match read {
        Ok(text) => (text, Some(Along::File { name: file.name.clone() }), None),
        Err(why) => (String::new(), None, Some(format!("{why} It can go along with a mail."))),
    };
    (Part { along, file: Some(file), ..Part::words(message, text, Origin::Forwarded) }, beside)
}

/// The text of a file; `Err` holds why there is none, for the person.
pub(super) fn text_of(file: &KeptFile, bytes: Vec<u8>) -> Result<String, String> {
    let name = visible(&head_and_tail(&file.name, 80));
    let ending = file.name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let by_ending = ending.is_some_and(|e| ["txt", "md", "csv", "ics", "vcf", "log", "json"].contains(&e.as_str()));
    if !by_ending && !file.kind.starts_with("text/") {
        return Err(format!("I can't look into {name}: I read plain text only (.txt, .md, .csv, .ics)."));
    }
    let kilobytes = limits::TEXT_FILE_BYTES_MAX / 1024;
    if bytes.len() as u64 > limits::TEXT_FILE_BYTES_MAX {
        return Err(format!("{name} is too large for me; I read text files of up to {kilobytes} KB."));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("{name} is not plain UTF-8 text, so I can't read it."))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() { Err(format!("{name} is empty.")) } else { Ok(text.to_owned()) }
}
