//! The Redis store: sessions on a server, shared by any number of machines.
//!
//! A session is a hash with its document and its version, and a hash with a field for each record, answer and question.
//! A session's jobs run here, on the document and the fields that they use, and are committed by one atomic script
//! (`commit.lua`), which changes nothing if the version has changed; then the jobs run again on the new document. A job that
//! needs another field runs again on a session that was read with it, in one transaction. The session as it was last seen here
//! saves the read ([`recent`]), and the commit of a claim checks that the call's record is new: a call takes two round trips.
//! The time is the server's. Each session is a group of its own: sessions do not wait for each other.

mod connection;
mod failure;
pub(super) mod inspection;
mod keys;
mod owed;
mod pool;
mod replicas;
mod server_settings;
#[cfg(test)]
mod tests;
mod uncertain;

use std::collections::BTreeSet;
use std::time::Duration;

use redis::{Client, IntoConnectionInfo, Script};
use tokio::time::Instant;

use super::backend::{Backend, BackendFailure};
use super::backoff::try_until;
use super::job::StoreJob;
use super::recent::RecentSessions;
use super::rows::BufferedRows;
use super::versioned::{self, SessionServer, TimeSource, add_rows, commit_id, unreadable};
use super::versioned_session::VersionedSession;
use super::{SharedOptions, SharedStore, worker};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::store::overview::parse;
use crate::store::owed::owed_ms;
use crate::store::reconcile::{UncertainCalls, UncertainPage};
use crate::store::row_names::RowKey;
use crate::store::{Idle, StoreError, Swept};
use connection::RedisConnections;
use keys::{FINGERPRINT_KEY, OWED_KEY, SessionKeys};

const COMMIT_SCRIPT: &str = include_str!("commit.lua");

/// The options of a Redis store.
#[derive(Debug, Clone, Copy)]
pub struct RedisOptions {
    /// The options of every shared store.
    pub shared: SharedOptions,
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
    let connections = RedisConnections::new(client, options.shared.operation_timeout / 4, options.allow_eviction);
    let commit_script = Script::new(COMMIT_SCRIPT);
    worker::start(
        RedisBackend { connections, options, commit_script, recent: RecentSessions::default() },
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
    connections: RedisConnections,
    options: RedisOptions,
    commit_script: Script,
    recent: RecentSessions,
}

impl Backend for RedisBackend {
    type Group = SessionId;

    fn group(&self, session: &SessionId) -> SessionId {
        session.clone()
    }

    async fn commit(&self, jobs: &mut [Box<StoreJob>], until: Instant) -> Result<(), BackendFailure> {
        versioned::commit(self, jobs, until).await
    }

    /// The server expires sessions by itself, and leaves their names among those that owe results.
    async fn sweep(&self, idle: Idle, _in_use: &[SessionId]) -> Result<Swept, StoreError> {
        self.oldest_owed_ms(idle.now).await?;
        Ok(Swept::default())
    }

    async fn oldest_owed_ms(&self, now: EpochMs) -> Result<Option<u64>, StoreError> {
        let (since, server_time) = owed::since(&self.connections).await.map_err(BackendFailure::into_error)?;
        let is_by_server = self.options.time_source == TimeSource::Server;
        Ok(owed_ms(since, if is_by_server { server_time } else { now }))
    }

    async fn list_uncertain(&self, page: UncertainPage) -> Result<UncertainCalls, StoreError> {
        uncertain::list(&self.connections, &page).await.map_err(BackendFailure::into_error)
    }

    fn accept(&self) {
        self.recent.clear();
        self.connections.accept();
    }

    fn close(&self) {
        self.recent.clear();
        self.connections.close();
    }
}

impl SessionServer for RedisBackend {
    fn recent(&self) -> &RecentSessions {
        &self.recent
    }

    fn time_source(&self) -> TimeSource {
        self.options.time_source
    }

    async fn fingerprint_key(&self) -> Result<HashKey, BackendFailure> {
        self.connections.fingerprint_key().await
    }

