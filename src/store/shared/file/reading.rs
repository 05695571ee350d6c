//! Opening a file store for reading only: no write lock, no migration, nothing is created.

use crate::store::error::StoreError;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::database::{APPLICATION_ID, FOREIGN_FILE, LAYOUT_VERSION, describe_error, newer_layout};
use super::place;

/// The time limit of waiting for other processes: a reader of the write-ahead log waits only while it is recovered.
pub(super) const WAIT: Duration = Duration::from_secs(5);

/// A file store that is open for reading.
pub(super) struct ReadableFile {
    pub(super) connection: Connection,
    /// The version of the table layout, not newer than [`LAYOUT_VERSION`].
    pub(super) layout: i32,
}

/// Opens an existing store.
///
/// # Errors
/// If it does not exist, is no store of this program, or has a newer layout.
pub(super) fn open(path: &Path) -> Result<ReadableFile, StoreError> {
    place::require_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.busy_timeout(WAIT)?;
        connection.pragma_update(None, "trusted_schema", "OFF")?;
        let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let (application, layout) = (number("application_id")?, number("user_version")?);
        Ok((connection, application, layout))
    });
    let (connection, application, layout) = opened.map_err(|error| describe_error(path, &error))?;
    let rejected = |what: &str| Err(rejection(path, what));
    match (application, layout) {
        (APPLICATION_ID, newer) if newer > LAYOUT_VERSION => rejected(&newer_layout(newer)),
        (APPLICATION_ID, layout) => Ok(ReadableFile { connection, layout }),
        (0, 0) => rejected("is no store: it is empty, or belongs to another program"),
        _ => rejected(FOREIGN_FILE),
    }
}

fn rejection(path: &Path, what: &str) -> StoreError {
    StoreError::Failed(format!("`{}` {what}", path.display()))
}
