//! Where sessions live: turns, ledger, confirmations, state.
//!
//! One trait, so that sessions can be kept in memory, in a file or on a server. Every operation is atomic on its own;
//! [`Store::claim`] is the one that decides whether a call runs. With the memory store each returned future is ready
//! when it is first polled: nothing waits.

#[cfg(test)]
mod conformance;
mod ledger;
pub mod memory;
mod questions;
mod usage;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::definition::RateLimit;
use crate::response::ToolResponse;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::state::State;

/// What an operation returns.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Why an operation was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The session belongs to another principal.
    #[error("the session belongs to somebody else")]
    Principal,
    /// The session has ended or is not known any more.
    #[error("the session has ended")]
    Ended,
    /// The store can't be reached or has failed.
    #[error("the session store failed: {0}")]
    Failed(String),
}

/// Attaching to a session, new or existing.
#[derive(Debug, Clone)]
pub struct Attach {
    /// Its name.
    pub session: SessionId,
    /// Who it belongs to.
    pub principal: Option<String>,
    /// The state of a new one.
    pub state: State,
    /// The tool set of a new one.
    pub tools_version: Arc<str>,
    /// Now.
    pub now: EpochMs,
}

/// What was found, or made.
#[derive(Debug, Clone)]
pub struct Attached {
    /// True where there was none.
    pub created: bool,
    /// The session's turn, from 1.
    pub turn: u32,
    /// Its state.
    pub state: State,
    /// The tool set it was last pinned to.
    pub tools_version: Arc<str>,
}

/// A turn that was begun, or that its id had begun before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// From 1.
    pub number: u32,
    /// False where its id was known.
    pub began: bool,
}

/// What rung 4 and rung 6 look at.
#[derive(Debug, Clone)]
pub struct Look<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The call's key.
    pub key: &'a RecordKey,
    /// The attachment's turn.
    pub turn: u32,
    /// The tool.
    pub tool: &'a str,
    /// Its rate limit.
    pub rate: Option<RateLimit>,
    /// Now.
    pub now: EpochMs,
}

/// What has been used up, and what is recorded under a key.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The record, where there is one.
    pub record: Option<Arc<Record>>,
    /// Retrieval calls of the turn.
    pub retrieval_calls: u32,
    /// Calls of the turn.
    pub total_calls: u32,
    /// How long until the rate limit lets a call through; `None` where it does now.
    pub rate_wait_ms: Option<u64>,
    /// Calls without any id that were recorded in the turn: a later call with an id may be the twin of one.
    pub unnamed_calls: u32,
}

/// What became of a recorded call.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordState {
    /// Its handler has been started.
    Started,
    /// It has been answered.
    Settled(Arc<ToolResponse>),
    /// It was started, and nobody knows what came of it.
    Unknown,
    /// A write whose answer made room for newer ones: it is known to have run.
    Forgotten {
        /// Whether it had succeeded.
        ok: bool,
    },
}

/// A call that ran, or runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What was asked.
    pub fingerprint: Fingerprint,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The turn in which it ran.
    pub turn: u32,
    /// Which claim: a settlement of another is refused.
    pub epoch: u64,
    /// When it was claimed.
    pub claimed_at: EpochMs,
    /// Whether it can leave effects behind.
    pub writes: bool,
    /// What became of it.
    pub state: RecordState,
}

/// How often a turn may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Retrieval calls.
    pub retrieval_calls: u32,
    /// All calls.
    pub total_calls: u32,
}

/// Rung 10: the one atomic step between being allowed and running.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// What is asked.
    pub fingerprint: Fingerprint,
    /// The tool.
    pub tool: Arc<str>,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The turn that is debited.
    pub turn: u32,
    /// Whether it can leave effects behind.
    pub writes: bool,
    /// Whether it counts as a retrieval.
    pub retrieval: bool,
    /// The turn's limits; `None` for a confirmed call, which is the user's act and not the model's.
    pub budget: Option<Budget>,
    /// The tool's rate limit; none for a confirmed call.
    pub rate: Option<RateLimit>,
    /// The confirmation that this claim consumes.
    pub consume: Option<Token>,
    /// Now.
    pub now: EpochMs,
}

/// A confirmation's token.
pub type Token = Arc<str>;

/// What came of a claim.
#[derive(Debug, Clone)]
pub enum Claimed {
    /// The call is recorded as started, the turn is debited, the confirmation is consumed.
    Granted {
        /// For the settlement.
        epoch: u64,
    },
    /// It is recorded already. Nothing was changed.
    Existing(Arc<Record>),
    /// The turn's calls are used up. Nothing was changed.
    OverBudget(Seen),
    /// The tool's rate limit is reached. Nothing was changed.
    OverRate {
        /// How long until a call is let through.
        wait_ms: u64,
    },
    /// The confirmation is not pending any more. Nothing was changed.
    NotPending,
}

