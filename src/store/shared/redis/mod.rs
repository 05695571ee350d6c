//! The Redis store: sessions on a server, shared by any number of machines.
//!
//! A session is a hash with its document and its version, and a hash with a field for each record, answer and question.
//! A session's jobs run here, on the document and the fields that they use, and are committed by one atomic script,
//! which changes nothing if the version has changed; then the jobs run again on the new document. A job that reads
//! another field runs again after it was fetched. The session as it was last seen here saves the read ([`recent`]): a
//! call takes three round trips, one to look and one each to claim and to settle. The time is the server's. Each session
//! is a group of its own: sessions do not wait for each other.

mod connection;
pub(super) mod erasure;
pub(super) mod inspection;
mod keys;
pub(super) mod listing;
mod recent;
mod replicas;
mod server_settings;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use redis::{Client, IntoConnectionInfo, Script};
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
use recent::RecentSessions;

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
    let client = client(url)?;
    let connection = RedisConnection::new(client, options.shared.operation_timeout / 4, options.allow_eviction);
    let commit_script = Script::new(COMMIT_SCRIPT);
    worker::start(
        RedisBackend { connection, options, commit_script, recent: RecentSessions::default() },
        options.shared,
    )
}

/// The client of a server's address.
fn client(url: &str) -> std::io::Result<Client> {
    let wrong = |what: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, what);
    let info = url.into_connection_info().map_err(|error| wrong(format!("the redis address is not valid: {error}")))?;
    Client::open(info).map_err(|error| wrong(format!("the redis address can't be used: {error}")))
}

struct RedisBackend {
    connection: RedisConnection,
    options: RedisOptions,
    commit_script: Script,
    recent: RecentSessions,
}

/// A session with the version that was read.
struct VersionedSession {
    version: String,
    document: Option<SessionDocument>,
    rows: BufferedRows,
    /// Whether the session is moved from an earlier layout.
    is_upgraded: bool,
    /// The server's time when the session was read.
    server_time: EpochMs,
    read_at: Instant,
}

impl VersionedSession {
    /// The server's time now, by this machine's clock since the read.
    fn now(&self) -> EpochMs {
        let age = u64::try_from(self.read_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.server_time.saturating_add(age)
    }
}

impl Backend for RedisBackend {
    type Group = SessionId;

    fn group(&self, session: &SessionId) -> SessionId {
        session.clone()
    }

    /// Runs the jobs on the session as it was last seen here, or as it is read now, and commits.
    async fn commit(&self, jobs: &mut [Box<dyn StoreJob>], until: Instant) -> Result<(), BackendFailure> {
        let Some(id) = jobs.first().map(|job| job.session().clone()) else { return Ok(()) };
        let keys = &SessionKeys::for_session(&id);
        let is_look = jobs.iter().all(|job| job.is_look());
        let recent = self.recent.take(&id).filter(|_| !is_look);
        if let Some(mut session) = recent
            && self.run_jobs(keys, jobs, &mut session).await?
        {
            return self.write_claims(&id, keys, session, jobs, until).await;
        }
        let needed_rows = jobs.iter().flat_map(|job| job.needed_rows().iter().cloned()).collect();
        let mut session = self.read_session(keys, needed_rows).await?;
        if self.run_jobs(keys, jobs, &mut session).await? {
            return self.write_claims(&id, keys, session, jobs, until).await;
        }
        if is_look {
            self.recent.put(id, session);
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
        self.recent.clear();
        self.connection.accept();
    }

    fn close(&self) {
        self.recent.clear();
        self.connection.close();
    }
}

impl RedisBackend {
    /// Runs the jobs on a session, and fetches the rows that they read. Returns true if there is something to commit.
    async fn run_jobs(
        &self,
        keys: &SessionKeys,
        jobs: &mut [Box<dyn StoreJob>],
        session: &mut VersionedSession,
    ) -> Result<bool, BackendFailure> {
        let fingerprint_key = self.connection.fingerprint_key().await?;
        let now = (self.options.time_source == TimeSource::Server).then(|| session.now());
        let context = JobContext { now, fingerprint_key };
        let stored = session.document.take();
        loop {
            session.rows.restart();
            session.document.clone_from(&stored);
            let changed = apply_all(jobs.iter_mut(), &mut session.document, &mut session.rows, context);
            let missing = session.rows.missing();
            if missing.is_empty() {
                return Ok(changed || !session.rows.changes().is_empty());
            }
            let missing = missing.iter().cloned().collect();
            self.fetch_rows(keys, missing, &mut session.rows).await?;
        }
    }

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
            server_time: seconds * 1000 + micros / 1000,
            read_at: Instant::now(),
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
    async fn write_session(
        &self,
        id: &SessionId,
        keys: &SessionKeys,
        mut session: VersionedSession,
        until: Instant,
    ) -> Result<(), BackendFailure> {
        let Some(document) = &session.document else { return Ok(()) };
        let lasting = |error: String| BackendFailure::Permanent(StoreError::Failed(error));
        let next = nonce().map_err(|error| lasting(format!("no random bytes: {error}")))?;
        let text = serde_json::to_string(document).map_err(|error| lasting(error.to_string()))?;
        let (put, removed): (Vec<_>, Vec<_>) = session.rows.changes().iter().partition(|(_, change)| change.is_some());
        let mut commit = self.commit_script.key(&keys.session);
        commit.key(&keys.rows).key(&keys.expiries).key(&keys.commits);
        if session.is_upgraded {
            commit.key(&keys.earlier_answers);
        }
        let is_small = text.len() <= recent::MAX_DOCUMENT_BYTES;
        commit.arg(&session.version).arg(&next).arg(text);
        commit.arg(to_ms(self.options.idle_ttl));
        commit.arg(time_text(session.rows.purge_until())).arg(put.len());
        for (key, change) in put {
            let Some((row, expires)) = change else { continue };
            let content = row.to_text().map_err(|error| lasting(error.to_string()))?;
            commit.arg(key.to_text()).arg(time_text(*expires)).arg(content);
        }
        for (key, _) in removed {
            commit.arg(key.to_text());
        }
        let mut pause = Backoff::default();
        loop {
            match self.connection.invoke::<u8>(&commit).await {
                Ok(1) => break,
                Ok(_) => return Err(BackendFailure::Conflict),
                Err(BackendFailure::Transient(_)) if Instant::now() < until => pause.wait().await,
                Err(trouble) => return Err(trouble),
            }
        }
        if is_small {
            session.rows.keep_committed();
            session.version = next;
            session.is_upgraded = false;
            self.recent.put(id.clone(), session);
        }
        Ok(())
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
