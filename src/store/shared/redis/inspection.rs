//! What an operator's commands read from a server. They change nothing, and do not create the installation's key.

use std::time::Duration;

use redis::aio::MultiplexedConnection;

use super::connection::{RedisConnections, describe, unreadable_key};
use super::keys::{FINGERPRINT_KEY, SESSION_PATTERN, SessionKeys, tag_of};
use super::server_settings::ServerSettings;
use crate::json::HashKey;
use crate::store::StoreError;
use crate::store::shared::report::{RedisCheck, RowCounts};
use crate::store::shared::versioned::parse_fingerprint_key;

/// The time limit of one command.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of keys that the server looks at in one step: other commands wait for it.
const SCANNED_KEYS: usize = 500;

/// A connection for an operator's command.
pub(super) struct Inspection {
    pub(super) server: MultiplexedConnection,
}

impl Inspection {
    pub(super) async fn open(url: &str) -> Result<Self, StoreError> {
        let client = super::client(url).map_err(|error| StoreError::Failed(error.to_string()))?;
        let connections = RedisConnections::new(client, REQUEST_TIMEOUT, true);
        let server = connections.open_unchecked().await?;
        Ok(Self { server })
    }

    /// The next hash tags of sessions, and the cursor to go on with, 0 at the end. A session that is there all the time
    /// is found at least once.
    pub(super) async fn scan(&mut self, cursor: u64) -> Result<(u64, Vec<String>), StoreError> {
        let mut command = redis::cmd("SCAN");
        command.arg(cursor).arg("MATCH").arg(SESSION_PATTERN).arg("COUNT").arg(SCANNED_KEYS);
        let found: Result<(u64, Vec<String>), _> = command.query_async(&mut self.server).await;
        let (next, keys) = checked(found)?;
        Ok((next, keys.iter().filter_map(|key| tag_of(key)).map(str::to_owned).collect()))
    }

    /// The documents of sessions by tag. A session that has ended its time to live is left out.
    pub(super) async fn documents(&mut self, tags: Vec<String>) -> Result<Vec<(String, String)>, StoreError> {
        if tags.is_empty() {
            return Ok(Vec::new());
        }
        let mut commands = redis::pipe();
        for tag in &tags {
            commands.cmd("HGET").arg(SessionKeys::for_tag(tag).session).arg("document");
        }
        let found: Result<Vec<Option<String>>, _> = commands.query_async(&mut self.server).await;
        let found = checked(found)?;
        Ok(tags.into_iter().zip(found).filter_map(|(tag, document)| Some((tag, document?))).collect())
    }

    /// The rows of a session.
    pub(super) async fn rows(&mut self, tag: &str) -> Result<Vec<(String, String)>, StoreError> {
        let rows = redis::cmd("HGETALL").arg(SessionKeys::for_tag(tag).rows).query_async(&mut self.server).await;
        checked(rows)
    }

    /// Counts the rows of some sessions.
    pub(super) async fn count(&mut self, tags: &[String]) -> Result<RowCounts, StoreError> {
        let mut counts = RowCounts::default();
        if tags.is_empty() {
            return Ok(counts);
        }
        let mut commands = redis::pipe();
        for tag in tags {
            commands.cmd("HKEYS").arg(SessionKeys::for_tag(tag).rows);
        }
        let found: Result<Vec<Vec<String>>, _> = commands.query_async(&mut self.server).await;
        for names in checked(found)? {
            counts.sessions += 1;
            for name in &names {
                counts.add_row(name);
            }
        }
        Ok(counts)
    }
}

/// The result of a command, with the description of its error.
pub(super) fn checked<T>(result: Result<T, redis::RedisError>) -> Result<T, StoreError> {
    result.map_err(|error| describe(&error))
}

/// Checks that the server is reachable and keeps what it is given, and counts what it keeps.
///
/// # Errors
/// If the server can't be reached, is not trusted, or refuses a command.
pub async fn check(url: &str) -> Result<RedisCheck, StoreError> {
    let mut inspection = Inspection::open(url).await?;
    let settings = ServerSettings::read(&mut inspection.server).await;
    let settings = checked(settings)?;
    let (mut counts, mut cursor) = (RowCounts::default(), 0);
    loop {
        let (next, tags) = inspection.scan(cursor).await?;
        counts += inspection.count(&tags).await?;
        if next == 0 {
            break;
        }
        cursor = next;
    }
    Ok(RedisCheck {
        eviction_policy: settings.as_ref().map(|settings| settings.eviction_policy().to_owned()),
        persistence: settings.as_ref().map(ServerSettings::persistence),
        counts,
        problems: settings.as_ref().map(ServerSettings::problems).unwrap_or_default(),
    })
}

/// The installation's key.
///
/// # Errors
/// If the server can't be used, or has no key.
pub async fn installation_key(url: &str) -> Result<HashKey, StoreError> {
    let mut inspection = Inspection::open(url).await?;
    let found = redis::cmd("GET").arg(FINGERPRINT_KEY).query_async(&mut inspection.server).await;
    let text: Option<Vec<u8>> = checked(found)?;
    let text =
        text.ok_or_else(|| StoreError::Failed("redis has no installation key: no store was used on it".into()))?;
    parse_fingerprint_key(&text).ok_or_else(unreadable_key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::conformance::redis_server;

    #[tokio::test]
    async fn an_empty_server_is_checked_and_stays_empty() {
        let Some(server) = redis_server::start() else { return };
        let found = check(&server.url).await.unwrap();
        assert_eq!(found.counts, RowCounts::default());
        assert_eq!(found.eviction_policy.as_deref(), Some("noeviction"));
        let mut connection = ::redis::Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
        assert_eq!(::redis::cmd("DBSIZE").query::<u64>(&mut connection).unwrap(), 0);
    }
}
