//! Opening the `SQLite` file: permissions, identification, layout version, error messages.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Error, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::recent::CachedSessions;
use super::turnstile::Turnstile;
use super::{OpenDatabase, place};
use crate::json::HashKey;
use crate::store::error::StoreError;

/// The `SQLite` application id of a Toolgate store: "TGAT".
pub(super) const APPLICATION_ID: i32 = 0x5447_4154;
/// The version of the table layout. A file with a newer layout is refused.
pub(super) const LAYOUT_VERSION: i32 = 1;

const INSTALLATION_TABLE: &str = "CREATE TABLE installation (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;";

const DOCUMENTS_TABLE: &str = "
    CREATE TABLE documents (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, used_at INTEGER NOT NULL, document TEXT NOT NULL
    ) STRICT;
    CREATE INDEX documents_by_use ON documents (used_at);
";

/// Since when a session owes its oldest result. Added to files that earlier versions have made, too: those continue with such a file,
/// and a session that they have written last has no time, or that of its former result, until its next commit.
const OWED_COLUMN: &str = "
    ALTER TABLE documents ADD COLUMN owed_since INTEGER;
    CREATE INDEX documents_by_owed ON documents (owed_since) WHERE owed_since IS NOT NULL;
";

/// The rows of all sessions, each under its session's number, in the order of their insertion: commits write whole pages,
/// and the rows of the last calls of all sessions share theirs.
const ROWS_TABLE: &str = "
    CREATE TABLE rows (
        session INTEGER NOT NULL, name TEXT NOT NULL, expires INTEGER, content TEXT NOT NULL,
        PRIMARY KEY (session, name)
    ) STRICT;
    CREATE INDEX rows_by_expiry ON rows (session, expires) WHERE expires IS NOT NULL;
";

/// Opens or creates the file. Waits at most `timeout` for other processes.
pub(super) fn open(path: &Path, timeout: Duration) -> Result<OpenDatabase, StoreError> {
    place::prepare(path)?;
    let has_log = place::has_log(path);
    let mut turnstile = Turnstile::open(path, timeout / 5);
    let _turn = turnstile.take();
    let until = Instant::now() + timeout;
    loop {
        match try_open(path, timeout) {
            // If several processes open a new file at once, SQLite can report a lock without its own busy timeout.
            Err(OpenError::Sqlite(error)) if is_busy(&error) && Instant::now() < until => {
                thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error.describe(path)),
            Ok((connection, fingerprint_key)) => {
                // The log exists from the first transaction on.
                let identity = place::FileIdentity::at(path)
                    .map_err(|error| StoreError::Failed(format!("`{}` can't be found: {error}", path.display())))?;
                let recent = CachedSessions::default();
                return Ok(OpenDatabase {
                    connection,
                    turnstile,
                    recent,
                    fingerprint_key,
                    identity,
                    needs_checkpoint: has_log,
                });
            }
        }
    }
}

/// Describes a failure of `SQLite`, with the file's name.
pub(super) fn describe_error(path: &Path, error: &Error) -> StoreError {
    let what = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            return StoreError::Unreachable(format!("`{}` is kept locked by another process", path.display()));
        }
        Some(ErrorCode::DiskFull) => "can't grow: the disk is full".to_owned(),
        Some(ErrorCode::SystemIoFailure) => {
            format!("can't be read or written: the disk fails or does not allow it to grow ({error})")
        }
        Some(ErrorCode::ReadOnly) => "can't be written to".to_owned(),
        Some(ErrorCode::DatabaseCorrupt) => "is damaged; restore it, or move it away to start anew".to_owned(),
        Some(ErrorCode::NotADatabase) => "is not a store: it is no SQLite file".to_owned(),
        _ => format!("can't be used: {error}"),
    };
    StoreError::Failed(format!("`{}` {what}", path.display()))
}

/// The time that a checkpoint waits for other processes: it is tried again soon, and operations wait for it.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_millis(50);

