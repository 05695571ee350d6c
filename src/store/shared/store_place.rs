//! What an operator's commands do with the sessions of a shared store, each written once over the [`Inspection`] of its
//! place. They create nothing.

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::Deserialize;

use super::file::inspection::FileInspection;
use super::inspection::{FoundSession, Inspection};
use super::postgres::inspection::PostgresInspection;
use super::redis::inspection::RedisInspection;
use super::report::{Erased, ErasureReport, StoreCheck};
use super::{SharedStore, probe};
use crate::call::SessionId;
use crate::clock::{Clock, EpochMs, SystemClock};
use crate::json::HashKey;
use crate::store::api::Store;
use crate::store::error::StoreError;
use crate::store::grants::Grant;
use crate::store::operation::StoreRequests;
use crate::store::overview::{
    OverviewBuilder, SessionFilter, SessionList, SessionOverview, parse, summarize, unreadable,
};

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
        let mut add = |key: &str, document: &str| match key {
            probe::KEY => ControlFlow::Continue(()),
            _ => list.add(key, document, filter),
        };
        self.open().await?.scan(&mut add).await?;
        Ok(list)
    }

    /// Shows one session. `None` if there is none under this id.
    ///
    /// # Errors
    /// If the place can't be used as a store, or the session's document can't be read.
    pub async fn show(&self, id: &str, now: EpochMs) -> Result<Option<SessionOverview>, StoreError> {
        let found = find(&mut *self.open().await?, id).await?;
        found.map(|session| overview(session, now)).transpose()
    }

    /// Ends a session from outside of the processes that use it; they learn of it at their next call of the session.
    /// `None` if there is none under this id, false if it had ended.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub async fn end(&self, id: &str) -> Result<Option<bool>, StoreError> {
        self.change(id, async |store, id, now| store.end_active(id, now).await).await
    }

    /// Ends a grant from outside of the processes that use its session: a call that is claimed from then on is asked about.
    /// Returns the grant; `None` if there is no session under this id, `Some(None)` if the session has no such grant, which may
    /// have ended.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub async fn revoke(&self, id: &str, grant: &str) -> Result<Option<Option<Grant>>, StoreError> {
        self.change(id, async |store, id, now| store.revoke_grant(id, grant, now).await).await
    }

    /// Changes a session that has not ended. `None` if there is none under this id; nothing is changed in one that has ended.
    async fn change<T: Default>(
        &self,
        id: &str,
        make: impl AsyncFnOnce(&SharedStore, &SessionId, EpochMs) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut place = self.open().await?;
        let Some(session) = find(&mut *place, id).await? else { return Ok(None) };
        let found = SessionId::of_stored(&session.key);
        if !overview(session, SystemClock.now())?.summary.active {
            return Ok(Some(T::default()));
        }
        let store = place.store_to_change(&found).await?;
        drop(place);
        let changed = make(&store, &found, SystemClock.now()).await;
        store.close().await?;
        match changed {
            Ok(changed) => Ok(Some(changed)),
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

/// Finds a session, other than the store's own.
async fn find(place: &mut dyn Inspection, id: &str) -> Result<Option<FoundSession>, StoreError> {
    Ok(place.find(id).await?.filter(|session| session.key != probe::KEY))
}

fn overview(session: FoundSession, now: EpochMs) -> Result<SessionOverview, StoreError> {
    let FoundSession { key, document, rows } = session;
    let document = parse(&document).map_err(|error| unreadable(&key, &error))?;
    let mut builder = OverviewBuilder::default();
    for (name, content) in &rows {
        builder.add_row(name, content, now);
    }
    Ok(builder.finish(summarize(key, &document), document.grants(now)))
}
