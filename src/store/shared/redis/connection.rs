//! The connection to the server: opened on demand, reopened after a failure, every wait bounded.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Client, Cmd, FromRedisValue, Pipeline, RedisError, ScriptInvocation, ServerErrorKind,
};

use super::keys::FINGERPRINT_KEY;
use crate::json::HashKey;
use crate::session::key::hex;
use crate::store::StoreError;
use crate::store::shared::backend::BackendFailure;

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
    pub(super) async fn fingerprint_key(&self) -> Result<HashKey, BackendFailure> {
        Ok(self.live_connection().await?.fingerprint_key)
    }

    pub(super) async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, BackendFailure> {
        let mut connection = self.live_connection().await?.connection;
        command.query_async(&mut connection).await.map_err(|error| self.classify(&error))
    }

    pub(super) async fn query_pipeline<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, BackendFailure> {
        let mut connection = self.live_connection().await?.connection;
        commands.query_async(&mut connection).await.map_err(|error| self.classify(&error))
    }

    /// Runs a script by its hash; its text is sent if the server does not have it.
    pub(super) async fn invoke<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, BackendFailure> {
        let mut connection = self.live_connection().await?.connection;
        script.invoke_async(&mut connection).await.map_err(|error| self.classify(&error))
    }

    pub(super) fn close(&self) {
        *self.connected.lock() = None;
    }

    async fn live_connection(&self) -> Result<LiveConnection, BackendFailure> {
        let there = || self.connected.lock().clone();
        if let Some(connected) = there() {
            return Ok(connected);
        }
        let _alone = self.connecting.lock().await;
        if let Some(connected) = there() {
            return Ok(connected);
        }
        let connected = self.connect().await?;
        *self.connected.lock() = Some(connected.clone());
        Ok(connected)
    }

    async fn connect(&self) -> Result<LiveConnection, BackendFailure> {
        let (connection, key) = self.open().await.map_err(|error| self.classify(&error))?;
        let fingerprint_key = parse_fingerprint_key(&key).ok_or_else(|| {
            BackendFailure::Permanent(StoreError::Failed(format!(
                "redis has no readable installation key: `{FINGERPRINT_KEY}` must hold 32 hex digits; restore it"
            )))
        })?;
        Ok(LiveConnection { connection, fingerprint_key })
    }

    /// Opens a connection. Returns it with the text of the installation's fingerprint key, which is created if absent.
    async fn open(&self) -> Result<(MultiplexedConnection, Vec<u8>), RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.request_timeout))
            .set_response_timeout(Some(self.request_timeout));
        let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        let (key,): (Vec<u8>,) = redis::pipe()
            .cmd("SET")
            .arg(FINGERPRINT_KEY)
            .arg(hex(&HashKey::random().to_bytes()))
            .arg("NX")
            .ignore()
            .cmd("GET")
            .arg(FINGERPRINT_KEY)
            .query_async(&mut connection)
            .await?;
        Ok((connection, key))
    }

    /// Classifies an error. The message contains no address, which may include a password.
    fn classify(&self, error: &RedisError) -> BackendFailure {
        let failure = |what: &str| StoreError::Failed(format!("redis {what}"));
        if let redis::ErrorKind::Server(kind) = error.kind() {
            return match kind {
                ServerErrorKind::BusyLoading | ServerErrorKind::TryAgain => {
                    BackendFailure::Transient(failure("is still loading"))
                }
                ServerErrorKind::ReadOnly => {
                    BackendFailure::Permanent(failure("is a replica that can't be written to"))
                }
                _ => BackendFailure::Permanent(failure(&format!("refused: {error}"))),
            };
        }
        // The next request opens a new connection.
        self.close();
        if let Some(distrust) = certificate_error(error) {
            return BackendFailure::Permanent(failure(&format!(
                "is not trusted: {distrust}; its authority must be one of this system's, or in the file that \
                 `SSL_CERT_FILE` names"
            )));
        }
        if error.is_connection_refusal() {
            BackendFailure::Transient(failure("can't be reached"))
        } else if error.is_timeout() {
            BackendFailure::Transient(failure("does not answer"))
        } else if error.is_io_error() || error.is_connection_dropped() {
            BackendFailure::Transient(failure("broke the connection"))
        } else {
            BackendFailure::Permanent(failure(&format!("can't be used: {error}")))
        }
    }
}

/// Parses the installation's fingerprint key. A key that is not 32 hex digits is refused: another key in its place
/// would make each stored call look like a call with other arguments.
fn parse_fingerprint_key(text: &[u8]) -> Option<HashKey> {
    let text = std::str::from_utf8(text).ok()?;
    let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bits = is_hex.then(|| u128::from_str_radix(text, 16).ok())??;
    Some(HashKey::new(bits.to_be_bytes()))
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use redis::IntoConnectionInfo;

    use super::*;
    use crate::store::conformance::redis_server;

    #[test]
    fn a_fingerprint_key_is_32_hex_digits() {
        let key = HashKey::new([0xab; 16]);
        let parsed = parse_fingerprint_key(hex(&key.to_bytes()).as_bytes()).unwrap();
        assert_eq!(parsed.to_bytes(), key.to_bytes());
        let long = "0".repeat(33);
        for unreadable in [&b""[..], b"nonsense", b"+0000000000000000000000000000001", long.as_bytes(), &[0xff; 32]] {
            assert!(parse_fingerprint_key(unreadable).is_none(), "{unreadable:?}");
        }
    }

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
        let connection = RedisConnection::new(client.clone(), Duration::from_secs(2));
        for _ in 0..2 {
            let Err(BackendFailure::Permanent(StoreError::Failed(message))) = connection.fingerprint_key().await else {
                panic!("an unreadable key is used")
            };
            assert!(message.contains(FINGERPRINT_KEY), "{message}");
        }
        set(&"7".repeat(32)).await;
        assert!(connection.fingerprint_key().await.is_ok(), "a restored key is used");
    }
}
