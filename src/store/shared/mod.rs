//! Stores that are shared with other processes: in a file, on a server.
//!
//! An operation becomes a [`StoreJob`] on the store's own thread, so the caller's thread does no I/O. The [`worker`]
//! runs there; it commits queued jobs together, on a [`backend::Backend`]. A new store is one folder with a backend.
//! Waiting is bounded: after the timeout the caller gets a store failure, and its job is skipped, or undone if it was a
//! claim. After repeated failures a [`CircuitBreaker`] refuses operations at once, except settlements and renewals.

mod backend;
mod backoff;
mod breaker;
mod ending;
mod file;
mod job;
mod postgres;
mod recent;
mod redis;
pub mod report;
mod rows;
mod session_key;
mod versioned;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::document::{self, OperationOutput, OperationResult, SessionDocument};
use super::overview;
use super::rows::{RowKey, Rows};
use super::{
    AskResult, AttachRequest, AttachedSession, BegunTurn, CallLookup, CallLookupResult, Claim, ClaimResult, Closing,
    Question, Record, Renewal, Settlement, Store, StoreError, StoreFuture, TokenState, TurnStarter, pending_answer,
    ready_answer,
};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::json::HashKey;
use crate::session::key::RecordKey;
use crate::session::state::StateChange;
use breaker::{CircuitBreaker, Permit};
use job::{FunctionJob, Reply, StoreJob};

pub use ending::{end_file_session, end_postgres_session, end_redis_session};
pub use file::backup::{ExistingStore, back_up, restore};
pub use file::erasure::erase as erase_in_file;
pub use file::integrity::check as check_file;
pub use file::listing::{list as list_file_sessions, show as show_file_session};
pub use file::open as open_file;
pub use file::reading::installation_key as file_installation_key;
pub use postgres::erasure::erase as erase_on_postgres;
pub use postgres::inspection::{check as check_postgres, installation_key as postgres_installation_key};
pub use postgres::listing::{list as list_postgres_sessions, show as show_postgres_session};
pub use postgres::{PostgresOptions, open as open_postgres};
pub use redis::erasure::erase as erase_on_redis;
pub use redis::inspection::{check as check_redis, installation_key as redis_installation_key};
pub use redis::listing::{list as list_redis_sessions, show as show_redis_session};
pub use redis::{RedisOptions, ReplicaWait, open as open_redis};
pub use versioned::TimeSource;

/// The timeouts of a shared store.
#[derive(Debug, Clone, Copy)]
pub struct SharedOptions {
    /// The time limit of one operation.
    pub operation_timeout: Duration,
    /// The lease of a claim without a renewal.
    pub lease: Duration,
}

impl Default for SharedOptions {
    fn default() -> Self {
        Self { operation_timeout: Duration::from_secs(5), lease: Duration::from_secs(10) }
    }
}

/// A request to the store's thread.
enum StoreRequest {
    Job(Box<dyn StoreJob>),
    Sweep { idle_since: EpochMs, in_use: Vec<SessionId>, reply: Reply<Vec<SessionId>> },
    Check(Reply<()>),
    Accept(Reply<()>),
    Close(Reply<()>),
}

/// The callers' handle of a shared store.
#[derive(Debug)]
pub struct SharedStore {
    requests: mpsc::UnboundedSender<StoreRequest>,
    options: SharedOptions,
    breaker: CircuitBreaker,
}

impl SharedStore {
    fn new(options: SharedOptions) -> (Self, mpsc::UnboundedReceiver<StoreRequest>) {
        let (messages, inbox) = mpsc::unbounded_channel();
        (Self { requests: messages, options, breaker: CircuitBreaker::default() }, inbox)
    }

    /// Sends a request, unless the circuit breaker is open.
    fn send<T: Send + 'static>(&self, message: impl FnOnce(Reply<T>) -> StoreRequest) -> StoreFuture<'_, T> {
        match self.breaker.acquire() {
            Ok(pass) => self.send_with(pass, message),
            Err(error) => ready_answer(Err(error)),
        }
    }

    /// Sends a request even if the circuit breaker is open.
    fn send_always<T: Send + 'static>(&self, message: impl FnOnce(Reply<T>) -> StoreRequest) -> StoreFuture<'_, T> {
        self.send_with(self.breaker.acquire_always(), message)
    }

