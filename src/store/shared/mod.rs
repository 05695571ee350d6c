//! Stores that are shared with other processes: in a file, on a server.
//!
//! An operation becomes a [`StoreJob`] on the store's own thread, so the caller's thread does no I/O. The [`worker`]
//! runs there; it commits queued jobs together, on a [`backend::Backend`]. A new store is one folder with a backend.
//! Waiting is bounded: after the timeout the caller gets a store failure, and its job is skipped, or undone if it was a
//! claim. After repeated failures a [`CircuitBreaker`] refuses operations at once, except settlements and renewals.

mod backend;
mod backoff;
mod breaker;
mod file;
mod inspection;
mod job;
mod operation_needs;
mod postgres;
mod probe;
mod recent;
mod redis;
pub mod report;
mod rows;
mod session_key;
mod store_place;
mod versioned;
mod versioned_session;
mod worker;

use std::time::Duration;

use tokio::sync::mpsc;

use super::reconcile::{UncertainCalls, UncertainPage};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::store::api::{Idle, Store, StoreFuture, Swept, ready_answer};
use crate::store::error::StoreError;
use crate::store::operation::{Answer, Operation};
use breaker::{CircuitBreaker, Permit};
use job::{Reply, StoreJob};

pub use file::backup::{ExistingStore, back_up, restore};
pub use file::open as open_file;
pub use postgres::{PostgresOptions, open as open_postgres};
pub use redis::{RedisOptions, ReplicaWait, open as open_redis};
pub use store_place::StorePlace;
pub use versioned::TimeSource;

/// The times of a shared store.
#[derive(Debug, Clone, Copy)]
pub struct SharedOptions {
    /// The time limit of one operation.
    pub operation_timeout: Duration,
    /// The lease of a claim without a renewal.
    pub lease: Duration,
    /// How long an unused session is kept.
    pub idle_ttl: Duration,
}

impl SharedOptions {
    /// How long an unused session is kept, in milliseconds.
    fn idle_ms(&self) -> u64 {
        u64::try_from(self.idle_ttl.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Default for SharedOptions {
    fn default() -> Self {
        Self {
            operation_timeout: Duration::from_secs(5),
            lease: Duration::from_secs(10),
            idle_ttl: Duration::from_hours(24),
        }
    }
}

/// A request to the store's thread.
enum StoreRequest {
    Job(Box<StoreJob>),
    Sweep { idle: Idle, in_use: Vec<SessionId>, reply: Reply<Swept> },
    ListUncertain(UncertainPage, Reply<UncertainCalls>),
    OldestOwed(EpochMs, Reply<Option<u64>>),
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
        let (requests, inbox) = mpsc::unbounded_channel();
        (Self { requests, options, breaker: CircuitBreaker::default() }, inbox)
    }

    /// Sends a request, unless the circuit breaker is open.
    fn send<T: Send + 'static>(&self, request: impl FnOnce(Reply<T>) -> StoreRequest) -> StoreFuture<'_, T> {
        match self.breaker.acquire() {
            Ok(permit) => self.send_with(permit, request),
            Err(error) => ready_answer(Err(error.of_operation())),
        }
    }

    /// Sends a request even if the circuit breaker is open.
    fn send_always<T: Send + 'static>(&self, request: impl FnOnce(Reply<T>) -> StoreRequest) -> StoreFuture<'_, T> {
        self.send_with(self.breaker.acquire_always(), request)
    }

    fn send_with<'a, T: Send + 'static>(
        &'a self,
        permit: Permit<'a>,
        request: impl FnOnce(Reply<T>) -> StoreRequest,
    ) -> StoreFuture<'a, T> {
        let (reply, answer) = Reply::new(permit.is_probe());
        // Sent now, not when first polled: operations run in the order of their calls.
        let sent = self.requests.send(request(reply));
        Box::pin(async move {
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
                    permit.failed(error);
                }
                _ => permit.succeeded(),
            }
            done
        })
    }
}

impl Store for SharedStore {
    fn lease(&self) -> Option<Duration> {
        Some(self.options.lease)
    }

    fn claims_first(&self) -> bool {
        true
    }

    fn perform(&self, operation: Operation) -> StoreFuture<'_, Answer> {
        let is_always_tried = operation.is_always_tried();
        let request = |reply| StoreRequest::Job(Box::new(StoreJob::new(operation, reply)));
        if is_always_tried { self.send_always(request) } else { self.send(request) }
    }

    fn sweep<'a>(&'a self, idle: Idle, in_use: &'a [SessionId]) -> StoreFuture<'a, Swept> {
        let in_use = in_use.to_vec();
        self.send(move |reply| StoreRequest::Sweep { idle, in_use, reply })
    }

    fn list_uncertain(&self, page: UncertainPage) -> StoreFuture<'_, UncertainCalls> {
        self.send(move |reply| StoreRequest::ListUncertain(page, reply))
    }

    fn oldest_owed_ms(&self, now: EpochMs) -> StoreFuture<'_, Option<u64>> {
        self.send(move |reply| StoreRequest::OldestOwed(now, reply))
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
