//! Reading an archive that may come from anybody.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::DATA;
use crate::limits;

/// How much an archive may hold.
#[derive(Debug, Clone, Copy)]
pub struct ArchiveBounds {
    /// The file itself.
    pub packed: u64,
    /// All that is in it.
    pub unpacked: u64,
    /// How many files and folders.
    pub entries: usize,
    /// The document.
    pub data: u64,
    /// Any other file.
    pub file: u64,
}

impl Default for ArchiveBounds {
    fn default() -> Self {
        Self {
            packed: limits::ARCHIVE_BYTES_MAX,
            unpacked: limits::ARCHIVE_UNPACKED_BYTES_MAX,
            entries: limits::ARCHIVE_ENTRIES_MAX,
            data: limits::ARCHIVED_DATA_BYTES_MAX,
            file: limits::ARCHIVED_FILE_BYTES_MAX,
        }
    }
}

/// Why an archive is not read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is something else.
    #[error("this is no archive of a person's data, nor the {DATA} of one: {0}")]
    Foreign(String),
    /// An entry wants to lie elsewhere.
    #[error("an entry has a name that none of ours has: {0:?}")]
    Name(String),
    /// It holds, or would unpack to, more than is read.
    #[error("it holds more than I read: {0}")]
    TooLarge(String),
    /// It is damaged.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Disk(#[from] io::Error),
}

impl From<ZipError> for ArchiveError {
    fn from(error: ZipError) -> Self {
        match error {
            ZipError::Io(cause) if cause.kind() != io::ErrorKind::UnexpectedEof => Self::Disk(cause),
            other => Self::Damaged(other.to_string()),
        }
    }
}

/// What is in the file.
#[derive(Debug)]
enum Packing<R> {
    Zip(Box<ZipArchive<R>>),
    /// The document alone.
    Bare(Vec<u8>),
}

/// An archive whose entries were judged by their names and sizes, and not unpacked yet.
#[derive(Debug)]
pub struct Archive<R> {
    packing: Packing<R>,
    /// The names of its files, in order; folders are none.
    names: Vec<String>,
    bounds: ArchiveBounds,
}

impl Archive<File> {
    /// Opens a file.
    pub fn open(path: &Path, bounds: ArchiveBounds) -> Result<Self, ArchiveError> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(ArchiveError::Foreign("it is no file".to_owned()));
        }
        Self::of(file, bounds)
    }
}

impl<'b> Archive<Cursor<&'b [u8]>> {
    /// One that is in memory.
    pub fn of_bytes(bytes: &'b [u8], bounds: ArchiveBounds) -> Result<Self, ArchiveError> {
        Self::of(Cursor::new(bytes), bounds)
    }
}

impl<R: Read + Seek> Archive<R> {
    fn of(mut file: R, bounds: ArchiveBounds) -> Result<Self, ArchiveError> {
        let size = file.seek(SeekFrom::End(0))?;
        if size > bounds.packed {
            return Err(ArchiveError::TooLarge(format!("{size} bytes")));
        }
        file.rewind()?;
        let mut first = [0; 2];
        let begins_as_zip = file.read_exact(&mut first).is_ok() && first == *b"PK";
        file.rewind()?;
        if !begins_as_zip {
            return Self::bare(file, bounds);
        }
        count_entries(&mut file, bounds.entries)?;
        file.rewind()?;
        let zip = ZipArchive::new(file)?;
        let mut archive = Self { packing: Packing::Zip(Box::new(zip)), names: Vec::new(), bounds };
        archive.judge()?;
        Ok(archive)
    }

