//! The Redis store: sessions on a server, shared by any number of machines.
//!
//! A session's jobs run here, on a document that was read with its version, and are committed by one atomic script,
//! which changes nothing if the version has changed; then the jobs run again on the new document. The time is the
//! server's. Queued jobs of one session are committed together.

mod answers;
mod connection;
mod keys;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use redis::{Client, IntoConnectionInfo};
use tokio::sync::mpsc;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep};

use super::job::{JobContext, StoreJob};
use super::{SharedOptions, SharedStore, StoreRequest};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::session::key::hex;
use crate::store::StoreError;
use crate::store::document::SessionDocument;
use answers::RedisAnswers;
use connection::{RedisConnection, RedisFailure};
use keys::SessionKeys;

const COMMIT_SCRIPT: &str = include_str!("commit.lua");
/// The pause after the first try.
const FIRST_PAUSE_MS: u64 = 10;
const MAX_PAUSE_MS: u64 = 250;

/// The clock for expiries and leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeSource {
    /// The server's clock: the machines' clocks need not agree.
    Server,
    /// The callers' clock: for tests that move the time.
    Caller,
}

/// The options of a Redis store.
#[derive(Debug, Clone, Copy)]
pub struct RedisOptions {
    /// The options of every shared store.
    pub shared: SharedOptions,
    /// How long an unused session is kept.
    pub idle_ttl: Duration,
    /// The clock for expiries and leases.
    pub time_source: TimeSource,
}

impl Default for RedisOptions {
    fn default() -> Self {
        Self { shared: SharedOptions::default(), idle_ttl: Duration::from_hours(24), time_source: TimeSource::Server }
    }
}

/// Creates a store on the server at `url`: `redis://…`, or `rediss://…` with TLS. The TLS certificate must be of an
/// authority that the system trusts, or of one in the file `SSL_CERT_FILE`. The first operation connects, and reports
/// the server's faults.
///
/// # Errors
/// If the address is not valid, or no thread can be started.
pub fn open(url: &str, options: RedisOptions) -> std::io::Result<SharedStore> {
    let wrong = |what: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, what);
    let info = url.into_connection_info().map_err(|error| wrong(format!("the redis address is not valid: {error}")))?;
    let client = Client::open(info).map_err(|error| wrong(format!("the redis address can't be used: {error}")))?;
    let (store, inbox) = SharedStore::new(options.shared);
    thread::Builder::new().name("toolgate-store".to_owned()).spawn(move || {
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => {
                let worker = Rc::new(RedisWorker::new(client, options));
                LocalSet::new().block_on(&runtime, worker.run(inbox));
            }
            Err(error) => tracing::error!(%error, "no runtime for the session store"),
        }
    })?;
    Ok(store)
}

struct RedisWorker {
    connection: RedisConnection,
    options: RedisOptions,
    /// The queued jobs by session. A session with an entry has a running task.
    pending_jobs: RefCell<HashMap<SessionId, Vec<Box<dyn StoreJob>>>>,
}

/// A session with the version that was read.
struct VersionedSession {
    version: String,
    document: Option<SessionDocument>,
    now: EpochMs,
}

impl RedisWorker {
    fn new(client: Client, options: RedisOptions) -> Self {
        let link = RedisConnection::new(client, options.shared.operation_timeout / 4);
        Self { connection: link, options, pending_jobs: RefCell::default() }
    }

    async fn run(self: Rc<Self>, mut inbox: mpsc::UnboundedReceiver<StoreRequest>) {
        while let Some(message) = inbox.recv().await {
            match message {
                StoreRequest::Job(job) => self.enqueue(job),
                // The server expires sessions by itself.
                StoreRequest::Sweep { reply, .. } => drop(reply.send(Ok(Vec::new()))),
                StoreRequest::Check(reply) => {
                    let worker = Rc::clone(&self);
                    spawn_local(async move {
                        let lasting = match worker.connection.fingerprint_key().await {
                            Err(RedisFailure::Permanent(error)) => Err(error),
                            Ok(_) | Err(RedisFailure::Transient(_)) => Ok(()),
                        };
                        let _ = reply.send(lasting);
                    });
                }
                StoreRequest::Close(reply) => {
                    let worker = Rc::clone(&self);
                    spawn_local(async move {
                        while !worker.pending_jobs.borrow().is_empty() {
                            sleep(Duration::from_millis(FIRST_PAUSE_MS)).await;
                        }
                        worker.connection.close();
                        let _ = reply.send(Ok(()));
                    });
                }
            }
        }
        // No further requests can arrive; the queued jobs are finished.
        while !self.pending_jobs.borrow().is_empty() {
            sleep(Duration::from_millis(FIRST_PAUSE_MS)).await;
        }
    }

    fn enqueue(self: &Rc<Self>, job: Box<dyn StoreJob>) {
        let id = job.session().clone();
        let mut waiting = self.pending_jobs.borrow_mut();
        if let Some(jobs) = waiting.get_mut(&id) {
            jobs.push(job);
            return;
        }
        waiting.insert(id.clone(), vec![job]);
        let worker = Rc::clone(self);
        spawn_local(async move { worker.run_jobs(&id).await });
    }

    /// Runs a session's jobs until the queue is empty.
    async fn run_jobs(&self, id: &SessionId) {
        let keys = SessionKeys::for_session(id);
        loop {
            let mut jobs = {
                let mut waiting = self.pending_jobs.borrow_mut();
                let jobs = waiting.get_mut(id).map(std::mem::take).unwrap_or_default();
                if jobs.is_empty() {
                    waiting.remove(id);
                    return;
                }
                jobs
            };
            let committed = self.commit(&keys, &mut jobs).await;
            let undoing: Vec<_> = jobs.into_iter().filter_map(|job| job.finish(committed.clone())).collect();
            if let Some(waiting) = self.pending_jobs.borrow_mut().get_mut(id) {
                waiting.extend(undoing);
            }
        }
    }

