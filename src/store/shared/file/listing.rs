//! The sessions of a file, read without a write lock.

use std::path::Path;

use rusqlite::{OptionalExtension, TransactionBehavior, params};

use super::database::describe_error;
use super::reading::{self, ReadableFile};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::store::StoreError;
use crate::store::overview::{
    OverviewBuilder, SessionFilter, SessionList, SessionOverview, parse, summarize, unreadable,
};
use crate::store::shared::session_key::{HASH_PREFIX, row_key};

/// Lists sessions, the last used first.
///
/// # Errors
/// If the file can't be read as a store.
pub fn list(path: &Path, filter: &SessionFilter) -> Result<SessionList, StoreError> {
    let source = reading::open(path)?;
    let listed = || {
        let mut list = SessionList::default();
        let mut select = source.connection.prepare("SELECT id, document FROM documents ORDER BY used_at DESC")?;
        let mut documents = select.query([])?;
        while let Some(row) = documents.next()? {
            let document: String = row.get(1)?;
            if !list.add(row.get(0)?, &document, filter) {
                break;
            }
        }
        Ok(list)
    };
    listed().map_err(|error| describe_error(path, &error))
}

/// Shows one session. `None` if there is none under this id.
///
/// # Errors
/// If the file can't be read as a store, or the session's document can't be read.
pub fn show(path: &Path, id: &str, now: EpochMs) -> Result<Option<SessionOverview>, StoreError> {
    let mut source = reading::open(path)?;
    let found = find(&mut source, id, now).map_err(|error| describe_error(path, &error))?;
    let Some((key, document, rows)) = found else { return Ok(None) };
    let document = parse(&document).map_err(|error| unreadable(&key, &error))?;
    Ok(Some(rows.finish(summarize(key, &document))))
}

/// The key, the document and the rows of a session.
fn find(
    source: &mut ReadableFile,
    id: &str,
    now: EpochMs,
) -> rusqlite::Result<Option<(String, String, OverviewBuilder)>> {
    let snapshot = source.connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let mut select = snapshot.prepare("SELECT number, id, document FROM documents WHERE id = ?1")?;
    let mut document =
        |key: &str| select.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional();
    let mut found: Option<(i64, String, String)> = document(&row_key(&SessionId::from(id)))?;
    if found.is_none() && id.starts_with(HASH_PREFIX) {
        // A hash as a list shows it.
        found = document(id)?;
    }
    let Some((number, key, document)) = found else { return Ok(None) };
    let mut builder = OverviewBuilder::default();
    let mut select = snapshot.prepare("SELECT name, content FROM rows WHERE session = ?1")?;
    let mut rows = select.query(params![number])?;
    while let Some(row) = rows.next()? {
        let (name, content): (String, String) = (row.get(0)?, row.get(1)?);
        builder.add_row(&name, &content, now);
    }
    Ok(Some((key, document, builder)))
}
