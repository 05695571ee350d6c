//! The connections to the server: opened on demand, reopened after a failure, every wait bounded.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row};

use super::address::PostgresAddress;
use super::failure::{PostgresFailure, classify, failed};
use super::statements::Statements;
use crate::call::SessionId;
use crate::json::HashKey;
use crate::store::error::StoreError;
use crate::store::shared::backend::BackendFailure;
use crate::store::shared::versioned::parse_fingerprint_key;

/// A parameter of a statement with its type: the server need not be asked for it.
pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// A client and the task that does its I/O.
pub(super) struct OpenClient {
    pub(super) client: Client,
    driver: JoinHandle<()>,
}

impl Drop for OpenClient {
    /// Ends the connection even if the server does not take its farewell.
    fn drop(&mut self) {
        self.driver.abort();
    }
}

#[derive(Clone)]
struct ReadyConnection {
    open: Arc<OpenClient>,
    fingerprint_key: HashKey,
}

#[derive(Default)]
struct ConnectionSlot {
    connected: Mutex<Option<ReadyConnection>>,
    /// Ensures that one connection is opened at a time.
    connecting: tokio::sync::Mutex<()>,
}

impl ConnectionSlot {
    fn live(&self) -> Option<ReadyConnection> {
        self.connected.lock().clone().filter(|live| !live.open.client.is_closed())
    }
}

/// The connections of a store. The statements of one session use one of them, in their order.
pub(super) struct PostgresConnections {
    pub(super) address: PostgresAddress,
    pub(super) statements: Statements,
    request_timeout: Duration,
    /// The installation's key as this process first saw it: a server without it, or with another one, has lost its data.
    known_key: Mutex<Option<HashKey>>,
    slots: Vec<ConnectionSlot>,
}

impl PostgresConnections {
    /// Creates the connections, without opening them.
    pub(super) fn new(address: PostgresAddress, count: usize, request_timeout: Duration) -> Self {
        let statements = Statements::new(&address.schema);
        let slots = std::iter::repeat_with(ConnectionSlot::default).take(count.max(1)).collect();
        Self { address, statements, request_timeout, known_key: Mutex::default(), slots }
    }

    /// Uses the server as it is from now on, even if it has lost its data.
    pub(super) fn accept(&self) {
        *self.known_key.lock() = None;
        self.close();
    }

    pub(super) fn close(&self) {
        for slot in &self.slots {
            *slot.connected.lock() = None;
        }
    }

    /// The connection of a session.
    pub(super) fn for_session(&self, session: &SessionId) -> PostgresConnection<'_> {
        let mut hasher = DefaultHasher::new();
        session.hash(&mut hasher);
        let index = usize::try_from(hasher.finish() % self.slots.len() as u64).unwrap_or_default();
        PostgresConnection { shared: self, slot: self.slots.get(index) }
    }

    /// Any connection that is open.
    fn open_connection(&self) -> Option<ReadyConnection> {
        self.slots.iter().find_map(ConnectionSlot::live)
    }

    /// The connection of operations on all sessions.
    pub(super) fn first(&self) -> PostgresConnection<'_> {
        PostgresConnection { shared: self, slot: self.slots.first() }
    }

    /// Opens a connection, without looking at the store.
    pub(super) async fn open(&self) -> Result<OpenClient, BackendFailure> {
        let tls = self.address.tls().map_err(|error| {
            BackendFailure::Permanent(failed(&format!("can't be used: TLS does not work: {error}")))
        })?;
        let (client, connection) =
            self.in_time(self.address.config.connect(tls)).await?.map_err(|error| classify(&error).failure)?;
        let driver = tokio::spawn(async move {
            // The failure is reported to the statements that wait.
            let _ = connection.await;
        });
        Ok(OpenClient { client, driver })
    }

    /// Runs a statement on a connection.
    pub(super) async fn run(
        &self,
        client: &Client,
        statement: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Result<Vec<Row>, Error>, BackendFailure> {
        self.in_time(client.query_typed(statement, parameters)).await
    }

    /// Waits for the server, with the time limit of one request.
    pub(super) async fn in_time<T>(&self, request: impl Future<Output = T>) -> Result<T, BackendFailure> {
        timeout(self.request_timeout, request).await.map_err(|_| BackendFailure::Transient(failed("does not answer")))
    }

    /// Compares the installation's key, as it was read now, with the one that this process knows.
    pub(super) fn check_key(&self, text: Option<&str>) -> Result<(), BackendFailure> {
        let known = self.known_key.lock().map(HashKey::to_bytes);
        let found = text.and_then(|text| parse_fingerprint_key(text.as_bytes())).map(HashKey::to_bytes);
        if known.is_none() || known == found {
            return Ok(());
        }
        tracing::error!("postgres has lost its data: calls that have run could run again, so writes are refused");
        Err(BackendFailure::Permanent(StoreError::LostData(
            "postgres has lost its data, and with it the calls that have run; writes are refused until the host calls \
             `registry.acceptStore()`"
                .to_owned(),
        )))
    }

    /// Opens a connection and the installation behind it. The first one of the process creates what is absent.
    async fn connect(&self) -> Result<ReadyConnection, BackendFailure> {
        let open = Arc::new(self.open().await?);
        let is_first = self.known_key.lock().is_none();
        let found = self.find_installation(&open.client, is_first).await?;
        let key = found.as_ref().map(|found| found.fingerprint_key.as_str());
        self.check_key(key)?;
        let fingerprint_key = key
            .and_then(|key| parse_fingerprint_key(key.as_bytes()))
            .ok_or_else(|| BackendFailure::Permanent(unreadable_key(&self.address.schema)))?;
        if let Some(found) = found {
            self.check_layout(found.layout)?;
        }
        *self.known_key.lock() = Some(fingerprint_key);
        Ok(ReadyConnection { open, fingerprint_key })
    }
}

