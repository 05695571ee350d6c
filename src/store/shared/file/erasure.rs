//! The erasure of a principal's sessions from a file, and from its write-ahead log.

use std::path::Path;
use std::time::Instant;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::database::{self, describe_error};
use super::reading::WAIT;
use super::{OpenDatabase, place};
use crate::store::StoreError;
use crate::store::overview::parse;
use crate::store::shared::report::ErasureReport;

/// The number of sessions that one transaction looks at: other processes wait for it.
const SESSIONS_PER_TRANSACTION: i64 = 200;

/// Deletes the sessions of a principal with all of their rows. A session that begins meanwhile may stay.
///
/// # Errors
/// If the file does not exist or can't be used.
pub fn erase(path: &Path, principal: &str) -> Result<ErasureReport, StoreError> {
    place::require_file(path)?;
    let OpenDatabase { mut connection, mut turnstile, .. } = database::open(path, WAIT)?;
    let failed = |error| describe_error(path, &error);
    let (mut report, mut last) = (ErasureReport::default(), Some(0));
    while let Some(after) = last {
        let _turn = turnstile.take();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        last = erase_some(transaction, principal, after, &mut report).map_err(failed)?;
    }
    let _turn = turnstile.take();
    report.left_in_log = !empty_log(&connection).map_err(failed)?;
    Ok(report)
}

/// Looks at some sessions and deletes those of the principal. Returns the number of the last; `None` if there was none.
fn erase_some(
    transaction: Transaction<'_>,
    principal: &str,
    after: i64,
    report: &mut ErasureReport,
) -> rusqlite::Result<Option<i64>> {
    let found: Vec<(i64, String, String)> = transaction
        .prepare_cached("SELECT number, id, document FROM documents WHERE number > ?1 ORDER BY number LIMIT ?2")?
        .query_map(params![after, SESSIONS_PER_TRANSACTION], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (number, id, document) in &found {
        match parse(document) {
            Ok(document) if document.owner.principal() == Some(principal) => {
                erase_session(&transaction, *number, report)?;
            }
            Ok(_) => {}
            Err(_) => report.add_unreadable(id.clone()),
        }
    }
    transaction.commit()?;
    Ok(found.last().map(|(number, ..)| *number))
}

fn erase_session(transaction: &Transaction<'_>, number: i64, report: &mut ErasureReport) -> rusqlite::Result<()> {
    let mut delete = transaction.prepare_cached("DELETE FROM rows WHERE session = ?1 RETURNING name")?;
    for name in delete.query_map([number], |row| row.get::<_, String>(0))? {
        report.erased.add_row(&name?);
    }
    transaction.prepare_cached("DELETE FROM documents WHERE number = ?1")?.execute([number])?;
    report.erased.sessions += 1;
    Ok(())
}

/// Empties the write-ahead log. False if other processes kept using it.
fn empty_log(connection: &Connection) -> rusqlite::Result<bool> {
    let until = Instant::now() + WAIT;
    loop {
        if database::checkpoint(connection, WAIT)? {
            return Ok(true);
        }
        if Instant::now() >= until {
            return Ok(false);
        }
    }
}
