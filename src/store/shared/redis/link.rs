//! The connection: made when it is needed, made anew when it broke, never waited for without a bound.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue, Pipeline, RedisError, ServerErrorKind};

use super::keys::SKETCHES;
use crate::json::SketchKey;
use crate::session::key::hex;
use crate::store::StoreError;

/// What came of asking the server.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It may be otherwise in a moment; whether it was done is not known.
    Passing(StoreError),
    /// It will not be otherwise by trying again.
    Lasting(StoreError),
}

impl Trouble {
    pub(super) fn into_error(self) -> StoreError {
        match self {
            Self::Passing(error) | Self::Lasting(error) => error,
        }
    }
}

#[derive(Clone)]
struct Connected {
    connection: MultiplexedConnection,
    sketches: SketchKey,
}

pub(super) struct Link {
    client: Client,
    patience: Duration,
    connected: Mutex<Option<Connected>>,
    /// One connection is made at a time.
    connecting: tokio::sync::Mutex<()>,
}

impl Link {
    /// `patience` bounds each exchange.
    pub(super) fn new(client: Client, patience: Duration) -> Self {
        Self { client, patience, connected: Mutex::default(), connecting: tokio::sync::Mutex::default() }
    }

    /// The installation's key.
    pub(super) async fn sketches(&self) -> Result<SketchKey, Trouble> {
        Ok(self.connected().await?.sketches)
    }

    pub(super) async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Trouble> {
        let mut connection = self.connected().await?.connection;
        command.query_async(&mut connection).await.map_err(|error| self.trouble(&error))
    }

    pub(super) async fn ask_all<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, Trouble> {
        let mut connection = self.connected().await?.connection;
        commands.query_async(&mut connection).await.map_err(|error| self.trouble(&error))
    }

    pub(super) fn close(&self) {
        *self.connected.lock() = None;
    }

    async fn connected(&self) -> Result<Connected, Trouble> {
        let there = || self.connected.lock().clone();
        if let Some(connected) = there() {
            return Ok(connected);
        }
        let _alone = self.connecting.lock().await;
        if let Some(connected) = there() {
            return Ok(connected);
        }
        let connected = self.connect().await.map_err(|error| self.trouble(&error))?;
        *self.connected.lock() = Some(connected.clone());
        Ok(connected)
    }

    async fn connect(&self) -> Result<Connected, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.patience))
            .set_response_timeout(Some(self.patience));
        let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        let (key,): (String,) = redis::pipe()
            .cmd("SET")
            .arg(SKETCHES)
            .arg(hex(&SketchKey::random().to_bytes()))
            .arg("NX")
            .ignore()
            .cmd("GET")
            .arg(SKETCHES)
            .query_async(&mut connection)
            .await?;
        let bits = u128::from_str_radix(&key, 16).unwrap_or_default();
        Ok(Connected { connection, sketches: SketchKey::new(bits.to_be_bytes()) })
    }

    /// The words name no address: it may hold a password.
    fn trouble(&self, error: &RedisError) -> Trouble {
        let told = |what: &str| StoreError::Failed(format!("redis {what}"));
        if let redis::ErrorKind::Server(kind) = error.kind() {
            return match kind {
                ServerErrorKind::BusyLoading | ServerErrorKind::TryAgain => Trouble::Passing(told("is still loading")),
                ServerErrorKind::ReadOnly => Trouble::Lasting(told("is a replica that can't be written to")),
                _ => Trouble::Lasting(told(&format!("refused: {error}"))),
            };
        }
        // The next one finds a new connection.
        self.close();
        if let Some(distrust) = distrust(error) {
            return Trouble::Lasting(told(&format!(
                "is not trusted: {distrust}; its authority must be one of this system's, or in the file that `SSL_CERT_FILE` \
                 names"
            )));
        }
        if error.is_connection_refusal() {
            Trouble::Passing(told("can't be reached"))
        } else if error.is_timeout() {
            Trouble::Passing(told("does not answer"))
        } else if error.is_io_error() || error.is_connection_dropped() {
            Trouble::Passing(told("broke the connection"))
        } else {
            Trouble::Lasting(told(&format!("can't be used: {error}")))
        }
    }
}

/// Why TLS does not take the server's certificate, where that is what went wrong.
fn distrust(error: &RedisError) -> Option<String> {
    // The crate keeps a cause behind an `Arc`, which is a cause of its own to whoever asks.
    let cause = error.source()?.downcast_ref::<Arc<dyn Error + Send + Sync>>()?;
    match cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref()? {
        tls @ rustls::Error::InvalidCertificate(_) => Some(tls.to_string()),
        _ => None,
    }
}