    /// The document, without an archive around it.
    fn bare(file: R, bounds: ArchiveBounds) -> Result<Self, ArchiveError> {
        let bytes = within(file, bounds.data, DATA)?;
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err(ArchiveError::Foreign("it begins as neither".to_owned()));
        }
        Ok(Self { packing: Packing::Bare(bytes), names: vec![DATA.to_owned()], bounds })
    }

    /// Looks at every entry, and unpacks none.
    fn judge(&mut self) -> Result<(), ArchiveError> {
        let Packing::Zip(zip) = &mut self.packing else { return Ok(()) };
        if zip.len() > self.bounds.entries {
            return Err(ArchiveError::TooLarge(format!("{} entries", zip.len())));
        }
        let mut unpacked: u64 = 0;
        for at in 0..zip.len() {
            let entry = zip.by_index_raw(at)?;
            let name = entry.name().to_owned();
            if !is_plain(&name) || entry.is_symlink() {
                return Err(ArchiveError::Name(name));
            }
            if entry.encrypted() {
                return Err(ArchiveError::Foreign("it is locked by a password".to_owned()));
            }
            let max = if name == DATA { self.bounds.data } else { self.bounds.file };
            unpacked = unpacked.saturating_add(entry.size());
            if entry.size() > max || unpacked > self.bounds.unpacked {
                return Err(ArchiveError::TooLarge(format!("{name} would unpack to {} bytes", entry.size())));
            }
            if !entry.is_dir() {
                self.names.push(name);
            }
        }
        if !self.names.iter().any(|name| name == DATA) {
            return Err(ArchiveError::Foreign(format!("there is no {DATA} in it")));
        }
        Ok(())
    }

    /// The names of its files.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// One of its files, unpacked and held against its checksum.
    pub fn read(&mut self, name: &str) -> Result<Vec<u8>, ArchiveError> {
        match &mut self.packing {
            Packing::Bare(bytes) if name == DATA => Ok(bytes.clone()),
            Packing::Bare(_) => Err(ArchiveError::Damaged(format!("there is no {name} in it"))),
            Packing::Zip(zip) => {
                let entry = zip.by_name(name)?;
                let said = entry.size();
                within(entry, said, name)
            }
        }
    }

    /// Its entries as they are packed.
    pub(super) fn entries(&self) -> usize {
        if let Packing::Zip(zip) = &self.packing { zip.len() } else { 0 }
    }

    /// One of them.
    pub(super) fn entry(&mut self, at: usize) -> Result<ZipFile<'_, R>, ArchiveError> {
        match &mut self.packing {
            Packing::Zip(zip) => Ok(zip.by_index_raw(at)?),
            Packing::Bare(_) => Err(ArchiveError::Damaged("there is no such entry".to_owned())),
        }
    }
}

/// Holds the number of entries against the bound before a directory is made of them. Bytes inside of a file may look like
/// the head of an entry; many never do.
pub fn count_entries(file: &mut impl Read, max: usize) -> Result<(), ArchiveError> {
    const HEAD: u32 = u32::from_be_bytes(*b"PK\x01\x02");
    let mut file = BufReader::with_capacity(64 * 1024, file);
    let (mut last, mut count) = (0u32, 0);
    loop {
        let bytes = file.fill_buf()?;
        let read = bytes.len();
        if read == 0 {
            return Ok(());
        }
        for byte in bytes {
            last = last << 8 | u32::from(*byte);
            count += usize::from(last == HEAD);
        }
        if count > 2 * max {
            return Err(ArchiveError::TooLarge(format!("more than {max} entries")));
        }
        file.consume(read);
    }
}

/// All of it, where that is no more than it may be.
fn within(from: impl Read, max: u64, name: &str) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = Vec::new();
    match from.take(max.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > max => Err(ArchiveError::TooLarge(format!("{name} goes on behind its end"))),
        Ok(_) => Ok(bytes),
        Err(cause) => Err(ArchiveError::Damaged(format!("{name}: {cause}"))),
    }
}

