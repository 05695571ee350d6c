//! The Postgres store: sessions in a database, shared by any number of machines.
//!
//! A session is one row of `sessions` with its document and its version, and one row of `session_rows` for each record,
//! answer and question. A session's jobs run here, on the document and the rows that they use, and are committed by one
//! statement, which changes nothing if the version has changed; then the jobs run again on the new document. So no lock
//! is held while this process computes or stalls, and a pooler may give each statement to another connection. The time
//! is the server's. Each session is a group of its own; sessions share a few connections.

mod address;
mod connection;
mod failure;
pub(super) mod inspection;
mod installation;
mod statements;
#[cfg(test)]
mod tests;
mod uncertain;

use std::borrow::Cow;
use std::collections::BTreeSet;

use tokio::time::Instant;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};

use super::backend::{Backend, BackendFailure};
use super::backoff::try_until;
use super::job::StoreJob;
use super::recent::RecentSessions;
use super::rows::BufferedRows;
use super::session_key::{hashed, row_key};
use super::versioned::{self, SessionServer, TimeSource, add_rows, commit_id, unreadable};
use super::versioned_session::VersionedSession;
use super::{SharedOptions, SharedStore, worker};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::store::document::SessionDocument;
use crate::store::overview::owed_in;
use crate::store::owed::owed_ms;
use crate::store::reconcile::{UncertainCalls, UncertainPage};
use crate::store::row_names::RowKey;
use crate::store::{Idle, StoreError, Swept};
use address::PostgresAddress;
use connection::{PostgresConnections, misread};
use failure::failed;
use statements::SESSIONS_PER_STATEMENT;

/// The number of statements of one sweep: further idle sessions wait for the next one.
const STATEMENTS_PER_SWEEP: usize = 5;

/// The options of a Postgres store.
#[derive(Debug, Clone)]
pub struct PostgresOptions {
    /// The options of every shared store.
    pub shared: SharedOptions,
    /// The clock for expiries and leases.
    pub time_source: TimeSource,
    /// The schema of the tables; `None` for the URL's, or `toolgate`.
    pub schema: Option<String>,
    /// The maximum of connections.
    pub connections: usize,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self { shared: SharedOptions::default(), time_source: TimeSource::Server, schema: None, connections: 10 }
    }
}

/// Creates a store in the database at `url`: `postgres://…` or `postgresql://…`. The TLS certificate must be of an
/// authority that the system trusts, or of one in the file `SSL_CERT_FILE`. The first operation connects, creates the
/// tables if they are absent, and reports the server's faults.
///
/// # Errors
/// If the address is not valid, or no thread can be started.
pub fn open(url: &str, options: PostgresOptions) -> std::io::Result<SharedStore> {
    let address = PostgresAddress::parse(url, options.schema.as_deref())?;
    let shared = options.shared;
    let connections = PostgresConnections::new(address, options.connections, shared.operation_timeout / 4);
    worker::start(PostgresBackend { connections, options, recent: RecentSessions::default() }, shared)
}

struct PostgresBackend {
    connections: PostgresConnections,
    options: PostgresOptions,
    recent: RecentSessions,
}

impl Backend for PostgresBackend {
    type Group = SessionId;

    fn group(&self, session: &SessionId) -> SessionId {
        session.clone()
    }

    async fn commit(&self, jobs: &mut [Box<StoreJob>], until: Instant) -> Result<(), BackendFailure> {
        versioned::commit(self, jobs, until).await
    }

    async fn sweep(&self, idle: Idle, in_use: &[SessionId]) -> Result<Swept, StoreError> {
        let in_use: Vec<_> = in_use.iter().map(|id| session_key(id).into_owned()).collect();
        let by_server = self.options.time_source == TimeSource::Server;
        let begin = if by_server { sql_integer(self.options.shared.idle_ms()) } else { sql_integer(idle.since) };
        let mut dropped = Swept::default();
        for _ in 0..STATEMENTS_PER_SWEEP {
            let parameters: [connection::Parameter<'_>; 4] = [
                (&begin, Type::INT8),
                (&by_server, Type::BOOL),
                (&in_use, Type::TEXT_ARRAY),
                (&SESSIONS_PER_STATEMENT, Type::INT8),
            ];
            let swept = self.connections.first().query(&self.connections.statements.sweep, &parameters).await;
            let swept = swept.map_err(BackendFailure::into_error)?;
            for row in &swept {
                dropped.add(SessionId::from(get::<&str>(row, 0)?), owed_in(get::<Option<&str>>(row, 1)?));
            }
            if swept.is_empty() {
                break;
            }
        }
        Ok(dropped)
    }