    async fn read(&self, id: &SessionId, needed_rows: BTreeSet<RowKey>) -> Result<VersionedSession, BackendFailure> {
        let keys = &SessionKeys::for_session(id);
        let mut commands = redis::pipe();
        // No commit comes between them.
        commands.atomic();
        commands.cmd("GET").arg(FINGERPRINT_KEY);
        commands.cmd("TIME").cmd("HMGET").arg(&keys.session).arg("version").arg("document");
        // The command needs one field at least.
        commands.cmd("HMGET").arg(&keys.rows).arg("").arg(row_names(&needed_rows));
        let (key, (seconds, micros), (version, text), contents): (
            Option<Vec<u8>>,
            ServerTime,
            VersionAndDocument,
            RowTexts,
        ) = self.connections.query_pipeline(&commands).await?;
        self.connections.check_key(key.as_deref())?;
        let mut session = VersionedSession {
            version: version.unwrap_or_default(),
            document: text.map(|text| parse(&text)).transpose().map_err(|error| unreadable(&error))?,
            rows: BufferedRows::default(),
            server_time: to_epoch_ms((seconds, micros)),
            read_at: Instant::now(),
        };
        add_rows(&mut session.rows, needed_rows, contents.into_iter().skip(1))?;
        Ok(session)
    }

    async fn write(
        &self,
        id: &SessionId,
        session: VersionedSession,
        jobs: &mut [Box<StoreJob>],
        until: Instant,
    ) -> Result<(), BackendFailure> {
        self.write_claims(id, &SessionKeys::for_session(id), session, jobs, until).await
    }
}

impl RedisBackend {
    /// Sends the same commit until its result is known: if the connection breaks, the commit may have been applied.
    async fn write_session(
        &self,
        id: &SessionId,
        keys: &SessionKeys,
        session: VersionedSession,
        until: Instant,
    ) -> Result<(), BackendFailure> {
        let Some(document) = &session.document else { return Ok(()) };
        let lasting = |error: String| BackendFailure::Permanent(StoreError::Failed(error));
        let next = commit_id()?;
        let text = serde_json::to_string(document).map_err(|error| lasting(error.to_string()))?;
        let (put, removed): (Vec<_>, Vec<_>) = session.rows.changes().iter().partition(|(_, change)| change.is_some());
        let mut commit = self.commit_script.key(&keys.session);
        commit.key(&keys.rows).key(&keys.expiries).key(&keys.commits).key(OWED_KEY);
        let text_bytes = text.len();
        let is_by_server = self.options.time_source == TimeSource::Server;
        let now = if is_by_server { session.now() } else { document.used_at() };
        commit.arg(&session.version).arg(&next).arg(text);
        commit.arg(document.keep_ms(self.options.shared.idle_ms(), now));
        commit.arg(time_text(session.rows.purge_until()));
        commit.arg(keys.tag()).arg(time_text(document.owed_since()));
        commit.arg(session.rows.assumed_absent().len()).arg(row_names(session.rows.assumed_absent()));
        commit.arg(put.len());
        for (key, change) in put {
            let Some((row, expires)) = change else { continue };
            let content = row.to_text().map_err(|error| lasting(error.to_string()))?;
            let without_expiry = if session.rows.may_have_expiry(key) { "-" } else { "" };
            let expiry = expires.map_or_else(|| without_expiry.to_owned(), |time| time.to_string());
            commit.arg(key.to_text()).arg(expiry).arg(content);
        }
        for (key, _) in removed {
            commit.arg(key.to_text()).arg(if session.rows.may_have_expiry(key) { "-" } else { "" });
        }
        if try_until(until, async || self.connections.invoke::<u8>(&commit).await).await? == 0 {
            return Err(BackendFailure::Conflict);
        }
        self.recent.put_committed(id, session, next, text_bytes);
        Ok(())
    }
}

const fn to_epoch_ms((seconds, micros): ServerTime) -> EpochMs {
    seconds * 1000 + micros / 1000
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
