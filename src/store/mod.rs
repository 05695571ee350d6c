//! Session stores: turns, ledger, confirmations, state.
//!
//! One trait for sessions in memory, in a file or on a server. Every [`operation`] is atomic on its own; a claim decides
//! whether a call runs. Each operation is implemented once, as a plain function on a [`document`] and its [`rows`]; the
//! stores load, apply and commit. With the memory store each returned future is ready when it is first polled.

mod act_name;
mod act_row;
mod acts;
mod claim;
mod claimant;
#[cfg(test)]
mod conformance;
mod document;
mod grants;
mod ledger;
mod limits;
pub mod memory;
mod operation;
pub mod outcome;
pub mod overview;
pub mod owed;
mod owed_results;
mod owner;
mod question;
mod question_requests;
mod questions;
pub mod reconcile;
mod record;
mod requests;
mod rows;
pub mod shared;
mod tombstone;
mod usage;

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::state::SessionState;
use memory::MemoryStore;
use owed::DroppedResult;
use reconcile::{UncertainCalls, UncertainPage};

pub use act_name::ActName;
pub use acts::{Act, ActOutcome, DoneAct, DoneBefore};
pub use claim::{Budget, CallLookup, CallLookupResult, Claim, ClaimResult, Renewal, Settlement};
pub use claimant::Claimant;
pub use grants::{Grant, GrantId, GrantScope, GrantedCall, MAX_GRANTS, NewGrant, UsedGrant};
pub use ledger::TTL_MS as RECORD_TTL_MS;
pub use limits::{CallCount, CallLimit, CountCall, CountStep, LimitReached};
pub use operation::{Answer, Operation};
pub use owner::Owner;
pub use question::{
    AddedByCode, ApproverName, AskResult, Closing, ConfirmedBy, ConfirmedCall, ConfirmedToken, GivenQuestion,
    ParentClaim, Question, Token, TokenState,
};
pub use question_requests::{ExpiryReport, FoundQuestion};
pub use questions::question_id;
pub use record::{Record, RecordState};
pub use requests::StoreRequests;

/// What a store does on itself, or on a session that it does not have in memory.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A result that is ready.
pub fn ready_answer<'a, T: Send + 'a>(answer: Result<T, StoreError>) -> StoreFuture<'a, T> {
    Box::pin(ready(answer))
}

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The session belongs to another principal, or was begun with another resume token or none. Which of them is not said.
    #[error("the session belongs to another principal, or has another resume token")]
    WrongPrincipal,
    /// The session has ended or does not exist.
    #[error("the session has ended")]
    SessionEnded,
    /// The store is unreachable or has failed.
    #[error("the session store failed: {0}")]
    Failed(String),
    /// The store can't be used now, which may pass. Reported by [`Store::check`] and [`Store::accept`] only.
    #[error("the session store failed: {0}")]
    Unreachable(String),
    /// The store has lost what it kept, or another one is in its place. It answers no call until the host accepts it.
    #[error("the session store failed: {0}")]
    LostData(String),
    /// Each session of the store has an open question or a running call, or leaves writes for which there is no room.
    /// No new session is created until one of them ends.
    #[error("the session store is full; try again")]
    Full,
    /// The store works, but not for this session: its document is unreadable, or other processes keep changing it.
    #[error("the session store failed: {0}")]
    SessionFailed(String),
}

impl StoreError {
    /// The failure as an operation reports it: whether it passes matters to a check only.
    fn of_operation(self) -> Self {
        match self {
            Self::Unreachable(message) => Self::Failed(message),
            other => other,
        }
    }
}

/// The time after which a session that a full store refused may be tried again, in milliseconds: open questions and
/// running calls end within minutes.
pub const FULL_RETRY_AFTER_MS: u64 = 5000;

/// A request to attach to a session, new or existing.
#[derive(Debug, Clone)]
pub struct AttachRequest {
    /// The session's id.
    pub session: SessionId,
    /// The session's owner.
    pub owner: Owner,
    /// The state of a new session.
    pub state: SessionState,
    /// The tool set of a new session.
    pub tools_version: Arc<str>,
    /// Whether the session must exist.
    pub resume_only: bool,
    /// The current time.
    pub now: EpochMs,
}

/// A session that was found or created.
#[derive(Debug, Clone)]
pub struct AttachedSession {
    /// True if the session was created.
    pub created: bool,
    /// How long the session had not been used.
    pub unused: Duration,
    /// The session's turn, from 1.
    pub turn: u32,
    /// The session's state.
    pub state: SessionState,
    /// The tool set that the session was last pinned to.
    pub tools_version: Arc<str>,
    /// The key of the fingerprints of its calls: the same for all processes that share the store.
    pub fingerprint_key: HashKey,
    /// The results that were owed for too long, and are dropped now.
    pub dropped: Vec<DroppedResult>,
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

/// Who begins a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnStarter {
    /// The host, which gets the message for the new turn.
    Host,
    /// The gate, for a host that does not begin turns. The message for the new turn stays in the state.
    Gate {
        /// The turn that ends: the first turn of a session may have had calls without having begun.
        ends: Option<u32>,
    },
}

/// A turn that was begun now, or earlier under the same id.
#[derive(Debug, Clone, PartialEq)]
pub struct BegunTurn {
    /// The turn's number, from 1.
    pub number: u32,
    /// False if the turn's id was known already.
    pub is_new: bool,
    /// The message for the new turn, removed from the state.
    pub pending_message: Option<String>,
    /// The state, if its revision differs from the caller's.
    pub state: Option<Box<SessionState>>,
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
    /// The store, if it is the one in memory itself: what is asked of a session is then done without [`Self::perform`].
    fn in_memory(&self) -> Option<&MemoryStore> {
        None
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
