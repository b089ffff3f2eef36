//! A disk in memory that remembers what was written when, and fails on demand.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use redb::StorageBackend;

use crate::store::opening::StoreSource;
use crate::store::{RedbStore, Schema};
use brain_core::ports::Secondary;

/// One thing done to the disk.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Write(u64, Vec<u8>),
    Length(u64),
    Sync,
}

/// How the disk fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// After so many steps every step fails, with this error.
    Changes(usize, ErrorKind),
    /// After so many steps one step fails.
    Once(usize, ErrorKind),
    /// Reading fails too.
    Everything,
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    log: Vec<Step>,
    failure: Option<Failure>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Disk(Arc<Mutex<State>>);

impl Disk {
    pub(super) fn holding(bytes: Vec<u8>) -> Self {
        let disk = Self::default();
        disk.0.lock().unwrap().bytes = bytes;
        disk
    }

    pub(super) fn source(&self) -> StoreSource {
        let disk = self.clone();
        StoreSource { path: PathBuf::from("test-disk"), bytes: Arc::new(move || Ok(Box::new(disk.clone()))) }
    }

    pub(super) async fn store(&self) -> RedbStore {
        self.indexed(Vec::new()).await
    }

    pub(super) async fn indexed(&self, indexes: Vec<&'static Secondary>) -> RedbStore {
        let schema = Schema { indexes, ..Schema::default() };
        RedbStore::start(self.source(), StoreSource::open, schema).await.unwrap()
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().bytes.clone()
    }

    pub(super) fn log(&self) -> Vec<Step> {
        self.0.lock().unwrap().log.clone()
    }

    pub(super) fn steps(&self) -> usize {
        self.0.lock().unwrap().log.len()
    }

    pub(super) fn fail(&self, failure: Option<Failure>) {
        self.0.lock().unwrap().failure = failure;
    }

    fn step(&self, step: Step) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.count_down()?;
        apply(&mut state.bytes, &step);
        state.log.push(step);
        Ok(())
    }
}

impl State {
    fn count_down(&mut self) -> io::Result<()> {
        match &mut self.failure {
            None => Ok(()),
            Some(Failure::Everything) => Err(ErrorKind::Other.into()),
            Some(Failure::Changes(left, _) | Failure::Once(left, _)) if *left > 0 => {
                *left -= 1;
                Ok(())
            }
            Some(Failure::Changes(_, kind)) => Err((*kind).into()),
            Some(Failure::Once(_, kind)) => {
                let kind = *kind;
                self.failure = None;
                Err(kind.into())
            }
        }
    }
}

/// What a step does to the bytes.
pub(super) fn apply(bytes: &mut Vec<u8>, step: &Step) {
    match step {
        Step::Write(offset, data) => {
            let offset = *offset as usize;
            if bytes.len() < offset + data.len() {
                bytes.resize(offset + data.len(), 0);
            }
            bytes[offset..offset + data.len()].copy_from_slice(data);
        }
        Step::Length(length) => bytes.resize(*length as usize, 0),
        Step::Sync => {}
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().bytes.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.0.lock().unwrap();
        if state.failure == Some(Failure::Everything) {
            return Err(ErrorKind::Other.into());
        }
        let offset = offset as usize;
        match state.bytes.get(offset..offset + out.len()) {
            Some(bytes) => out.copy_from_slice(bytes),
            None => return Err(ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.step(Step::Length(length))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.step(Step::Sync)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.step(Step::Write(offset, data.to_vec()))
    }
}
