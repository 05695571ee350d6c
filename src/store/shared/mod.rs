//! Stores that other processes see too: in a file, on a server.
//!
//! An operation becomes a [`Job`], sent to the store's own thread: nothing is read, written or waited for on the
//! caller's. There, jobs that have come together are committed together. Waiting is bounded: a caller that has waited long
//! enough is told that the store failed, and its job is left undone, or undone where it was a claim. A store that has failed
//! again and again is not waited for: a [`Breaker`] tells so at once, but to what records how a call ended or holds its claim.

mod breaker;
mod file;
mod job;
mod redis;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::document;
use super::{
    Asked, Attach, Attached, Claim, Claimed, Look, Question, Record, Renewal, Seen, Settlement, Store, StoreError,
    StoreFuture, TokenState, Turn, answered, awaited,
};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::session::key::RecordKey;
use crate::session::state::Change;
use breaker::{Breaker, Pass};
use job::{Job, Reply, Task};

pub use file::open as open_file;
pub use redis::{RedisOptions, Time, open as open_redis};

/// How a shared store waits, and for how long its claims are held.
#[derive(Debug, Clone, Copy)]
pub struct SharedOptions {
    /// How long an operation may take.
    pub patience: Duration,
    /// How long a claim is held without a renewal.
    pub lease: Duration,
}

impl Default for SharedOptions {
    fn default() -> Self {
        Self { patience: Duration::from_secs(5), lease: Duration::from_secs(30) }
    }
}

/// What the store's thread is asked for.
enum Message {
    Job(Box<dyn Job>),
    Sweep { idle_since: EpochMs, in_use: Vec<SessionId>, reply: Reply<Vec<SessionId>> },
    Check(Reply<()>),
    Close(Reply<()>),
}

/// The callers' side of a shared store.
#[derive(Debug)]
pub struct SharedStore {
    messages: mpsc::UnboundedSender<Message>,
    options: SharedOptions,
    breaker: Breaker,
}

impl SharedStore {
    fn new(options: SharedOptions) -> (Self, mpsc::UnboundedReceiver<Message>) {
        let (messages, inbox) = mpsc::unbounded_channel();
        (Self { messages, options, breaker: Breaker::default() }, inbox)
    }

    /// Asks the store, unless it has failed again and again.
    fn send<T: Send + 'static>(&self, message: impl FnOnce(Reply<T>) -> Message) -> StoreFuture<'_, T> {
        match self.breaker.pass() {
            Ok(pass) => self.send_with(pass, message),
            Err(error) => answered(Err(error)),
        }
    }

    /// Asks the store in any case.
    fn send_always<T: Send + 'static>(&self, message: impl FnOnce(Reply<T>) -> Message) -> StoreFuture<'_, T> {
        self.send_with(self.breaker.pass_always(), message)
    }

    fn send_with<'a, T: Send + 'static>(
        &'a self,
        pass: Pass<'a>,
        message: impl FnOnce(Reply<T>) -> Message,
    ) -> StoreFuture<'a, T> {
        let (reply, answer) = Reply::new(pass.is_probe());
        // Sent now, not when first polled: operations are done in the order in which they were asked for.
        let sent = self.messages.send(message(reply));
        awaited(async move {
            sent.map_err(|_| StoreError::Failed("its thread has ended".to_owned()))?;
            let done = match tokio::time::timeout(self.options.patience, answer).await {
                Ok(Ok(done)) => done,
                Ok(Err(_)) => Err(StoreError::Failed("its thread has ended".to_owned())),
                Err(_) => {
                    let waited = self.options.patience.as_millis();
                    Err(StoreError::Failed(format!("it did not answer within {waited} ms")))
                }
            };
            match &done {
                Err(error @ StoreError::Failed(_)) => pass.fails(error),
                _ => pass.works(),
            }
            done
        })
    }

    /// An operation on a session that is there. It may be done more than once until it is committed.
    fn on<T: Send + 'static>(
        &self,
        session: &SessionId,
        asked_at: EpochMs,
        mut operation: impl FnMut(&mut document::Document, &mut dyn document::Answers, EpochMs) -> document::Done<T>
        + Send
        + 'static,
    ) -> StoreFuture<'_, T> {
        let session = session.clone();
        self.send(move |reply| {
            let task = Task::new(session, asked_at, reply, move |slot, answers, _, now| {
                operation(slot.as_mut().ok_or(StoreError::Ended)?, answers, now)
            });
            Message::Job(Box::new(task))
        })
    }
}

/// A claim whose caller has given up is given back: nothing has run.
fn give_back(session: SessionId, key: RecordKey, claimed: &Claimed) -> Option<Box<dyn Job>> {
    let &Claimed::Granted { epoch } = claimed else { return None };
    let (reply, _) = Reply::new(false);
    let settlement = Settlement { session: session.clone(), key, epoch, state: None, changes: Vec::new(), now: 0 };
    let task = Task::new(session, 0, reply, move |slot, answers, _, now| {
        slot.as_mut().ok_or(StoreError::Ended)?.settle(settlement.clone(), answers, now)
    });
    Some(Box::new(task.even_unheard()))
}

impl Store for SharedStore {
    fn lease(&self) -> Option<Duration> {
        Some(self.options.lease)
    }

