//! A call that counts among its principal's: the step on the rows of the session that the gate keeps for that.

use crate::clock::EpochMs;
use crate::store::limits::{CallCount, CallLimit, CallWindow, CountCall, CountStep, longest};
use crate::store::rows::{Row, Rows};

impl CountCall {
    /// Does the step on the rows.
    pub(in crate::store) fn apply(&self, rows: &mut dyn Rows, now: EpochMs) -> CallCount {
        let mut windows: Vec<(&CallLimit, CallWindow)> =
            self.limits.iter().map(|limit| (limit, rows.limit(&limit.row()).unwrap_or_default())).collect();
        let reached = match self.step {
            CountStep::GiveBack { .. } => None,
            CountStep::Look | CountStep::Count => {
                longest(windows.iter_mut().filter_map(|(limit, window)| window.reached(limit, now)))
            }
        };
        let answer = CallCount { at: now, reached };
        match self.step {
            CountStep::Count if self.is_counted(&answer) => {
                for (limit, window) in &mut windows {
                    window.count(limit, now);
                }
            }
            CountStep::GiveBack { at } => {
                for (_, window) in &mut windows {
                    window.give_back(at);
                }
            }
            CountStep::Count | CountStep::Look => return answer,
        }
        for (limit, window) in windows {
            match window.last() {
                None => rows.remove(&limit.row()),
                Some(last) => {
                    rows.put(limit.row(), Row::Limit(window), Some(last.saturating_add(limit.window_ms)));
                }
            }
        }
        answer
    }
}
