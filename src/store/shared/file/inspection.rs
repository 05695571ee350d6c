//! A file, open for an operator's command. Only an erasure takes the write lock, and only it waits for writers.

use std::path::{Path, PathBuf};
use std::time::Instant;

use futures_util::future::{FutureExt, ready};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::database::{self, describe_error};
use super::reading::{self, ReadableFile, WAIT};
use super::{OpenDatabase, integrity};
use crate::call::SessionId;
use crate::json::HashKey;
use crate::store::error::StoreError;
use crate::store::shared::SharedOptions;
use crate::store::shared::inspection::{FoundSession, Inspected, Inspection, IsErased, Visit};
use crate::store::shared::report::{Erased, StoreCheck};
use crate::store::shared::session_key::{HASH_PREFIX, row_key};
use crate::store::shared::{SharedStore, open_file};

/// The number of sessions that one transaction of an erasure looks at: other processes wait for it.
const SESSIONS_PER_TRANSACTION: i64 = 200;

/// A file store that exists.
pub(in crate::store::shared) struct FileInspection {
    path: PathBuf,
    source: ReadableFile,
}

impl FileInspection {
    pub(in crate::store::shared) fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { source: reading::open(path)?, path: path.to_owned() })
    }

    fn described<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| describe_error(&self.path, &error))
    }
}

/// `SQLite` blocks: each step is done when it returns.
fn done<'a, T: 'a>(result: Result<T, StoreError>) -> Inspected<'a, T> {
    ready(result).boxed_local()
}

impl Inspection for FileInspection {
    fn scan<'a>(&'a mut self, visit: Visit<'a>) -> Inspected<'a, ()> {
        let scanned = scan(&self.source.connection, visit);
        done(self.described(scanned))
    }

    fn find<'a>(&'a mut self, id: &'a str) -> Inspected<'a, Option<FoundSession>> {
        let found = find(&mut self.source.connection, id);
        done(self.described(found))
    }

    fn erase<'a>(&'a mut self, is_erased: IsErased<'a>) -> Inspected<'a, Erased> {
        done(erase(&self.path, is_erased))
    }

    fn check(&mut self) -> Inspected<'_, StoreCheck> {
        done(integrity::check(&self.path, &mut self.source).map(StoreCheck::File))
    }

    fn installation_key(&mut self) -> Inspected<'_, HashKey> {
        let select = "SELECT value FROM installation WHERE name = 'sketches'";
        let found = self.source.connection.query_row(select, [], |row| row.get(0));
        done(self.described(found.map(HashKey::new)))
    }

    fn store_to_change<'a>(&'a mut self, _: &'a SessionId) -> Inspected<'a, SharedStore> {
        let opened = open_file(&self.path, SharedOptions::default());
        done(opened.map_err(|error| StoreError::Failed(error.to_string())))
    }
}

fn scan(connection: &Connection, visit: Visit<'_>) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT id, document FROM documents ORDER BY used_at DESC")?;
    let mut documents = select.query([])?;
    while let Some(row) = documents.next()? {
        let (id, document): (String, String) = (row.get(0)?, row.get(1)?);
        if visit(&id, &document).is_break() {
            break;
        }
    }
    Ok(())
}

/// A session in one snapshot.
fn find(connection: &mut Connection, id: &str) -> rusqlite::Result<Option<FoundSession>> {
    let snapshot = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let mut select = snapshot.prepare("SELECT number, id, document FROM documents WHERE id = ?1")?;
    let mut document =
        |key: &str| select.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional();
    let mut found: Option<(i64, String, String)> = document(&row_key(&SessionId::from(id)))?;
    if found.is_none() && id.starts_with(HASH_PREFIX) {
        // A hash as a list shows it.
        found = document(id)?;
    }
    let Some((number, key, document)) = found else { return Ok(None) };
    let mut select = snapshot.prepare("SELECT name, content FROM rows WHERE session = ?1")?;
    let rows = select.query_map([number], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    Ok(Some(FoundSession { key, document, rows }))
}

/// Erases sessions from the file, and from its write-ahead log.
fn erase(path: &Path, is_erased: IsErased<'_>) -> Result<Erased, StoreError> {
    let OpenDatabase { mut connection, mut turnstile, .. } = database::open(path, WAIT)?;
    let failed = |error| describe_error(path, &error);
    let (mut erased, mut last) = (Erased::default(), Some(0));
    while let Some(after) = last {
        let _turn = turnstile.take();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        last = erase_some(transaction, after, is_erased, &mut erased).map_err(failed)?;
    }
    let _turn = turnstile.take();
    erased.left_in_log = !empty_log(&connection).map_err(failed)?;
    Ok(erased)
}

/// Looks at some sessions. Returns the number of the last; `None` if there was none.
fn erase_some(
    transaction: Transaction<'_>,
    after: i64,
    is_erased: IsErased<'_>,
    erased: &mut Erased,
) -> rusqlite::Result<Option<i64>> {
    let found: Vec<(i64, String, String)> = transaction
        .prepare_cached("SELECT number, id, document FROM documents WHERE number > ?1 ORDER BY number LIMIT ?2")?
        .query_map(params![after, SESSIONS_PER_TRANSACTION], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (number, id, document) in &found {
        if is_erased(id, document) {
            erase_session(&transaction, *number, erased)?;
        }
    }
    transaction.commit()?;
    Ok(found.last().map(|(number, ..)| *number))
}

fn erase_session(transaction: &Transaction<'_>, number: i64, erased: &mut Erased) -> rusqlite::Result<()> {
    let mut delete = transaction.prepare_cached("DELETE FROM rows WHERE session = ?1 RETURNING name")?;
    for name in delete.query_map([number], |row| row.get::<_, String>(0))? {
        erased.counts.add_row(&name?);
    }
    transaction.prepare_cached("DELETE FROM documents WHERE number = ?1")?.execute([number])?;
    erased.counts.sessions += 1;
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
