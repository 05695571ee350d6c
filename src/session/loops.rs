//! The loop guard's memory: what was called in this turn, and what came of it.
//!
//! A loop is the same call with the same outcome. A user who repeats a question in another turn is not a loop, so the
//! memory is the turn's.

use sha2::{Digest, Sha256};

use super::fingerprint::Fingerprint;
use crate::response::Outcome;

/// Same outcomes after which a warning is given.
pub const WARN_AT: usize = 3;
/// The call of this number is refused.
pub const REFUSE_AT: usize = 5;
/// Rounds of two calls taking turns; the last of them is refused.
const ALTERNATIONS: usize = 4;

/// Calls remembered in one turn: what the largest turn makes, and bounded where a host lifts the budget.
const REMEMBERED: usize = 64;

/// A loop that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// The same call has had the same outcome so many times.
    Repetition(usize),
    /// Two calls took turns, each with the same outcome.
    Alternation,
}

#[derive(Debug, Clone)]
struct Seen {
    call: Fingerprint,
    outcome: Option<[u8; 32]>,
    /// Kept until the call recurs; then it is digested, once.
    pending: Option<Outcome>,
}

impl Seen {
    fn digest(&mut self) -> [u8; 32] {
        let pending = self.pending.take();
        *self.outcome.get_or_insert_with(|| {
            let text = pending.as_ref().map_or("", Outcome::identity);
            Sha256::digest(text.as_bytes()).into()
        })
    }
}

/// What was called in the current turn.
#[derive(Debug, Default)]
pub struct LoopMemory {
    turn: u32,
    seen: Vec<Seen>,
}

impl LoopMemory {
    /// Whether making this call would go on with a loop.
    pub fn check(&mut self, turn: u32, call: &Fingerprint) -> Option<Loop> {
        self.enter(turn);
        let repeated = self.most_alike(call);
        if repeated + 1 >= REFUSE_AT {
            return Some(Loop::Repetition(repeated));
        }
        self.alternates(call).then_some(Loop::Alternation)
    }

    /// Remembers what came of a call. Returns how often that was so, when it is time to warn.
    pub fn remember(&mut self, turn: u32, call: Fingerprint, outcome: &Outcome) -> Option<usize> {
        self.enter(turn);
        if self.seen.len() == REMEMBERED {
            self.seen.remove(0);
        }
        self.seen.push(Seen { call, outcome: None, pending: Some(outcome.clone()) });
        let last = self.seen.last().map(|seen| seen.call.clone())?;
        let alike = self.most_alike(&last);
        (alike == WARN_AT).then_some(alike)
    }

    fn enter(&mut self, turn: u32) {
        if self.turn != turn {
            self.turn = turn;
            self.seen.clear();
        }
    }

    /// The largest number of times that this call had one outcome.
    fn most_alike(&mut self, call: &Fingerprint) -> usize {
        if self.seen.iter().filter(|seen| seen.call.same(call)).count() < WARN_AT {
            // Too few to warn of or refuse: no digest is made.
            return 0;
        }
        let recurring = self.seen.iter_mut().filter(|seen| seen.call.same(call));
        let digests: Vec<[u8; 32]> = recurring.map(Seen::digest).collect();
        digests.iter().map(|one| digests.iter().filter(|other| *other == one).count()).max().unwrap_or(0)
    }

    /// Whether `call` would complete the fourth round of A-B with each its same outcome.
    fn alternates(&mut self, call: &Fingerprint) -> bool {
        let before = 2 * ALTERNATIONS - 1;
        let Some(start) = self.seen.len().checked_sub(before) else { return false };
        let Some(tail) = self.seen.get_mut(start..) else { return false };
        let (mut first, mut second): (Vec<&mut Seen>, Vec<&mut Seen>) = (Vec::new(), Vec::new());
        for (place, seen) in tail.iter_mut().enumerate() {
            if place % 2 == 0 { first.push(seen) } else { second.push(seen) }
        }
        let is_round = second.iter().all(|seen| seen.call.same(call))
            && first.iter().all(|seen| !seen.call.same(call))
            && all_same_call(&first);
        is_round && all_same_outcome(&mut first) && all_same_outcome(&mut second)
    }
}

fn all_same_call(seen: &[&mut Seen]) -> bool {
    seen.first().is_none_or(|one| seen.iter().all(|other| other.call.same(&one.call)))
}

fn all_same_outcome(seen: &mut [&mut Seen]) -> bool {
    let digests: Vec<[u8; 32]> = seen.iter_mut().map(|seen| seen.digest()).collect();
    digests.windows(2).all(|pair| pair.first() == pair.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(args: &str) -> Fingerprint {
        Fingerprint::new(crate::json::SketchKey::new([1; 16]), "kb_search", args)
    }

    fn found(n: u32) -> Outcome {
        Outcome::success(Some(&n.to_string()), "[]")
    }

    #[test]
    fn warns_at_three_and_refuses_the_fifth() {
        let mut memory = LoopMemory::default();
        let mut warned = Vec::new();
        for _ in 0..4 {
            assert_eq!(memory.check(1, &call("{}")), None);
            warned.push(memory.remember(1, call("{}"), &found(1)));
        }
        assert_eq!(warned, [None, None, Some(3), None]);
        assert_eq!(memory.check(1, &call("{}")), Some(Loop::Repetition(4)));
        assert_eq!(memory.check(1, &call(r#"{"a":1}"#)), None);
    }

    #[test]
    fn other_outcomes_and_other_turns_are_no_loop() {
        let mut memory = LoopMemory::default();
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
    fn the_fourth_round_of_two_calls_taking_turns_is_refused() {
        let mut memory = LoopMemory::default();
        for n in 0..7 {
            let next = call(if n % 2 == 0 { r#"{"q":"a"}"# } else { r#"{"q":"b"}"# });
            assert_eq!(memory.check(1, &next), None, "call {n}");
            memory.remember(1, next, &found(n % 2));
        }
        assert_eq!(memory.check(1, &call(r#"{"q":"b"}"#)), Some(Loop::Alternation));
        assert_eq!(memory.check(1, &call(r#"{"q":"c"}"#)), None);
    }
}