    async fn commit(&self, keys: &SessionKeys, jobs: &mut Vec<Box<dyn StoreJob>>) -> Result<(), StoreError> {
        // Shorter than the callers' timeout, so that they get the reason.
        let until = Instant::now() + self.options.shared.operation_timeout * 4 / 5;
        let mut pause = Backoff::default();
        loop {
            jobs.retain(|job| !job.is_abandoned());
            if jobs.is_empty() {
                return Ok(());
            }
            match self.try_commit(keys, jobs, until).await {
                Ok(true) => return Ok(()),
                Ok(false) if Instant::now() >= until => {
                    return Err(StoreError::SessionFailed("redis: others kept changing the session".to_owned()));
                }
                Err(RedisFailure::Transient(error)) if jobs.iter().all(|job| job.is_probe()) => return Err(error),
                Err(RedisFailure::Transient(_)) | Ok(false) if Instant::now() < until => pause.wait().await,
                Err(trouble) => return Err(trouble.into_error()),
                Ok(false) => {}
            }
        }
    }

    /// Reads the session, runs the jobs, commits. False if another commit came first.
    async fn try_commit(
        &self,
        keys: &SessionKeys,
        jobs: &mut [Box<dyn StoreJob>],
        until: Instant,
    ) -> Result<bool, RedisFailure> {
        let read = self.read_session(keys).await?;
        let fingerprint_key = self.connection.fingerprint_key().await?;
        let now = (self.options.time_source == TimeSource::Server).then_some(read.now);
        let context = JobContext { now, fingerprint_key };
        let mut answers = RedisAnswers::default();
        let (document, changed) = loop {
            answers.restart();
            let (mut slot, mut changed) = (read.document.clone(), false);
            for job in jobs.iter_mut() {
                changed |= job.apply(&mut slot, &mut answers, context);
            }
            if answers.missing.is_empty() {
                break (slot, changed);
            }
            self.fetch_answers(keys, &mut answers).await?;
        };
        match document {
            Some(document) if changed => self.write_session(keys, &read.version, &document, &answers, until).await,
            _ => Ok(true),
        }
    }

    async fn read_session(&self, keys: &SessionKeys) -> Result<VersionedSession, RedisFailure> {
        let mut commands = redis::pipe();
        commands.cmd("HMGET").arg(&keys.session).arg("version").arg("document").cmd("TIME");
        let ((version, text), (seconds, micros)): ((Option<String>, Option<String>), (u64, u64)) =
            self.connection.query_pipeline(&commands).await?;
        let document = text.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| {
            RedisFailure::Permanent(StoreError::SessionFailed(format!("a session on redis can't be read: {error}")))
        })?;
        Ok(VersionedSession { version: version.unwrap_or_default(), document, now: seconds * 1000 + micros / 1000 })
    }

    async fn fetch_answers(&self, keys: &SessionKeys, answers: &mut RedisAnswers) -> Result<(), RedisFailure> {
        let missing: Vec<u64> = answers.missing.iter().copied().collect();
        let mut command = redis::cmd("HMGET");
        command.arg(&keys.answers).arg(&missing);
        let texts: Vec<Option<String>> = self.connection.query(&command).await?;
        let read = |text: Option<String>| {
            text.and_then(|text| crate::response::ToolResponse::from_stored_text(&text)).map(Into::into)
        };
        answers.fetched.extend(missing.into_iter().zip(texts.into_iter().map(read)));
        Ok(())
    }

    /// Sends the same commit until its result is known: if the connection breaks, the commit may have been applied.
    async fn write_session(
        &self,
        keys: &SessionKeys,
        version: &str,
        document: &SessionDocument,
        answers: &RedisAnswers,
        until: Instant,
    ) -> Result<bool, RedisFailure> {
        let lasting = |error: String| RedisFailure::Permanent(StoreError::Failed(error));
        let next = nonce().map_err(|error| lasting(format!("no random bytes: {error}")))?;
        let text = serde_json::to_string(document).map_err(|error| lasting(error.to_string()))?;
        let mut command = redis::cmd("EVAL");
        command.arg(COMMIT_SCRIPT).arg(3).arg(&keys.session).arg(&keys.answers).arg(&keys.commits);
        command.arg(version).arg(next).arg(text);
        command.arg(u64::try_from(self.options.idle_ttl.as_millis()).unwrap_or(u64::MAX)).arg(answers.put.len());
        for (epoch, answer) in &answers.put {
            command.arg(epoch).arg(answer.to_stored_text());
        }
        for epoch in &answers.removed {
            command.arg(epoch);
        }
        let mut pause = Backoff::default();
        loop {
            match self.connection.query::<u8>(&command).await {
                Ok(committed) => return Ok(committed == 1),
                Err(RedisFailure::Transient(_)) if Instant::now() < until => pause.wait().await,
                Err(trouble) => return Err(trouble),
            }
        }
    }
}

/// Returns a random commit id.
fn nonce() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 12];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

/// Exponential back-off with jitter.
struct Backoff(u64);

impl Default for Backoff {
    fn default() -> Self {
        Self(FIRST_PAUSE_MS)
    }
}

impl Backoff {
    async fn wait(&mut self) {
        let random = getrandom::u32().unwrap_or(u32::MAX);
        let part = u64::from(random) * self.0 / u64::from(u32::MAX);
        sleep(Duration::from_millis(part.max(1))).await;
        self.0 = (self.0 * 2).min(MAX_PAUSE_MS);
    }
}
