//! A server, open for an operator's command. Nothing is created, and no time to live changes.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::FutureExt;
use redis::aio::MultiplexedConnection;

use super::connection::{RedisConnections, unreadable_key};
use super::failure::describe;
use super::keys::{FINGERPRINT_KEY, OWED_KEY, SESSION_PATTERN, SessionKeys, plain_tag, tag_of};
use super::server_settings::ServerSettings;
use super::{RedisOptions, open};
use crate::call::SessionId;
use crate::json::HashKey;
use crate::store::error::StoreError;
use crate::store::shared::inspection::{FoundSession, Inspected, Inspection, IsErased, Visit, WITHOUT_EXPIRY};
use crate::store::shared::probe;
use crate::store::shared::report::{Erased, RedisCheck, RowCounts, StoreCheck};
use crate::store::shared::versioned::parse_fingerprint_key;
use crate::store::shared::{SharedOptions, SharedStore};

/// The time limit of one command.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of keys that the server looks at in one step: other commands wait for it.
const SCANNED_KEYS: usize = 500;

/// A connection to a server.
pub(in crate::store::shared) struct RedisInspection {
    url: String,
    server: MultiplexedConnection,
}

impl RedisInspection {
    pub(in crate::store::shared) async fn open(url: &str) -> Result<Self, StoreError> {
        let client = super::client(url).map_err(|error| StoreError::Failed(error.to_string()))?;
        let connections = RedisConnections::new(client, REQUEST_TIMEOUT, true);
        let server = connections.open_unchecked().await?;
        Ok(Self { url: url.to_owned(), server })
    }

    /// The next hash tags of sessions, and the cursor to go on with, 0 at the end. A session that is there all the time
    /// is found at least once.
    async fn next_tags(&mut self, cursor: u64) -> Result<(u64, Vec<String>), StoreError> {
        let mut command = redis::cmd("SCAN");
        command.arg(cursor).arg("MATCH").arg(SESSION_PATTERN).arg("COUNT").arg(SCANNED_KEYS);
        let found: Result<(u64, Vec<String>), _> = command.query_async(&mut self.server).await;
        let (next, keys) = checked(found)?;
        let tags = keys.iter().filter_map(|key| tag_of(key)).filter(|tag| *tag != probe::KEY);
        Ok((next, tags.map(str::to_owned).collect()))
    }

