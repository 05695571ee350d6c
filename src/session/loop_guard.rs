//! The loop guard: the calls of the current turn with their outcomes.
//!
//! A loop is the same call with the same outcome. A user who repeats a question in another turn is not a loop, so the
//! history is cleared with each turn.
//!
//! The history is kept in this process and not in the store: it judges how a model behaves within one turn. A model that
//! loops over two processes is stopped by its budgets, which all processes share.

use sha2::{Digest, Sha256};

use super::fingerprint::Fingerprint;
use crate::response::Outcome;

/// The number of equal outcomes that causes a warning.
pub const WARN_AT: usize = 3;
/// The number of the call that is refused, from 1.
pub const REFUSE_AT: usize = 5;
/// The number of rounds of two alternating calls; the last one is refused.
const ALTERNATION_ROUNDS: usize = 4;

/// The number of refusals of a turn that are not counted in its total budget: a model may correct itself.
const FREE_REFUSALS: u32 = 5;

/// The number of calls remembered per turn: enough for the largest built-in budget, and a bound if a host lifts it.
const MAX_REMEMBERED_CALLS: usize = 64;

/// A detected loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetectedLoop {
    /// The same call had the same outcome this many times.
    Repetition(usize),
    /// Two calls alternated, each with the same outcome.
    Alternation,
}

#[derive(Debug, Clone)]
struct RememberedCall {
    call: Fingerprint,
    outcome_digest: Option<[u8; 32]>,
    /// The outcome, until the call recurs; then it is digested, once.
    undigested_outcome: Option<Outcome>,
}

impl RememberedCall {
    fn digest(&mut self) -> [u8; 32] {
        let pending = self.undigested_outcome.take();
        *self.outcome_digest.get_or_insert_with(|| {
            let text = pending.as_ref().map_or("", Outcome::identity);
            Sha256::digest(text.as_bytes()).into()
        })
    }
}

/// The calls of the current turn.
#[derive(Debug, Default)]
pub struct LoopHistory {
    turn: u32,
    calls: Vec<RememberedCall>,
    /// The number of calls that were refused because their tool is unknown or their arguments are invalid.
    refusals: u32,
}

impl LoopHistory {
    /// Returns the loop that this call would continue, if any.
    pub fn check(&mut self, turn: u32, call: &Fingerprint) -> Option<DetectedLoop> {
        self.enter_turn(turn);
        let repeated = self.max_equal_outcomes(call);
        if repeated + 1 >= REFUSE_AT {
            return Some(DetectedLoop::Repetition(repeated));
        }
        self.completes_alternation(call).then_some(DetectedLoop::Alternation)
    }

    /// Records a call's outcome. Returns the number of equal outcomes if a warning is due.
    pub fn remember(&mut self, turn: u32, call: Fingerprint, outcome: &Outcome) -> Option<usize> {
        self.enter_turn(turn);
        if self.calls.len() == MAX_REMEMBERED_CALLS {
            self.calls.remove(0);
        }
        self.calls.push(RememberedCall { call, outcome_digest: None, undigested_outcome: Some(outcome.clone()) });
        let last = self.calls.last().map(|seen| seen.call.clone())?;
        let alike = self.max_equal_outcomes(&last);
        (alike == WARN_AT).then_some(alike)
    }

    /// Counts a call that was refused because its tool is unknown or its arguments are invalid.
    pub fn count_refusal(&mut self, turn: u32) {
        self.enter_turn(turn);
        self.refusals = self.refusals.saturating_add(1);
    }

    /// The number of refusals that the turn's total budget counts; `None` while further ones are free.
    pub fn refusals_in_budget(&mut self, turn: u32) -> Option<u32> {
        self.enter_turn(turn);
        self.refusals.checked_sub(FREE_REFUSALS)
    }

    /// A user has confirmed a question: calls that are delivered again after it, because their framework repeats the step
    /// that asked, are no loop.
    pub fn user_confirmed(&mut self) {
        self.calls.clear();
    }

    fn enter_turn(&mut self, turn: u32) {
        if self.turn != turn {
            self.turn = turn;
            self.refusals = 0;
            self.calls.clear();
        }
    }

