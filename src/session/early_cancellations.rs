//! Cancellations that arrive before their calls: a provider's messages may overtake each other.
//!
//! An attachment remembers them for a while, so that the call does not run when it comes. The ids of calls that have
//! arrived are remembered too: a cancellation that comes after its call has settled means no later call.

use std::collections::VecDeque;

use crate::call::CallId;
use crate::clock::EpochMs;

/// How long a cancellation waits for its call, in milliseconds.
const MAX_WAIT_MS: u64 = 60_000;
/// The number of remembered cancellations; the oldest is dropped first.
const MAX_CANCELLATIONS: usize = 64;
/// The number of remembered ids of calls that have arrived; the oldest is dropped first.
const MAX_ARRIVED: usize = 256;
/// The bytes of a cancellation's reason that are remembered.
const MAX_REASON_BYTES: usize = 512;

#[derive(Debug)]
struct EarlyCancellation {
    id: CallId,
    reason: String,
    expires: EpochMs,
}

/// The early cancellations of one attachment, and the ids of the calls that have arrived.
#[derive(Debug, Default)]
pub struct EarlyCancellations {
    waiting: VecDeque<EarlyCancellation>,
    arrived: VecDeque<CallId>,
}

impl EarlyCancellations {
    /// Remembers the cancellation of a call that has not arrived, by its kept id. False if the call has arrived already: nothing is
    /// remembered.
    pub fn remember(&mut self, id: &CallId, reason: &str, now: EpochMs) -> bool {
        if self.arrived.contains(id) {
            return false;
        }
        self.waiting.retain(|cancellation| cancellation.expires > now && cancellation.id != *id);
        if self.waiting.len() == MAX_CANCELLATIONS {
            self.waiting.pop_front();
        }
        let reason = reason.get(..reason.floor_char_boundary(MAX_REASON_BYTES)).unwrap_or_default().to_owned();
        self.waiting.push_back(EarlyCancellation { id: id.clone(), reason, expires: now.saturating_add(MAX_WAIT_MS) });
        true
    }

    /// Notes that a call has arrived, by its kept id. Returns the reason if it was cancelled before; a second arrival finds nothing.
    pub fn note_arrival(&mut self, id: &CallId, now: EpochMs) -> Option<String> {
        let found = self.waiting.iter().position(|cancellation| cancellation.id == *id);
        let cancelled = found.and_then(|place| self.waiting.remove(place));
        if self.arrived.back() != Some(id) {
            if self.arrived.len() == MAX_ARRIVED {
                self.arrived.pop_front();
            }
            self.arrived.push_back(id.clone());
        }
        cancelled.filter(|cancellation| cancellation.expires > now).map(|cancellation| cancellation.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancellation_waits_a_minute_for_one_call() {
        let mut early = EarlyCancellations::default();
        assert!(early.remember(&"call_1".into(), "barge-in", 1000));
        assert!(early.remember(&"call_2".into(), "barge-in", 1000));
        assert_eq!(early.note_arrival(&"call_1".into(), 60_999), Some("barge-in".to_owned()));
        assert_eq!(early.note_arrival(&"call_1".into(), 60_999), None);
        assert_eq!(early.note_arrival(&"call_2".into(), 61_000), None);
        assert!(!early.remember(&"call_1".into(), "late", 61_000), "a call that has arrived is not cancelled later");
    }

    #[test]
    fn reasons_and_numbers_are_bounded() {
        let mut early = EarlyCancellations::default();
        let id = |n: usize| CallId::from(format!("call_{n:05}"));
        for n in 0..100 {
            assert!(early.remember(&id(n), &"ü".repeat(100_000), 0));
        }
        let kept: usize = early.waiting.iter().map(|kept| kept.id.as_str().len() + kept.reason.len()).sum();
        assert!(early.waiting.len() == MAX_CANCELLATIONS && kept < MAX_CANCELLATIONS * 1024, "{kept}");
        assert_eq!(early.note_arrival(&id(35), 1), None, "the oldest are dropped");
        assert!(early.note_arrival(&id(36), 1).is_some());
        for n in 0..1000 {
            early.note_arrival(&id(n), 1);
        }
        let arrived: usize = early.arrived.iter().map(|id| id.as_str().len()).sum();
        assert!(early.arrived.len() == MAX_ARRIVED && arrived < MAX_ARRIVED * 128, "{arrived}");
    }
}