    fn attach(&self, attach: Attach) -> StoreFuture<'_, Attached> {
        let (session, asked_at) = (attach.session.clone(), attach.now);
        self.send(move |reply| {
            let task = Task::new(session, asked_at, reply, move |slot, _, sketches, now| {
                document::attach(slot, attach.clone(), sketches, now)
            });
            Message::Job(Box::new(task))
        })
    }

    fn begin_turn<'a>(
        &'a self,
        session: &'a SessionId,
        turn_id: Option<&'a str>,
        known: u64,
        now: EpochMs,
    ) -> StoreFuture<'a, Turn> {
        let turn_id = turn_id.map(str::to_owned);
        self.on(session, now, move |document, _, now| document.begin_turn(turn_id.as_deref(), known, now))
    }

    fn look<'a>(&'a self, look: Look<'a>) -> StoreFuture<'a, Seen> {
        let Look { session, key, turn, tool, rate, known, now } = look;
        let (id, key, tool) = (session.clone(), key.clone(), tool.to_owned());
        self.on(session, now, move |document, answers, now| {
            let look = Look { session: &id, key: &key, turn, tool: &tool, rate, known, now };
            document.look(&look, answers, now)
        })
    }

    fn adopt<'a>(
        &'a self,
        session: &'a SessionId,
        unnamed: &'a RecordKey,
        named: &'a RecordKey,
    ) -> StoreFuture<'a, Option<Arc<Record>>> {
        let (unnamed, named) = (unnamed.clone(), named.clone());
        self.on(session, 0, move |document, answers, _| document.adopt(&unnamed, &named, answers))
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, Claimed> {
        let (session, key, asked_at) = (claim.session.clone(), claim.key.clone(), claim.now);
        self.send(move |reply| {
            let undone = session.clone();
            let task = Task::new(session, asked_at, reply, move |slot, answers, _, now| {
                slot.as_mut().ok_or(StoreError::Ended)?.claim(claim.clone(), answers, now)
            });
            Message::Job(Box::new(task.undone_by(move |claimed| give_back(undone, key, &claimed))))
        })
    }

    fn settle(&self, settlement: Settlement) -> StoreFuture<'_, bool> {
        let (session, asked_at) = (settlement.session.clone(), settlement.now);
        self.send_always(move |reply| {
            let task = Task::new(session, asked_at, reply, move |slot, answers, _, now| {
                slot.as_mut().ok_or(StoreError::Ended)?.settle(settlement.clone(), answers, now)
            });
            // What a call came to is kept even where its caller waits no more.
            Message::Job(Box::new(task.even_unheard()))
        })
    }

    fn renew(&self, renewal: Renewal) -> StoreFuture<'_, bool> {
        let (session, asked_at) = (renewal.session.clone(), renewal.now);
        self.send_always(move |reply| {
            let task = Task::new(session, asked_at, reply, move |slot, _, _, now| {
                slot.as_mut().ok_or(StoreError::Ended)?.renew(&renewal, now)
            });
            Message::Job(Box::new(task))
        })
    }

    fn ask<'a>(&'a self, session: &'a SessionId, question: Question, now: EpochMs) -> StoreFuture<'a, Asked> {
        self.on(session, now, move |document, _, store_now| document.ask(question.clone(), now, store_now))
    }

    fn token<'a>(&'a self, session: &'a SessionId, token: &'a str, now: EpochMs) -> StoreFuture<'a, TokenState> {
        let token = token.to_owned();
        self.on(session, now, move |document, answers, now| document.token(&token, answers, now))
    }

    fn withdraw<'a>(
        &'a self,
        session: &'a SessionId,
        token: &'a str,
        now: EpochMs,
    ) -> StoreFuture<'a, Option<Arc<Question>>> {
        let token = token.to_owned();
        self.on(session, now, move |document, _, now| document.withdraw(&token, now))
    }

    fn questions<'a>(&'a self, session: &'a SessionId, now: EpochMs) -> StoreFuture<'a, Vec<Arc<Question>>> {
        self.on(session, now, |document, _, now| document.questions(now))
    }

    fn save_state<'a>(&'a self, session: &'a SessionId, changes: Vec<Change>) -> StoreFuture<'a, ()> {
        self.on(session, 0, move |document, _, _| document.save_state(changes.clone()))
    }

    fn pin<'a>(&'a self, session: &'a SessionId, tools_version: Arc<str>) -> StoreFuture<'a, ()> {
        self.on(session, 0, move |document, _, _| document.pin(Arc::clone(&tools_version)))
    }

    fn end<'a>(&'a self, session: &'a SessionId, changes: Vec<Change>) -> StoreFuture<'a, ()> {
        self.on(session, 0, move |document, _, _| document.end(changes.clone()))
    }

    fn sweep<'a>(
        &'a self,
        idle_since: EpochMs,
        _keep: usize,
        in_use: &'a [SessionId],
    ) -> StoreFuture<'a, Vec<SessionId>> {
        let in_use = in_use.to_vec();
        self.send(move |reply| Message::Sweep { idle_since, in_use, reply })
    }

    fn check(&self) -> StoreFuture<'_, ()> {
        self.send_always(Message::Check)
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        self.send_always(Message::Close)
    }
}
