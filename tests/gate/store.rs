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
use toolgate::store::memory::MemoryStore;
use toolgate::store::reconcile::{UncertainCalls, UncertainPage};
use toolgate::store::{Answer, Idle, Operation, Store, StoreError, StoreFuture, Swept, ready_answer};

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
            Pace::InTurns => Box::pin(async move {
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

    fn perform(&self, operation: Operation) -> StoreFuture<'_, Answer> {
        if matches!(operation, Operation::LookUp(_)) {
            self.look_ups.fetch_add(1, Ordering::Relaxed);
        }
        self.run(|store| store.perform(operation))
    }

    fn sweep<'a>(&'a self, idle: Idle, in_use: &'a [SessionId]) -> StoreFuture<'a, Swept> {
        self.run(move |store| store.sweep(idle, in_use))
    }

    fn list_uncertain(&self, page: UncertainPage) -> StoreFuture<'_, UncertainCalls> {
        self.run(move |store| store.list_uncertain(page))
    }

    fn oldest_owed_ms(&self, now: EpochMs) -> StoreFuture<'_, Option<u64>> {
        self.run(move |store| store.oldest_owed_ms(now))
    }

    fn evict(&self, keep: usize, now: EpochMs, is_in_use: &dyn Fn(&SessionId) -> bool) -> Vec<SessionId> {
        self.inner.evict(keep, now, is_in_use)
    }
}
