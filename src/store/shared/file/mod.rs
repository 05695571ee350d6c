//! The file store: `SQLite` in WAL mode, one thread per process, any number of processes.
//!
//! A batch of jobs runs in one `IMMEDIATE` transaction and is answered after its commit. `synchronous=FULL`: with less,
//! a power failure may lose the last commits, for example the claim of a payment, which would then run twice. All jobs
//! of a transaction share the cost of the disk sync.

mod answers;
mod database;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::backend::{Backend, BackendFailure};
use super::job::{JobContext, StoreJob};
use super::{SharedOptions, SharedStore, worker};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::key::hex;
use crate::store::StoreError;
use crate::store::document::SessionDocument;
use answers::FileAnswers;

/// The longest session id that is stored unchanged, in bytes.
const MAX_PLAIN_ID: usize = 512;
/// The beginning of the key of a session whose id is not stored unchanged.
const HASH_PREFIX: &str = "sha256:";
/// The maximum of sessions that one sweep drops.
const MAX_SESSIONS_PER_SWEEP: usize = 1000;

/// Creates a store in the file at `path`. The file is opened, or created, by the first operation, which also reports
/// its faults.
///
/// # Errors
/// If no thread can be started.
pub fn open(path: &Path, options: SharedOptions) -> std::io::Result<SharedStore> {
    let busy_timeout = options.operation_timeout / 2;
    worker::start(FileBackend { path: path.to_owned(), busy_timeout, database: RefCell::default() }, options)
}

struct OpenDatabase {
    connection: Connection,
    fingerprint_key: HashKey,
}

struct FileBackend {
    path: PathBuf,
    /// The time limit of waiting for other processes.
    busy_timeout: Duration,
    database: RefCell<Option<OpenDatabase>>,
}

impl Backend for FileBackend {
    /// All sessions are one group: the jobs of a transaction share the cost of the disk sync.
    type Group = ();

    fn group(&self, _session: &SessionId) {}

    async fn commit(&self, jobs: &mut [Box<dyn StoreJob>], _until: Instant) -> Result<(), BackendFailure> {
        self.transact(|transaction, fingerprint_key| {
            apply_jobs(transaction, jobs, JobContext { now: None, fingerprint_key })
        })
        // SQLite has waited already.
        .map_err(BackendFailure::Permanent)
    }

    async fn sweep(&self, idle_since: EpochMs, in_use: &[SessionId]) -> Result<Vec<SessionId>, StoreError> {
        self.transact(|transaction, _| delete_idle(transaction, idle_since, in_use))
    }

    /// Reports no failure: each fault of a file can be fixed while the process runs.
    async fn check(&self) -> Result<(), BackendFailure> {
        Ok(())
    }

    fn close(&self) {
        // Closing the last connection also checkpoints the write-ahead log.
        *self.database.borrow_mut() = None;
    }
}

impl FileBackend {
    /// Runs a transaction, in the file that is open or is opened now. After a failure the file is closed, so that the
    /// next operation opens it again: it may have been repaired or replaced.
    fn transact<T>(&self, run: impl FnOnce(Transaction<'_>, HashKey) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut database = self.database.borrow_mut();
        let OpenDatabase { connection, fingerprint_key } = match &mut *database {
            Some(opened) => opened,
            empty => {
                let (connection, fingerprint_key) = database::open(&self.path, self.busy_timeout)?;
                empty.insert(OpenDatabase { connection, fingerprint_key })
            }
        };
        let done = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|transaction| run(transaction, *fingerprint_key));
        done.map_err(|error| {
            *database = None;
            database::describe_error(&self.path, &error)
        })
    }
}

/// A session within one transaction.
struct LoadedSession {
    document: Option<SessionDocument>,
    changed: bool,
}

