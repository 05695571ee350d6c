//! The connection to the server: opened on demand, reopened after a failure, every wait bounded.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue, Pipeline, RedisError, ServerErrorKind};

use super::keys::FINGERPRINT_KEY;
use crate::json::HashKey;
use crate::session::key::hex;
use crate::store::StoreError;

/// The failure of a request to the server.
#[derive(Debug)]
pub(super) enum RedisFailure {
    /// May succeed in a moment; whether the command was applied is unknown.
    Transient(StoreError),
    /// Will not succeed by trying again.
    Permanent(StoreError),
}

impl RedisFailure {
    pub(super) fn into_error(self) -> StoreError {
        match self {
            Self::Transient(error) | Self::Permanent(error) => error,
        }
    }
}

#[derive(Clone)]
struct LiveConnection {
    connection: MultiplexedConnection,
    fingerprint_key: HashKey,
}

pub(super) struct RedisConnection {
    client: Client,
    request_timeout: Duration,
    connected: Mutex<Option<LiveConnection>>,
    /// Ensures that one connection is opened at a time.
    connecting: tokio::sync::Mutex<()>,
}

impl RedisConnection {
    /// Creates the connection, without opening it.
    pub(super) fn new(client: Client, request_timeout: Duration) -> Self {
        Self { client, request_timeout, connected: Mutex::default(), connecting: tokio::sync::Mutex::default() }
    }

    /// The installation's fingerprint key.
    pub(super) async fn fingerprint_key(&self) -> Result<HashKey, RedisFailure> {
        Ok(self.live_connection().await?.fingerprint_key)
    }

    pub(super) async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, RedisFailure> {
        let mut connection = self.live_connection().await?.connection;
        command.query_async(&mut connection).await.map_err(|error| self.classify(&error))
    }

    pub(super) async fn query_pipeline<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, RedisFailure> {
        let mut connection = self.live_connection().await?.connection;
        commands.query_async(&mut connection).await.map_err(|error| self.classify(&error))
    }

    pub(super) fn close(&self) {
        *self.connected.lock() = None;
    }

    async fn live_connection(&self) -> Result<LiveConnection, RedisFailure> {
        let there = || self.connected.lock().clone();
        if let Some(connected) = there() {
            return Ok(connected);
        }
        let _alone = self.connecting.lock().await;
        if let Some(connected) = there() {
            return Ok(connected);
        }
        let connected = self.connect().await.map_err(|error| self.classify(&error))?;
        *self.connected.lock() = Some(connected.clone());
        Ok(connected)
    }

    async fn connect(&self) -> Result<LiveConnection, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.request_timeout))
            .set_response_timeout(Some(self.request_timeout));
        let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        let (key,): (String,) = redis::pipe()
            .cmd("SET")
            .arg(FINGERPRINT_KEY)
            .arg(hex(&HashKey::random().to_bytes()))
            .arg("NX")
            .ignore()
            .cmd("GET")
            .arg(FINGERPRINT_KEY)
            .query_async(&mut connection)
            .await?;
        let bits = u128::from_str_radix(&key, 16).unwrap_or_default();
        Ok(LiveConnection { connection, fingerprint_key: HashKey::new(bits.to_be_bytes()) })
    }

    /// Classifies an error. The message contains no address, which may include a password.
    fn classify(&self, error: &RedisError) -> RedisFailure {
        let failure = |what: &str| StoreError::Failed(format!("redis {what}"));
        if let redis::ErrorKind::Server(kind) = error.kind() {
            return match kind {
                ServerErrorKind::BusyLoading | ServerErrorKind::TryAgain => {
                    RedisFailure::Transient(failure("is still loading"))
                }
                ServerErrorKind::ReadOnly => RedisFailure::Permanent(failure("is a replica that can't be written to")),
                _ => RedisFailure::Permanent(failure(&format!("refused: {error}"))),
            };
        }
        // The next request opens a new connection.
        self.close();
        if let Some(distrust) = certificate_error(error) {
            return RedisFailure::Permanent(failure(&format!(
                "is not trusted: {distrust}; its authority must be one of this system's, or in the file that `SSL_CERT_FILE` \
                 names"
            )));
        }
        if error.is_connection_refusal() {
            RedisFailure::Transient(failure("can't be reached"))
        } else if error.is_timeout() {
            RedisFailure::Transient(failure("does not answer"))
        } else if error.is_io_error() || error.is_connection_dropped() {
            RedisFailure::Transient(failure("broke the connection"))
        } else {
            RedisFailure::Permanent(failure(&format!("can't be used: {error}")))
        }
    }
}

/// Why TLS rejected the server's certificate, if that is the cause.
fn certificate_error(error: &RedisError) -> Option<String> {
    // The crate wraps the cause in an `Arc`, which is the error's source itself.
    let cause = error.source()?.downcast_ref::<Arc<dyn Error + Send + Sync>>()?;
    match cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref()? {
        tls @ rustls::Error::InvalidCertificate(_) => Some(tls.to_string()),
        _ => None,
    }
}
