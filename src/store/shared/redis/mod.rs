//! The Redis store: sessions on a server, shared by any number of machines.
//!
//! A session is a hash with its document and its version, and a hash with a field for each record, answer and question.
//! A session's jobs run here, on the document and the fields that they use, and are committed by one atomic script,
//! which changes nothing if the version has changed; then the jobs run again on the new document. A job that reads
//! another field runs again after it was fetched. The time is the server's. Each session is a group of its own: sessions do not wait for each other.

mod connection;
mod keys;
mod server_settings;

use std::collections::BTreeSet;
use std::time::Duration;

use redis::{Client, IntoConnectionInfo};
use tokio::time::Instant;

use super::backend::{Backend, BackendFailure};
use super::backoff::Backoff;
use super::job::{JobContext, StoreJob, apply_all};
use super::rows::BufferedRows;
use super::{SharedOptions, SharedStore, worker};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::session::key::hex;
use crate::store::StoreError;
use crate::store::document::{SessionDocument, StoredDocument};
use crate::store::earlier::EarlierDocument;
use crate::store::rows::{Row, RowKey, Rows};
use connection::RedisConnection;
use keys::{FINGERPRINT_KEY, SessionKeys};

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
    /// Whether a server that evicts keys is used, with a warning.
    pub allow_eviction: bool,
    /// The replicas that must have the claim of a write before its handler starts.
    pub replicas: ReplicaWait,
}

/// The replicas that a write's claim waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplicaWait {
    /// The number of replicas; 0 waits for none.
    pub count: u32,
    /// The longest wait; shortened to a fifth of the operations' timeout.
    pub timeout: Duration,
}

impl Default for ReplicaWait {
    fn default() -> Self {
        Self { count: 0, timeout: Duration::from_millis(500) }
    }
}

impl Default for RedisOptions {
    fn default() -> Self {
        Self {
            shared: SharedOptions::default(),
            idle_ttl: Duration::from_hours(24),
            time_source: TimeSource::Server,
            allow_eviction: false,
            replicas: ReplicaWait::default(),
        }
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
    let connection = RedisConnection::new(client, options.shared.operation_timeout / 4, options.allow_eviction);
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
    rows: BufferedRows,
    /// Whether the session is moved from an earlier layout.
    is_upgraded: bool,
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
        let needed_rows = jobs.iter().flat_map(|job| job.needed_rows().iter().cloned()).collect();
        let mut session = self.read_session(keys, needed_rows).await?;
        let fingerprint_key = self.connection.fingerprint_key().await?;
        let now = (self.options.time_source == TimeSource::Server).then_some(session.now);
        let context = JobContext { now, fingerprint_key };
        let stored = session.document.take();
        let changed = loop {
            session.rows.restart();
            session.document.clone_from(&stored);
            let changed = apply_all(jobs.iter_mut(), &mut session.document, &mut session.rows, context);
            let missing = session.rows.missing();
            if missing.is_empty() {
                break changed || !session.rows.changes().is_empty();
            }
            let missing = missing.iter().cloned().collect();
            self.fetch_rows(keys, missing, &mut session.rows).await?;
        };
        if !changed {
            return Ok(());
        }
        let needs_replicas = self.options.replicas.count > 0 && jobs.iter().any(|job| job.needs_replicas());
        let replicas = self.write_session(keys, &session, needs_replicas, until).await?;
        if needs_replicas && replicas < self.options.replicas.count {
            let lack = format!("{replicas} of {} replicas have the claim in time", self.options.replicas.count);
            tracing::warn!(lack, "a write was refused");
            let waiting = jobs.iter_mut().filter(|job| job.needs_replicas());
            waiting.for_each(|job| job.revoke(StoreError::SessionFailed(lack.clone())));
        }
        Ok(())
    }

    /// The server expires sessions by itself.
    async fn sweep(&self, _idle_since: EpochMs, _in_use: &[SessionId]) -> Result<Vec<SessionId>, StoreError> {
        Ok(Vec::new())
    }

    async fn check(&self) -> Result<(), BackendFailure> {
        self.connection.check_installation().await
    }

    fn accept(&self) {
        self.connection.accept();
    }

    fn close(&self) {
        self.connection.close();
    }
}

impl RedisBackend {
    /// Reads the document and some rows.
    async fn read_session(
        &self,
        keys: &SessionKeys,
        needed_rows: BTreeSet<RowKey>,
    ) -> Result<VersionedSession, BackendFailure> {
        let mut commands = redis::pipe();
        commands.cmd("GET").arg(FINGERPRINT_KEY);
        commands.cmd("TIME").cmd("HMGET").arg(&keys.session).arg("version").arg("document");
        // The command needs one field at least.
        commands.cmd("HMGET").arg(&keys.rows).arg("").arg(row_names(&needed_rows));
        let (key, (seconds, micros), (version, text), contents): (
            Option<Vec<u8>>,
            ServerTime,
            VersionAndDocument,
            RowTexts,
        ) = self.connection.query_pipeline(&commands).await?;
        self.connection.check_key(key.as_deref())?;
        let mut session = VersionedSession {
            version: version.unwrap_or_default(),
            document: None,
            rows: BufferedRows::default(),
            is_upgraded: false,
            now: seconds * 1000 + micros / 1000,
        };
        add_rows(&mut session.rows, needed_rows, contents.into_iter().skip(1))?;
        match text.map(|text| StoredDocument::parse(&text)).transpose().map_err(|error| unreadable(&error))? {
            None => {}
            Some(StoredDocument::Present(document)) => session.document = Some(*document),
            Some(StoredDocument::Earlier(document)) => self.upgrade(keys, *document, &mut session).await?,
        }
        Ok(session)
    }