    async fn oldest_owed_ms(&self, now: EpochMs) -> Result<Option<u64>, StoreError> {
        let rows = self.connections.first().query(&self.connections.statements.owed, &[]).await;
        let rows = rows.map_err(BackendFailure::into_error)?;
        let Some(row) = rows.first() else { return Ok(None) };
        let since = get::<Option<i64>>(row, 0)?.and_then(|time| EpochMs::try_from(time).ok());
        let now = match self.options.time_source {
            TimeSource::Server => EpochMs::try_from(get::<i64>(row, 1)?).unwrap_or_default(),
            TimeSource::Caller => now,
        };
        Ok(owed_ms(since, now))
    }

    async fn list_uncertain(&self, page: UncertainPage) -> Result<UncertainCalls, StoreError> {
        uncertain::list(&self.connections, &page).await
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

impl SessionServer for PostgresBackend {
    fn recent(&self) -> &RecentSessions {
        &self.recent
    }

    fn time_source(&self) -> TimeSource {
        self.options.time_source
    }

    async fn fingerprint_key(&self) -> Result<HashKey, BackendFailure> {
        self.connections.first().fingerprint_key().await
    }

    async fn read(&self, id: &SessionId, needed_rows: BTreeSet<RowKey>) -> Result<VersionedSession, BackendFailure> {
        let (key, names) = (session_key(id), row_names(&needed_rows));
        let parameters: [connection::Parameter<'_>; 2] = [(&&*key, Type::TEXT), (&names, Type::TEXT_ARRAY)];
        let found = self.connections.for_session(id).query(&self.connections.statements.read, &parameters).await?;
        self.check_installation(found.first())?;
        let Some(row) = found.first() else { return Err(permanent(failed("has no installation"))) };
        let mut session = VersionedSession {
            version: get::<Option<String>>(row, 3)?.unwrap_or_default(),
            document: get::<Option<&str>>(row, 4)?.map(parse_document).transpose()?,
            rows: BufferedRows::default(),
            server_time: u64::try_from(get::<i64>(row, 2)?).unwrap_or_default(),
            read_at: Instant::now(),
        };
        add_rows(&mut session.rows, needed_rows, get::<Vec<Option<String>>>(row, 5)?)?;
        Ok(session)
    }

    /// Sends the same commit until its result is known: if the connection breaks, the commit may have been applied.
    async fn write(
        &self,
        id: &SessionId,
        session: VersionedSession,
        _jobs: &mut [Box<StoreJob>],
        until: Instant,
    ) -> Result<(), BackendFailure> {
        let Some(document) = &session.document else { return Ok(()) };
        let next = commit_id()?;
        let text = serde_json::to_string(document).map_err(|error| unwritable(&error))?;
        let used_at = sql_integer(document.kept_as_used_at(self.options.shared.idle_ms()));
        let changes = RowChanges::from_rows(&session.rows)?;
        let (key, text_bytes) = (session_key(id), text.len());
        let absent = row_names(session.rows.assumed_absent());
        let owed_since = document.owed_since().map(sql_integer);
        let parameters: [connection::Parameter<'_>; 12] = [
            (&&*key, Type::TEXT),
            (&session.version, Type::TEXT),
            (&next, Type::TEXT),
            (&used_at, Type::INT8),
            (&text, Type::TEXT),
            (&changes.names, Type::TEXT_ARRAY),
            (&changes.expiries, Type::INT8_ARRAY),
            (&changes.contents, Type::TEXT_ARRAY),
            (&changes.deleted, Type::TEXT_ARRAY),
            (&changes.purge_until, Type::INT8),
            (&absent, Type::TEXT_ARRAY),
            (&owed_since, Type::INT8),
        ];
        let statements = &self.connections.statements;
        let statement = match (session.version.is_empty(), changes.deletes_rows()) {
            (true, _) => &statements.insert,
            (false, true) => &statements.update_and_delete,
            (false, false) => &statements.update,
        };
        let connection = self.connections.for_session(id);
        let is_committed = try_until(until, async || {
            let counted = connection.query(statement, &parameters).await?;
            if counted.first().map(|row| get::<i64>(row, 0)).transpose()? == Some(1) {
                return Ok(true);
            }
            // Another commit came first, or an earlier try of this one. Read afterwards: the statement above may have
            // waited for that try, and did not see it.
            let found = connection.query(&statements.has_commit, &[(&&*key, Type::TEXT), (&next, Type::TEXT)]).await?;
            found.first().map_or(Ok(false), |row| get::<bool>(row, 0))
        });
        if !is_committed.await? {
            return Err(BackendFailure::Conflict);
        }
        self.recent.put_committed(id, session, next, text_bytes);
        Ok(())
    }
}

impl PostgresBackend {
    /// Checks a row that begins with the installation's layout and key; `None` if the installation is gone.
    fn check_installation(&self, row: Option<&Row>) -> Result<(), BackendFailure> {
        let key = row.map(|row| get::<&str>(row, 1)).transpose()?;
        self.connections.check_key(key)?;
        row.map_or(Ok(()), |row| self.connections.check_layout(get(row, 0)?))
    }
}

/// The changes of a session's rows, as the parameters of a commit.
#[derive(Debug, Default)]
struct RowChanges {
    names: Vec<String>,
    expiries: Vec<Option<i64>>,
    contents: Vec<String>,
    deleted: Vec<String>,
    purge_until: Option<i64>,
}

impl RowChanges {
    fn deletes_rows(&self) -> bool {
        !self.deleted.is_empty() || self.purge_until.is_some()
    }

    fn from_rows(rows: &BufferedRows) -> Result<Self, BackendFailure> {
        let mut changes = Self { purge_until: rows.purge_until().map(sql_integer), ..Self::default() };
        for (key, change) in rows.changes() {
            let Some((row, expires)) = change else {
                changes.deleted.push(row_name(key));
                continue;
            };
            changes.names.push(row_name(key));
            changes.expiries.push(expires.map(sql_integer));
            changes.contents.push(row.to_text().map_err(|error| unwritable(&error))?);
        }
        Ok(changes)
    }
}

/// The session's key in the tables. The server's texts hold no NUL.
fn session_key(id: &SessionId) -> Cow<'_, str> {
    if id.stored_key().is_none() && id.as_str().contains('\0') { Cow::Owned(hashed(id.as_str())) } else { row_key(id) }
}

fn row_names(keys: &BTreeSet<RowKey>) -> Vec<String> {
    keys.iter().map(row_name).collect()
}

/// The name of a row: its kind stays readable if the rest is hashed.
fn row_name(key: &RowKey) -> String {
    let name = key.to_text();
    match name.split_once(':') {
        Some((kind, rest)) if rest.contains('\0') => [kind, ":", &hashed(rest)].concat(),
        _ => name,
    }
}

fn parse_document(text: &str) -> Result<SessionDocument, BackendFailure> {
    serde_json::from_str(text).map_err(|error| unreadable(&error))
}

fn permanent(error: StoreError) -> BackendFailure {
    BackendFailure::Permanent(error)
}

fn unwritable(error: &serde_json::Error) -> BackendFailure {
    permanent(StoreError::Failed(error.to_string()))
}

/// A column of an answer.
fn get<'a, T: FromSql<'a>>(row: &'a Row, index: usize) -> Result<T, BackendFailure> {
    row.try_get(index).map_err(|error| permanent(misread(&error)))
}

impl From<BackendFailure> for StoreError {
    fn from(failure: BackendFailure) -> Self {
        failure.into_error()
    }
}

/// The server's integers are signed.
fn sql_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