    fn send_with<'a, T: Send + 'static>(
        &'a self,
        pass: Permit<'a>,
        message: impl FnOnce(Reply<T>) -> StoreRequest,
    ) -> StoreFuture<'a, T> {
        let (reply, answer) = Reply::new(pass.is_probe());
        // Sent now, not when first polled: operations run in the order of their calls.
        let sent = self.requests.send(message(reply));
        pending_answer(async move {
            sent.map_err(|_| StoreError::Failed("its thread has ended".to_owned()))?;
            let done = match tokio::time::timeout(self.options.operation_timeout, answer).await {
                Ok(Ok(done)) => done,
                Ok(Err(_)) => Err(StoreError::Failed("its thread has ended".to_owned())),
                Err(_) => {
                    let waited = self.options.operation_timeout.as_millis();
                    Err(StoreError::Failed(format!("it did not answer within {waited} ms")))
                }
            };
            match &done {
                Err(error @ (StoreError::Failed(_) | StoreError::Unreachable(_) | StoreError::LostData(_))) => {
                    pass.failed(error);
                }
                _ => pass.succeeded(),
            }
            done
        })
    }

    /// Runs an operation on an existing session. It may be applied more than once until it is committed.
    fn on_session<T: Send + 'static>(
        &self,
        session: &SessionId,
        asked_at: EpochMs,
        operation: impl FnMut(&mut SessionDocument, &mut dyn Rows, EpochMs) -> OperationResult<T> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        self.on_rows(session, Vec::new(), asked_at, operation)
    }

    /// Ends a session as it is now. False if it had ended.
    fn end_active(&self, session: &SessionId, now: EpochMs) -> StoreFuture<'_, bool> {
        self.on_session(session, now, move |document, rows, _| {
            let changes = overview::ending(document, now);
            let is_ended = !changes.is_empty();
            document.end(changes, rows)?;
            Ok(OperationOutput { answer: is_ended, changed: is_ended })
        })
    }

    /// Runs an operation that will read these rows.
    fn on_rows<T: Send + 'static>(
        &self,
        session: &SessionId,
        needed_rows: Vec<RowKey>,
        asked_at: EpochMs,
        mut operation: impl FnMut(&mut SessionDocument, &mut dyn Rows, EpochMs) -> OperationResult<T> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        let session = session.clone();
        self.send(move |reply| {
            let task = FunctionJob::new(session, asked_at, reply, move |slot, rows, _, now| {
                operation(slot.as_mut().ok_or(StoreError::SessionEnded)?, rows, now)
            });
            StoreRequest::Job(Box::new(task.with_rows(needed_rows)))
        })
    }
}

/// The job that releases a claim whose caller no longer waits: nothing has run.
fn release_claim(session: SessionId, key: RecordKey, claimed: &ClaimResult) -> Option<Box<dyn StoreJob>> {
    let &ClaimResult::Granted { epoch, .. } = claimed else { return None };
    let (reply, _) = Reply::new(false);
    let settlement = Settlement { session: session.clone(), key, epoch, state: None, changes: Vec::new(), now: 0 };
    let needed_rows = vec![RowKey::Call(settlement.key.clone())];
    let task = FunctionJob::new(session, 0, reply, move |slot, rows, _, _| {
        slot.as_mut().ok_or(StoreError::SessionEnded)?.settle(settlement.clone(), rows)
    });
    Some(Box::new(task.with_rows(needed_rows).even_if_abandoned()))
}

impl Store for SharedStore {
    fn lease(&self) -> Option<Duration> {
        Some(self.options.lease)
    }

    fn claims_first(&self) -> bool {
        true
    }