/// One connection of the store.
#[derive(Clone, Copy)]
pub(super) struct PostgresConnection<'a> {
    shared: &'a PostgresConnections,
    slot: Option<&'a ConnectionSlot>,
}

impl PostgresConnection<'_> {
    /// The installation's fingerprint key.
    pub(super) async fn fingerprint_key(self) -> Result<HashKey, BackendFailure> {
        Ok(self.ready_connection().await?.fingerprint_key)
    }

    /// Runs a statement as a transaction of its own. A server that is not, or no longer, the right one has done nothing: the
    /// address is resolved anew, and the statement is run once more on the server that is there now.
    pub(super) async fn query(self, statement: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, BackendFailure> {
        match self.try_query(statement, parameters).await {
            Err(PostgresFailure { is_wrong_server: true, .. }) => {
                // So do the others.
                self.shared.close();
                self.try_query(statement, parameters).await
            }
            done => done,
        }
        .map_err(|failed| failed.failure)
    }

    async fn try_query(self, statement: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, PostgresFailure> {
        let ReadyConnection { open, .. } = self.ready_connection().await?;
        let answered = self.shared.run(&open.client, statement, parameters).await;
        let error = match answered {
            Ok(Ok(rows)) => return Ok(rows),
            Ok(Err(error)) => error,
            Err(late) => {
                self.forget(&open);
                return Err(late.into());
            }
        };
        if super::failure::is_missing_table(&error) {
            self.forget(&open);
            // An error if the tables were there before.
            self.shared.check_key(None)?;
        }
        let failed = classify(&error);
        if failed.breaks_connection {
            self.forget(&open);
        }
        Err(failed)
    }

    /// The next statement opens a new connection, unless another statement did.
    fn forget(self, broken: &Arc<OpenClient>) {
        if let Some(slot) = self.slot {
            slot.connected.lock().take_if(|live| Arc::ptr_eq(&live.open, broken));
        }
    }

    async fn ready_connection(self) -> Result<ReadyConnection, BackendFailure> {
        let Some(slot) = self.slot else { return Err(BackendFailure::Permanent(failed("has no connections"))) };
        let there = || slot.live();
        if let Some(connected) = there() {
            return Ok(connected);
        }
        let _alone = slot.connecting.lock().await;
        if let Some(connected) = there() {
            return Ok(connected);
        }
        match self.shared.connect().await {
            Ok(connected) => {
                *slot.connected.lock() = Some(connected.clone());
                Ok(connected)
            }
            // A server that has no further connection now is used with those that are open.
            Err(failure @ BackendFailure::Transient(_)) => self.shared.open_connection().ok_or(failure),
            Err(failure) => Err(failure),
        }
    }
}

/// An answer of the server that has another shape than the statement's.
pub(super) fn misread(error: &Error) -> StoreError {
    failed(&format!("answered otherwise than it was asked: {error}"))
}

pub(super) fn unreadable_key(schema: &str) -> StoreError {
    failed(&format!("has no readable installation key: `{schema}.installation` must hold 32 hex digits; restore it"))
}
