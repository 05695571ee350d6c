//! The message loop of a shared store, on the store's own thread.
//!
//! Queued jobs of one group are committed together: while a batch is committed, the next one is queued. A batch that
//! fails transiently is tried again until shortly before the callers' timeout. Jobs whose callers no longer wait are
//! skipped before they start, and undone if they were committed.

use crate::store::error::StoreError;
use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;
use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::backend::{Backend, BackendFailure};
use super::backoff::Backoff;
use super::job::{Reply, StoreJob};
use super::{SharedOptions, SharedStore, StoreRequest, probe};

/// The maximum of jobs committed together.
const MAX_JOBS_PER_COMMIT: usize = 256;

/// Starts the thread of a store. It ends after the last handle is dropped and the queued jobs are done.
///
/// # Errors
/// If the thread or its runtime can't be started.
pub(super) fn start<B: Backend + Send + 'static>(backend: B, options: SharedOptions) -> std::io::Result<SharedStore> {
    let (store, requests) = SharedStore::new(options);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    thread::Builder::new()
        .name("toolgate-store".to_owned())
        .spawn(move || runtime.block_on(Worker::new(backend, options.operation_timeout).run(requests)))?;
    Ok(store)
}

struct Worker<B: Backend> {
    backend: B,
    /// The callers' time limit of one operation.
    operation_timeout: Duration,
    /// The queued jobs by group. A group with an entry has a running task.
    queues: RefCell<HashMap<B::Group, JobQueue>>,
}

type JobQueue = Vec<Box<StoreJob>>;
type Task<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

impl<B: Backend> Worker<B> {
    fn new(backend: B, operation_timeout: Duration) -> Self {
        Self { backend, operation_timeout, queues: RefCell::default() }
    }

    async fn run(self, mut requests: mpsc::UnboundedReceiver<StoreRequest>) {
        // Tasks are polled here and not spawned: a panic ends the thread, and the callers get a failure at once.
        let mut tasks: FuturesUnordered<Task<'_>> = FuturesUnordered::new();
        let mut closing = Vec::new();
        let mut watch = B::WATCH_INTERVAL.map(tokio::time::interval);
        if let Some(watch) = &mut watch {
            watch.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        loop {
            tokio::select! {
                request = requests.recv() => {
                    let Some(request) = request else { break };
                    self.accept(request, &tasks, &mut closing);
                    for _ in 1..MAX_JOBS_PER_COMMIT {
                        let Ok(request) = requests.try_recv() else { break };
                        self.accept(request, &tasks, &mut closing);
                    }
                }
                Some(()) = tasks.next() => {}
                Some(()) = next_tick(&mut watch) => self.backend.watch(),
            }
            if self.queues.borrow().is_empty() {
                self.close(&mut closing);
            }
        }
        // No further requests can arrive; the queued jobs are finished.
        while tasks.next().await.is_some() {}
        self.close(&mut closing);
    }

    fn accept<'a>(&'a self, request: StoreRequest, tasks: &FuturesUnordered<Task<'a>>, closing: &mut Vec<Reply<()>>) {
        match request {
            StoreRequest::Job(job) => {
                let group = self.backend.group(job.session());
                if let Some(jobs) = self.queues.borrow_mut().get_mut(&group) {
                    jobs.push(job);
                    return;
                }
                self.queues.borrow_mut().insert(group.clone(), vec![job]);
                tasks.push(Box::pin(self.run_group(group)));
            }
            StoreRequest::Sweep { idle, in_use, reply } => tasks.push(Box::pin(async move {
                let _ = reply.send(self.backend.sweep(idle, &in_use).await);
            })),
            StoreRequest::ListUncertain(page, reply) => tasks.push(Box::pin(async move {
                let _ = reply.send(self.backend.list_uncertain(page).await);
            })),
            StoreRequest::OldestOwed(now, reply) => tasks.push(Box::pin(async move {
                let _ = reply.send(self.backend.oldest_owed_ms(now).await);
            })),
            StoreRequest::Check(reply) => tasks.push(Box::pin(async move {
                let _ = reply.send(self.probe().await);
            })),
            StoreRequest::Accept(reply) => {
                self.backend.accept();
                self.accept(StoreRequest::Check(reply), tasks, closing);
            }
            StoreRequest::Close(reply) => closing.push(reply),
        }
    }

    fn close(&self, closing: &mut Vec<Reply<()>>) {
        for reply in closing.drain(..) {
            self.backend.close();
            let _ = reply.send(Ok(()));
        }
    }

    /// Makes a small write, once.
    async fn probe(&self) -> Result<(), StoreError> {
        let mut jobs = [probe::job()];
        let committed = self.backend.commit(&mut jobs, Instant::now()).await;
        let [job] = jobs;
        match committed {
            Ok(()) => job.into_result().map(|_| ()),
            // Another process has written.
            Err(BackendFailure::Conflict) => Ok(()),
            Err(BackendFailure::Transient(error)) => Err(unreachable(error)),
            Err(BackendFailure::Permanent(error)) => Err(error),
        }
    }

    /// Commits a group's jobs until its queue is empty.
    async fn run_group(&self, group: B::Group) {
        while let Some(mut jobs) = self.next_batch(&group) {
            let committed = self.commit(&mut jobs).await;
            let undoing: Vec<_> = jobs.into_iter().filter_map(|job| job.finish(committed.clone())).collect();
            if let Some(queue) = self.queues.borrow_mut().get_mut(&group) {
                queue.splice(0..0, undoing);
            }
        }
    }

    /// Takes the next jobs of a group. `None` if there are none; then the group has no entry.
    fn next_batch(&self, group: &B::Group) -> Option<JobQueue> {
        let mut queues = self.queues.borrow_mut();
        let queue = queues.get_mut(group)?;
        if queue.is_empty() {
            queues.remove(group);
            return None;
        }
        let rest = queue.split_off(queue.len().min(MAX_JOBS_PER_COMMIT));
        Some(std::mem::replace(queue, rest))
    }

    async fn commit(&self, jobs: &mut JobQueue) -> Result<(), StoreError> {
        // Shorter than the callers' timeout, so that they get the reason.
        let until = Instant::now() + self.operation_timeout * 4 / 5;
        let mut pause = Backoff::default();
        loop {
            jobs.retain(|job| !job.is_abandoned());
            if jobs.is_empty() {
                return Ok(());
            }
            match self.backend.commit(jobs, until).await {
                Ok(()) => return Ok(()),
                Err(BackendFailure::Transient(error)) if jobs.iter().all(|job| job.is_probe()) => return Err(error),
                Err(BackendFailure::Transient(_) | BackendFailure::Conflict) if Instant::now() < until => {
                    pause.wait().await;
                }
                Err(failure) => return Err(failure.into_error()),
            }
        }
    }
}

/// A failure that may pass, as what a check reports.
fn unreachable(error: StoreError) -> StoreError {
    match error {
        StoreError::Failed(message) => StoreError::Unreachable(message),
        other => other,
    }
}

/// Waits for the next tick. `None` at once if there is no interval.
async fn next_tick(interval: &mut Option<Interval>) -> Option<()> {
    interval.as_mut()?.tick().await;
    Some(())
}

#[cfg(test)]
mod tests;
