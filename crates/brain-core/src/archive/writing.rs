//! Writing an archive, entry by entry.

use std::fs::File;
use std::io::{self, Cursor, Read as _, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::limits::ARCHIVED_FILE_BYTES_MAX;

/// An archive that is being written.
#[derive(Debug)]
pub struct ArchiveWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
}

/// For its owner's eyes only, and at no time.
fn options() -> SimpleFileOptions {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    options.last_modified_time(DateTime::default())
}

impl<W: Write + Seek> ArchiveWriter<W> {
    /// An empty one.
    pub fn new(out: W) -> Self {
        Self { zip: ZipWriter::new(out) }
    }

    /// A folder, which may stay empty.
    pub fn folder(&mut self, name: &str) -> io::Result<()> {
        Ok(self.zip.add_directory(name, options().unix_permissions(0o700))?)
    }

    /// A file of these bytes.
    pub fn bytes(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.zip.start_file(name, options().unix_permissions(0o600))?;
        self.zip.write_all(bytes)
    }

    /// A file as it lies on the disk now. False where it has gone or is too large: then it is left out.
    pub fn file(&mut self, name: &str, path: &Path) -> io::Result<bool> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(cause) => return Err(cause),
        };
        if file.metadata()?.len() > ARCHIVED_FILE_BYTES_MAX {
            return Ok(false);
        }
        self.zip.start_file(name, options().unix_permissions(0o600))?;
        io::copy(&mut file.take(ARCHIVED_FILE_BYTES_MAX), &mut self.zip)?;
        Ok(true)
    }

    /// An entry of another archive, as it is packed there.
    pub(super) fn entry<R: io::Read + Seek>(&mut self, entry: zip::read::ZipFile<'_, R>) -> io::Result<()> {
        Ok(self.zip.raw_copy_file(entry)?)
    }

    /// Ends it.
    pub fn finish(self) -> io::Result<W> {
        Ok(self.zip.finish()?)
    }
}

/// Memory that keeps no more than so many bytes: what is written beyond goes nowhere, and is told.
#[derive(Debug)]
pub struct BoundedBuffer {
    bytes: Cursor<Vec<u8>>,
    max: u64,
    is_over: Arc<AtomicBool>,
}

impl BoundedBuffer {
    /// Nothing yet, and at most `max` bytes; what becomes true once there were more.
    pub fn new(max: usize) -> (Self, Arc<AtomicBool>) {
        let is_over = Arc::<AtomicBool>::default();
        (Self { bytes: Cursor::default(), max: max as u64, is_over: is_over.clone() }, is_over)
    }

    /// All that was written; `None` where that was too much.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        (!self.is_over.load(Ordering::Relaxed)).then(|| self.bytes.into_inner())
    }
}

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.position() + bytes.len() as u64 > self.max {
            self.is_over.store(true, Ordering::Relaxed);
        }
        if self.is_over.load(Ordering::Relaxed) {
            self.bytes.set_position(self.bytes.position() + bytes.len() as u64);
            return Ok(bytes.len());
        }
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for BoundedBuffer {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        // The end of what was thrown away is not that of what is kept.
        if let (SeekFrom::End(by), true) = (to, self.is_over.load(Ordering::Relaxed)) {
            let end = self.bytes.position().saturating_add_signed(by);
            self.bytes.set_position(end);
            return Ok(end);
        }
        self.bytes.seek(to)
    }
}
