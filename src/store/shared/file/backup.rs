//! Backup and restoration of a file store, through `SQLite`'s own backup: a copy of the pages of one snapshot.
//!
//! A backup takes no write lock: the processes that use the store go on. Both write a temporary file beside the target,
//! check it, wait until it is on the disk, and rename it, so that the target is whole or is not there.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::NamedTempFile;

use super::database::{APPLICATION_ID, FOREIGN_FILE, describe_error, is_busy};
use super::reading::{self, ReadableFile, WAIT};
use super::{integrity, place};
use crate::store::error::StoreError;
use crate::store::shared::report::StoreCopy;

/// What happens to a store that a restoration finds at its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingStore {
    /// The restoration is refused.
    Keep,
    /// The store is replaced, unless a process uses it.
    Replace,
}

/// Copies the store at `from` to a new file. All that was committed before the call is in the copy.
///
/// # Errors
/// If `from` is no readable store, `to` exists or can't be written, or the copy is damaged.
pub fn back_up(from: &Path, to: &Path) -> Result<StoreCopy, StoreError> {
    let source = reading::open(from)?;
    if is_there(to) {
        return Err(failure(to, "exists; name a new file"));
    }
    let copy = copy_beside(&source, from, to)?;
    copy.into_place(to, ExistingStore::Keep)
}

/// Makes the backup at `from` the store at `to`.
///
/// # Errors
/// If `from` is no readable store or is damaged; if `to` exists, unless it is replaced; if a process uses `to`.
pub fn restore(from: &Path, to: &Path, existing: ExistingStore) -> Result<StoreCopy, StoreError> {
    let source = reading::open(from)?;
    if from.canonicalize().ok().zip(to.canonicalize().ok()).is_some_and(|(from, to)| from == to) {
        return Err(failure(to, "is the backup itself; name the file of the store with `--store`"));
    }
    let is_there = ["", "-wal", "-shm"].iter().any(|suffix| is_there(&place::beside(to, suffix)));
    if is_there && existing == ExistingStore::Keep {
        return Err(failure(to, "exists, or files of a store are left beside it; `--force` replaces it"));
    }
    let copy = copy_beside(&source, from, to)?;
    if is_there {
        require_unused(to)?;
        for suffix in ["-wal", "-shm"] {
            let beside = place::beside(to, suffix);
            remove_if_there(&beside).map_err(|error| failure(&beside, &format!("can't be removed: {error}")))?;
        }
    }
    copy.into_place(to, existing)
}

/// A copy that is complete and checked, under a temporary name.
struct FinishedCopy {
    file: NamedTempFile,
    report: StoreCopy,
}

impl FinishedCopy {
    /// Renames the copy to its place.
    fn into_place(self, to: &Path, existing: ExistingStore) -> Result<StoreCopy, StoreError> {
        let written = |error: &io::Error| failure(to, &format!("can't be written: {error}"));
        self.file.as_file().sync_all().map_err(|error| written(&error))?;
        let placed = match existing {
            ExistingStore::Keep => self.file.persist_noclobber(to),
            ExistingStore::Replace => self.file.persist(to),
        };
        placed.map_err(|error| written(&error.error))?;
        sync_folder(to).map_err(|error| written(&error))?;
        Ok(self.report)
    }
}

/// Copies a store into a temporary file beside `to`, and checks the copy.
fn copy_beside(source: &ReadableFile, from: &Path, to: &Path) -> Result<FinishedCopy, StoreError> {
    let file = tempfile::Builder::new()
        .prefix(".toolgate-store-")
        .tempfile_in(folder_of(to))
        .map_err(|error| failure(to, &format!("can't be written: {error}")))?;
    let copied = |error: &rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => describe_error(to, error),
        _ => describe_error(from, error),
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(file.path(), flags).map_err(|error| copied(&error))?;
    copy_pages(&source.connection, &mut target).map_err(|error| copied(&error))?;
    // A file of its own, with no write-ahead log beside it. The next use of the store makes one again.
    target.pragma_update(None, "journal_mode", "DELETE").map_err(|error| copied(&error))?;
    let problems = integrity::problems(&target).map_err(|error| copied(&error))?;
    if let Some(first) = problems.first() {
        return Err(failure(from, &format!("is damaged; `toolgate store check` lists how: {first}")));
    }
    let counts = integrity::count(&target).map_err(|error| copied(&error))?;
    target.close().map_err(|(_, error)| copied(&error))?;
    let bytes = file.as_file().metadata().map_or(0, |metadata| metadata.len());
    Ok(FinishedCopy { file, report: StoreCopy { file: to.to_owned(), bytes, layout: source.layout, counts } })
}

/// Copies all pages in one step: within one read transaction no commit of another process starts the copy anew.
fn copy_pages(source: &Connection, target: &mut Connection) -> rusqlite::Result<()> {
    let backup = Backup::new(source, target)?;
    let until = Instant::now() + WAIT;
    loop {
        match backup.step(-1)? {
            StepResult::Done => return Ok(()),
            StepResult::Busy | StepResult::Locked if Instant::now() >= until => {
                let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
                return Err(rusqlite::Error::SqliteFailure(busy, None));
            }
            _ => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Refuses a store that another process has open, and a file of another program. A damaged store may be replaced.
fn require_unused(path: &Path) -> Result<(), StoreError> {
    if !is_there(path) {
        return Ok(());
    }
    place::require_file(path)?;
    match leave_log_mode(path) {
        Ok(0 | APPLICATION_ID) => Ok(()),
        Ok(_) => Err(failure(path, FOREIGN_FILE)),
        Err(error) if is_busy(&error) => {
            Err(failure(path, "is in use; end the processes that use it before a backup takes its place"))
        }
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Ok(()),
            _ => Err(describe_error(path, &error)),
        },
    }
}

/// Empties and deletes the write-ahead log, which only the last connection can. Returns the file's application id.
fn leave_log_mode(path: &Path) -> rusqlite::Result<i32> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::ZERO)?;
    let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application == APPLICATION_ID {
        connection.pragma_update(None, "journal_mode", "DELETE")?;
    }
    Ok(application)
}

fn failure(path: &Path, what: &str) -> StoreError {
    StoreError::Failed(format!("`{}` {what}", path.display()))
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Waits until the rename is on the disk. Other systems than Unix open no folders.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder_of(path))?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests;
