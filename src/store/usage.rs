//! A session's usage counters: turns, calls per turn, rate-limit windows.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::claim::{Budget, CallLookupResult};
use super::limits::{CallLimit, CallWindow, LimitReached, longest};
use crate::clock::EpochMs;

/// The number of turns whose counters and ids are kept. An attachment can lag a few turns behind the newest.
const REMEMBERED_TURNS: usize = 64;

#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
struct TurnCounts {
    retrieval: u32,
    total: u32,
    #[serde(rename = "unnamed")]
    without_id: u32,
}

/// The turn counter, the counters per turn, and the call times within rate-limit windows.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Usage {
    /// The number of turns begun; a session without a begun turn is in turn 1 too.
    #[serde(rename = "begun")]
    turns_begun: u32,
    #[serde(rename = "ids")]
    turn_ids: VecDeque<(Box<str>, u32)>,
    counts: BTreeMap<u32, TurnCounts>,
    #[serde(rename = "calls")]
    windows: HashMap<Arc<str>, CallWindow>,
}

/// The turns of a session, without their counters.
#[derive(Debug, Clone)]
pub(super) struct TurnNumbers {
    begun: u32,
    ids: Box<[(Box<str>, u32)]>,
}

impl TurnNumbers {
    /// The memory of the ids in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.ids.iter().map(|id| size_of_val(id) + id.0.len()).sum()
    }
}

impl Usage {
    /// The turns without their counters.
    pub(super) fn turn_numbers(&self) -> TurnNumbers {
        TurnNumbers { begun: self.turns_begun, ids: self.turn_ids.iter().cloned().collect() }
    }

    /// Continues the turns with new counters.
    pub(super) fn from_turn_numbers(turns: TurnNumbers) -> Self {
        Self { turns_begun: turns.begun, turn_ids: turns.ids.into_iter().collect(), ..Self::default() }
    }

    /// The session's turn, from 1.
    pub(super) fn turn(&self) -> u32 {
        self.turns_begun.max(1)
    }

    /// Increments the turn, once per id. Returns its number, and whether it is new. A new turn comes after `ends`, which
    /// may be a first turn that has not begun.
    pub(super) fn begin_turn(&mut self, id: Option<&str>, ends: Option<u32>) -> (u32, bool) {
        if let Some(id) = id
            && let Some((_, number)) = self.turn_ids.iter().find(|(known, _)| **known == *id)
        {
            return (*number, false);
        }
        self.turns_begun = self.turns_begun.max(ends.unwrap_or(0)) + 1;
        if let Some(id) = id {
            if self.turn_ids.len() == REMEMBERED_TURNS {
                self.turn_ids.pop_front();
            }
            self.turn_ids.push_back((id.into(), self.turns_begun));
        }
        let oldest = self.turns_begun.saturating_sub(u32::try_from(REMEMBERED_TURNS).unwrap_or(u32::MAX));
        self.counts.retain(|turn, _| *turn > oldest);
        (self.turns_begun, true)
    }

    /// The counters as a lookup result without a record.
    pub(super) fn counters(&mut self, turn: u32, limits: &[CallLimit], now: EpochMs) -> CallLookupResult {
        let counts = self.counts.get(&turn).copied().unwrap_or_default();
        CallLookupResult {
            record: None,
            named: None,
            done: None,
            state: None,
            retrieval_calls: counts.retrieval,
            total_calls: counts.total,
            limit_reached: longest(limits.iter().filter_map(|limit| self.limit_reached(limit, now))),
            calls_without_id: counts.without_id,
        }
    }

    /// Raises a turn's counters to at least these numbers, which were counted elsewhere.
    pub(super) fn count_at_least(&mut self, turn: u32, calls: u32, retrievals: u32) {
        let counts = self.counts.entry(turn).or_default();
        counts.total = counts.total.max(calls);
        counts.retrieval = counts.retrieval.max(retrievals);
    }

    /// Debits a call.
    pub(super) fn debit(&mut self, turn: u32, limits: &[CallLimit], is: Debit, now: EpochMs) {
        let counts = self.counts.entry(turn).or_default();
        counts.total += u32::from(is.is_budgeted);
        counts.retrieval += u32::from(is.is_budgeted && is.is_retrieval);
        counts.without_id += u32::from(is.is_without_id);
        for limit in limits {
            self.windows.entry(Arc::clone(&limit.name)).or_default().count(limit, now);
        }
    }

    fn limit_reached(&mut self, limit: &CallLimit, now: EpochMs) -> Option<LimitReached> {
        self.windows.get_mut(&limit.name)?.reached(limit, now)
    }
}

/// The counters that a call moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Debit {
    pub(super) is_budgeted: bool,
    pub(super) is_retrieval: bool,
    pub(super) is_without_id: bool,
}

/// Whether the budget allows one more call.
pub(super) fn is_within_budget(seen: &CallLookupResult, budget: Budget, retrieval: bool) -> bool {
    seen.total_calls < budget.total_calls && (!retrieval || seen.retrieval_calls < budget.retrieval_calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_64_turns_are_kept() {
        let mut usage = Usage::default();
        for _ in 0..65 {
            let (turn, _) = usage.begin_turn(None, None);
            usage.count_at_least(turn, turn + 1, 1);
        }
        let total = |usage: &mut Usage, turn| usage.counters(turn, &[], 0).total_calls;
        assert_eq!([1, 2, 65].map(|turn| total(&mut usage, turn)), [0, 3, 66]);
    }

    #[test]
    fn the_ids_of_64_turns_are_kept() {
        let mut usage = Usage::default();
        for n in 1..=65 {
            assert_eq!(usage.begin_turn(Some(&format!("turn-{n}")), None), (n, true));
        }
        assert_eq!(usage.begin_turn(Some("turn-2"), None), (2, false));
        assert_eq!(usage.begin_turn(Some("turn-1"), None), (66, true), "forgotten, so it counts as new");
    }

    #[test]
    fn a_first_turn_that_has_not_begun_ends_too() {
        let mut usage = Usage::default();
        assert_eq!(usage.turn(), 1);
        assert_eq!(usage.begin_turn(None, Some(1)), (2, true));
        assert_eq!(usage.begin_turn(None, Some(1)), (3, true), "another attachment was in turn 1 too");
    }

    #[test]
    fn the_bytes_of_turn_numbers_are_those_of_their_ids() {
        let mut usage = Usage::default();
        assert_eq!(usage.turn_numbers().bytes(), 0);
        usage.begin_turn(Some("ab"), None);
        usage.begin_turn(Some("cde"), None);
        assert_eq!(usage.turn_numbers().bytes(), 2 * size_of::<(Box<str>, u32)>() + 5);
    }
}
