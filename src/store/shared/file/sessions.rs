//! The sessions in the tables: loaded, changed and saved within one transaction.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension, Transaction, params};

use super::super::job::{JobContext, StoreJob};
use super::super::rows::BufferedRows;
use super::super::session_key::row_key;
use super::recent::{CachedSessions, MAX_RECENT_BYTES, RecentSession, StoredSession};
use super::rows::sql_integer;
use super::rows::{self, FileRows, RowFailure};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::store::api::Swept;
use crate::store::document::SessionDocument;
use crate::store::error::StoreError;
use crate::store::overview::owed_in;

/// How far the indexed time of a session's use is set ahead, so that the index changes once a second at most. A session is
/// dropped that much later, and never earlier.
const USE_LEAD_MS: i64 = 1000;

/// The sessions that were last used before a time, with the documents of those that owe results.
const IDLE_SESSIONS: &str = "SELECT number, id, CASE WHEN document LIKE '%\"owed\":%' THEN document END
    FROM documents WHERE used_at < ?1 ORDER BY used_at";
/// The maximum of sessions that one sweep drops.
const MAX_SESSIONS_PER_SWEEP: usize = 1000;
/// The number of deleted rows after which a sweep drops no further session: other operations wait for it.
const MAX_ROWS_PER_SWEEP: usize = 10_000;

/// A session within one transaction.
#[derive(Default)]
struct LoadedSession {
    /// `None` if it is new.
    stored: Option<StoredSession>,
    document: Option<SessionDocument>,
    rows: BufferedRows,
    changed: bool,
    /// Why one of its rows could not be read.
    failure: Option<RowFailure>,
}

impl LoadedSession {
    fn has_changed(&self) -> bool {
        self.changed || !self.rows.changes().is_empty()
    }
}

/// What a committed transaction has left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterCommit {
    Nothing,
    /// Deleted arguments are still in the write-ahead log.
    Checkpoint,
}

/// Applies jobs that usually change nothing, without a lock against other writers. False if one of them changes
/// something: nothing was written, and the jobs must be applied again by [`apply_jobs`].
pub(super) fn apply_looks(
    transaction: &Transaction<'_>,
    recent: &mut CachedSessions,
    jobs: &mut [Box<StoreJob>],
    context: JobContext,
) -> rusqlite::Result<(bool, AfterCommit)> {
    let sessions = load_and_apply(transaction, recent, jobs, context)?;
    let has_changed = |session: &LoadedSession| session.has_changed() || session.failure.is_some();
    if sessions.values().any(has_changed) {
        return Ok((false, AfterCommit::Nothing));
    }
    for (id, LoadedSession { stored, document, rows, .. }) in sessions {
        if let (Some(stored), Some(document)) = (stored, document) {
            recent.put(id, RecentSession { stored, document, rows });
        }
    }
    Ok((true, AfterCommit::Nothing))
}

/// Applies jobs and commits their changes.
pub(super) fn apply_jobs(
    transaction: Transaction<'_>,
    recent: &mut CachedSessions,
    jobs: &mut [Box<StoreJob>],
    (context, idle_ms): (JobContext, u64),
) -> rusqlite::Result<((), AfterCommit)> {
    let sessions = load_and_apply(&transaction, recent, jobs, context)?;
    let mut after = AfterCommit::Nothing;
    for (id, session) in sessions {
        match session.failure {
            Some(RowFailure::Sqlite(error)) => return Err(error),
            Some(RowFailure::Unreadable(error)) => {
                jobs.iter_mut().filter(|job| *job.session() == id).for_each(|job| job.reject(unreadable(&id, &error)));
            }
            None => {
                if save_session(&transaction, recent, id, (session, idle_ms))? {
                    after = AfterCommit::Checkpoint;
                }
            }
        }
    }
    transaction.commit()?;
    Ok(((), after))
}

/// Loads the sessions of the jobs and applies them. Writes nothing.
fn load_and_apply(
    transaction: &Transaction<'_>,
    recent: &mut CachedSessions,
    jobs: &mut [Box<StoreJob>],
    context: JobContext,
) -> rusqlite::Result<HashMap<SessionId, LoadedSession>> {
    recent.forget_if_outdated(transaction)?;
    let mut sessions: HashMap<SessionId, LoadedSession> = HashMap::new();
    for job in jobs.iter_mut() {
        let id = job.session().clone();
        if !sessions.contains_key(&id) {
            match load_session(transaction, recent, &id)? {
                Ok(session) => {
                    sessions.insert(id.clone(), session);
                }
                Err(error) => {
                    job.reject(error);
                    continue;
                }
            }
        }
        let Some(LoadedSession { stored, document, rows, changed, failure }) = sessions.get_mut(&id) else { continue };
        let number = stored.map(|stored| stored.number);
        let mut rows = FileRows { transaction, session: number, buffer: rows, failure };
        *changed |= job.apply(document, &mut rows, context);
    }
    Ok(sessions)
}

fn load_session(
    transaction: &Transaction<'_>,
    recent: &mut CachedSessions,
    id: &SessionId,
) -> rusqlite::Result<Result<LoadedSession, StoreError>> {
    if let Some(RecentSession { stored, document, rows }) = recent.take(id) {
        let session =
            LoadedSession { stored: Some(stored), document: Some(document), rows, ..LoadedSession::default() };
        return Ok(Ok(session));
    }
    let found: Option<(StoredSession, String)> = transaction
        .prepare_cached("SELECT number, used_at, owed_since, document FROM documents WHERE id = ?1")?
        .query_row([&*row_key(id)], |row| {
            let stored = StoredSession { number: row.get(0)?, used_at: row.get(1)?, owed_since: row.get(2)? };
            Ok((stored, row.get(3)?))
        })
        .optional()?;
    let Some((stored, text)) = found else { return Ok(Ok(LoadedSession::default())) };
    let stored = Some(stored);
    Ok(match serde_json::from_str(&text) {
        Ok(document) => Ok(LoadedSession { stored, document: Some(document), ..LoadedSession::default() }),
        Err(error) => Err(unreadable(id, &error)),
    })
}

