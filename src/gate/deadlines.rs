//! The deadlines of runs that no task waits for. One task waits for the earliest of all.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::Spawner;
use super::run_now::RunWithoutTask;
use crate::run::InvocationId;

/// A deadline, and the number of its handler's start.
pub(super) type DeadlineKey = (Instant, InvocationId);

/// The deadlines of one gate.
#[derive(Default)]
pub(super) struct Deadlines {
    waiting: Mutex<WaitingRuns>,
    /// A deadline was added that is earlier than the one that the task waits for.
    earlier: Notify,
}

#[derive(Default)]
struct WaitingRuns {
    by_time: BTreeMap<DeadlineKey, Weak<RunWithoutTask>>,
    /// The time until which the task sleeps; `None` if there is no task. Not moved when its run ends: most runs end long before
    /// their deadlines, and the task looks for the next deadline then.
    task_sleeps_until: Option<Instant>,
}

impl Deadlines {
    /// Adds the deadline of a run.
    pub(super) fn add(self: &Arc<Self>, key: DeadlineKey, run: &Arc<RunWithoutTask>, spawner: &Spawner) {
        let has_task = {
            let mut waiting = self.waiting.lock();
            waiting.by_time.insert(key, Arc::downgrade(run));
            let sleeps_until = waiting.task_sleeps_until;
            if sleeps_until.is_some_and(|until| until <= key.0) {
                return;
            }
            waiting.task_sleeps_until = Some(key.0);
            sleeps_until.is_some()
        };
        if has_task {
            self.earlier.notify_one();
        } else {
            spawner(Box::pin(Arc::clone(self).wait()));
        }
    }

    /// Removes the deadline of a run that has ended.
    pub(super) fn remove(&self, key: &DeadlineKey) {
        self.waiting.lock().by_time.remove(key);
    }

    /// Waits for the deadlines, until there are none.
    async fn wait(self: Arc<Self>) {
        loop {
            let Some(until) = self.waiting.lock().task_sleeps_until else { return };
            tokio::select! {
                biased;
                () = self.earlier.notified() => continue,
                () = tokio::time::sleep_until(until) => {}
            }
            for run in self.take_due(Instant::now()).iter().filter_map(Weak::upgrade) {
                run.hand_over();
            }
        }
    }

    /// Takes the runs whose deadlines have passed.
    fn take_due(&self, now: Instant) -> Vec<Weak<RunWithoutTask>> {
        let mut waiting = self.waiting.lock();
        let later = waiting.by_time.split_off(&(now, InvocationId::MAX));
        let due = std::mem::replace(&mut waiting.by_time, later);
        waiting.task_sleeps_until = waiting.by_time.keys().next().map(|(at, _)| *at);
        due.into_values().collect()
    }
}