/// Rung 12: what a claim came to.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The claim's.
    pub epoch: u64,
    /// What to record; `None` removes the record, so that the call may be made again.
    pub state: Option<RecordState>,
    /// The session's state after the call's intents, where they changed it.
    pub session_state: Option<State>,
    /// Now.
    pub now: EpochMs,
}

/// A question to a user that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Random, single use.
    pub token: Token,
    /// The tool.
    pub tool: Arc<str>,
    /// Its version.
    pub tool_version: Arc<str>,
    /// The final arguments, JSON text: what is shown, and what runs.
    pub args: Arc<str>,
    /// SHA-256 over the canonical final arguments.
    pub args_digest: [u8; 32],
    /// The asking call as it was sent.
    pub fingerprint: Fingerprint,
    /// The asking call's key, under which it will be recorded.
    pub key: RecordKey,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The turn in which it was asked.
    pub turn: u32,
    /// The mode that asked.
    pub mode: Arc<str>,
    /// What the user reads.
    pub preview: String,
    /// When it closes.
    pub expires: EpochMs,
}

/// What a token stands for.
#[derive(Debug, Clone)]
pub enum TokenState {
    /// It waits.
    Pending(Arc<Question>),
    /// It waited too long.
    Expired(Arc<Question>),
    /// It was answered with yes.
    Used {
        /// What was asked.
        question: Arc<Question>,
        /// What became of it.
        record: Option<Arc<Record>>,
    },
    /// It was never issued in this session, or is long forgotten.
    Unknown,
}

/// An earlier confirmation of an equal call.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmed {
    /// The record it ran under.
    pub key: RecordKey,
    /// The turn in which it was confirmed.
    pub turn: u32,
}

/// What became of asking.
#[derive(Debug, Clone)]
pub enum Asked {
    /// The question now waits, or an equal one did already.
    Pending(Arc<Question>),
    /// An equal call was confirmed in this turn or the one before.
    Confirmed(Confirmed),
}

/// Where sessions live.
pub trait Store: Send + Sync + 'static {
    /// Creates a session, or resumes it.
    fn attach(&self, attach: Attach) -> StoreFuture<'_, Attached>;
    /// Counts the session's turn up, once per id.
    fn begin_turn<'a>(
        &'a self,
        session: &'a SessionId,
        turn_id: Option<&'a str>,
        now: EpochMs,
    ) -> StoreFuture<'a, Turn>;
    /// Reads a record and the counters. Debits nothing.
    fn look<'a>(&'a self, look: Look<'a>) -> StoreFuture<'a, Seen>;
    /// Takes a record of a call without id for its twin with one, once. `None` where there is none to take.
    fn adopt<'a>(
        &'a self,
        session: &'a SessionId,
        unnamed: &'a RecordKey,
        named: &'a RecordKey,
    ) -> StoreFuture<'a, Option<Arc<Record>>>;
    /// Rung 10.
    fn claim(&self, claim: Claim) -> StoreFuture<'_, Claimed>;
    /// Rung 12. False where the record is not this claim's any more.
    fn settle(&self, settlement: Settlement) -> StoreFuture<'_, bool>;
    /// Asks a user, unless an equal question waits or was answered just now.
    fn ask<'a>(&'a self, session: &'a SessionId, question: Question, now: EpochMs) -> StoreFuture<'a, Asked>;
    /// What a token stands for.
    fn token<'a>(&'a self, session: &'a SessionId, token: &'a str, now: EpochMs) -> StoreFuture<'a, TokenState>;
    /// Withdraws a question. `None` where it was not pending.
    fn withdraw<'a>(
        &'a self,
        session: &'a SessionId,
        token: &'a str,
        now: EpochMs,
    ) -> StoreFuture<'a, Option<Arc<Question>>>;
    /// The questions that wait, oldest first.
    fn questions<'a>(&'a self, session: &'a SessionId, now: EpochMs) -> StoreFuture<'a, Vec<Arc<Question>>>;
    /// Keeps a state that the host changed.
    fn save_state<'a>(&'a self, session: &'a SessionId, state: State) -> StoreFuture<'a, ()>;
    /// Pins a session to another tool set.
    fn pin<'a>(&'a self, session: &'a SessionId, tools_version: Arc<str>) -> StoreFuture<'a, ()>;
    /// Ends a session: questions go, records stay until the session is dropped.
    fn end<'a>(&'a self, session: &'a SessionId, state: State) -> StoreFuture<'a, ()>;
    /// Drops what has been idle since before `idle_since`, and the longest idle above `keep`; never `in_use`.
    /// Returns what was dropped.
    fn sweep<'a>(
        &'a self,
        idle_since: EpochMs,
        keep: usize,
        in_use: &'a [SessionId],
    ) -> StoreFuture<'a, Vec<SessionId>>;
}
