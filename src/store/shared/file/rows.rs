//! The rows of one session in the file.

use rusqlite::{OptionalExtension, Transaction, params};

use super::super::rows::{BufferedRows, KnownRow};
use crate::clock::EpochMs;
use crate::store::row_names::RowKey;
use crate::store::rows::{Row, Rows};

/// Deletes expired rows of a session: more in one commit than are added until the next one that does, so that none
/// accumulate. With a parameter as its limit the statement would be prepared anew for each use.
const PURGE: &str = "DELETE FROM rows WHERE rowid IN (
    SELECT rowid FROM rows WHERE session = ?1 AND expires <= ?2 ORDER BY expires LIMIT 32
) RETURNING name";

/// Why a row could not be read.
pub(super) enum RowFailure {
    /// Aborts the transaction.
    Sqlite(rusqlite::Error),
    /// Concerns this session only.
    Unreadable(serde_json::Error),
}

/// Rows within a transaction, which are read when they are first used. The first failure is kept until the end.
pub(super) struct FileRows<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    /// The session's number; `None` if it is new.
    pub(super) session: Option<i64>,
    pub(super) buffer: &'a mut BufferedRows,
    pub(super) failure: &'a mut Option<RowFailure>,
}

impl FileRows<'_> {
    fn read(&self, key: &RowKey) -> Result<Option<Row>, RowFailure> {
        let Some(session) = self.session else { return Ok(None) };
        let text = self
            .transaction
            .prepare_cached("SELECT content FROM rows WHERE session = ?1 AND name = ?2")
            .and_then(|mut select| {
                select.query_row(params![session, key.to_text()], |row| row.get::<_, String>(0)).optional()
            })
            .map_err(RowFailure::Sqlite)?;
        text.map_or(Ok(None), |text| Row::from_text(key, &text)).map_err(RowFailure::Unreadable)
    }
}

impl Rows for FileRows<'_> {
    fn get(&mut self, key: &RowKey) -> Option<Row> {
        match self.buffer.known(key) {
            KnownRow::Stored(row) => return Some(row),
            KnownRow::Absent => return None,
            KnownRow::NotFetched => {}
        }
        match self.read(key) {
            Ok(row) => {
                self.buffer.add_fetched(key.clone(), row.clone());
                row
            }
            Err(failure) => {
                self.failure.get_or_insert(failure);
                None
            }
        }
    }

    fn put(&mut self, key: RowKey, row: Row, expires: Option<EpochMs>) {
        self.buffer.put(key, row, expires);
    }

    fn remove(&mut self, key: &RowKey) {
        self.buffer.remove(key);
    }

    fn purge(&mut self, now: EpochMs) {
        self.buffer.purge(now);
    }
}

/// Writes the changes of a session's rows. Returns true if the arguments of a question were deleted.
pub(super) fn write(transaction: &Transaction<'_>, session: i64, rows: &BufferedRows) -> rusqlite::Result<bool> {
    let mut has_deleted_text = rows.deletes_question_text();
    if let Some(until) = rows.purge_until() {
        has_deleted_text |= purge(transaction, session, until)?;
    }
    for (key, change) in rows.changes() {
        let name = key.to_text();
        let Some((row, expires)) = change else {
            transaction
                .prepare_cached("DELETE FROM rows WHERE session = ?1 AND name = ?2")?
                .execute(params![session, name])?;
            continue;
        };
        let content = row.to_text().map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        transaction
            .prepare_cached(
                "INSERT INTO rows (session, name, expires, content) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (session, name) DO UPDATE SET expires = excluded.expires, content = excluded.content",
            )?
            .execute(params![session, name, expires.map(sql_integer), content])?;
    }
    Ok(has_deleted_text)
}

/// Deletes some expired rows. Returns true if the arguments of a question were among them.
fn purge(transaction: &Transaction<'_>, session: i64, until: EpochMs) -> rusqlite::Result<bool> {
    let mut delete = transaction.prepare_cached(PURGE)?;
    let names = delete.query_map(params![session, sql_integer(until)], |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
    Ok(names.iter().any(|name| RowKey::is_question_text(name)))
}

/// `SQLite`'s integers are signed.
pub(super) fn sql_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
