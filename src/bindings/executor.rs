//! Futures on the JavaScript thread.
//!
//! A native call that makes or settles something drains the queue before it returns, so a future that does not wait is
//! done within the call that made it. A waker anywhere else (a timer, a worker, a cancellation) queues the future again
//! and asks JavaScript, through a weak threadsafe function, to come and drain.
//!
//! Invariant: futures are polled on the JavaScript thread only, and with Tokio's runtime entered, since polling a Tokio
//! timer outside a runtime panics.

use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use async_task::Runnable;
use napi::Status;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Runtime};

/// Calls a JavaScript function without keeping the process alive.
pub(super) type WeakCallback<Args> = ThreadsafeFunction<Args, (), Args, Status, false, true>;

/// Timers and workers for every gate of the process, whichever thread's JavaScript owns it.
static RUNTIME: OnceCell<Runtime> = OnceCell::new();

fn runtime() -> Result<&'static Runtime, std::io::Error> {
    RUNTIME
        .get_or_try_init(|| Builder::new_multi_thread().worker_threads(1).thread_name("toolgate").enable_time().build())
}

/// Polls futures on one JavaScript thread.
pub(super) struct Executor {
    queue: Mutex<VecDeque<Runnable>>,
    thread: ThreadId,
    wake: WeakCallback<()>,
    /// A wake-up is on its way: no second one is sent.
    waking: AtomicBool,
    /// A native call is under way that drains before it returns.
    draining: AtomicBool,
    runtime: &'static Runtime,
}

impl Executor {
    /// For the thread that calls this. `wake` is called on it when there is something to drain.
    pub(super) fn new(wake: WeakCallback<()>) -> Result<Arc<Self>, std::io::Error> {
        Ok(Arc::new(Self {
            queue: Mutex::default(),
            thread: thread::current().id(),
            wake,
            waking: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            runtime: runtime()?,
        }))
    }

    /// Queues a future. It is first polled by the next drain.
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

    /// Does something that makes futures ready, then polls whatever is ready, until nothing is.
    pub(super) fn drain_after<T>(&self, first: impl FnOnce() -> T) -> T {
        self.draining.store(true, Ordering::Release);
        self.waking.store(false, Ordering::Release);
        let done = first();
        let _entered = self.runtime.enter();
        loop {
            let next = self.queue.lock().pop_front();
            let Some(runnable) = next else { break };
            // A future that panics is dropped, and its guard answers for it; the others go on.
            if catch_unwind(AssertUnwindSafe(|| runnable.run())).is_err() {
                tracing::error!("a task of the gate panicked");
            }
        }
        self.draining.store(false, Ordering::Release);
        // Another thread may have queued one after the last look, and seen that a drain is under way.
        if !self.queue.lock().is_empty() {
            self.wake();
        }
        done
    }

    /// Asks JavaScript to come: there is something to poll, or an answer to fetch.
    pub(super) fn wake(&self) {
        if !self.waking.swap(true, Ordering::AcqRel) {
            self.wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    /// Whether this is inside of a native call that drains: what is made ready now is looked at before it returns.
    pub(super) fn is_draining_here(&self) -> bool {
        self.draining.load(Ordering::Acquire) && thread::current().id() == self.thread
    }

    fn schedule(&self, runnable: Runnable) {
        self.queue.lock().push_back(runnable);
        if !self.is_draining_here() {
            self.wake();
        }
    }
}
