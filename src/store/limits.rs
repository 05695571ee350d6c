//! Limits of calls over time: so many calls within a sliding window.
//!
//! What holds:
//! - The calls of a session count in its document, within the claim. Those of a principal count in a row of the session that
//!   the gate keeps for it, before the claim, and the count is given back if the claim is not granted.
//! - So no fewer calls are counted than are granted, between any two writes and in any number of processes: a limit is never
//!   exceeded. A process that dies between both leaves a call counted until its window ends.
//! - A window has a bounded number of entries, however many calls it allows. A call may leave it late, by a 64th of the window
//!   at most, and never early; a window of up to 64 calls is exact.
//! - A row ends with its window, and is erased with its principal's sessions.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::store::row_names::{HashName, RowKey};

/// Calls of a limit above this number share entries, one for each such part of the window.
const SLOTS: u32 = 64;
/// The largest number of entries, even if a limit's window has changed: a further call shares the last one.
const MAX_ENTRIES: usize = 160;

/// A limit of calls, as it is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLimit {
    /// What counts: the tool's id, or a name for the calls of a mode, which no tool can have.
    pub name: Arc<str>,
    /// The calls that are allowed within the window.
    pub calls: u32,
    /// The window's length, in milliseconds.
    pub window_ms: u64,
}

impl CallLimit {
    pub(super) fn row(&self) -> RowKey {
        RowKey::Limit(HashName::from_content(self.name.as_bytes()))
    }
}

/// A limit that allows no call now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitReached {
    /// The limit.
    pub limit: CallLimit,
    /// The time until it allows a call, in milliseconds.
    pub wait_ms: u64,
}

/// A step of a call that counts among its principal's, in the session that the gate keeps for that.
#[derive(Debug, Clone)]
pub struct CountCall {
    /// The gate's session.
    pub session: SessionId,
    /// Its principal.
    pub owner: Arc<str>,
    /// The limits, each of which counts the call.
    pub limits: Vec<CallLimit>,
    /// The step.
    pub step: CountStep,
    /// The current time.
    pub now: EpochMs,
}

/// What is done about the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountStep {
    /// Nothing: whether a limit is reached is looked up.
    Look,
    /// The call is counted, unless a limit is reached.
    Count,
    /// The call that was counted at this time has not run.
    GiveBack {
        /// The time in [`CallCount::at`].
        at: EpochMs,
    },
}

/// The answer to a step.
#[derive(Debug, Clone)]
pub struct CallCount {
    /// The time at which the call was counted.
    pub at: EpochMs,
    /// The limit that is reached, of several the one with the longest wait. Nothing was counted then.
    pub reached: Option<LimitReached>,
}

impl CountCall {
    pub(super) fn rows(&self) -> Vec<RowKey> {
        self.limits.iter().map(CallLimit::row).collect()
    }

    /// When the last of the windows ends.
    pub(super) fn until(&self, now: EpochMs) -> EpochMs {
        self.limits.iter().map(|limit| now.saturating_add(limit.window_ms)).max().unwrap_or_default()
    }

    /// Whether the answer says that the call was counted.
    pub(super) fn is_counted(&self, answer: &CallCount) -> bool {
        self.step == CountStep::Count && answer.reached.is_none()
    }

    /// Whether the step has changed something, with this answer.
    pub(super) fn is_change(&self, answer: &CallCount) -> bool {
        self.is_counted(answer) || matches!(self.step, CountStep::GiveBack { .. })
    }
}

/// Of limits that are reached, the one that allows a call last.
pub(super) fn longest(reached: impl Iterator<Item = LimitReached>) -> Option<LimitReached> {
    reached.max_by_key(|reached| reached.wait_ms)
}

/// The calls within a window, the oldest first.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct CallWindow(VecDeque<WindowEntry>);

/// Calls that leave a window at the same time.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
enum WindowEntry {
    One(EpochMs),
    Several(EpochMs, u32),
}

impl WindowEntry {
    const fn at(self) -> EpochMs {
        match self {
            Self::One(at) | Self::Several(at, _) => at,
        }
    }

    const fn calls(self) -> u32 {
        match self {
            Self::One(_) => 1,
            Self::Several(_, calls) => calls,
        }
    }
}

impl CallWindow {
    /// The limit, if it allows no call now.
    pub(super) fn reached(&mut self, limit: &CallLimit, now: EpochMs) -> Option<LimitReached> {
        let end = |counted: WindowEntry| counted.at().saturating_add(limit.window_ms);
        while self.0.front().is_some_and(|counted| end(*counted) <= now) {
            self.0.pop_front();
        }
        let mut calls = self.0.iter().fold(0_u32, |calls, counted| calls.saturating_add(counted.calls()));
        if calls < limit.calls {
            return None;
        }
        let mut leaving = self.0.iter().copied();
        let last = leaving.find(|counted| {
            calls = calls.saturating_sub(counted.calls());
            calls < limit.calls
        });
        let wait_ms = last.map_or(limit.window_ms, |last| end(last).saturating_sub(now));
        Some(LimitReached { limit: limit.clone(), wait_ms })
    }

