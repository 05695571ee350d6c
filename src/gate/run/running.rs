//! The running and arriving calls of one session.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::admit::{AdmittedCall, RecordLocation};
use crate::call::CallId;
use crate::run::execution::{CallerNumber, CancellationEffect, Execution};
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::Record;

/// Identifies an execution. A record's key is not enough: a call with other arguments may run under the same key, while
/// the store fails (by a record of this process), or after the first one's record was deleted for a retry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::gate) struct RunningKey {
    location: RecordLocation,
    record: RecordKey,
    fingerprint: Fingerprint,
}

impl RunningKey {
    pub(in crate::gate) fn of_call(call: &AdmittedCall) -> Self {
        let AdmittedCall { record_location, key, fingerprint, .. } = call;
        Self { location: *record_location, record: key.clone(), fingerprint: fingerprint.clone() }
    }

    /// Whether the record is of the call that runs.
    pub(in crate::gate) fn is_of(&self, record: &Record) -> bool {
        self.fingerprint.matches(&record.fingerprint)
    }

    pub(in crate::gate) fn of_record(location: RecordLocation, key: &RecordKey, record: &Record) -> Self {
        Self { location, record: key.clone(), fingerprint: record.fingerprint.clone() }
    }
}

/// The executions by key, in a stable order, and the calls before the end of their admission.
#[derive(Default)]
pub(in crate::gate) struct RunningCalls {
    executions: Mutex<BTreeMap<RunningKey, Arc<Execution>>>,
    /// Listed because a provider may cancel a call while its arguments are parsed on a worker, or while it waits behind
    /// such a call.
    arriving: Mutex<Vec<Arc<Arrival>>>,
}

#[derive(Debug)]
struct Arrival {
    id: Option<CallId>,
    number: Option<CallerNumber>,
    cancelled: Mutex<Option<String>>,
    /// Notified when it is.
    on_cancelled: Notify,
}

impl Arrival {
    fn cancel(&self, reason: &str) {
        self.cancelled.lock().get_or_insert_with(|| reason.to_owned());
        self.on_cancelled.notify_waiters();
    }
}

/// How the host names a caller, to cancel it alone.
#[derive(Debug, Default, Clone)]
pub struct HostCaller {
    /// Its number; `None` if the host does not cancel it.
    pub number: Option<CallerNumber>,
    /// The reason if it was cancelled before its call arrived.
    pub cancelled: Option<String>,
}

/// A call from its arrival to the end of its admission, or until the host drops it.
pub(in crate::gate) struct ArrivingCall<'a> {
    running: &'a RunningCalls,
    arrival: Arc<Arrival>,
}

impl ArrivingCall<'_> {
    /// Cancels the call; the first reason stays.
    pub(in crate::gate) fn cancel(&self, reason: &str) {
        self.arrival.cancel(reason);
    }

    /// The reason of the cancellation, if the call was cancelled.
    pub(in crate::gate) fn cancel_reason(&self) -> Option<String> {
        self.arrival.cancelled.lock().clone()
    }

    /// Waits until the call is cancelled.
    pub(in crate::gate) async fn cancelled(&self) {
        loop {
            let notified = self.arrival.on_cancelled.notified();
            if self.arrival.cancelled.lock().is_some() {
                return;
            }
            notified.await;
        }
    }

    /// Ends the arrival, after admission. Returns the caller, with the reason if it was cancelled meanwhile.
    pub(in crate::gate) fn end(self) -> HostCaller {
        // Removed from the list first: a later cancellation finds the call's execution, or nothing.
        let arrival = Arc::clone(&self.arrival);
        drop(self);
        let cancelled = arrival.cancelled.lock().take();
        HostCaller { number: arrival.number, cancelled }
    }
}

impl Drop for ArrivingCall<'_> {
    fn drop(&mut self) {
        self.running.arriving.lock().retain(|other| !Arc::ptr_eq(other, &self.arrival));
    }
}

impl RunningCalls {
    pub(in crate::gate) fn insert(&self, key: RunningKey, execution: Arc<Execution>) {
        self.executions.lock().insert(key, execution);
    }

