//! The file store: `SQLite` in WAL mode, one thread per process, any number of processes.
//!
//! Queued jobs run in one `IMMEDIATE` transaction and are answered after its commit. `synchronous=FULL`: with less, a
//! power failure may lose the last commits, for example the claim of a payment, which would then run twice. All jobs of
//! a transaction share the cost of the disk sync.

mod answers;
mod database;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::thread;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tokio::sync::mpsc;

use super::job::{JobContext, StoreJob};
use super::{SharedOptions, SharedStore, StoreRequest};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::store::StoreError;
use crate::store::document::SessionDocument;
use answers::FileAnswers;

/// The maximum of jobs committed together.
const MAX_JOBS_PER_COMMIT: usize = 256;
/// The maximum of sessions that one sweep drops.
const MAX_SESSIONS_PER_SWEEP: usize = 1000;

/// Creates a store in the file at `path`. The file is opened, or created, by the first operation, which also reports
/// its faults.
///
/// # Errors
/// If no thread can be started.
pub fn open(path: &Path, options: SharedOptions) -> std::io::Result<SharedStore> {
    let (store, inbox) = SharedStore::new(options);
    let mut worker = FileWorker { path: path.to_owned(), options, database: None };
    thread::Builder::new().name("toolgate-store".to_owned()).spawn(move || worker.run(inbox))?;
    Ok(store)
}

struct OpenDatabase {
    connection: Connection,
    fingerprint_key: HashKey,
}

struct FileWorker {
    path: PathBuf,
    options: SharedOptions,
    database: Option<OpenDatabase>,
}

impl FileWorker {
    fn run(&mut self, mut inbox: mpsc::UnboundedReceiver<StoreRequest>) {
        while let Some(first) = inbox.blocking_recv() {
            let (mut jobs, mut next) = (Vec::new(), Some(first));
            while let Some(message) = next {
                match message {
                    StoreRequest::Job(job) => jobs.push(job),
                    StoreRequest::Sweep { idle_since, in_use, reply } => {
                        self.commit(std::mem::take(&mut jobs));
                        let _ = reply.send(self.sweep(idle_since, &in_use));
                    }
                    // Every fault of a file can be fixed while the process runs.
                    StoreRequest::Check(reply) => drop(reply.send(Ok(()))),
                    StoreRequest::Close(reply) => {
                        self.commit(std::mem::take(&mut jobs));
                        // Closing the last connection also checkpoints the write-ahead log.
                        self.database = None;
                        let _ = reply.send(Ok(()));
                    }
                }
                next = if jobs.len() < MAX_JOBS_PER_COMMIT { inbox.try_recv().ok() } else { None };
            }
            self.commit(jobs);
        }
    }

    /// Runs jobs and replies; then undoes the jobs whose callers no longer wait.
    fn commit(&mut self, jobs: Vec<Box<dyn StoreJob>>) {
        let mut jobs = jobs;
        while !jobs.is_empty() {
            let (given_up, mut begun): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| job.is_abandoned());
            drop(given_up);
            let committed = self.run_transaction(&mut begun);
            jobs = begun
                .into_iter()
                .enumerate()
                .filter_map(|(place, job)| {
                    let committed = match &committed {
                        Ok(unreadable) => unreadable.get(&place).cloned().map_or(Ok(()), Err),
                        Err(error) => Err(error.clone()),
                    };
                    job.finish(committed)
                })
                .collect();
        }
    }

    /// Commits all jobs, or none. Returns the errors of jobs whose session is unreadable, by index.
    fn run_transaction(&mut self, jobs: &mut [Box<dyn StoreJob>]) -> Result<HashMap<usize, StoreError>, StoreError> {
        if jobs.is_empty() {
            return Ok(HashMap::new());
        }
        let opened = self.open_database()?;
        let context = JobContext { now: None, fingerprint_key: opened.fingerprint_key };
        let done = opened
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|transaction| apply_jobs(transaction, jobs, context));
        self.reopen_after_error(done)
    }

    fn sweep(&mut self, idle_since: EpochMs, in_use: &[SessionId]) -> Result<Vec<SessionId>, StoreError> {
        let opened = self.open_database()?;
        let done = opened
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|transaction| delete_idle(transaction, idle_since, in_use));
        self.reopen_after_error(done)
    }

    fn open_database(&mut self) -> Result<&mut OpenDatabase, StoreError> {
        match &mut self.database {
            Some(opened) => Ok(opened),
            empty => {
                let (connection, fingerprint_key) = database::open(&self.path, self.options.operation_timeout / 2)?;
                Ok(empty.insert(OpenDatabase { connection, fingerprint_key }))
            }
        }
    }

    /// Closes the file after a failure, so that the next operation opens it again: it may have been repaired or
    /// replaced.
    fn reopen_after_error<T>(&mut self, done: rusqlite::Result<T>) -> Result<T, StoreError> {
        done.map_err(|error| {
            self.database = None;
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
) -> rusqlite::Result<HashMap<usize, StoreError>> {
    let (mut sessions, mut unreadable): (HashMap<SessionId, LoadedSession>, _) = (HashMap::new(), HashMap::new());
    for (place, job) in jobs.iter_mut().enumerate() {
        let id = job.session().clone();
        if !sessions.contains_key(&id) {
            match load_session(&transaction, &id)? {
                Ok(slot) => {
                    sessions.insert(id.clone(), LoadedSession { document: slot, changed: false });
                }
                Err(error) => {
                    unreadable.insert(place, error);
                    continue;
                }
            }
        }
        let Some(session) = sessions.get_mut(&id) else { continue };
        let mut answers = FileAnswers::new(&transaction, &id);
        session.changed |= job.apply(&mut session.document, &mut answers, context);
        answers.finish()?;
    }
    for (id, session) in sessions {
        if let (true, Some(document)) = (session.changed, &session.document) {
            save_session(&transaction, &id, document)?;
        }
    }
    transaction.commit()?;
    Ok(unreadable)
}

fn load_session(
    transaction: &Transaction<'_>,
    id: &SessionId,
) -> rusqlite::Result<Result<Option<SessionDocument>, StoreError>> {
    let text: Option<String> = transaction
        .prepare_cached("SELECT document FROM sessions WHERE id = ?1")?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?;
    Ok(text
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|error| StoreError::SessionFailed(format!("session `{id}` can't be read: {error}"))))
}

fn save_session(transaction: &Transaction<'_>, id: &SessionId, document: &SessionDocument) -> rusqlite::Result<()> {
    let text =
        serde_json::to_string(document).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    transaction
        .prepare_cached(
            "INSERT INTO sessions (id, used_at, document) VALUES (?1, ?2, ?3)
             ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at, document = excluded.document",
        )?
        .execute(params![id.as_str(), sql_integer(document.used_at()), text])?;
    Ok(())
}

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
    idle.retain(|id| !in_use.contains(id));
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
