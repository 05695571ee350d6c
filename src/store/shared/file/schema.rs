//! Opening the file: whose it is, which version, and what is told where it can't be used.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Error, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::json::SketchKey;
use crate::store::StoreError;

/// "TGAT": marks the file as ours.
const APPLICATION: i32 = 0x5447_4154;
/// What the tables look like. A file of a newer one is refused.
const VERSION: i32 = 1;

const TABLES: &str = "
    CREATE TABLE installation (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
    CREATE TABLE sessions (id TEXT PRIMARY KEY, used_at INTEGER NOT NULL, document TEXT NOT NULL) STRICT;
    CREATE INDEX sessions_by_use ON sessions (used_at);
    CREATE TABLE answers (
        session TEXT NOT NULL, epoch INTEGER NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (session, epoch)
    ) STRICT;
";

/// Opens the file, or makes it. Waits no longer than `patience` for other processes.
pub(super) fn open(path: &Path, patience: Duration) -> Result<(Connection, SketchKey), StoreError> {
    make_private(path)?;
    let until = Instant::now() + patience;
    loop {
        match prepared(path, patience) {
            // Several processes that open a new file at once can find it locked without SQLite's own waiting.
            Err(Problem::File(error)) if is_busy(&error) && Instant::now() < until => {
                thread::sleep(Duration::from_millis(10));
            }
            Err(Problem::File(error)) => return Err(failed(path, &error)),
            Err(Problem::Other(words)) => {
                return Err(StoreError::Failed(format!("`{}` {words}", path.display())));
            }
            Ok(opened) => return Ok(opened),
        }
    }
}

/// A failure of `SQLite`'s in words that name the file.
pub(super) fn failed(path: &Path, error: &Error) -> StoreError {
    let what = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "is kept locked by another process".to_owned(),
        Some(ErrorCode::DiskFull) => "can't grow: the disk is full".to_owned(),
        Some(ErrorCode::SystemIoFailure) => {
            format!("can't be read or written: its disk fails, or lets it not grow ({error})")
        }
        Some(ErrorCode::ReadOnly) => "can't be written to".to_owned(),
        Some(ErrorCode::DatabaseCorrupt) => "is damaged; restore it, or move it away to start anew".to_owned(),
        Some(ErrorCode::NotADatabase) => "is not a store: it is no SQLite file".to_owned(),
        _ => format!("can't be used: {error}"),
    };
    StoreError::Failed(format!("`{}` {what}", path.display()))
}

/// Only its owner reads and writes it; `SQLite` gives the log beside it the same permissions.
fn make_private(path: &Path) -> Result<(), StoreError> {
    let told = |what: String| StoreError::Failed(format!("`{}` {what}", path.display()));
    if path.is_dir() {
        return Err(told("is a directory; name a file".to_owned()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(told(format!("can't be made: there is no directory `{}`", folder.display())));
    }
    if fs::exists(path).unwrap_or(false) {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|error| told(format!("can't be made: {error}")))
}

enum Problem {
    File(Error),
    Other(String),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn prepared(path: &Path, patience: Duration) -> Result<(Connection, SketchKey), Problem> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    let journal: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if journal != "wal" {
        return Err(Problem::Other(format!(
            "can't be shared: its file system allows no `wal` journal, only `{journal}`"
        )));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", 16 * 1024 * 1024)?;
    connection.pragma_update(None, "trusted_schema", "OFF")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sketches = agreed(&transaction)?;
    transaction.commit()?;
    Ok((connection, sketches))
}

/// The file is ours and of a version that we know; a new one is made so.
fn agreed(transaction: &Transaction<'_>) -> Result<SketchKey, Problem> {
    let number = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (number("application_id")?, number("user_version")?) {
        (0, 0) if tables == 0 => {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        (APPLICATION, VERSION) => {}
        (APPLICATION, newer) if newer > VERSION => {
            return Err(Problem::Other(format!(
                "was written by a newer toolgate (its layout is {newer}, this one knows {VERSION}); use that one"
            )));
        }
        _ => return Err(Problem::Other("belongs to another program; name a file of its own".to_owned())),
    }
    transaction.execute(
        "INSERT OR IGNORE INTO installation (name, value) VALUES ('sketches', ?1)",
        [SketchKey::random().to_bytes()],
    )?;
    let key: [u8; 16] =
        transaction.query_row("SELECT value FROM installation WHERE name = 'sketches'", [], |row| row.get(0))?;
    Ok(SketchKey::new(key))
}