fn unreadable(id: &SessionId, error: &serde_json::Error) -> StoreError {
    StoreError::SessionFailed(format!("session `{id}` can't be read: {error}"))
}

/// Writes what has changed of a session. Returns true if the arguments of a question were deleted.
fn save_session(
    transaction: &Transaction<'_>,
    recent: &mut CachedSessions,
    id: SessionId,
    (session, idle_ms): (LoadedSession, u64),
) -> rusqlite::Result<bool> {
    let has_changed = session.has_changed();
    let LoadedSession { stored, document: Some(document), mut rows, .. } = session else { return Ok(false) };
    if !has_changed {
        return Ok(false);
    }
    let text = document_text(&document)?;
    let indexed = (sql_integer(document.kept_as_used_at(idle_ms)), document.owed_since().map(sql_integer));
    let stored = match stored {
        None => insert_document(transaction, &row_key(&id), indexed, &text)?,
        Some(stored) => update_document(transaction, stored, indexed, &text)?,
    };
    let has_deleted_text = rows::write(transaction, stored.number, &rows)?;
    if text.len() <= MAX_RECENT_BYTES {
        rows.keep_committed();
        recent.put(id, RecentSession { stored, document, rows });
    }
    Ok(has_deleted_text)
}

pub(super) fn document_text(document: &SessionDocument) -> rusqlite::Result<String> {
    serde_json::to_string(document).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// Writes the document of a session that may be new.
pub(super) fn insert_document(
    transaction: &Transaction<'_>,
    key: &str,
    (used_at, owed_since): (i64, Option<i64>),
    text: &str,
) -> rusqlite::Result<StoredSession> {
    let number = transaction
        .prepare_cached(
            "INSERT INTO documents (id, used_at, owed_since, document) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at, owed_since = excluded.owed_since,
                 document = excluded.document
             RETURNING number",
        )?
        .query_row(params![key, used_at, owed_since, text], |row| row.get(0))?;
    Ok(StoredSession { number, used_at, owed_since })
}

/// Writes the document of a stored session. What is indexed is written only if it changes: the time of its use if it is behind, or
/// ahead for what keeps the session no longer.
fn update_document(
    transaction: &Transaction<'_>,
    stored: StoredSession,
    (used_at, owed_since): (i64, Option<i64>),
    text: &str,
) -> rusqlite::Result<StoredSession> {
    let number = stored.number;
    let is_ahead = (used_at..=used_at.saturating_add(USE_LEAD_MS)).contains(&stored.used_at);
    if is_ahead && owed_since == stored.owed_since {
        transaction
            .prepare_cached("UPDATE documents SET document = ?2 WHERE number = ?1")?
            .execute(params![number, text])?;
        return Ok(stored);
    }
    let used_at = used_at.saturating_add(USE_LEAD_MS);
    transaction
        .prepare_cached("UPDATE documents SET document = ?2, used_at = ?3, owed_since = ?4 WHERE number = ?1")?
        .execute(params![number, text, used_at, owed_since])?;
    Ok(StoredSession { number, used_at, owed_since })
}

/// Since when the oldest result of all sessions is owed.
pub(super) fn owed_since(transaction: &Transaction<'_>) -> rusqlite::Result<Option<EpochMs>> {
    let oldest: Option<i64> = transaction
        .prepare_cached("SELECT min(owed_since) FROM documents WHERE owed_since IS NOT NULL")?
        .query_row([], |row| row.get(0))?;
    Ok(oldest.and_then(|time| EpochMs::try_from(time).ok()))
}

/// Deletes idle sessions. Returns their keys, which differ from long ids, and the results that were owed to them.
pub(super) fn delete_idle(
    transaction: Transaction<'_>,
    recent: &mut CachedSessions,
    idle_since: EpochMs,
    in_use: &[SessionId],
) -> rusqlite::Result<(Swept, AfterCommit)> {
    recent.clear();
    let in_use: HashSet<Cow<'_, str>> = in_use.iter().map(row_key).collect();
    let idle: Vec<(i64, String, Option<String>)> = transaction
        .prepare_cached(IDLE_SESSIONS)?
        .query_map([sql_integer(idle_since)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .filter(|found| {
            !found.as_ref().is_ok_and(|(_, id, _): &(i64, String, Option<String>)| in_use.contains(id.as_str()))
        })
        .take(MAX_SESSIONS_PER_SWEEP)
        .collect::<rusqlite::Result<_>>()?;
    let (mut swept, mut deleted_rows) = (Swept::default(), 0);
    for (number, id, owing) in idle {
        if deleted_rows >= MAX_ROWS_PER_SWEEP {
            break;
        }
        transaction.prepare_cached("DELETE FROM documents WHERE number = ?1")?.execute([number])?;
        deleted_rows += transaction.prepare_cached("DELETE FROM rows WHERE session = ?1")?.execute([number])?;
        swept.add(SessionId::from(id), owed_in(owing.as_deref()));
    }
    transaction.commit()?;
    let after = if swept.sessions.is_empty() { AfterCommit::Nothing } else { AfterCommit::Checkpoint };
    Ok((swept, after))
}

#[cfg(test)]
mod tests;
