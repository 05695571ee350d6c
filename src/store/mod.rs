//! Where sessions live: turns, ledger, confirmations, state.
//!
//! One trait, so that sessions can be kept in memory, in a file or on a server. Every operation is atomic on its own;
//! [`Store::claim`] is the one that decides whether a call runs. What an operation does is written once, as a plain
//! function on a [`document`]; the stores load, apply and commit. With the memory store each returned future is ready
//! when it is first polled: nothing waits.

#[cfg(test)]
mod conformance;
mod document;
mod ledger;
pub mod memory;
mod question;
mod questions;
mod record;
pub mod shared;
mod usage;

use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::Either;

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::definition::RateLimit;
use crate::json::SketchKey;
use crate::session::key::RecordKey;
use crate::session::state::{Change, State};

pub use question::{Asked, Confirmed, Question, Token, TokenState};
pub use record::{Budget, Claim, Claimed, Record, RecordState, Renewal, Settlement};

/// What an operation returns: an answer that is there, or one that is waited for. What is there is not boxed.
pub type StoreFuture<'a, T> =
    Either<Ready<Result<T, StoreError>>, Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>>;

/// An answer that is there.
pub fn answered<'a, T>(answer: Result<T, StoreError>) -> StoreFuture<'a, T> {
    Either::Left(ready(answer))
}

/// An answer that is waited for.
pub fn awaited<'a, T>(answer: impl Future<Output = Result<T, StoreError>> + Send + 'a) -> StoreFuture<'a, T> {
    Either::Right(Box::pin(answer))
}

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
    /// The store works, and this session can't be worked on: what is kept of it can't be read, or others keep changing it.
    #[error("the session store failed: {0}")]
    Stuck(String),
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
    /// Under which its calls are told apart: one for all that share the store.
    pub sketches: SketchKey,
}

/// A turn that was begun, or that its id had begun before.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// From 1.
    pub number: u32,
    /// False where its id was known.
    pub began: bool,
    /// What had waited for a new turn, taken off the state.
    pub pending_message: Option<String>,
    /// The state, where it is not of the revision that the asker knows.
    pub state: Option<Box<State>>,
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
    /// The revision of the state that the asker knows.
    pub known: u64,
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
    /// The state, where it is not of the revision that the asker knows.
    pub state: Option<Box<State>>,
}

/// Where sessions live.
pub trait Store: Send + Sync + 'static {
    /// How long a claim is held without a renewal. `None` where no other process sees the store: it ends with its claims.
    fn lease(&self) -> Option<Duration>;
    /// Creates a session, or resumes it.
    fn attach(&self, attach: Attach) -> StoreFuture<'_, Attached>;
    /// Counts the session's turn up, once per id, and takes the message that waits for a new one. `known` is the revision
    /// of the state that the asker knows.
    fn begin_turn<'a>(
        &'a self,
        session: &'a SessionId,
        turn_id: Option<&'a str>,
        known: u64,
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
    /// Holds a claim for longer. False where the record is not this claim's any more.
    fn renew(&self, renewal: Renewal) -> StoreFuture<'_, bool>;
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
    /// Keeps what the host changed in the state; what others changed meanwhile stays.
    fn save_state<'a>(&'a self, session: &'a SessionId, changes: Vec<Change>) -> StoreFuture<'a, ()>;
    /// Pins a session to another tool set.
    fn pin<'a>(&'a self, session: &'a SessionId, tools_version: Arc<str>) -> StoreFuture<'a, ()>;
    /// Ends a session: questions go, records stay until the session is dropped.
    fn end<'a>(&'a self, session: &'a SessionId, changes: Vec<Change>) -> StoreFuture<'a, ()>;
    /// Drops what has been idle since before `idle_since` and, of a store in memory, the longest idle above `keep`; never
    /// `in_use`. Returns what was dropped.
    fn sweep<'a>(
        &'a self,
        idle_since: EpochMs,
        keep: usize,
        in_use: &'a [SessionId],
    ) -> StoreFuture<'a, Vec<SessionId>>;
    /// Tells what will not pass by itself, before anybody uses the store: a server that is not trusted, or refuses us. What
    /// may pass is none of its business.
    fn check(&self) -> StoreFuture<'_, ()> {
        answered(Ok(()))
    }
    /// Waits until what was begun is kept, and lets go of what is held open.
    fn close(&self) -> StoreFuture<'_, ()> {
        answered(Ok(()))
    }
}
