//! Ending a session from outside of the processes that use it. They learn of it at their next call of the session.

use std::path::Path;
use std::time::Duration;

use super::{
    PostgresOptions, RedisOptions, SharedOptions, SharedStore, file, open_file, open_postgres, open_redis, postgres,
    redis,
};
use crate::clock::{Clock, SystemClock};
use crate::store::{Store, StoreError, StoreRequests};

/// Ends a session of a file. `None` if there is none under this id, false if it had ended.
///
/// # Errors
/// If the file can't be used.
pub async fn end_file_session(path: &Path, id: &str) -> Result<Option<bool>, StoreError> {
    let Some(session) = file::listing::show(path, id, SystemClock.now())? else { return Ok(None) };
    if !session.summary.active {
        return Ok(Some(false));
    }
    let store = open_file(path, SharedOptions::default()).map_err(|error| StoreError::Failed(error.to_string()))?;
    end(&store, id).await
}

/// Ends a session of a server. `None` if there is none under this id, false if it had ended. The session keeps its time
/// to live.
///
/// # Errors
/// If the server can't be used.
pub async fn end_redis_session(url: &str, id: &str) -> Result<Option<bool>, StoreError> {
    let Some(session) = redis::listing::show(url, id, SystemClock.now()).await? else { return Ok(None) };
    if !session.summary.active {
        return Ok(Some(false));
    }
    // A commit renews the keys if they last for less than this.
    let idle_ttl = redis::listing::time_to_live(url, id).await? * 3 / 4;
    let options = RedisOptions { idle_ttl, allow_eviction: true, ..RedisOptions::default() };
    let store = open_redis(url, options).map_err(|error| StoreError::Failed(error.to_string()))?;
    end(&store, id).await
}

/// Ends a session of a database. `None` if there is none under this id, false if it had ended.
///
/// # Errors
/// If the server can't be used, or has no store in the schema.
pub async fn end_postgres_session(url: &str, schema: Option<&str>, id: &str) -> Result<Option<bool>, StoreError> {
    let Some(session) = postgres::listing::show(url, schema, id, SystemClock.now()).await? else { return Ok(None) };
    if !session.summary.active {
        return Ok(Some(false));
    }
    let options = PostgresOptions { schema: schema.map(str::to_owned), ..PostgresOptions::default() };
    let store = open_postgres(url, options).map_err(|error| StoreError::Failed(error.to_string()))?;
    end(&store, id).await
}

async fn end(store: &SharedStore, id: &str) -> Result<Option<bool>, StoreError> {
    let ended = store.end_active(&id.into(), SystemClock.now()).await;
    store.close().await?;
    match ended {
        Ok(ended) => Ok(Some(ended)),
        Err(StoreError::SessionEnded) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The time to live of a session that the server keeps without one.
pub(super) const WITHOUT_EXPIRY: Duration = Duration::from_hours(24 * 365);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::conformance::attach_request;

    #[tokio::test]
    async fn a_session_of_a_file_is_ended_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.sqlite");
        let store = open_file(&path, SharedOptions::default()).unwrap();
        store.attach(attach_request(&"s".into(), None, SystemClock.now())).await.unwrap();
        assert_eq!(end_file_session(&path, "other").await, Ok(None));
        assert_eq!(end_file_session(&path, "s").await, Ok(Some(true)));
        assert_eq!(end_file_session(&path, "s").await, Ok(Some(false)), "it has ended");
        store.close().await.unwrap();
    }
}
