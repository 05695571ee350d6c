//! The migration of a file of an earlier layout.
//!
//! The earlier tables are dropped in the same transaction, so a process of an earlier version that has the file open
//! fails, and is then refused as it opens the file again.

use rusqlite::{Transaction, params};

use super::super::rows::BufferedRows;
use super::super::session_key::{MAX_PLAIN_ID, row_key};
use super::sessions::{document_text, insert_document};
use super::{database, rows, sql_integer};
use crate::call::SessionId;
use crate::store::document::StoredDocument;

/// Moves all sessions to the present tables, from those with all records in the session's document. An unreadable document
/// is moved as it is; its operations fail.
pub(super) fn move_sessions(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut select = transaction.prepare("SELECT id, used_at, document FROM sessions")?;
    let mut sessions = select.query([])?;
    while let Some(session) = sessions.next()? {
        let (id, used_at, document): (String, i64, String) = (session.get(0)?, session.get(1)?, session.get(2)?);
        let number = move_document(transaction, &id, used_at, &document)?;
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO rows (session, name, content)
                 SELECT ?1, 'answer:' || epoch, answer FROM answers WHERE session = ?2",
            )?
            .execute(params![number, id])?;
    }
    drop(sessions);
    drop(select);
    transaction.execute_batch("DROP TABLE sessions; DROP TABLE answers;")
}

/// Moves all rows to the present table.
pub(super) fn move_rows(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch("DROP INDEX rows_by_expiry; ALTER TABLE rows RENAME TO rows_by_name;")?;
    transaction.execute_batch(database::ROWS_TABLE)?;
    transaction.execute_batch(
        "INSERT INTO rows (session, name, expires, content) SELECT session, name, expires, content FROM rows_by_name;
         DROP TABLE rows_by_name;",
    )
}

/// Moves one document, under its present key. Returns the session's number.
fn move_document(transaction: &Transaction<'_>, id: &str, used_at: i64, text: &str) -> rusqlite::Result<i64> {
    // An id that looks like the hash of a long id is such a hash already.
    let key = if id.len() > MAX_PLAIN_ID { row_key(&SessionId::from(id)).into_owned() } else { id.to_owned() };
    if let Ok(StoredDocument::Earlier(earlier)) = StoredDocument::parse(text) {
        let mut buffer = BufferedRows::default();
        let document = earlier.upgrade(&mut buffer);
        let used_at = sql_integer(document.used_at());
        let number = insert_document(transaction, &key, used_at, &document_text(&document)?)?.number;
        rows::write(transaction, number, &buffer)?;
        return Ok(number);
    }
    transaction
        .prepare_cached(
            "INSERT INTO documents (id, used_at, document) VALUES (?1, ?2, ?3)
             ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at RETURNING number",
        )?
        .query_row(params![key, used_at, text], |row| row.get(0))
}

#[cfg(test)]
mod tests;
