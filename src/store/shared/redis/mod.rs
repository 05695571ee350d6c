//! The Redis store: sessions on a server, shared by any number of machines.
//!
//! A session's jobs run here, on a document that was read with its version, and are committed by one atomic script,
//! which changes nothing if the version has changed; then the jobs run again on the new document. The time is the
//! server's. Each session is a group of its own: sessions do not wait for each other.

mod answers;
mod connection;
mod keys;

use std::time::Duration;

use redis::{Client, IntoConnectionInfo};
use tokio::time::Instant;

use super::backend::{Backend, BackendFailure};
use super::backoff::Backoff;
use super::job::{JobContext, StoreJob};
use super::{SharedOptions, SharedStore, worker};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::session::key::hex;
use crate::store::StoreError;
use crate::store::document::SessionDocument;
use answers::RedisAnswers;
use connection::RedisConnection;
use keys::SessionKeys;

const COMMIT_SCRIPT: &str = include_str!("commit.lua");

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
    let connection = RedisConnection::new(client, options.shared.operation_timeout / 4);
    worker::start(RedisBackend { connection, options }, options.shared)
}

struct RedisBackend {
    connection: RedisConnection,
    options: RedisOptions,
}

/// A session with the version that was read.
struct VersionedSession {
    version: String,
    document: Option<SessionDocument>,
    now: EpochMs,
}

impl Backend for RedisBackend {
    type Group = SessionId;

    fn group(&self, session: &SessionId) -> SessionId {
        session.clone()
    }

    /// Reads the session, runs the jobs, commits.
    async fn commit(&self, jobs: &mut [Box<dyn StoreJob>], until: Instant) -> Result<(), BackendFailure> {
        let Some(first) = jobs.first() else { return Ok(()) };
        let keys = &SessionKeys::for_session(first.session());
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
            _ => Ok(()),
        }
    }

    /// The server expires sessions by itself.
    async fn sweep(&self, _idle_since: EpochMs, _in_use: &[SessionId]) -> Result<Vec<SessionId>, StoreError> {
        Ok(Vec::new())
    }

    async fn check(&self) -> Result<(), BackendFailure> {
        self.connection.fingerprint_key().await.map(drop)
    }

    fn close(&self) {
        self.connection.close();
    }
}

impl RedisBackend {
    async fn read_session(&self, keys: &SessionKeys) -> Result<VersionedSession, BackendFailure> {
        let mut commands = redis::pipe();
        commands.cmd("HMGET").arg(&keys.session).arg("version").arg("document").cmd("TIME");
        let ((version, text), (seconds, micros)): ((Option<String>, Option<String>), (u64, u64)) =
            self.connection.query_pipeline(&commands).await?;
        let document = text.map(|text| SessionDocument::from_stored_text(&text)).transpose().map_err(|error| {
            BackendFailure::Permanent(StoreError::SessionFailed(format!("a session on redis can't be read: {error}")))
        })?;
        Ok(VersionedSession { version: version.unwrap_or_default(), document, now: seconds * 1000 + micros / 1000 })
    }

    async fn fetch_answers(&self, keys: &SessionKeys, answers: &mut RedisAnswers) -> Result<(), BackendFailure> {
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
    ) -> Result<(), BackendFailure> {
        let lasting = |error: String| BackendFailure::Permanent(StoreError::Failed(error));
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
                Ok(1) => return Ok(()),
                Ok(_) => return Err(BackendFailure::Conflict),
                Err(BackendFailure::Transient(_)) if Instant::now() < until => pause.wait().await,
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