    /// The documents of sessions by tag. A session that has ended its time to live is left out.
    async fn documents(&mut self, tags: Vec<String>) -> Result<Vec<(String, String)>, StoreError> {
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
    async fn rows(&mut self, tag: &str) -> Result<Vec<(String, String)>, StoreError> {
        let rows = redis::cmd("HGETALL").arg(SessionKeys::for_tag(tag).rows).query_async(&mut self.server).await;
        checked(rows)
    }

    /// Counts the rows of some sessions.
    async fn count(&mut self, tags: &[String]) -> Result<RowCounts, StoreError> {
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

    /// Deletes sessions, each in one step.
    async fn delete(&mut self, tags: &[String]) -> Result<(), StoreError> {
        if tags.is_empty() {
            return Ok(());
        }
        let mut commands = redis::pipe();
        for tag in tags {
            commands.cmd("DEL").arg(&SessionKeys::for_tag(tag).all()).ignore();
            commands.cmd("ZREM").arg(OWED_KEY).arg(tag).ignore();
        }
        let deleted: Result<(), _> = commands.query_async(&mut self.server).await;
        checked(deleted)
    }

    async fn report(&mut self) -> Result<RedisCheck, StoreError> {
        let settings = ServerSettings::read(&mut self.server).await;
        let settings = checked(settings)?;
        let (mut counts, mut cursor) = (RowCounts::default(), 0);
        loop {
            let (next, tags) = self.next_tags(cursor).await?;
            counts += self.count(&tags).await?;
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

    /// How long the server keeps the session while it is not used.
    async fn time_to_live(&mut self, id: &SessionId) -> Result<Duration, StoreError> {
        let keys = SessionKeys::for_session(id);
        let left = redis::cmd("PTTL").arg(&keys.session).query_async::<i64>(&mut self.server).await;
        Ok(u64::try_from(checked(left)?).map_or(WITHOUT_EXPIRY, Duration::from_millis))
    }
}

impl Inspection for RedisInspection {
    fn scan<'a>(&'a mut self, visit: Visit<'a>) -> Inspected<'a, ()> {
        async move {
            let (mut cursor, mut seen) = (0, HashSet::new());
            loop {
                let (next, mut tags) = self.next_tags(cursor).await?;
                // A server that resizes its table finds keys again.
                tags.retain(|tag| seen.insert(tag.clone()));
                for (tag, document) in self.documents(tags).await? {
                    if visit(&tag, &document).is_break() {
                        return Ok(());
                    }
                }
                if next == 0 {
                    return Ok(());
                }
                cursor = next;
            }
        }
        .boxed_local()
    }

    fn find<'a>(&'a mut self, id: &'a str) -> Inspected<'a, Option<FoundSession>> {
        async move {
            let keys = SessionKeys::for_session(&SessionId::from(id));
            for tag in [Some(keys.tag()), plain_tag(id)].into_iter().flatten() {
                let Some((key, document)) = self.documents(vec![tag.to_owned()]).await?.pop() else { continue };
                let rows = self.rows(&key).await?;
                return Ok(Some(FoundSession { key, document, rows }));
            }
            Ok(None)
        }
        .boxed_local()
    }

    fn erase<'a>(&'a mut self, is_erased: IsErased<'a>) -> Inspected<'a, Erased> {
        async move {
            let (mut erased, mut cursor) = (Erased::default(), 0);
            loop {
                let (next, tags) = self.next_tags(cursor).await?;
                let mut found = self.documents(tags).await?;
                found.retain(|(tag, document)| is_erased(tag, document));
                let tags: Vec<String> = found.into_iter().map(|(tag, _)| tag).collect();
                erased.counts += self.count(&tags).await?;
                self.delete(&tags).await?;
                if next == 0 {
                    return Ok(erased);
                }
                cursor = next;
            }
        }
        .boxed_local()
    }

    fn check(&mut self) -> Inspected<'_, StoreCheck> {
        async { self.report().await.map(StoreCheck::Redis) }.boxed_local()
    }

    fn installation_key(&mut self) -> Inspected<'_, HashKey> {
        async move {
            let found = redis::cmd("GET").arg(FINGERPRINT_KEY).query_async(&mut self.server).await;
            let text: Option<Vec<u8>> = checked(found)?;
            let text = text
                .ok_or_else(|| StoreError::Failed("redis has no installation key: no store was used on it".into()))?;
            parse_fingerprint_key(&text).ok_or_else(unreadable_key)
        }
        .boxed_local()
    }

    fn store_to_change<'a>(&'a mut self, id: &'a SessionId) -> Inspected<'a, SharedStore> {
        async move {
            // A commit renews the keys if they last for less than this, and shortens them if for an eighth more.
            let idle_ttl = self.time_to_live(id).await? * 15 / 16;
            let shared = SharedOptions { idle_ttl, ..SharedOptions::default() };
            let options = RedisOptions { shared, allow_eviction: true, ..RedisOptions::default() };
            open(&self.url, options).map_err(|error| StoreError::Failed(error.to_string()))
        }
        .boxed_local()
    }
}

/// The result of a command, with the description of its error.
fn checked<T>(result: Result<T, redis::RedisError>) -> Result<T, StoreError> {
    result.map_err(|error| describe(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::conformance::redis_server;

    #[tokio::test]
    async fn an_empty_server_is_checked_and_stays_empty() {
        let Some(server) = redis_server::start() else { return };
        let found = RedisInspection::open(&server.url).await.unwrap().report().await.unwrap();
        assert_eq!(found.counts, RowCounts::default());
        assert_eq!(found.eviction_policy.as_deref(), Some("noeviction"));
        let mut connection = ::redis::Client::open(server.url.as_str()).unwrap().get_connection().unwrap();
        assert_eq!(::redis::cmd("DBSIZE").query::<u64>(&mut connection).unwrap(), 0);
    }
}