    fn attach(&self, attach: AttachRequest) -> StoreFuture<'_, AttachedSession> {
        let (session, asked_at) = (attach.session.clone(), attach.now);
        self.send(move |reply| {
            let task = FunctionJob::new(session, asked_at, reply, move |slot, _, fingerprint_key, now| {
                document::attach(slot, attach.clone(), fingerprint_key, now)
            });
            StoreRequest::Job(Box::new(task))
        })
    }

    fn begin_turn<'a>(
        &'a self,
        session: &'a SessionId,
        turn_id: Option<&'a str>,
        starter: TurnStarter,
        known: u64,
        now: EpochMs,
    ) -> StoreFuture<'a, BegunTurn> {
        let turn_id = turn_id.map(str::to_owned);
        self.on_session(session, now, move |document, _, now| {
            document.begin_turn(turn_id.as_deref(), starter, known, now)
        })
    }

    fn look_up<'a>(&'a self, look: CallLookup<'a>) -> StoreFuture<'a, CallLookupResult> {
        let CallLookup { session, key, turn, tool, rate_limit: rate, known_revision: known, now } = look;
        let (id, key, tool) = (session.clone(), key.clone(), tool.to_owned());
        self.send(move |reply| {
            let needed_rows = vec![RowKey::Call(key.clone())];
            let task = FunctionJob::new(id.clone(), now, reply, move |slot, rows, _, now| {
                let document = slot.as_mut().ok_or(StoreError::SessionEnded)?;
                let (session, key, tool) = (&id, &key, tool.as_str());
                let look = CallLookup { session, key, turn, tool, rate_limit: rate, known_revision: known, now };
                document.look_up(&look, rows, now)
            });
            StoreRequest::Job(Box::new(task.with_rows(needed_rows).into_look()))
        })
    }

    fn alias_record<'a>(
        &'a self,
        session: &'a SessionId,
        unnamed: &'a RecordKey,
        named: &'a RecordKey,
    ) -> StoreFuture<'a, Option<Arc<Record>>> {
        let (unnamed, named) = (unnamed.clone(), named.clone());
        let needed_rows = [&unnamed, &named].map(|key| RowKey::Call(key.clone())).to_vec();
        self.on_rows(session, needed_rows, 0, move |document, rows, _| document.alias_record(&unnamed, &named, rows))
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, ClaimResult> {
        let (session, key, asked_at) = (claim.session.clone(), claim.key.clone(), claim.now);
        self.send(move |reply| {
            let undone = session.clone();
            let is_write = claim.effect.may_leave_effects();
            let needed_rows = vec![RowKey::Call(key.clone())];
            let task = FunctionJob::new(session, asked_at, reply, move |slot, rows, _, now| {
                slot.as_mut().ok_or(StoreError::SessionEnded)?.claim(claim.clone(), rows, now)
            })
            .with_new_rows(needed_rows)
            .with_replicas(is_write);
            StoreRequest::Job(Box::new(task.with_undo(move |claimed| release_claim(undone, key, &claimed))))
        })
    }

    fn settle(&self, settlement: Settlement) -> StoreFuture<'_, bool> {
        let (session, asked_at) = (settlement.session.clone(), settlement.now);
        self.send_always(move |reply| {
            let needed_rows = vec![RowKey::Call(settlement.key.clone())];
            let task = FunctionJob::new(session, asked_at, reply, move |slot, rows, _, _| {
                slot.as_mut().ok_or(StoreError::SessionEnded)?.settle(settlement.clone(), rows)
            });
            // A call's outcome is recorded even if its caller no longer waits.
            StoreRequest::Job(Box::new(task.with_rows(needed_rows).even_if_abandoned()))
        })
    }

    fn renew(&self, renewal: Renewal) -> StoreFuture<'_, bool> {
        let (session, asked_at) = (renewal.session.clone(), renewal.now);
        self.send_always(move |reply| {
            let needed_rows = vec![RowKey::Call(renewal.key.clone())];
            let task = FunctionJob::new(session, asked_at, reply, move |slot, rows, _, now| {
                slot.as_mut().ok_or(StoreError::SessionEnded)?.renew(&renewal, rows, now)
            });
            StoreRequest::Job(Box::new(task.with_rows(needed_rows)))
        })
    }

    fn ask<'a>(&'a self, session: &'a SessionId, question: Question, now: EpochMs) -> StoreFuture<'a, AskResult> {
        self.on_session(session, now, move |document, rows, store_now| {
            document.ask(question.clone(), now, rows, store_now)
        })
    }

    fn token_state<'a>(&'a self, session: &'a SessionId, token: &'a str, now: EpochMs) -> StoreFuture<'a, TokenState> {
        let token = token.to_owned();
        self.on_session(session, now, move |document, rows, now| document.token_state(&token, rows, now))
    }

    fn close_question<'a>(
        &'a self,
        session: &'a SessionId,
        token: &'a str,
        closing: Closing,
        now: EpochMs,
    ) -> StoreFuture<'a, Option<Arc<Question>>> {
        let token = token.to_owned();
        self.on_session(session, now, move |document, rows, now| document.close_question(&token, closing, rows, now))
    }

    fn pending_questions<'a>(&'a self, session: &'a SessionId, now: EpochMs) -> StoreFuture<'a, Vec<Arc<Question>>> {
        self.on_session(session, now, |document, rows, now| document.pending_questions(rows, now))
    }

    fn save_state<'a>(&'a self, session: &'a SessionId, changes: Vec<StateChange>) -> StoreFuture<'a, ()> {
        self.on_session(session, 0, move |document, _, _| document.save_state(changes.clone()))
    }

    fn pin_tools<'a>(&'a self, session: &'a SessionId, tools_version: Arc<str>) -> StoreFuture<'a, ()> {
        self.on_session(session, 0, move |document, _, _| document.pin_tools(Arc::clone(&tools_version)))
    }

    fn end<'a>(&'a self, session: &'a SessionId, changes: Vec<StateChange>) -> StoreFuture<'a, ()> {
        self.on_session(session, 0, move |document, rows, _| document.end(changes.clone(), rows))
    }

    fn sweep<'a>(&'a self, idle_since: EpochMs, in_use: &'a [SessionId]) -> StoreFuture<'a, Vec<SessionId>> {
        let in_use = in_use.to_vec();
        self.send(move |reply| StoreRequest::Sweep { idle_since, in_use, reply })
    }

    fn installation_key(&self) -> StoreFuture<'_, Option<HashKey>> {
        self.send(|reply| {
            // Every job has the key. This one looks at a session that is there or not.
            let task = FunctionJob::new("".into(), 0, reply, |_, _, key, _| {
                Ok(OperationOutput { answer: Some(key), changed: false })
            });
            StoreRequest::Job(Box::new(task.into_look()))
        })
    }

    fn check(&self) -> StoreFuture<'_, ()> {
        self.send_always(StoreRequest::Check)
    }

    fn accept(&self) -> StoreFuture<'_, ()> {
        self.send_always(StoreRequest::Accept)
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        self.send_always(StoreRequest::Close)
    }
}
