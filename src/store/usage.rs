//! What a session's turns have used up.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Budget, Seen};
use crate::clock::EpochMs;
use crate::definition::RateLimit;

/// Turns whose counts and ids are remembered. Attachments can lag behind the newest turn, but not by many.
const REMEMBERED_TURNS: usize = 64;

#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
struct Counts {
    retrieval: u32,
    total: u32,
    unnamed: u32,
}

/// Turn counter, counts per turn, and the calls within rate-limit windows.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Usage {
    /// Turns begun; a session in which none was is in turn 1 all the same.
    begun: u32,
    ids: VecDeque<(Box<str>, u32)>,
    counts: BTreeMap<u32, Counts>,
    calls: HashMap<Arc<str>, VecDeque<EpochMs>>,
}

impl Usage {
    /// The session's turn, from 1.
    pub(super) fn turn(&self) -> u32 {
        self.begun.max(1)
    }

    /// Counts the turn up, once per id. Returns its number, and whether it is new.
    pub(super) fn begin_turn(&mut self, id: Option<&str>) -> (u32, bool) {
        if let Some(id) = id
            && let Some((_, number)) = self.ids.iter().find(|(known, _)| **known == *id)
        {
            return (*number, false);
        }
        self.begun += 1;
        if let Some(id) = id {
            if self.ids.len() == REMEMBERED_TURNS {
                self.ids.pop_front();
            }
            self.ids.push_back((id.into(), self.begun));
        }
        let oldest = self.begun.saturating_sub(u32::try_from(REMEMBERED_TURNS).unwrap_or(u32::MAX));
        self.counts.retain(|turn, _| *turn > oldest);
        (self.begun, true)
    }

    /// The counters, without a record.
    pub(super) fn seen(&mut self, turn: u32, tool: &str, rate: Option<RateLimit>, now: EpochMs) -> Seen {
        let counts = self.counts.get(&turn).copied().unwrap_or_default();
        Seen {
            record: None,
            state: None,
            retrieval_calls: counts.retrieval,
            total_calls: counts.total,
            rate_wait_ms: rate.and_then(|rate| self.rate_wait(tool, rate, now)),
            unnamed_calls: counts.unnamed,
        }
    }

    /// A turn has made at least so many calls: they were counted elsewhere.
    pub(super) fn count_at_least(&mut self, turn: u32, calls: u32, retrievals: u32) {
        let counts = self.counts.entry(turn).or_default();
        counts.total = counts.total.max(calls);
        counts.retrieval = counts.retrieval.max(retrievals);
    }

    /// Counts a call.
    pub(super) fn debit(&mut self, turn: u32, tool: &Arc<str>, is: Debit, now: EpochMs) {
        let counts = self.counts.entry(turn).or_default();
        counts.total += u32::from(is.budgeted);
        counts.retrieval += u32::from(is.budgeted && is.retrieval);
        counts.unnamed += u32::from(is.unnamed);
        if is.rated {
            self.calls.entry(Arc::clone(tool)).or_default().push_back(now);
        }
    }

    /// How long until the window lets another call through.
    fn rate_wait(&mut self, tool: &str, rate: RateLimit, now: EpochMs) -> Option<u64> {
        let calls = self.calls.get_mut(tool)?;
        while calls.front().is_some_and(|at| at + rate.window_ms <= now) {
            calls.pop_front();
        }
        if calls.len() < usize::try_from(rate.calls).unwrap_or(usize::MAX) {
            return None;
        }
        calls.front().map(|at| (at + rate.window_ms).saturating_sub(now))
    }
}

/// What kind of call is counted.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a counter that this call does or does not move")]
pub(super) struct Debit {
    pub(super) budgeted: bool,
    pub(super) retrieval: bool,
    pub(super) unnamed: bool,
    pub(super) rated: bool,
}

/// Whether the counters allow one more call.
pub(super) fn within(seen: &Seen, budget: Budget, retrieval: bool) -> bool {
    seen.total_calls < budget.total_calls && (!retrieval || seen.retrieval_calls < budget.retrieval_calls)
}
