//! The connections to the server: opened on demand, reopened after a failure, every wait bounded.

use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue, Pipeline, RedisError, ScriptInvocation};

use super::failure::{self, ConnectionState, RedisFailure, classify, describe};
use super::keys::FINGERPRINT_KEY;
use super::pool::{ConnectionPool, LiveConnection};
use super::server_settings::{ServerSettings, is_cluster_node};
use crate::json::HashKey;
use crate::session::key::hex;
use crate::store::error::StoreError;
use crate::store::shared::backend::BackendFailure;
use crate::store::shared::versioned::parse_fingerprint_key;

pub(super) struct RedisConnections {
    client: Client,
    request_timeout: Duration,
    allow_eviction: bool,
    /// The installation's key as this process first saw it: a server without it, or with another one, has lost its data.
    known_key: Mutex<Option<HashKey>>,
    pool: ConnectionPool,
    /// Ensures that connections are opened one after another.
    connecting: tokio::sync::Mutex<()>,
}

impl RedisConnections {
    /// Creates the connection, without opening it.
    pub(super) fn new(client: Client, request_timeout: Duration, allow_eviction: bool) -> Self {
        Self {
            client,
            request_timeout,
            allow_eviction,
            known_key: Mutex::default(),
            pool: ConnectionPool::default(),
            connecting: tokio::sync::Mutex::default(),
        }
    }

    /// Uses the server as it is from now on, even if it has lost its data.
    pub(super) fn accept(&self) {
        *self.known_key.lock() = None;
        self.close();
    }

    /// Compares the installation's key, as it was read now, with the one that this process knows.
    pub(super) fn check_key(&self, text: Option<&[u8]>) -> Result<(), BackendFailure> {
        let known = self.known_key.lock().map(HashKey::to_bytes);
        if known.is_none() || known == text.and_then(parse_fingerprint_key).map(HashKey::to_bytes) {
            return Ok(());
        }
        tracing::error!("redis has lost its data: calls that have run could run again, so writes are refused");
        Err(BackendFailure::Permanent(StoreError::LostData(
            "redis has lost its data, and with it the calls that have run; writes are refused until the host calls \
             `registry.acceptStore()`"
                .to_owned(),
        )))
    }

    /// The installation's fingerprint key.
    pub(super) async fn fingerprint_key(&self) -> Result<HashKey, BackendFailure> {
        match self.pool.fingerprint_key() {
            Some(key) => Ok(key),
            None => Ok(self.live_connection().await?.fingerprint_key),
        }
    }

    pub(super) async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, BackendFailure> {
        self.request(async |connection| command.query_async(connection).await).await
    }

    pub(super) async fn query_pipeline<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, BackendFailure> {
        self.request(async |connection| commands.query_async(connection).await).await
    }

    /// Runs a script by its hash; its text is sent if the server does not have it.
    pub(super) async fn invoke<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, BackendFailure> {
        self.request(async |connection| script.invoke_async(connection).await).await
    }

    /// Sends a request. A server that is not, or no longer, the right one has done nothing: the address is resolved anew, and
    /// the request is sent once more to the server that is there now.
    async fn request<T>(
        &self,
        send: impl AsyncFn(&mut MultiplexedConnection) -> Result<T, RedisError>,
    ) -> Result<T, BackendFailure> {
        let _waiting = self.pool.begin_request();
        let mut is_last = false;
        loop {
            let mut connection = self.live_connection().await?.connection;
            let error = match send(&mut connection).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let RedisFailure { failure, connection } = classify(&error);
            if connection != ConnectionState::Usable {
                self.close();
            }
            if is_last || connection != ConnectionState::WrongServer {
                return Err(failure);
            }
            is_last = true;
        }
    }

    pub(super) fn close(&self) {
        self.pool.close();
    }

