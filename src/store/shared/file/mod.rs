//! Sessions in a file: `SQLite` in WAL mode, one thread of ours, any number of processes.
//!
//! Jobs that have come together are done in one transaction, begun with the write lock, and are answered once it is
//! committed. `synchronous=FULL`: with less, a power failure may take back the last commits, and with them that a payment
//! was claimed; it would run twice. What the wait for the disk costs is shared by all jobs of a transaction.

mod answers;
mod schema;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::thread;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tokio::sync::mpsc;

use super::job::{Bench, Job};
use super::{Message, SharedOptions, SharedStore};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::SketchKey;
use crate::store::StoreError;
use crate::store::document::Document;
use answers::FileAnswers;

/// Jobs that are committed together.
const TOGETHER: usize = 256;
/// Sessions that one sweep drops.
const SWEPT: usize = 1000;

/// A store in the file at `path`, which is made where there is none. Nothing is opened yet: what is wrong with the file is
/// told by the first operation.
///
/// # Errors
/// Where no thread can be started.
pub fn open(path: &Path, options: SharedOptions) -> std::io::Result<SharedStore> {
    let (store, inbox) = SharedStore::new(options);
    let mut worker = Worker { path: path.to_owned(), options, opened: None };
    thread::Builder::new().name("toolgate-store".to_owned()).spawn(move || worker.run(inbox))?;
    Ok(store)
}

struct Opened {
    connection: Connection,
    sketches: SketchKey,
}

struct Worker {
    path: PathBuf,
    options: SharedOptions,
    opened: Option<Opened>,
}

impl Worker {
    fn run(&mut self, mut inbox: mpsc::UnboundedReceiver<Message>) {
        while let Some(first) = inbox.blocking_recv() {
            let (mut jobs, mut next) = (Vec::new(), Some(first));
            while let Some(message) = next {
                match message {
                    Message::Job(job) => jobs.push(job),
                    Message::Sweep { idle_since, in_use, reply } => {
                        self.commit(std::mem::take(&mut jobs));
                        let _ = reply.send(self.sweep(idle_since, &in_use));
                    }
                    // Whatever is wrong with a file can be put right while we run.
                    Message::Check(reply) => drop(reply.send(Ok(()))),
                    Message::Close(reply) => {
                        self.commit(std::mem::take(&mut jobs));
                        // Closing the last connection also brings what is in the log into the file.
                        self.opened = None;
                        let _ = reply.send(Ok(()));
                    }
                }
                next = if jobs.len() < TOGETHER { inbox.try_recv().ok() } else { None };
            }
            self.commit(jobs);
        }
    }

    /// Does jobs and tells what came of them; then undoes those whose callers had gone.
    fn commit(&mut self, jobs: Vec<Box<dyn Job>>) {
        let mut jobs = jobs;
        while !jobs.is_empty() {
            let (given_up, mut begun): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| job.is_given_up());
            drop(given_up);
            let committed = self.transact(&mut begun);
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

    /// All of them, or none. Returns those whose session could not be read, by their place.
    fn transact(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<HashMap<usize, StoreError>, StoreError> {
        if jobs.is_empty() {
            return Ok(HashMap::new());
        }
        let opened = self.opened()?;
        let bench = Bench { now: None, sketches: opened.sketches };
        let done = opened
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|transaction| apply(transaction, jobs, bench));
        self.checked(done)
    }

    fn sweep(&mut self, idle_since: EpochMs, in_use: &[SessionId]) -> Result<Vec<SessionId>, StoreError> {
        let opened = self.opened()?;
        let done = opened
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|transaction| drop_idle(transaction, idle_since, in_use));
        self.checked(done)
    }

    fn opened(&mut self) -> Result<&mut Opened, StoreError> {
        match &mut self.opened {
            Some(opened) => Ok(opened),
            empty => {
                let (connection, sketches) = schema::open(&self.path, self.options.patience / 2)?;
                Ok(empty.insert(Opened { connection, sketches }))
            }
        }
    }

    /// After a failure the file is opened anew: it may have been put right, or another one in its place.
    fn checked<T>(&mut self, done: rusqlite::Result<T>) -> Result<T, StoreError> {
        done.map_err(|error| {
            self.opened = None;
            schema::failed(&self.path, &error)
        })
    }
}

/// A session within one transaction.
struct Loaded {
    slot: Option<Document>,
    changed: bool,
}

fn apply(
    transaction: Transaction<'_>,
    jobs: &mut [Box<dyn Job>],
    bench: Bench,
) -> rusqlite::Result<HashMap<usize, StoreError>> {
    let (mut sessions, mut unreadable): (HashMap<SessionId, Loaded>, _) = (HashMap::new(), HashMap::new());
    for (place, job) in jobs.iter_mut().enumerate() {
        let id = job.session().clone();
        if !sessions.contains_key(&id) {
            match load(&transaction, &id)? {
                Ok(slot) => {
                    sessions.insert(id.clone(), Loaded { slot, changed: false });
                }
                Err(error) => {
                    unreadable.insert(place, error);
                    continue;
                }
            }
        }
        let Some(session) = sessions.get_mut(&id) else { continue };
        let mut answers = FileAnswers::new(&transaction, &id);
        session.changed |= job.apply(&mut session.slot, &mut answers, bench);
        answers.end()?;
    }
    for (id, session) in sessions {
        if let (true, Some(document)) = (session.changed, &session.slot) {
            save(&transaction, &id, document)?;
        }
    }
    transaction.commit()?;
    Ok(unreadable)
}

fn load(transaction: &Transaction<'_>, id: &SessionId) -> rusqlite::Result<Result<Option<Document>, StoreError>> {
    let text: Option<String> = transaction
        .prepare_cached("SELECT document FROM sessions WHERE id = ?1")?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?;
    Ok(text
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|error| StoreError::Stuck(format!("session `{id}` can't be read: {error}"))))
}

fn save(transaction: &Transaction<'_>, id: &SessionId, document: &Document) -> rusqlite::Result<()> {
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

fn drop_idle(
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
    idle.truncate(SWEPT);
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
