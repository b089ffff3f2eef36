//! Storage backend of redb: a file, or a look at a file that cannot change it.
//!
//! redb repairs a file while opening it and writes to it again while closing. A damaged or newer file must stay
//! as it is, so the store looks first through a [`Medium::glance`]: what is written there stays in memory.

use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::sync::{Mutex, PoisonError};

use redb::{BackendError, StorageBackend};

/// The bytes of a store.
#[derive(Debug)]
pub(super) struct Medium {
    bytes: Box<dyn StorageBackend>,
    /// What was written, when nothing may reach the bytes.
    overlay: Option<Mutex<Overlay>>,
}

#[derive(Debug)]
struct Overlay {
    length: u64,
    /// Where the bytes below stop counting: a file that was cut grows again with zeros.
    kept: u64,
    pieces: BTreeMap<u64, Vec<u8>>,
}

impl Medium {
    /// Reads and writes `bytes`.
    pub(super) fn direct(bytes: Box<dyn StorageBackend>) -> Self {
        Self { bytes, overlay: None }
    }

    /// Reads `bytes`; what is written is seen here only.
    pub(super) fn glance(bytes: Box<dyn StorageBackend>) -> io::Result<Self> {
        let length = bytes.len()?;
        let overlay = Overlay { length, kept: length, pieces: BTreeMap::new() };
        Ok(Self { bytes, overlay: Some(Mutex::new(overlay)) })
    }

    fn overlay(&self) -> Option<std::sync::MutexGuard<'_, Overlay>> {
        let overlay = self.overlay.as_ref()?;
        Some(overlay.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Overlay {
    fn write(&mut self, offset: u64, data: &[u8]) {
        let end = offset + data.len() as u64;
        self.cut(offset, end);
        self.pieces.insert(offset, data.to_vec());
        self.length = self.length.max(end);
    }

    /// Forgets what lies in `offset..end`.
    fn cut(&mut self, offset: u64, end: u64) {
        let touched: Vec<u64> = self
            .pieces
            .range(..end)
            .rev()
            .take_while(|(at, piece)| **at + piece.len() as u64 > offset)
            .map(|(at, _)| *at)
            .collect();
        for at in touched {
            let Some(mut piece) = self.pieces.remove(&at) else {
                continue;
            };
            if at + piece.len() as u64 > end {
                let tail = piece.split_off((end.max(at) - at) as usize);
                self.pieces.insert(end.max(at), tail);
            }
            if at < offset {
                piece.truncate((offset - at) as usize);
                self.pieces.insert(at, piece);
            }
        }
    }

    fn read(&self, below: &dyn StorageBackend, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset + out.len() as u64;
        if end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        out.fill(0);
        let from_below = self.kept.clamp(offset, end) - offset;
        below.read(offset, &mut out[..from_below as usize])?;
        let overlapping = self.pieces.range(..end).rev().take_while(|(at, piece)| **at + piece.len() as u64 > offset);
        for (at, piece) in overlapping {
            let first = offset.max(*at);
            let last = end.min(*at + piece.len() as u64);
            out[(first - offset) as usize..(last - offset) as usize]
                .copy_from_slice(&piece[(first - at) as usize..(last - at) as usize]);
        }
        Ok(())
    }
}

impl StorageBackend for Medium {
    fn len(&self) -> io::Result<u64> {
        match self.overlay() {
            Some(overlay) => Ok(overlay.length),
            None => self.bytes.len(),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match self.overlay() {
            Some(overlay) => overlay.read(self.bytes.as_ref(), offset, out),
            None => self.bytes.read(offset, out),
        }
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let Some(mut overlay) = self.overlay() else {
            return self.bytes.set_len(length);
        };
        overlay.cut(length, u64::MAX);
        overlay.kept = overlay.kept.min(length);
        overlay.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        match self.overlay {
            Some(_) => Ok(()),
            None => self.bytes.sync_data(),
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let Some(mut overlay) = self.overlay() else {
            return self.bytes.write(offset, data);
        };
        overlay.write(offset, data);
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.bytes.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.bytes.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.bytes.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.bytes.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.bytes.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.bytes.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.bytes.query_lock_range(start, end)
    }
}