    pub(in crate::gate) fn get(&self, key: &RunningKey) -> Option<Arc<Execution>> {
        self.executions.lock().get(key).cloned()
    }

    /// Removes the execution of an admitted call.
    pub(in crate::gate) fn remove(&self, call: &AdmittedCall) {
        self.executions.lock().remove(&RunningKey::of_call(call));
    }

    /// Removes an execution unless another one has replaced it.
    pub(in crate::gate) fn remove_if_same(&self, key: &RunningKey, execution: &Arc<Execution>) {
        let mut executions = self.executions.lock();
        if executions.get(key).is_some_and(|there| Arc::ptr_eq(there, execution)) {
            executions.remove(key);
        }
    }

    pub(in crate::gate) fn is_empty(&self) -> bool {
        self.executions.lock().is_empty()
    }

    pub(in crate::gate) fn all(&self) -> Vec<Arc<Execution>> {
        self.executions.lock().values().cloned().collect()
    }

    /// Whether an execution was asked to stop and is not closed yet.
    pub(in crate::gate) fn has_stopping(&self) -> bool {
        self.executions.lock().values().any(|execution| execution.is_stopping())
    }

    /// Waits for executions that were asked to stop, so that the next equal call is a new call instead of joining a
    /// stopped one.
    pub(in crate::gate) async fn stopped(&self) {
        let stopping: Vec<Arc<Execution>> =
            self.executions.lock().values().filter(|execution| execution.is_stopping()).cloned().collect();
        for execution in stopping {
            execution.closed().await;
        }
    }

    /// Adds an arriving call.
    pub(in crate::gate) fn arrive(&self, id: Option<CallId>, caller: HostCaller) -> ArrivingCall<'_> {
        let HostCaller { number, cancelled } = caller;
        let arrival = Arc::new(Arrival { id, number, cancelled: Mutex::new(cancelled), on_cancelled: Notify::new() });
        self.arriving.lock().push(Arc::clone(&arrival));
        ArrivingCall { running: self, arrival }
    }

    /// Cancels the callers of an id. False if none waits.
    pub(in crate::gate) fn cancel(&self, id: &str, reason: &str) -> bool {
        let mut found = self.cancel_arriving(reason, |arrival| arrival.id.as_ref().is_some_and(|of| of.as_str() == id));
        // No lock is held here: a cancelled caller's own task may come back here.
        for execution in self.all() {
            found |= execution.cancel(id, reason);
        }
        found
    }

    /// Cancels one caller, or the callers of one batch. False if none waits.
    pub(in crate::gate) fn cancel_caller(&self, number: CallerNumber, reason: &str) -> bool {
        let mut found = self.cancel_arriving(reason, |arrival| arrival.number == Some(number));
        for execution in self.all() {
            found |= execution.cancel_caller(number, reason);
        }
        found
    }

    fn cancel_arriving(&self, reason: &str, is_meant: impl Fn(&Arrival) -> bool) -> bool {
        let arriving = self.arriving.lock();
        let meant = arriving.iter().filter(|arrival| is_meant(arrival));
        meant.map(|arrival| arrival.cancel(reason)).count() > 0
    }

    /// Cancels a call, also one whose callers have been answered; the effect. `None` if none runs under the id.
    pub(in crate::gate) fn cancel_with_effect(&self, id: &str, reason: &str) -> Option<CancellationEffect> {
        self.all().iter().find_map(|execution| execution.cancel_with_effect(id, reason))
    }

    /// Cancels the calls whose callers have been answered.
    pub(in crate::gate) fn stop_answered(&self, reason: &str) {
        for execution in self.all() {
            execution.stop_if_answered(reason);
        }
    }

    /// Cancels every caller. Returns how many there were.
    pub(in crate::gate) fn cancel_all(&self, reason: &str) -> usize {
        let arriving = self.arriving.lock().iter().map(|arrival| arrival.cancel(reason)).count();
        arriving + self.all().iter().map(|execution| execution.cancel_all(reason)).sum::<usize>()
    }
}
