//! The denials of the latest turns: a question that was denied repeatedly in one turn is not asked again in it.

use crate::store::row_names::EqualityHash;
use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The number of denials of one turn after which an equal question is not asked any more.
const MAX_DENIALS: u32 = 2;
/// The number of questions whose denials are kept; the oldest is dropped first.
const MAX_REMEMBERED: usize = 20;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Denial {
    question: EqualityHash,
    tool: Arc<str>,
    turn: u32,
    times: u32,
}

/// How often equal questions were denied in a turn, the latest last.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Denials(VecDeque<Denial>);

impl Denials {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a denial in this turn.
    pub(super) fn add(&mut self, question: EqualityHash, tool: &Arc<str>, turn: u32) {
        let place = self.0.iter().position(|denial| denial.turn == turn && denial.question == question);
        let before = place.and_then(|place| self.0.remove(place));
        if self.0.len() == MAX_REMEMBERED {
            self.0.pop_front();
        }
        let times = before.map_or(0, |denial| denial.times).saturating_add(1);
        self.0.push_back(Denial { question, tool: Arc::clone(tool), turn, times });
    }

    /// The denials in this turn and in later ones: the caller's attachment may lag behind the one that denied.
    fn since(&self, turn: u32) -> impl Iterator<Item = &Denial> {
        self.0.iter().filter(move |denial| denial.turn >= turn)
    }

    /// Whether a call of the tool was denied since this turn began.
    pub(super) fn has_of_tool(&self, tool: &str, turn: u32) -> bool {
        self.since(turn).any(|denial| *denial.tool == *tool)
    }

    /// The number of denials, if the question is not to be asked again in this turn.
    pub(super) fn refusing(&self, question: &EqualityHash, turn: u32) -> Option<u32> {
        let times = self.since(turn).filter(|denial| denial.question == *question).map(|denial| denial.times).sum();
        (times >= MAX_DENIALS).then_some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> EqualityHash {
        EqualityHash::from_content(text.as_bytes())
    }

    #[test]
    fn the_second_denial_of_a_turn_is_the_last() {
        let mut denials = Denials::default();
        assert_eq!(denials.refusing(&name("a"), 1), None);
        denials.add(name("a"), &"pay".into(), 1);
        assert_eq!(denials.refusing(&name("a"), 1), None);
        denials.add(name("a"), &"pay".into(), 1);
        assert_eq!(denials.refusing(&name("a"), 1), Some(2));
        assert_eq!((denials.refusing(&name("a"), 2), denials.refusing(&name("b"), 1)), (None, None));
        denials.add(name("a"), &"pay".into(), 2);
        assert_eq!(denials.refusing(&name("a"), 2), None, "each turn counts by itself");
        assert_eq!(
            denials.refusing(&name("a"), 1),
            Some(3),
            "a later denial counts for who is still in an earlier turn"
        );
        assert!(denials.has_of_tool("pay", 1) && !denials.has_of_tool("pay", 3) && !denials.has_of_tool("send", 1));
    }

    #[test]
    fn a_bounded_number_is_remembered() {
        let mut denials = Denials::default();
        for n in 0..100 {
            denials.add(name(&n.to_string()), &"pay".into(), 1);
            denials.add(name(&n.to_string()), &"pay".into(), 1);
        }
        assert_eq!(denials.0.len(), MAX_REMEMBERED);
        assert_eq!((denials.refusing(&name("79"), 1), denials.refusing(&name("80"), 1)), (None, Some(2)));
    }
}
