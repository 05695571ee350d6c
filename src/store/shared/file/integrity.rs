//! The check of a file store: `SQLite`'s own, and what only this program knows.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::database::{LAYOUT_VERSION, describe_error};
use super::place;
use super::reading::ReadableFile;
use crate::store::error::StoreError;
use crate::store::overview::parse;
use crate::store::shared::probe;
use crate::store::shared::report::{FileCheck, RowCounts};

/// The maximum of problems of one kind that a report lists.
const MAX_PROBLEMS: usize = 20;

/// Checks a store. It is read in one snapshot, without a write lock.
pub(super) fn check(path: &Path, source: &mut ReadableFile) -> Result<FileCheck, StoreError> {
    let read = |error| describe_error(path, &error);
    let snapshot = source.connection.transaction_with_behavior(TransactionBehavior::Deferred).map_err(read)?;
    let mut problems = problems(&snapshot).map_err(read)?;
    // A damaged file may have nothing that can be counted.
    let counts = match count(&snapshot) {
        Ok(counts) => Some(counts),
        Err(error) if problems.is_empty() => return Err(read(error)),
        Err(_) => None,
    };
    if problems.is_empty() {
        problems = content_problems(&snapshot).map_err(read)?;
    }
    let size = |suffix| std::fs::metadata(place::beside(path, suffix)).map_or(0, |metadata| metadata.len());
    Ok(FileCheck {
        file: path.to_owned(),
        layout: source.layout,
        known_layout: LAYOUT_VERSION,
        bytes: size(""),
        log_bytes: size("-wal"),
        counts,
        problems,
    })
}

/// What `SQLite` finds wrong with the file.
pub(super) fn problems(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    match integrity_problems(connection) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => Ok(vec![error.to_string()]),
        found => found,
    }
}

fn integrity_problems(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut check = connection.prepare(&format!("PRAGMA integrity_check({MAX_PROBLEMS})"))?;
    let found = check.query_map([], |row| row.get::<_, String>(0))?;
    found.filter(|problem| !matches!(problem, Ok(text) if text == "ok")).collect()
}

/// Rows without a session, and documents that can't be parsed.
fn content_problems(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut problems = Vec::new();
    let orphans: i64 = connection.query_row(
        "SELECT count(*) FROM rows WHERE session NOT IN (SELECT number FROM documents)",
        [],
        |row| row.get(0),
    )?;
    if orphans > 0 {
        problems.push(format!("{orphans} rows belong to no session"));
    }
    let mut select = connection.prepare("SELECT id, document FROM documents")?;
    let mut documents = select.query([])?;
    while let Some(row) = documents.next()? {
        let (id, document): (String, String) = (row.get(0)?, row.get(1)?);
        if let Err(error) = parse(&document) {
            problems.push(format!("session `{id}` can't be read: {error}"));
        }
        if problems.len() > MAX_PROBLEMS {
            break;
        }
    }
    Ok(problems)
}

/// Counts what the store keeps.
pub(super) fn count(connection: &Connection) -> rusqlite::Result<RowCounts> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs);
    let rows = |prefix: &str| number(&format!("SELECT count(*) FROM rows WHERE name GLOB '{prefix}:*'"));
    Ok(RowCounts {
        sessions: number(&format!("SELECT count(*) FROM documents WHERE id <> '{}'", probe::KEY))?,
        records: rows("call")?,
        answers: rows("answer")?,
        questions: rows("question")?,
    })
}
