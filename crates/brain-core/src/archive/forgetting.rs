//! Forgetting in an archive that was handed over and lies on this machine still, or waits for being delivered.

use serde_json::Value;

use super::{Archive, ArchiveBounds, ArchiveWriter, BoundedBuffer, DATA, README};
use crate::core::forgotten::Forgotten;
use crate::core::ids::UserId;
use crate::limits;

/// The same archive with a mark wherever its document, and the files that were made of it, have what was forgotten.
/// `None`: it is none of this person's, or has nothing of it. Mail stays as it came.
pub fn without(bytes: &[u8], owner: &UserId, what: &Forgotten) -> Option<Vec<u8>> {
    let bounds = ArchiveBounds { data: limits::WRITTEN_DATA_BYTES_MAX, ..ArchiveBounds::default() };
    let mut archive = Archive::of_bytes(bytes, bounds).ok()?;
    let mut document = serde_json::from_slice::<Value>(&archive.read(DATA).ok()?).ok()?;
    if document["person"]["id"] != owner.as_str() {
        return None;
    }
    let mut any = what.replace_in(&mut document);
    let mut changed = vec![(DATA.to_owned(), serde_json::to_vec_pretty(&document).ok()?)];
    let beside = archive.names().iter().filter(|name| !name.contains('/') && *name != DATA && *name != README);
    for name in beside.cloned().collect::<Vec<_>>() {
        let Ok(text) = String::from_utf8(archive.read(&name).ok()?) else { continue };
        // Lines are folded wherever they are long, inside of words as well.
        if let Some(marked) = what.replaced(&text.replace("\r\n ", "")) {
            any = true;
            changed.push((name, marked.into_bytes()));
        }
    }
    if !any {
        return None;
    }
    let (buffer, _) = BoundedBuffer::new(2 * bytes.len() + limits::ATTACHMENT_BYTES_MAX);
    let mut writer = ArchiveWriter::new(buffer);
    for at in 0..archive.entries() {
        let entry = archive.entry(at).ok()?;
        match changed.iter().find(|(name, _)| name == entry.name()) {
            Some((name, bytes)) => writer.bytes(name, bytes).ok()?,
            None => writer.entry(entry).ok()?,
        }
    }
    writer.finish().ok()?.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_forgotten_goes_from_the_document_and_what_was_made_of_it() {
        let (buffer, _) = BoundedBuffer::new(100_000);
        let mut writer = ArchiveWriter::new(buffer);
        writer
            .bytes(DATA, br#"{"person": {"id": "me"}, "memories": [{"value": "4711-Canary"}], "tasks": ["tea"]}"#)
            .unwrap();
        writer.bytes("calendar.ics", b"SUMMARY:It is 4711-Ca\r\n nary\r\n").unwrap();
        writer.bytes("mail/cur/1", b"4711-Canary").unwrap();
        let bytes = writer.finish().unwrap().into_bytes().unwrap();
        let what = Forgotten::of(["4711-Canary"]).unwrap();
        assert_eq!(without(&bytes, &UserId::new("bob"), &what), None);
        let marked = without(&bytes, &UserId::new("me"), &what).unwrap();
        let mut archive = Archive::of_bytes(&marked, ArchiveBounds::default()).unwrap();
        let read = |archive: &mut Archive<_>, name: &str| String::from_utf8(archive.read(name).unwrap()).unwrap();
        let document = read(&mut archive, DATA);
        assert!(
            document.contains("[forgotten]") && document.contains("tea") && !document.contains("4711"),
            "{document}"
        );
        assert_eq!(read(&mut archive, "calendar.ics"), "SUMMARY:It is [forgotten]\r\n");
        assert_eq!(read(&mut archive, "mail/cur/1"), "4711-Canary");
        assert_eq!(without(&marked, &UserId::new("me"), &what), None);
    }
}
