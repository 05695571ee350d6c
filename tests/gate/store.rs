//! A store that can be made to fail, or to take its time as one on a disk or a server does.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use parking_lot::Mutex;

use toolgate::call::SessionId;
use toolgate::clock::EpochMs;
use toolgate::session::key::RecordKey;
use toolgate::session::state::StateChange;
use toolgate::store::memory::MemoryStore;
use toolgate::store::{
    AskResult, AttachRequest, AttachedSession, BegunTurn, CallLookup, CallLookupResult, Claim, ClaimResult, Closing,
    Question, Record, Renewal, Settlement, Store, StoreError, StoreFuture, TokenState, TurnStarter, pending_answer,
    ready_answer,
};

/// How long an operation takes, by the paused clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// It is ready when it is first polled.
    AtOnce,
    /// It waits for its turn before it is done, and before it answers.
    InTurns,
    /// The thread waits for it: the clock stands still meanwhile, as if it were ready when it is first polled.
    Blocking,
}

pub struct TestStore {
    inner: Arc<dyn Store>,
    failing: AtomicBool,
    pace: Pace,
    claims_first: bool,
    look_ups: AtomicUsize,
    lease: Mutex<Option<Duration>>,
}

impl TestStore {
    pub fn in_memory(pace: Pace) -> Self {
        Self::over(Arc::new(MemoryStore::default()), pace)
    }

    pub fn over(inner: Arc<dyn Store>, pace: Pace) -> Self {
        let claims_first = inner.claims_first();
        Self {
            inner,
            failing: AtomicBool::new(false),
            pace,
            claims_first,
            look_ups: AtomicUsize::new(0),
            lease: Mutex::default(),
        }
    }

    /// A store in memory whose calls are claimed without a look-up, as those of a server are.
    pub fn claiming_first(pace: Pace) -> Self {
        Self { claims_first: true, ..Self::in_memory(pace) }
    }

    /// How long claims are held; `None` where a case is about one process, and every store is to do the same.
    pub fn set_lease(&self, lease: Option<Duration>) {
        *self.lease.lock() = lease;
    }

    /// The number of look-ups of calls until now.
    pub fn look_ups(&self) -> usize {
        self.look_ups.load(Ordering::Relaxed)
    }

    pub fn fail(&self, failing: bool) {
        self.failing.store(failing, Ordering::Release);
    }

    fn run<'a, T: Send + 'a>(
        &'a self,
        operation: impl FnOnce(&'a dyn Store) -> StoreFuture<'a, T> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        if self.failing.load(Ordering::Acquire) {
            return ready_answer(Err(StoreError::Failed("disk full at /var/lib/secret".to_owned())));
        }
        match self.pace {
            Pace::AtOnce => operation(&*self.inner),
            Pace::InTurns => pending_answer(async move {
                tokio::task::yield_now().await;
                let done = operation(&*self.inner).await;
                tokio::task::yield_now().await;
                done
            }),
            Pace::Blocking => ready_answer(block_on(operation(&*self.inner))),
        }
    }
}

/// Parks this thread until another one has what is waited for.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let (waker, mut future) = (Waker::from(Arc::new(Unpark(thread::current()))), pin!(future));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(done) => return done,
            Poll::Pending => thread::park(),
        }
    }
}

type Ref<'a> = &'a SessionId;

impl Store for TestStore {
    fn never_waits(&self) -> bool {
        // Claims with leases are those of a store that processes share.
        self.pace == Pace::AtOnce && self.lease().is_none()
    }

    fn lease(&self) -> Option<Duration> {
        *self.lease.lock()
    }

    fn claims_first(&self) -> bool {
        self.claims_first
    }

    fn attach(&self, attach: AttachRequest) -> StoreFuture<'_, AttachedSession> {
        self.run(|store| store.attach(attach))
    }

    fn begin_turn<'a>(
        &'a self,
        session: Ref<'a>,
        turn_id: Option<&'a str>,
        starter: TurnStarter,
        known: u64,
        now: EpochMs,
    ) -> StoreFuture<'a, BegunTurn> {
        self.run(move |store| store.begin_turn(session, turn_id, starter, known, now))
    }

    fn look_up<'a>(&'a self, look: CallLookup<'a>) -> StoreFuture<'a, CallLookupResult> {
        self.look_ups.fetch_add(1, Ordering::Relaxed);
        self.run(|store| store.look_up(look))
    }

    fn alias_record<'a>(
        &'a self,
        session: Ref<'a>,
        unnamed: &'a RecordKey,
        named: &'a RecordKey,
    ) -> StoreFuture<'a, Option<Arc<Record>>> {
        self.run(move |store| store.alias_record(session, unnamed, named))
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, ClaimResult> {
        self.run(|store| store.claim(claim))
    }

    fn settle(&self, settlement: Settlement) -> StoreFuture<'_, bool> {
        self.run(|store| store.settle(settlement))
    }

    fn renew(&self, renewal: Renewal) -> StoreFuture<'_, bool> {
        self.run(|store| store.renew(renewal))
    }

    fn ask<'a>(&'a self, session: Ref<'a>, question: Question, now: EpochMs) -> StoreFuture<'a, AskResult> {
        self.run(move |store| store.ask(session, question, now))
    }

    fn token_state<'a>(&'a self, session: Ref<'a>, token: &'a str, now: EpochMs) -> StoreFuture<'a, TokenState> {
        self.run(move |store| store.token_state(session, token, now))
    }

    fn close_question<'a>(
        &'a self,
        session: Ref<'a>,
        token: &'a str,
        closing: Closing,
        now: EpochMs,
    ) -> StoreFuture<'a, Option<Arc<Question>>> {
        self.run(move |store| store.close_question(session, token, closing, now))
    }

    fn pending_questions<'a>(&'a self, session: Ref<'a>, now: EpochMs) -> StoreFuture<'a, Vec<Arc<Question>>> {
        self.run(move |store| store.pending_questions(session, now))
    }

    fn save_state<'a>(&'a self, session: Ref<'a>, changes: Vec<StateChange>) -> StoreFuture<'a, ()> {
        self.run(move |store| store.save_state(session, changes))
    }

    fn pin_tools<'a>(&'a self, session: Ref<'a>, tools_version: Arc<str>) -> StoreFuture<'a, ()> {
        self.run(move |store| store.pin_tools(session, tools_version))
    }

    fn end<'a>(&'a self, session: Ref<'a>, changes: Vec<StateChange>) -> StoreFuture<'a, ()> {
        self.run(move |store| store.end(session, changes))
    }

    fn sweep<'a>(&'a self, idle_since: EpochMs, in_use: &'a [SessionId]) -> StoreFuture<'a, Vec<SessionId>> {
        self.run(move |store| store.sweep(idle_since, in_use))
    }

    fn evict(&self, keep: usize, now: EpochMs, is_in_use: &dyn Fn(&SessionId) -> bool) -> Vec<SessionId> {
        self.inner.evict(keep, now, is_in_use)
    }
}