fn apply_jobs(
    transaction: Transaction<'_>,
    jobs: &mut [Box<dyn StoreJob>],
    context: JobContext,
) -> rusqlite::Result<()> {
    let mut sessions: HashMap<SessionId, LoadedSession> = HashMap::new();
    for job in jobs.iter_mut() {
        let id = job.session().clone();
        if !sessions.contains_key(&id) {
            match load_session(&transaction, &id)? {
                Ok(slot) => {
                    sessions.insert(id.clone(), LoadedSession { document: slot, changed: false });
                }
                Err(error) => {
                    job.reject(error);
                    continue;
                }
            }
        }
        let Some(session) = sessions.get_mut(&id) else { continue };
        let row = row_key(&id);
        let mut answers = FileAnswers::new(&transaction, &row);
        session.changed |= job.apply(&mut session.document, &mut answers, context);
        answers.finish()?;
    }
    for (id, session) in sessions {
        if let (true, Some(document)) = (session.changed, &session.document) {
            save_session(&transaction, &id, document)?;
        }
    }
    transaction.commit()
}

fn load_session(
    transaction: &Transaction<'_>,
    id: &SessionId,
) -> rusqlite::Result<Result<Option<SessionDocument>, StoreError>> {
    let key = row_key(id);
    // No row has a long key now, so this finds rows of an earlier version only.
    if id.as_str().len() > MAX_PLAIN_ID {
        rename_rows(transaction, id, &key)?;
    }
    let text: Option<String> = transaction
        .prepare_cached("SELECT document FROM sessions WHERE id = ?1")?
        .query_row([&*key], |row| row.get(0))
        .optional()?;
    Ok(text
        .map(|text| SessionDocument::from_stored_text(&text))
        .transpose()
        .map_err(|error| StoreError::SessionFailed(format!("session `{id}` can't be read: {error}"))))
}

/// The session's key in the tables: its id, or a hash of an id that is long or that looks like such a hash.
fn row_key(id: &SessionId) -> Cow<'_, str> {
    let id = id.as_str();
    if id.len() <= MAX_PLAIN_ID && !id.starts_with(HASH_PREFIX) {
        return Cow::Borrowed(id);
    }
    Cow::Owned([HASH_PREFIX, &hex(&Sha256::digest(id))].concat())
}

/// Gives a session that an earlier version stored under its long id its present key.
fn rename_rows(transaction: &Transaction<'_>, id: &SessionId, key: &str) -> rusqlite::Result<()> {
    for update in [
        "UPDATE OR IGNORE sessions SET id = ?2 WHERE id = ?1",
        "UPDATE OR IGNORE answers SET session = ?2 WHERE session = ?1",
    ] {
        transaction.prepare_cached(update)?.execute([id.as_str(), key])?;
    }
    Ok(())
}

fn save_session(transaction: &Transaction<'_>, id: &SessionId, document: &SessionDocument) -> rusqlite::Result<()> {
    let text =
        serde_json::to_string(document).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    transaction
        .prepare_cached(
            "INSERT INTO sessions (id, used_at, document) VALUES (?1, ?2, ?3)
             ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at, document = excluded.document",
        )?
        .execute(params![&*row_key(id), sql_integer(document.used_at()), text])?;
    Ok(())
}

/// Deletes idle sessions. Returns their keys, which differ from long ids.
fn delete_idle(
    transaction: Transaction<'_>,
    idle_since: EpochMs,
    in_use: &[SessionId],
) -> rusqlite::Result<Vec<SessionId>> {
    let mut idle: Vec<SessionId> = transaction
        .prepare_cached("SELECT id FROM sessions WHERE used_at < ?1 ORDER BY used_at")?
        .query_map([sql_integer(idle_since)], |row| row.get::<_, String>(0))?
        .map(|id| id.map(SessionId::from))
        .collect::<rusqlite::Result<_>>()?;
    let in_use: HashSet<Cow<'_, str>> = in_use.iter().map(row_key).collect();
    idle.retain(|id| !in_use.contains(id.as_str()));
    idle.truncate(MAX_SESSIONS_PER_SWEEP);
    for id in &idle {
        transaction.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([id.as_str()])?;
        transaction.prepare_cached("DELETE FROM answers WHERE session = ?1")?.execute([id.as_str()])?;
    }
    transaction.commit()?;
    Ok(idle)
}

/// `SQLite`'s integers are signed.
fn sql_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