    /// Counts a call.
    pub(super) fn count(&mut self, limit: &CallLimit, now: EpochMs) {
        let slot_ms = limit.window_ms.div_ceil(u64::from(SLOTS)).max(1);
        let is_same = |at: EpochMs| limit.calls > SLOTS && at / slot_ms == now / slot_ms;
        let is_full = self.0.len() >= MAX_ENTRIES;
        match self.0.back_mut() {
            Some(last) if is_full || is_same(last.at()) => {
                *last = WindowEntry::Several(last.at().max(now), last.calls().saturating_add(1));
            }
            _ => self.0.push_back(WindowEntry::One(now)),
        }
    }

    /// Takes back a call that was counted at this time. Those that it shares an entry with may have come later.
    pub(super) fn give_back(&mut self, at: EpochMs) {
        let Some(place) = self.0.iter().position(|entry| entry.at() >= at) else { return };
        match self.0.get_mut(place) {
            Some(WindowEntry::Several(_, calls)) if *calls > 1 => *calls -= 1,
            _ => drop(self.0.remove(place)),
        }
    }

    /// The time of the last call.
    pub(super) fn last(&self) -> Option<EpochMs> {
        self.0.iter().map(|entry| entry.at()).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1000;

    fn limit(calls: u32, window_ms: u64) -> CallLimit {
        CallLimit { name: "send".into(), calls, window_ms }
    }

    /// Makes a call as often as the limit allows, at each of the times.
    fn granted(window: &mut CallWindow, limit: &CallLimit, times: impl Iterator<Item = EpochMs>) -> Vec<EpochMs> {
        times
            .filter(|&at| {
                let is_allowed = window.reached(limit, at).is_none();
                if is_allowed {
                    window.count(limit, at);
                }
                is_allowed
            })
            .collect()
    }

    #[test]
    fn a_window_of_many_calls_stays_small_and_is_never_exceeded() {
        for limit in [limit(1000, DAY), limit(100_000, DAY), limit(65, 10)] {
            let mut window = CallWindow::default();
            let step = (limit.window_ms / 3000).max(1);
            let times = (0..10_000).map(|number| DAY + number / 3 * step);
            let granted = granted(&mut window, &limit, times);
            assert!(window.0.len() <= SLOTS as usize + 1, "{} entries", window.0.len());
            for (number, at) in granted.iter().enumerate() {
                let within = granted[..=number].iter().filter(|before| **before + limit.window_ms > *at).count();
                assert!(within <= limit.calls as usize, "{within} calls within {limit:?}");
            }
        }
    }

    #[test]
    fn a_window_that_changes_stays_small() {
        let mut window = CallWindow::default();
        for calls in 1..1000 {
            let limit = limit(calls, DAY);
            granted(&mut window, &limit, std::iter::once(u64::from(calls)));
        }
        assert!(window.0.len() <= MAX_ENTRIES);
    }

    #[test]
    fn a_wait_is_until_a_call_is_allowed() {
        let (mut window, wide) = (CallWindow::default(), limit(4, 1000));
        granted(&mut window, &wide, [0, 100, 200, 300].into_iter());
        let wait =
            |window: &mut CallWindow, limit: &CallLimit| window.reached(limit, 400).map(|reached| reached.wait_ms);
        assert_eq!(wait(&mut window, &wide), Some(600));
        assert_eq!(wait(&mut window, &limit(2, 1000)), Some(800), "the limit was lowered");
        assert_eq!(wait(&mut window, &limit(5, 1000)), None);
    }

    #[test]
    fn a_call_that_has_not_run_is_taken_back() {
        let (mut window, limit) = (CallWindow::default(), limit(100, 64_000));
        granted(&mut window, &limit, [0, 10, 20, 5000].into_iter());
        window.give_back(10);
        window.give_back(5000);
        assert_eq!(serde_json::to_string(&window).unwrap(), "[[20,2]]");
        window.give_back(9000);
        window.give_back(0);
        window.give_back(0);
        assert_eq!(serde_json::to_string(&window).unwrap(), "[]");
    }

    #[test]
    fn a_window_is_stored_as_times() {
        let window: CallWindow = serde_json::from_str("[5,[7,3],9]").unwrap();
        assert_eq!(serde_json::to_string(&window).unwrap(), "[5,[7,3],9]");
        assert_eq!((window.0.len(), window.last()), (3, Some(9)));
    }
}