    /// The largest number of equal outcomes of this call.
    fn max_equal_outcomes(&mut self, call: &Fingerprint) -> usize {
        if self.calls.iter().filter(|seen| seen.call.matches(call)).count() < WARN_AT {
            // Too few for a warning or a refusal: no digest is computed.
            return 0;
        }
        let recurring = self.calls.iter_mut().filter(|seen| seen.call.matches(call));
        let digests: Vec<[u8; 32]> = recurring.map(RememberedCall::digest).collect();
        digests.iter().map(|one| digests.iter().filter(|other| *other == one).count()).max().unwrap_or(0)
    }

    /// Whether `call` would complete the last round of A-B-A-B, with the same outcome of A and of B each time.
    fn completes_alternation(&mut self, call: &Fingerprint) -> bool {
        let before = 2 * ALTERNATION_ROUNDS - 1;
        let Some(start) = self.calls.len().checked_sub(before) else { return false };
        let Some(tail) = self.calls.get_mut(start..) else { return false };
        let (mut first, mut second): (Vec<&mut RememberedCall>, Vec<&mut RememberedCall>) = (Vec::new(), Vec::new());
        for (place, seen) in tail.iter_mut().enumerate() {
            if place % 2 == 0 { first.push(seen) } else { second.push(seen) }
        }
        let is_round = second.iter().all(|seen| seen.call.matches(call))
            && first.iter().all(|seen| !seen.call.matches(call))
            && all_same_call(&first);
        is_round && all_same_outcome(&mut first) && all_same_outcome(&mut second)
    }
}

fn all_same_call(seen: &[&mut RememberedCall]) -> bool {
    seen.first().is_none_or(|one| seen.iter().all(|other| other.call.matches(&one.call)))
}

fn all_same_outcome(seen: &mut [&mut RememberedCall]) -> bool {
    let digests: Vec<[u8; 32]> = seen.iter_mut().map(|seen| seen.digest()).collect();
    digests.windows(2).all(|pair| pair.first() == pair.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(args: &str) -> Fingerprint {
        Fingerprint::from_text(crate::json::HashKey::new([1; 16]), "kb_search", args)
    }

    fn found(n: u32) -> Outcome {
        Outcome::success(Some(&n.to_string()), "[]")
    }

    #[test]
    fn warns_at_three_and_refuses_the_fifth() {
        let mut memory = LoopHistory::default();
        let mut warned = Vec::new();
        for _ in 0..4 {
            assert_eq!(memory.check(1, &call("{}")), None);
            warned.push(memory.remember(1, call("{}"), &found(1)));
        }
        assert_eq!(warned, [None, None, Some(3), None]);
        assert_eq!(memory.check(1, &call("{}")), Some(DetectedLoop::Repetition(4)));
        assert_eq!(memory.check(1, &call(r#"{"a":1}"#)), None);
    }

    #[test]
    fn other_outcomes_and_other_turns_are_no_loop() {
        let mut memory = LoopHistory::default();
        for n in 0..10 {
            assert_eq!(memory.check(1, &call("{}")), None);
            memory.remember(1, call("{}"), &found(n));
        }
        for turn in 2..12 {
            assert_eq!(memory.check(turn, &call("{}")), None);
            memory.remember(turn, call("{}"), &found(1));
        }
    }

    #[test]
    fn a_confirmation_ends_a_repetition() {
        let mut memory = LoopHistory::default();
        for _ in 0..4 {
            for _ in 0..4 {
                assert_eq!(memory.check(1, &call("{}")), None);
                memory.remember(1, call("{}"), &found(1));
            }
            assert!(memory.check(1, &call("{}")).is_some());
            memory.user_confirmed();
        }
    }

    #[test]
    fn the_fourth_round_of_two_calls_taking_turns_is_refused() {
        let mut memory = LoopHistory::default();
        for n in 0..7 {
            let next = call(if n % 2 == 0 { r#"{"q":"a"}"# } else { r#"{"q":"b"}"# });
            assert_eq!(memory.check(1, &next), None, "call {n}");
            memory.remember(1, next, &found(n % 2));
        }
        assert_eq!(memory.check(1, &call(r#"{"q":"b"}"#)), Some(DetectedLoop::Alternation));
        assert_eq!(memory.check(1, &call(r#"{"q":"c"}"#)), None);
    }
}
