//! What an operator's commands do with the sessions of a shared store, each written once over the [`Inspection`] of a
//! place. They create nothing.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use serde::Deserialize;

use super::SharedStore;
use super::file::inspection::FileInspection;
use super::postgres::inspection::PostgresInspection;
use super::redis::inspection::RedisInspection;
use super::report::{Erased, ErasureReport, StoreCheck};
use crate::clock::{Clock, EpochMs, SystemClock};
use crate::json::HashKey;
use crate::store::overview::{
    OverviewBuilder, SessionFilter, SessionList, SessionOverview, parse, summarize, unreadable,
};
use crate::store::{Store, StoreError, StoreRequests};

/// The time to live of a session that a server keeps without one.
pub(super) const WITHOUT_EXPIRY: Duration = Duration::from_hours(24 * 365);

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

/// The result of an inspection's step.
pub(super) type Inspected<'a, T> = LocalBoxFuture<'a, Result<T, StoreError>>;

/// Looks at the key and the document of a session. Breaks a scan that has found enough.
pub(super) type Visit<'a> = &'a mut dyn FnMut(&str, &str) -> ControlFlow<()>;

/// Whether a session is erased, by its key and its document.
pub(super) type IsErased<'a> = &'a mut dyn FnMut(&str, &str) -> bool;

/// A stored session.
pub(super) struct FoundSession {
    /// Its key, as a list shows it.
    pub(super) key: String,
    pub(super) document: String,
    /// The names and contents of its rows.
    pub(super) rows: Vec<(String, String)>,
}

/// A place that keeps a store, open for an operator's command.
pub(super) trait Inspection {
    /// Visits all sessions: the last used first, if the place has that order. One that is used meanwhile may be left out.
    fn scan<'a>(&'a mut self, visit: Visit<'a>) -> Inspected<'a, ()>;
    /// Finds a session by its id, or by the key that a list shows.
    fn find<'a>(&'a mut self, id: &'a str) -> Inspected<'a, Option<FoundSession>>;
    /// Deletes sessions with all of their rows. A session that begins meanwhile may stay.
    fn erase<'a>(&'a mut self, is_erased: IsErased<'a>) -> Inspected<'a, Erased>;
    /// Checks the place, and counts what it keeps.
    fn check(&mut self) -> Inspected<'_, StoreCheck>;
    /// The installation's key.
    fn installation_key(&mut self) -> Inspected<'_, HashKey>;
    /// The store, to end a session of it. The session keeps its time to live.
    fn store_to_end<'a>(&'a mut self, id: &'a str) -> Inspected<'a, SharedStore>;
}

impl StorePlace {
    /// # Errors
    /// If the place can't be used, or has no store, or one of a newer version. So do all of the functions below.
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
        let mut is_theirs = |key: &str, document: &str| match parse(document) {
            Ok(document) => document.owner.principal() == Some(principal),
            Err(_) => {
                report.add_unreadable(key);
                false
            }
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
