//! The statistics of the current turn.

use crate::observe::event::Event;

/// The statistics of the current turn.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::gate) struct TurnStats {
    pub(in crate::gate) turn: u32,
    pub(in crate::gate) calls: u32,
    pub(in crate::gate) retrievals: u32,
    pub(in crate::gate) latency_ms: f64,
}

impl TurnStats {
    /// Adds a call that ran. Returns the turn's summed latency; of a call of an earlier turn, which is not counted any more,
    /// its own.
    pub(in crate::gate) fn add(&mut self, turn: u32, retrieval: bool, latency_ms: f64) -> f64 {
        if turn < self.turn {
            return latency_ms;
        }
        if turn > self.turn {
            *self = Self { turn, ..Self::default() };
        }
        self.calls += 1;
        self.retrievals += u32::from(retrieval);
        self.latency_ms += latency_ms;
        self.latency_ms
    }

    /// Takes the summary of the turn at its end. `None` if no call ran.
    pub(in crate::gate) fn take_summary(&mut self) -> Option<Event<'static>> {
        let Self { turn, calls, retrievals, latency_ms } = std::mem::take(self);
        (calls > 0).then_some(Event::TurnSummary { turn, calls, retrievals, latency_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "sums of whole numbers are exact")]
    fn a_call_of_an_earlier_turn_does_not_reset_the_turn() {
        let mut stats = TurnStats::default();
        assert_eq!(stats.add(1, false, 5.0), 5.0);
        assert_eq!(stats.add(2, true, 10.0), 10.0);
        assert_eq!(stats.add(1, false, 7.0), 7.0, "it ended late");
        assert_eq!(stats.add(2, false, 1.0), 11.0);
        assert_eq!((stats.turn, stats.calls, stats.retrievals), (2, 2, 1));
    }
}
