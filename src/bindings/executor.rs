//! The executor of futures on the JavaScript thread.
//!
//! A native call that spawns or settles something drains the queue before it returns, so a future that does not wait
//! completes within the call that spawned it. Any other wake-up (a timer, a worker, a cancellation) queues the future
//! again and requests a `poll` from JavaScript through a weak threadsafe function.
//!
//! Invariant: futures are polled on the JavaScript thread only, and with Tokio's runtime entered, since polling a Tokio
//! timer outside a runtime panics.

use std::cell::Cell;
use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_task::Runnable;
use napi::Status;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Runtime};

use super::worker_threads;

/// A threadsafe JavaScript function that does not keep the process alive.
pub(super) type WeakCallback<Args> = ThreadsafeFunction<Args, (), Args, Status, false, true>;

/// The timers and workers of all gates of the process, on all JavaScript threads.
static RUNTIME: OnceCell<Runtime> = OnceCell::new();

fn runtime() -> Result<&'static Runtime, std::io::Error> {
    RUNTIME.get_or_try_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("toolgate").on_thread_start(worker_threads::interrupt_no_thread);
        builder.enable_time().build()
    })
}

thread_local! {
    /// The executor of this thread whose queue a native call in progress will drain before it returns.
    static DRAINING: Cell<*const Executor> = const { Cell::new(ptr::null()) };
}

/// The executor of one JavaScript thread.
pub(super) struct Executor {
    queue: Mutex<VecDeque<Runnable>>,
    wake: WeakCallback<()>,
    /// Whether a wake-up is in progress; then no second one is sent.
    waking: AtomicBool,
    runtime: &'static Runtime,
}

impl Executor {
    /// Creates the executor of the current thread. `wake` is called on this thread when there is something to drain.
    pub(super) fn new(wake: WeakCallback<()>) -> Result<Arc<Self>, std::io::Error> {
        Ok(Arc::new(Self { queue: Mutex::default(), wake, waking: AtomicBool::new(false), runtime: runtime()? }))
    }

    /// Queues a future. It is polled for the first time by the next drain.
    pub(super) fn spawn(self: &Arc<Self>, future: impl Future<Output = ()> + Send + 'static) {
        let executor = Arc::downgrade(self);
        let schedule = move |runnable| {
            if let Some(executor) = executor.upgrade() {
                executor.schedule(runnable);
            }
        };
        let (runnable, task) = async_task::spawn(future, schedule);
        task.detach();
        runnable.schedule();
    }

    /// Runs `first`, which may make futures ready, then polls ready futures until there are none.
    pub(super) fn drain_after(&self, first: impl FnOnce()) {
        DRAINING.set(self);
        self.waking.store(false, Ordering::Release);
        let _entered = self.runtime.enter();
        run_caught(first);
        loop {
            let next = self.queue.lock().pop_front();
            let Some(runnable) = next else { break };
            run_caught(|| {
                runnable.run();
            });
        }
        DRAINING.set(ptr::null());
        // Another thread may have queued a future after the last check, without a wake-up because of this drain.
        if !self.queue.lock().is_empty() {
            self.wake();
        }
    }

    /// Requests a `poll` from JavaScript: there is a future to poll, or a message to fetch.
    pub(super) fn wake(&self) {
        if !self.waking.swap(true, Ordering::AcqRel) {
            self.wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    /// Whether the current thread is in a native call that drains: futures made ready now are polled before it returns.
    pub(super) fn is_draining_here(&self) -> bool {
        ptr::eq(DRAINING.get(), self)
    }

    fn schedule(&self, runnable: Runnable) {
        self.queue.lock().push_back(runnable);
        if !self.is_draining_here() {
            self.wake();
        }
    }
}

/// Runs a part of the gate. If it panics, what it owned is dropped, and its `Responder` sends the fallback; the other
/// parts continue.
fn run_caught(part: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(part)).is_err() {
        tracing::error!("a task of the gate panicked");
    }
}