    /// Moves a session from the layout of earlier versions; the next commit stores it.
    async fn upgrade(
        &self,
        keys: &SessionKeys,
        document: EarlierDocument,
        session: &mut VersionedSession,
    ) -> Result<(), BackendFailure> {
        let epochs: Vec<u64> = document.answer_epochs().into_iter().collect();
        session.document = Some(document.upgrade(&mut session.rows));
        if !epochs.is_empty() {
            let mut command = redis::cmd("HMGET");
            command.arg(&keys.earlier_answers).arg(&epochs);
            let texts: RowTexts = self.connection.query(&command).await?;
            for (key, text) in epochs.into_iter().map(RowKey::Answer).zip(texts) {
                if let Some(row) = parse_row(&key, text)? {
                    session.rows.put(key, row, None);
                }
            }
        }
        session.rows.keep_upgrade();
        session.is_upgraded = true;
        Ok(())
    }

    async fn fetch_rows(
        &self,
        keys: &SessionKeys,
        missing: BTreeSet<RowKey>,
        rows: &mut BufferedRows,
    ) -> Result<(), BackendFailure> {
        let mut command = redis::cmd("HMGET");
        command.arg(&keys.rows).arg(row_names(&missing));
        let texts: RowTexts = self.connection.query(&command).await?;
        add_rows(rows, missing, texts)
    }

    /// Sends the same commit until its result is known: if the connection breaks, the commit may have been applied.
    /// Returns the number of replicas that have it, if `needs_replicas`.
    async fn write_session(
        &self,
        keys: &SessionKeys,
        session: &VersionedSession,
        needs_replicas: bool,
        until: Instant,
    ) -> Result<u32, BackendFailure> {
        let Some(document) = &session.document else { return Ok(0) };
        let lasting = |error: String| BackendFailure::Permanent(StoreError::Failed(error));
        let next = nonce().map_err(|error| lasting(format!("no random bytes: {error}")))?;
        let text = serde_json::to_string(document).map_err(|error| lasting(error.to_string()))?;
        let (put, removed): (Vec<_>, Vec<_>) = session.rows.changes().iter().partition(|(_, change)| change.is_some());
        let mut command = redis::cmd("EVAL");
        command.arg(COMMIT_SCRIPT).arg(4 + usize::from(session.is_upgraded));
        command.arg(&keys.session).arg(&keys.rows).arg(&keys.expiries).arg(&keys.commits);
        if session.is_upgraded {
            command.arg(&keys.earlier_answers);
        }
        command.arg(&session.version).arg(next).arg(text);
        command.arg(to_ms(self.options.idle_ttl));
        command.arg(time_text(session.rows.purge_until())).arg(put.len());
        for (key, change) in put {
            let Some((row, expires)) = change else { continue };
            let content = row.to_text().map_err(|error| lasting(error.to_string()))?;
            command.arg(key.to_text()).arg(time_text(*expires)).arg(content);
        }
        for (key, _) in removed {
            command.arg(key.to_text());
        }
        let mut commands = redis::pipe();
        commands.add_command(command);
        if needs_replicas {
            self.add_wait(keys, &mut commands);
        }
        let mut pause = Backoff::default();
        loop {
            match self.connection.query_pipeline::<Vec<u32>>(&commands).await {
                Ok(replies) if replies.first() == Some(&1) => {
                    return Ok(replies.get(1).copied().unwrap_or_default());
                }
                Ok(_) => return Err(BackendFailure::Conflict),
                Err(BackendFailure::Transient(_)) if Instant::now() < until => pause.wait().await,
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Adds the wait for replicas. `WAIT` is about the writes of its own connection: a commit that is sent again, on
    /// another connection, writes nothing there, so each try writes the time to live first.
    fn add_wait(&self, keys: &SessionKeys, commands: &mut redis::Pipeline) {
        let ReplicaWait { count, timeout } = self.options.replicas;
        // The connection gives up after a quarter.
        let timeout = timeout.min(self.options.shared.operation_timeout / 5);
        commands.cmd("PEXPIRE").arg(&keys.session).arg(to_ms(self.options.idle_ttl)).ignore();
        commands.cmd("WAIT").arg(count).arg(to_ms(timeout).max(1));
    }
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Seconds and microseconds.
type ServerTime = (u64, u64);
type VersionAndDocument = (Option<String>, Option<String>);
/// The contents of rows; `None` if the server has none.
type RowTexts = Vec<Option<String>>;

fn row_names(keys: &BTreeSet<RowKey>) -> Vec<String> {
    keys.iter().map(RowKey::to_text).collect()
}

/// A time as an argument of the script; empty for none.
fn time_text(time: Option<EpochMs>) -> String {
    time.map_or_else(String::new, |time| time.to_string())
}

fn add_rows(
    rows: &mut BufferedRows,
    keys: BTreeSet<RowKey>,
    texts: impl IntoIterator<Item = Option<String>>,
) -> Result<(), BackendFailure> {
    for (key, text) in keys.into_iter().zip(texts) {
        let row = parse_row(&key, text)?;
        rows.add_fetched(key, row);
    }
    Ok(())
}

fn parse_row(key: &RowKey, text: Option<String>) -> Result<Option<Row>, BackendFailure> {
    text.map_or(Ok(None), |text| Row::from_text(key, &text)).map_err(|error| unreadable(&error))
}

fn unreadable(error: &serde_json::Error) -> BackendFailure {
    BackendFailure::Permanent(StoreError::SessionFailed(format!("a session on redis can't be read: {error}")))
}

/// Returns a random commit id.
fn nonce() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 12];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}