    /// The connection whose turn it is. The first request opens one, and one of many requests at once a further one.
    async fn live_connection(&self) -> Result<LiveConnection, BackendFailure> {
        let Some(connection) = self.pool.next() else {
            let _alone = self.connecting.lock().await;
            if let Some(connection) = self.pool.next() {
                return Ok(connection);
            }
            let connection = self.connect().await?;
            self.pool.add(connection.clone());
            return Ok(connection);
        };
        if self.pool.needs_another()
            && let Ok(_alone) = self.connecting.try_lock()
        {
            match self.connect().await {
                Ok(another) => self.pool.add(another),
                Err(failure) => {
                    let reason = failure.into_error();
                    tracing::warn!(%reason, "no further connection to redis could be opened; those that are open are used");
                    self.pool.limit();
                }
            }
        }
        Ok(connection)
    }

    async fn connect(&self) -> Result<LiveConnection, BackendFailure> {
        let mut connection = self.open().await.map_err(|error| classify(&error).failure)?;
        self.check_settings(&mut connection).await?;
        let key = self.read_key(&mut connection).await.map_err(|error| classify(&error).failure)?;
        self.check_key(key.as_deref())?;
        let parsed = key.as_deref().and_then(parse_fingerprint_key);
        let fingerprint_key = parsed.ok_or_else(|| BackendFailure::Permanent(unreadable_key()))?;
        *self.known_key.lock() = Some(fingerprint_key);
        Ok(LiveConnection { connection, fingerprint_key })
    }

    async fn check_settings(&self, connection: &mut MultiplexedConnection) -> Result<(), BackendFailure> {
        if is_cluster_node(connection).await.map_err(|error| classify(&error).failure)? {
            return Err(BackendFailure::Permanent(failure::is_cluster_node()));
        }
        if let Some(settings) = ServerSettings::read(connection).await.map_err(|error| classify(&error).failure)? {
            return settings.check(self.allow_eviction).map_err(BackendFailure::Permanent);
        }
        tracing::warn!("redis does not show its settings: it could not be checked that it forgets no calls");
        Ok(())
    }

    /// Opens a connection for an operator's command: without the checks and the writes of the first use.
    pub(super) async fn open_unchecked(&self) -> Result<MultiplexedConnection, StoreError> {
        self.open().await.map_err(|error| describe(&error))
    }

    async fn open(&self) -> Result<MultiplexedConnection, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.request_timeout))
            .set_response_timeout(Some(self.request_timeout));
        self.client.get_multiplexed_async_connection_with_config(&config).await
    }

    /// Reads the installation's key. The first connection of the process creates it if it is absent.
    async fn read_key(&self, connection: &mut MultiplexedConnection) -> Result<Option<Vec<u8>>, RedisError> {
        let mut commands = redis::pipe();
        if self.known_key.lock().is_none() {
            let key = hex(&HashKey::random().to_bytes());
            commands.cmd("SET").arg(FINGERPRINT_KEY).arg(key).arg("NX").ignore();
        }
        let (key,) = commands.cmd("GET").arg(FINGERPRINT_KEY).query_async(connection).await?;
        Ok(key)
    }
}

