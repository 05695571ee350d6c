//! The file store: `SQLite` in WAL mode, one thread per process, any number of processes.
//!
//! A session is one row of `documents`, and one row of `rows` for each record, answer and question. A batch of jobs
//! runs in one `IMMEDIATE` transaction and is answered after its commit. It reads and writes the documents of its
//! sessions and the rows that its jobs use. `synchronous=FULL`: with less, a power failure may lose the last commits,
//! for example the claim of a payment, which would then run twice. All jobs of a transaction share the cost of the disk
//! sync. Processes that write at the same time take turns ([`turnstile`]).

pub(super) mod backup;
mod database;
pub(super) mod inspection;
mod integrity;
mod place;
mod reading;
mod recent;
mod rows;
mod sessions;
mod turnstile;
mod uncertain;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::time::Instant;

use super::backend::{Backend, BackendFailure};
use super::job::{JobContext, StoreJob};
use super::{SharedOptions, SharedStore, worker};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::store::api::{Idle, Swept};
use crate::store::error::StoreError;
use crate::store::owed::owed_ms;
use crate::store::reconcile::{UncertainCalls, UncertainPage};
use database::OpenError;
use place::FileIdentity;
use recent::CachedSessions;
use sessions::{AfterCommit, apply_jobs, apply_looks, delete_idle, owed_since};
use turnstile::Turnstile;

/// The time between two looks at the file's place, and at a checkpoint that could not be made.
const WATCH_INTERVAL: Duration = Duration::from_millis(500);

/// Creates a store in the file at `path`. The file is opened, or created, by the first operation, which also reports
/// its faults.
///
/// # Errors
/// If no thread can be started.
pub fn open(path: &Path, options: SharedOptions) -> std::io::Result<SharedStore> {
    let busy_timeout = options.operation_timeout / 2;
    let (idle_ms, state) = (options.idle_ms(), RefCell::new(FileState::Closed));
    worker::start(FileBackend { path: path.to_owned(), busy_timeout, idle_ms, state }, options)
}

struct OpenDatabase {
    connection: Connection,
    turnstile: Turnstile,
    recent: CachedSessions,
    fingerprint_key: HashKey,
    identity: FileIdentity,
    /// Whether the write-ahead log may have deleted arguments.
    needs_checkpoint: bool,
}

/// The file as this process knows it.
enum FileState {
    Closed,
    Open(Box<OpenDatabase>),
    /// It was replaced or deleted while it was open: what was recorded is not in the file that is there now. The file
    /// is used again if it is put back.
    Lost(FileIdentity),
}

struct FileBackend {
    path: PathBuf,
    /// The time limit of waiting for other processes.
    busy_timeout: Duration,
    /// How long an unused session is kept, in milliseconds.
    idle_ms: u64,
    state: RefCell<FileState>,
}

impl Backend for FileBackend {
    /// All sessions are one group: the jobs of a transaction share the cost of the disk sync.
    type Group = ();

    const WATCH_INTERVAL: Option<Duration> = Some(WATCH_INTERVAL);

    fn group(&self, _session: &SessionId) {}

    async fn commit(&self, jobs: &mut [Box<StoreJob>], _until: Instant) -> Result<(), BackendFailure> {
        let context = |fingerprint_key| JobContext { now: None, fingerprint_key };
        // SQLite has waited already.
        let failed = BackendFailure::Permanent;
        if jobs.iter().all(|job| job.operation().is_look()) {
            let read = TransactionBehavior::Deferred;
            let is_done =
                self.transact(read, |transaction, recent, key| apply_looks(&transaction, recent, jobs, context(key)));
            if is_done.map_err(failed)? {
                return Ok(());
            }
        }
        let write = TransactionBehavior::Immediate;
        self.transact(write, |transaction, recent, key| {
            apply_jobs(transaction, recent, jobs, (context(key), self.idle_ms))
        })
        .map_err(failed)
    }

    async fn sweep(&self, idle: Idle, in_use: &[SessionId]) -> Result<Swept, StoreError> {
        self.transact(TransactionBehavior::Immediate, |transaction, recent, _| {
            delete_idle(transaction, recent, idle.since, in_use)
        })
    }

    async fn list_uncertain(&self, page: UncertainPage) -> Result<UncertainCalls, StoreError> {
        self.transact(TransactionBehavior::Deferred, |transaction, _, _| {
            Ok((uncertain::list(&transaction, &page)?, AfterCommit::Nothing))
        })
    }

