//! What a store is: the trait.

use std::future::{Future, ready};
use std::pin::Pin;
use std::time::Duration;

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::store::error::StoreError;
use crate::store::operation::{Answer, Operation};
use crate::store::owed::DroppedResult;
use crate::store::reconcile::{UncertainCalls, UncertainPage};

/// What a store does on itself, or on a session that it does not have in memory.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A result that is ready.
pub fn ready_answer<'a, T: Send + 'a>(answer: Result<T, StoreError>) -> StoreFuture<'a, T> {
    Box::pin(ready(answer))
}

/// Which sessions a sweep drops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idle {
    /// Those that were last used before.
    pub since: EpochMs,
    /// The current time.
    pub now: EpochMs,
}

/// What a sweep has dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swept {
    /// The sessions.
    pub sessions: Vec<SessionId>,
    /// The results that were owed to them.
    pub results: Vec<(SessionId, DroppedResult)>,
}

impl Swept {
    /// Adds a session that was dropped with these results.
    pub(crate) fn add(&mut self, id: SessionId, results: Vec<DroppedResult>) {
        self.results.extend(results.into_iter().map(|result| (id.clone(), result)));
        self.sessions.push(id);
    }
}

/// A place that keeps sessions, and does the operations on them.
pub trait Store: Send + Sync + 'static {
    /// Whether every operation is done when it returns: its future is ready. Calls are then admitted at once.
    fn never_waits(&self) -> bool {
        false
    }
    /// How long a claim is held without a renewal. `None` if the store is private to this process and ends with it.
    fn lease(&self) -> Option<Duration>;
    /// The same in milliseconds.
    fn lease_ms(&self) -> Option<u64> {
        self.lease().map(|lease| u64::try_from(lease.as_millis()).unwrap_or(u64::MAX))
    }
    /// Whether an operation costs so much that a call is claimed without a look-up before: a claim that is not granted is
    /// then looked up.
    fn claims_first(&self) -> bool {
        false
    }
    /// Does an operation.
    fn perform(&self, operation: Operation) -> StoreFuture<'_, Answer>;
    /// Drops the sessions that were not used for the idle time, and that nothing keeps: an open question, a grant, a result
    /// that is owed, the window of an act. The sessions of `in_use` stay.
    fn sweep<'a>(&'a self, idle: Idle, in_use: &'a [SessionId]) -> StoreFuture<'a, Swept>;
    /// Evicts the longest idle sessions beyond `keep`, except those with an open question, a grant, a result that is owed or
    /// a running call, and those that `is_in_use` accepts; looks at a bounded number of sessions. From then on the store refuses a new session as
    /// long as it has `keep` sessions and finds none to evict. Returns the evicted sessions. A store that is shared
    /// evicts none: its sessions are not in this process' memory.
    fn evict(&self, _keep: usize, _now: EpochMs, _is_in_use: &dyn Fn(&SessionId) -> bool) -> Vec<SessionId> {
        Vec::new()
    }
    /// Lists calls whose outcome may be uncertain and of which a reconcile has what it needs, a bounded part of the store at a
    /// time.
    fn list_uncertain(&self, _page: UncertainPage) -> StoreFuture<'_, UncertainCalls> {
        ready_answer(Ok(UncertainCalls::default()))
    }
    /// How long the oldest owed result of all sessions has been owed, in milliseconds; `None` if none is. A call that runs by
    /// itself counts from the answer that its callers got, and again from its end; one that was left from its deadline.
    fn oldest_owed_ms(&self, now: EpochMs) -> StoreFuture<'_, Option<u64>>;
    /// Makes a small write, as a call does, and returns its failure: a lasting one, such as a server that is not trusted or
    /// that refuses writes, or [`StoreError::Unreachable`], which may pass.
    fn check(&self) -> StoreFuture<'_, ()> {
        ready_answer(Ok(()))
    }
    /// Uses the store as it is from now on, even if it has lost what it kept: calls that it forgot may run again.
    fn accept(&self) -> StoreFuture<'_, ()> {
        self.check()
    }
    /// Waits until all operations in progress are stored, then closes files and connections.
    fn close(&self) -> StoreFuture<'_, ()> {
        ready_answer(Ok(()))
    }
}
