//! What an operator's commands do with the sessions of a shared store, each written once over the [`Inspection`] of its
//! place. They create nothing.

use std::path::PathBuf;

use serde::Deserialize;

use super::file::inspection::FileInspection;
use super::inspection::{FoundSession, Inspection};
use super::postgres::inspection::PostgresInspection;
use super::redis::inspection::RedisInspection;
use super::report::{Erased, ErasureReport, StoreCheck};
use crate::clock::{Clock, EpochMs, SystemClock};
use crate::json::HashKey;
use crate::store::overview::{
    OverviewBuilder, SessionFilter, SessionList, SessionOverview, parse, summarize, unreadable,
};
use crate::store::{Store, StoreError, StoreRequests};

/// The place of a shared store.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum StorePlace {
    /// A file.
    File {
        /// Its path.
        path: PathBuf,
    },
    /// A Redis server.
    Redis {
        /// Its URL.
        url: String,
    },
    /// A Postgres database.
    Postgres {
        /// Its URL.
        url: String,
        /// The schema of the tables; `None` for the URL's, or `toolgate`.
        schema: Option<String>,
    },
}

impl StorePlace {
    /// # Errors
    /// If the place can't be used, or has no store, or one of a newer version.
    async fn open(&self) -> Result<Box<dyn Inspection>, StoreError> {
        Ok(match self {
            Self::File { path } => Box::new(FileInspection::open(path)?),
            Self::Redis { url } => Box::new(RedisInspection::open(url).await?),
            Self::Postgres { url, schema } => Box::new(PostgresInspection::open(url, schema.as_deref()).await?),
        })
    }

    /// Lists sessions: of a file and a database the last used first, of a Redis server in no order.
    ///
    /// # Errors
    /// If the place can't be used as a store.
    pub async fn list(&self, filter: &SessionFilter) -> Result<SessionList, StoreError> {
        let mut list = SessionList::default();
        let mut add = |key: &str, document: &str| list.add(key, document, filter);
        self.open().await?.scan(&mut add).await?;
        Ok(list)
    }

    /// Shows one session. `None` if there is none under this id.
    ///
    /// # Errors
    /// If the place can't be used as a store, or the session's document can't be read.
    pub async fn show(&self, id: &str, now: EpochMs) -> Result<Option<SessionOverview>, StoreError> {
        let found = self.open().await?.find(id).await?;
        found.map(|session| overview(session, now)).transpose()
    }

    /// Ends a session from outside of the processes that use it; they learn of it at their next call of the session.
    /// `None` if there is none under this id, false if it had ended.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub async fn end(&self, id: &str) -> Result<Option<bool>, StoreError> {
        let mut place = self.open().await?;
        let Some(session) = place.find(id).await? else { return Ok(None) };
        if !overview(session, SystemClock.now())?.summary.active {
            return Ok(Some(false));
        }
        let store = place.store_to_end(id).await?;
        drop(place);
        let ended = store.end_active(&id.into(), SystemClock.now()).await;
        store.close().await?;
        match ended {
            Ok(ended) => Ok(Some(ended)),
            Err(StoreError::SessionEnded) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes the sessions of a principal with all of their rows. A session that begins meanwhile may stay. A server
    /// has the values in its logs and backups until it rewrites or vacuums them.
    ///
    /// # Errors
    /// If the place can't be used as a store.
    pub async fn erase(&self, principal: &str) -> Result<ErasureReport, StoreError> {
        let mut report = ErasureReport::default();
        let mut is_theirs = |key: &str, document: &str| {
            let document = parse(document).inspect_err(|_| report.add_unreadable(key));
            document.is_ok_and(|document| document.owner.principal() == Some(principal))
        };
        let Erased { counts, left_in_log } = self.open().await?.erase(&mut is_theirs).await?;
        Ok(ErasureReport { erased: counts, left_in_log, ..report })
    }

    /// Checks that the place keeps what it is given, and counts what it keeps.
    ///
    /// # Errors
    /// If the place can't be used as a store.
    pub async fn check(&self) -> Result<StoreCheck, StoreError> {
        self.open().await?.check().await
    }

    /// The key of the installation that uses the store.
    ///
    /// # Errors
    /// If the place can't be used, or has no key.
    pub async fn installation_key(&self) -> Result<HashKey, StoreError> {
        self.open().await?.installation_key().await
    }
}

fn overview(session: FoundSession, now: EpochMs) -> Result<SessionOverview, StoreError> {
    let FoundSession { key, document, rows } = session;
    let document = parse(&document).map_err(|error| unreadable(&key, &error))?;
    let mut builder = OverviewBuilder::default();
    for (name, content) in &rows {
        builder.add_row(name, content, now);
    }
    Ok(builder.finish(summarize(key, &document)))
}
