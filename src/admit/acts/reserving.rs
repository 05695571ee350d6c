//! The calls of this process whose acts are reserved, and those of them whose claim has failed.
//!
//! A store that fails before the answer to a claim can leave a reservation, or a claim, of a call that never runs: its caller got
//! TRANSIENT. No other call of this process waits for the lease of either. A call that has begun is never among those that
//! failed, whatever became of the thread that ran it.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::session::key::RecordKey;
use crate::store::Claimant;
use crate::store::reconcile::RecordPlace;

/// The number of failed claims that are known; the oldest is forgotten first, and its lease ends it.
const MAX_FAILED: usize = 1000;

type CallPlace = (Arc<str>, RecordKey);

/// Few are under way at once: lists are faster than sets.
struct Calls {
    /// From the reservation to the end of the run. A call that is made twice at once is here twice.
    under_way: Vec<CallPlace>,
    failed: VecDeque<CallPlace>,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls { under_way: Vec::new(), failed: VecDeque::new() });

/// A call that this process takes to its claim, and runs, until this is dropped.
#[derive(Debug)]
pub(in crate::admit) struct Reserving(CallPlace);

impl Reserving {
    pub(in crate::admit) fn begin(session: &str, key: &RecordKey) -> Self {
        let place: CallPlace = (session.into(), key.clone());
        let mut calls = CALLS.lock();
        calls.failed.retain(|failed| *failed != place);
        calls.under_way.push(place.clone());
        Self(place)
    }

    /// Notes that the store failed: this process runs nothing for the call.
    pub(in crate::admit) fn failed(&self) {
        let mut calls = CALLS.lock();
        if calls.failed.len() == MAX_FAILED {
            calls.failed.pop_front();
        }
        calls.failed.push_back(self.0.clone());
    }
}

impl Drop for Reserving {
    fn drop(&mut self) {
        let mut calls = CALLS.lock();
        if let Some(place) = calls.under_way.iter().position(|place| *place == self.0) {
            calls.under_way.swap_remove(place);
        }
    }
}

/// Whether what this process has claimed for the call at this place was left by a claim that failed.
pub(in crate::admit) fn was_left(by: Option<Claimant>, call: &RecordPlace) -> bool {
    let is_it = |(session, key): &CallPlace| *session == call.session && *key == call.key;
    let is_own = by.is_some() && by == Claimant::this_process();
    let calls = CALLS.lock();
    is_own && calls.failed.iter().any(is_it) && !calls.under_way.iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_call_whose_claim_failed_was_left() {
        let (session, key) = ("reserving", RecordKey::from_stored("provider:call-1"));
        let call = RecordPlace { session: session.into(), key: key.clone(), epoch: 1 };
        let this = Claimant::this_process();
        let Some(_) = this else { return };
        assert!(!was_left(this, &call), "it was never here");
        drop(Reserving::begin(session, &key));
        assert!(!was_left(this, &call), "it may have run");
        let first = Reserving::begin(session, &key);
        first.failed();
        assert!(!was_left(this, &call), "it is under way");
        drop(first);
        assert!(was_left(this, &call) && !was_left(None, &call) && !was_left(Claimant::dead_process(), &call));
        let second = Reserving::begin(session, &key);
        drop(second);
        assert!(!was_left(this, &call), "it was made again");
    }
}