/// Moves the write-ahead log into the file and empties it. False if other processes use the log.
pub(super) fn checkpoint(connection: &Connection, busy_timeout: Duration) -> rusqlite::Result<bool> {
    connection.busy_timeout(CHECKPOINT_TIMEOUT)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(busy_timeout)?;
    match busy {
        Ok(busy) => Ok(busy == 0),
        Err(error) if is_busy(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

pub(super) enum OpenError {
    Sqlite(Error),
    Rejected(String),
}

impl OpenError {
    /// The error with the file's name.
    pub(super) fn describe(self, path: &Path) -> StoreError {
        match self {
            Self::Sqlite(error) => describe_error(path, &error),
            Self::Rejected(message) => StoreError::Failed(format!("`{}` {message}", path.display())),
        }
    }
}

impl From<Error> for OpenError {
    fn from(error: Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Why a file of another program is refused.
pub(super) const FOREIGN_FILE: &str = "belongs to another program; name a file of its own";

/// Why a file with a newer layout is refused.
pub(super) fn newer_layout(layout: i32) -> String {
    format!("was written by a newer toolgate (its layout is {layout}, this one knows {LAYOUT_VERSION}); use that one")
}

pub(super) fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn try_open(path: &Path, timeout: Duration) -> Result<(Connection, HashKey), OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(timeout)?;
    let journal: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if journal != "wal" {
        return Err(OpenError::Rejected(format!(
            "can't be shared: its file system allows no `wal` journal, only `{journal}`"
        )));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS a plain sync ends in the drive's cache. Elsewhere this changes nothing.
    connection.pragma_update(None, "fullfsync", "ON")?;
    connection.pragma_update(None, "journal_size_limit", 16 * 1024 * 1024)?;
    connection.pragma_update(None, "trusted_schema", "OFF")?;
    // Deleted values are overwritten with zeros.
    connection.pragma_update(None, "secure_delete", "ON")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let fingerprint_key = check_layout(&transaction)?;
    transaction.commit()?;
    Ok((connection, fingerprint_key))
}

/// Refuses the tables of a newer version, which another process may have made since the file was opened.
pub(super) fn check_version(transaction: &Transaction<'_>) -> Result<(), OpenError> {
    let layout: i32 = transaction.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
    if layout > LAYOUT_VERSION { Err(OpenError::Rejected(newer_layout(layout))) } else { Ok(()) }
}

/// Checks that the file is a Toolgate store with a known layout; initializes a new file. Returns the fingerprint key.
fn check_layout(transaction: &Transaction<'_>) -> Result<HashKey, OpenError> {
    let number = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (number("application_id")?, number("user_version")?) {
        (0, 0) if tables == 0 => {
            transaction.execute_batch(&[INSTALLATION_TABLE, DOCUMENTS_TABLE, ROWS_TABLE].concat())?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", LAYOUT_VERSION)?;
        }
        (APPLICATION_ID, LAYOUT_VERSION) => {}
        (APPLICATION_ID, newer) if newer > LAYOUT_VERSION => {
            return Err(OpenError::Rejected(newer_layout(newer)));
        }
        _ => return Err(OpenError::Rejected(FOREIGN_FILE.to_owned())),
    }
    let has_owed = "SELECT EXISTS (SELECT 1 FROM pragma_table_info('documents') WHERE name = 'owed_since')";
    if !transaction.query_row(has_owed, [], |row| row.get(0))? {
        transaction.execute_batch(OWED_COLUMN)?;
    }
    transaction.execute(
        "INSERT OR IGNORE INTO installation (name, value) VALUES ('sketches', ?1)",
        [HashKey::random().to_bytes()],
    )?;
    let key: [u8; 16] =
        transaction.query_row("SELECT value FROM installation WHERE name = 'sketches'", [], |row| row.get(0))?;
    Ok(HashKey::new(key))
}
