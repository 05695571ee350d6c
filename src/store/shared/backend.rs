//! The interface between the message loop of a shared store and the place that keeps its sessions.
//!
//! One trait serves the file and the server. Its functions are asynchronous; they run on the store's own thread, so
//! the file's functions may block it and return at once: [`Backend::Group`] has one value there, and no other batch
//! could run meanwhile. On a server each session is a group, and batches of different sessions wait concurrently.

use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use super::job::StoreJob;
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::store::api::{Idle, Swept};
use crate::store::error::StoreError;
use crate::store::reconcile::{UncertainCalls, UncertainPage};

/// Why a batch was not committed.
#[derive(Debug)]
pub(super) enum BackendFailure {
    /// Another process changed the session first. Nothing was committed.
    Conflict,
    /// May succeed in a moment.
    Transient(StoreError),
    /// Will not succeed by trying again.
    Permanent(StoreError),
}

impl BackendFailure {
    pub(super) fn into_error(self) -> StoreError {
        match self {
            Self::Conflict => StoreError::SessionFailed("other processes kept changing the session".to_owned()),
            Self::Transient(error) | Self::Permanent(error) => error.of_operation(),
        }
    }
}

/// The place that keeps the sessions: a file, a server. [`super::worker`] queues, batches, retries and gives up.
pub(super) trait Backend {
    /// The jobs of one group are committed in order, in batches; groups are independent of each other.
    type Group: Clone + Eq + Hash;

    /// The time between two calls of [`Self::watch`]; `None` if it is not called.
    const WATCH_INTERVAL: Option<Duration> = None;

    /// The group of a session's jobs.
    fn group(&self, session: &SessionId) -> Self::Group;
    /// Applies the jobs of one group and commits their changes, all or nothing. May be called again with the same jobs
    /// after a failure. A job whose session is unreadable is rejected ([`StoreJob::reject`]), the others are committed.
    /// No try starts after `until`.
    async fn commit(&self, jobs: &mut [Box<StoreJob>], until: Instant) -> Result<(), BackendFailure>;
    /// Drops the sessions that were last used before `idle_since`, except those of `in_use`. Returns the dropped
    /// sessions.
    async fn sweep(&self, idle: Idle, in_use: &[SessionId]) -> Result<Swept, StoreError>;
    /// Lists calls whose outcome may be uncertain: a bounded part of the place.
    async fn list_uncertain(&self, page: UncertainPage) -> Result<UncertainCalls, StoreError>;
    /// How long the oldest owed result has been owed. `now` is the caller's time.
    async fn oldest_owed_ms(&self, now: EpochMs) -> Result<Option<u64>, StoreError>;
    /// Looks at the place without an operation.
    fn watch(&self) {}
    /// Uses the place as it is from now on, even if it has lost what it kept.
    fn accept(&self) {}
    /// Closes files and connections. The next operation opens them again.
    fn close(&self);
}