pub(super) fn unreadable_key() -> StoreError {
    StoreError::Failed(format!(
        "redis has no readable installation key: `{FINGERPRINT_KEY}` must hold 32 hex digits; restore it"
    ))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use redis::IntoConnectionInfo;

    use super::*;
    use crate::store::conformance::redis_server;

    #[tokio::test]
    async fn an_unreadable_fingerprint_key_is_a_permanent_failure() {
        let Some(url) = redis_server::url() else { return };
        // A database of its own: the other tests of the server use the first.
        let client = Client::open(format!("{}/9", url.trim_end_matches('/')).into_connection_info().unwrap()).unwrap();
        let set = async |key: &str| {
            let mut connection = client.get_multiplexed_async_connection().await.unwrap();
            redis::cmd("SET").arg(FINGERPRINT_KEY).arg(key).query_async::<()>(&mut connection).await.unwrap();
        };
        set("not a key").await;
        let connection = RedisConnections::new(client.clone(), Duration::from_secs(2), false);
        for _ in 0..2 {
            let Err(BackendFailure::Permanent(StoreError::Failed(message))) = connection.fingerprint_key().await else {
                panic!("an unreadable key is used")
            };
            assert!(message.contains(FINGERPRINT_KEY), "{message}");
        }
        set(&"7".repeat(32)).await;
        assert!(connection.fingerprint_key().await.is_ok(), "a restored key is used");
    }

    fn connection(url: &str) -> RedisConnections {
        RedisConnections::new(Client::open(url).unwrap(), Duration::from_secs(2), false)
    }

    /// The number of connections that a server of its own has accepted, without the one that asks.
    fn accepted(url: &str) -> u64 {
        let mut server = Client::open(url).unwrap().get_connection().unwrap();
        let stats: String = redis::cmd("INFO").arg("stats").query(&mut server).unwrap();
        let number = stats.lines().find_map(|line| line.strip_prefix("total_connections_received:")).unwrap();
        number.parse::<u64>().unwrap() - 1
    }

    async fn ping(connection: &RedisConnections) -> Result<String, BackendFailure> {
        connection.query(redis::cmd("PING").arg("hi")).await
    }

    /// Whether so many requests at once are all answered.
    async fn pings(connection: &RedisConnections, count: usize) -> bool {
        let answers = futures_util::future::join_all((0..count).map(|_| ping(connection))).await;
        answers.into_iter().all(|answer| answer.is_ok_and(|text| text == "hi"))
    }

    /// Breaks every connection but the one that asks for it.
    fn break_all(client: &Client) {
        let mut other = client.get_connection().unwrap();
        redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("normal").exec(&mut other).unwrap();
    }

    #[tokio::test]
    async fn one_connection_is_used_until_it_breaks() {
        let Some(server) = redis_server::start() else { return };
        let connection = connection(&server.url);
        let before = accepted(&server.url);
        assert!(pings(&connection, 8).await && pings(&connection, 1).await);
        // The connections that count have their share: one of `before`.
        assert_eq!(accepted(&server.url) - before, 2);
        break_all(&connection.client);
        assert!(matches!(ping(&connection).await, Err(BackendFailure::Transient(_))), "it is broken");
        assert!(pings(&connection, 1).await, "another one is opened");
        assert_eq!(accepted(&server.url) - before, 5);
    }

    #[tokio::test]
    async fn many_requests_at_once_open_further_connections() {
        let Some(server) = redis_server::start() else { return };
        let connection = connection(&server.url);
        let before = accepted(&server.url);
        // A burst opens one further connection, and no more than four in all.
        for _ in 0..6 {
            assert!(pings(&connection, 100).await);
        }
        assert_eq!(accepted(&server.url) - before, 5, "four, and one that counts");
        // All of them break together, and are opened again.
        break_all(&connection.client);
        let broken = futures_util::future::join_all((0..4).map(|_| ping(&connection))).await;
        assert!(broken.iter().all(|answer| matches!(answer, Err(BackendFailure::Transient(_)))), "{}", broken.len());
        assert!(pings(&connection, 4).await);
    }

    #[tokio::test]
    async fn a_server_that_refuses_further_connections_is_used_with_those_that_are_open() {
        let Some(server) = redis_server::start() else { return };
        let connection = connection(&server.url);
        assert!(pings(&connection, 1).await);
        let mut other = connection.client.get_connection().unwrap();
        redis::cmd("CONFIG").arg("SET").arg("maxclients").arg(2).exec(&mut other).unwrap();
        for _ in 0..3 {
            assert!(pings(&connection, 100).await);
        }
        // One further connection was asked for, and no other after it was refused.
        let stats: String = redis::cmd("INFO").arg("stats").query(&mut other).unwrap();
        assert!(stats.contains("rejected_connections:1\r\n"), "{stats}");
    }
}
