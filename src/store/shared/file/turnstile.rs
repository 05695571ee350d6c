//! The order in which processes write to a file.
//!
//! `SQLite`'s write lock has no queue: a process that waits looks again after a while, and the process that had the lock
//! takes it again meanwhile. Two empty files beside the session file make a turnstile: a writer locks the queue, waits for
//! the turn, and leaves the queue; the turn is held during the transaction. Whoever gives the turn back finds the queue
//! taken by the process that waits, so it can't overtake it.
//!
//! The turnstile decides the order only. `SQLite`'s lock stays the truth: a process of an earlier version, another program
//! or a platform without file locks writes without a turn. The locks are the system's, on open files, and end with their process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::place::{self, LOCK_FILES};

/// The time between two looks at a lock that another process holds: short beside a disk sync. The same for all who wait,
/// however long, so that their chances are equal.
const POLL_INTERVAL: Duration = Duration::from_micros(100);

/// The time in which the turnstile is passed by after a turn did not come: a process that is stopped in the queue must not
/// delay each transaction of the others.
const PASS_BY_TIME: Duration = Duration::from_secs(1);

/// The locks of one open session file.
pub(super) struct Turnstile {
    /// `None` if this place has no file locks.
    locks: Option<Locks>,
    /// The time limit of waiting for a turn. A writer goes on without one.
    timeout: Duration,
    passed_by_until: Option<Instant>,
}

struct Locks {
    queue: File,
    turn: Arc<File>,
}

/// The right to write next. Given back when it is dropped.
pub(super) struct Turn(Arc<File>);

impl Drop for Turn {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "the turn at the session file could not be given back");
        }
    }
}

impl Turnstile {
    /// Opens the lock files of the session file at `path`, or creates them.
    pub(super) fn open(path: &Path, timeout: Duration) -> Self {
        let locks = Locks::open(path).inspect_err(|error| {
            tracing::warn!(file = %path.display(), %error, "the processes of the session file can't take turns");
        });
        Self { locks: locks.ok(), timeout, passed_by_until: None }
    }

    /// Waits for the turn. `None` if it does not come in time: the transaction then competes for `SQLite`'s lock.
    pub(super) fn take(&mut self) -> Option<Turn> {
        let now = Instant::now();
        if self.passed_by_until.is_some_and(|until| now < until) {
            return None;
        }
        match self.locks.as_ref()?.take(now + self.timeout) {
            Ok(Some(turn)) => Some(turn),
            Ok(None) => {
                self.passed_by_until = Some(Instant::now() + PASS_BY_TIME);
                None
            }
            Err(error) => {
                tracing::warn!(%error, "the processes of the session file can't take turns");
                self.locks = None;
                None
            }
        }
    }
}

impl Locks {
    fn open(path: &Path) -> io::Result<Self> {
        let [queue, turn] = LOCK_FILES.map(|suffix| open_lock_file(&place::beside(path, suffix)));
        Ok(Self { queue: queue?, turn: Arc::new(turn?) })
    }

    fn take(&self, until: Instant) -> io::Result<Option<Turn>> {
        if !lock_until(&self.queue, until)? {
            return Ok(None);
        }
        let is_taken = lock_until(&self.turn, until);
        self.queue.unlock()?;
        Ok(is_taken?.then(|| Turn(Arc::clone(&self.turn))))
    }
}

/// Locks a file. False if another process holds its lock until then.
fn lock_until(file: &File, until: Instant) -> io::Result<bool> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(POLL_INTERVAL),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Opens a lock file, or creates it readable and writable by its owner only. [`place::prepare`] has refused symbolic links.
fn open_lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests;