    async fn oldest_owed_ms(&self, now: EpochMs) -> Result<Option<u64>, StoreError> {
        let since = self.transact(TransactionBehavior::Deferred, |transaction, _, _| {
            Ok((owed_since(&transaction)?, AfterCommit::Nothing))
        })?;
        Ok(owed_ms(since, now))
    }

    /// Notices that the file was replaced or deleted, and makes a checkpoint that could not be made before.
    fn watch(&self) {
        let state = &mut *self.state.borrow_mut();
        if self.check_place(state).is_ok()
            && let FileState::Open(database) = state
            && database.needs_checkpoint
        {
            let _turn = database.turnstile.take();
            database.checkpoint(self.busy_timeout);
        }
    }

    fn close(&self) {
        // Closing the last connection also checkpoints the write-ahead log.
        *self.state.borrow_mut() = FileState::Closed;
    }
}

impl FileBackend {
    /// Runs a transaction, in the file that is open or is opened now. After a failure the file is closed, so that the
    /// next operation opens it again: it may have been repaired. The file's place is checked before and after: nothing
    /// that was written to a deleted file is reported as stored.
    fn transact<T>(
        &self,
        behavior: TransactionBehavior,
        run: impl FnOnce(Transaction<'_>, &mut CachedSessions, HashKey) -> rusqlite::Result<(T, AfterCommit)>,
    ) -> Result<T, StoreError> {
        let state = &mut *self.state.borrow_mut();
        self.check_place(state)?;
        let database = self.open_database(state)?;
        let key = database.fingerprint_key;
        // Kept until the end of this function: a checkpoint writes as well.
        let _turn = match behavior {
            TransactionBehavior::Deferred => None,
            _ => database.turnstile.take(),
        };
        let recent = &mut database.recent;
        let begun = database.connection.transaction_with_behavior(behavior).map_err(OpenError::from);
        let done = begun.and_then(|transaction| {
            database::check_version(&transaction)?;
            Ok(run(transaction, recent, key)?)
        });
        if let Ok((_, after)) = &done {
            database.needs_checkpoint |= *after == AfterCommit::Checkpoint;
        }
        self.check_place(state)?;
        match done {
            Ok((result, _)) => {
                if let FileState::Open(database) = state {
                    database.checkpoint(self.busy_timeout);
                }
                Ok(result)
            }
            Err(error) => {
                *state = FileState::Closed;
                Err(error.describe(&self.path))
            }
        }
    }

    fn open_database<'a>(&self, state: &'a mut FileState) -> Result<&'a mut OpenDatabase, StoreError> {
        if !matches!(state, FileState::Open(_)) {
            *state = FileState::Open(Box::new(database::open(&self.path, self.busy_timeout)?));
        }
        match state {
            FileState::Open(database) => Ok(database.as_mut()),
            FileState::Closed | FileState::Lost(_) => Err(self.lost_error()),
        }
    }

    /// Fails if the file that was opened is no longer at its place.
    fn check_place(&self, state: &mut FileState) -> Result<(), StoreError> {
        let identity = match state {
            FileState::Closed => return Ok(()),
            FileState::Open(database) => database.identity,
            FileState::Lost(identity) => *identity,
        };
        if FileIdentity::at(&self.path).is_ok_and(|found| found.is_same_file(&identity)) {
            if matches!(state, FileState::Lost(_)) {
                tracing::warn!(file = %self.path.display(), "the session file is at its place again");
                *state = FileState::Closed;
            }
            return Ok(());
        }
        if matches!(state, FileState::Open(_)) {
            tracing::error!(
                file = %self.path.display(),
                "the session file was replaced or deleted while it was in use; sessions are refused until it is put back or \
                 this process restarts"
            );
            *state = FileState::Lost(identity);
        }
        Err(self.lost_error())
    }

    fn lost_error(&self) -> StoreError {
        StoreError::Failed(format!(
            "`{}` was replaced or deleted while it was in use; put it back, or restart to use the file that is there now",
            self.path.display()
        ))
    }
}

impl OpenDatabase {
    /// Empties the write-ahead log if it may have deleted arguments. If other processes use it, this is tried again at
    /// the next commit and look.
    fn checkpoint(&mut self, busy_timeout: Duration) {
        if !self.needs_checkpoint {
            return;
        }
        match database::checkpoint(&self.connection, busy_timeout) {
            Ok(is_done) => self.needs_checkpoint = !is_done,
            Err(error) => tracing::warn!(%error, "deleted values could not be erased from the log of the session file"),
        }
    }
}

#[cfg(test)]
mod tests;