/// A name below the archive, of plain parts.
pub fn is_plain(name: &str) -> bool {
    let name = name.strip_suffix('/').unwrap_or(name);
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    name.len() <= 1_024
        && !name.contains(['\\', '\0'])
        && !name.contains(char::is_control)
        && name.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::archive::{ArchiveWriter, BoundedBuffer};

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn why(bytes: &[u8], bounds: ArchiveBounds) -> String {
        Archive::of_bytes(bytes, bounds).and_then(|mut archive| archive.read(DATA)).unwrap_err().to_string()
    }

    const SMALL: ArchiveBounds =
        ArchiveBounds { packed: 10_000, unpacked: 3_000, entries: 4, data: 1_000, file: 2_000 };

    #[test]
    fn what_was_written_is_read_back_and_is_the_same_each_time() {
        let written = || {
            let (buffer, _) = BoundedBuffer::new(100_000);
            let mut writer = ArchiveWriter::new(buffer);
            writer.bytes(DATA, b"{\"a\": 1}").unwrap();
            writer.folder("mail/new/").unwrap();
            writer.bytes("mail/cur/1:2,S", b"From: a@b.example").unwrap();
            writer.finish().unwrap().into_bytes().unwrap()
        };
        let bytes = written();
        assert_eq!(bytes, written());
        let mut archive = Archive::of_bytes(&bytes, ArchiveBounds::default()).unwrap();
        assert_eq!(archive.names(), [DATA, "mail/cur/1:2,S"]);
        assert_eq!(archive.read("mail/cur/1:2,S").unwrap(), b"From: a@b.example");
        assert_eq!(archive.read(DATA).unwrap(), b"{\"a\": 1}");
        let mut bare = Archive::of_bytes(b" {\"a\": 1}", ArchiveBounds::default()).unwrap();
        assert_eq!(bare.read(DATA).unwrap().len(), 9);
        assert_eq!(bare.names(), [DATA]);
    }

    #[test]
    fn a_name_that_leads_out_is_refused_before_anything_is_unpacked() {
        for name in ["../x", "mail/../../x", "/etc/x", "mail\\x", "a//b", "./a", "..", "mail/\u{7}"] {
            let bytes = zipped(&[(DATA, b"{}"), (name, b"x")]);
            assert!(why(&bytes, SMALL).contains("name that none of ours has"), "{name}");
        }
    }

    #[test]
    fn what_would_unpack_to_too_much_is_refused_by_what_it_says_and_by_what_it_does() {
        let zeros = vec![0; 5_000];
        assert!(why(&zipped(&[(DATA, &zeros)]), SMALL).contains("would unpack to 5000"));
        assert!(why(&zipped(&[(DATA, b"{}"), ("a", &zeros)]), SMALL).contains("more than I read"));
        let each = &zeros[..1_500];
        assert!(why(&zipped(&[(DATA, b"{}"), ("a", each), ("b", each)]), SMALL).contains("more than I read"));
        let many: Vec<String> = (0..5).map(|n| n.to_string()).collect();
        let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
        assert!(why(&zipped(&many), SMALL).contains("5 entries"));
        let crowd: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        let crowd: Vec<(&str, &[u8])> = crowd.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
        assert!(why(&zipped(&crowd), SMALL).contains("more than 4 entries"));
        assert!(why(&vec![b'{'; 2_000], SMALL).contains("behind its end"));
        // A bomb that lies about its size: the number stands in two places.
        let mut lies = zipped(&[(DATA, &zeros)]);
        let said = 5_000u32.to_le_bytes();
        while let Some(at) = lies.windows(4).position(|four| four == said) {
            lies[at..at + 4].copy_from_slice(&10u32.to_le_bytes());
        }
        let why = why(&lies, SMALL);
        assert!(why.contains("behind its end") || why.contains("damaged"), "{why}");
    }

    #[test]
    fn what_is_cut_or_something_else_is_told_as_such() {
        let whole = zipped(&[(DATA, &b"{\"a\": 1}".repeat(50)[..])]);
        for end in [3, whole.len() / 2, whole.len() - 1] {
            assert!(why(&whole[..end], SMALL).contains("damaged"), "{end}");
        }
        for bytes in [&b""[..], b"P", b"hello", b"[1]", b"\x1f\x8b\x08"] {
            assert!(why(bytes, SMALL).contains("no archive of a person's data"), "{bytes:?}");
        }
        assert!(why(&zipped(&[("other.json", b"{}")]), SMALL).contains("no data.json"));
        let mut flipped = whole.clone();
        let at = 30 + DATA.len() + 5;
        flipped[at] ^= 0xff;
        assert!(why(&flipped, SMALL).contains("damaged"));
    }

    #[test]
    fn fuzzed_archives_are_read_within_their_bounds_or_refused() {
        let tokens = [
            "PK\u{1}\u{2}",
            "PK\u{3}\u{4}",
            "PK\u{5}\u{6}",
            "PK\u{6}\u{6}",
            "\0\0\0\0",
            "\u{7f}\u{7f}",
            "../",
            "data.json",
            "{",
        ];
        brain_testing::fuzzing::fuzz("archive", &["{\"brain_agent_export\": 2}"], &tokens, |bytes| {
            let Ok(mut archive) = Archive::of_bytes(bytes, SMALL) else { return };
            for name in archive.names().to_vec() {
                let Ok(content) = archive.read(&name) else { continue };
                assert!(is_plain(&name) && content.len() as u64 <= SMALL.file.max(SMALL.data), "{name}");
                let _ = crate::archive::ArchiveDocument::of(content);
            }
        });
    }

    #[test]
    fn a_buffer_keeps_no_more_than_it_may_and_says_so() {
        let (buffer, is_over) = BoundedBuffer::new(600);
        let mut writer = ArchiveWriter::new(buffer);
        writer.bytes(DATA, b"{}").unwrap();
        assert!(!is_over.load(std::sync::atomic::Ordering::Relaxed));
        let noise: Vec<u8> = (0..4_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        writer.bytes("noise", &noise).unwrap();
        writer.bytes("more", b"x").unwrap();
        assert!(is_over.load(std::sync::atomic::Ordering::Relaxed));
        assert_eq!(writer.finish().unwrap().into_bytes(), None);
    }
}
