//! The monitor of a session: what the answers to calls put into the model's context, and repeated calls.
//!
//! The context is the text of each answer to a call of the model, without its `meta`, as this process gave it; what
//! other processes answered is not counted. Answers to calls of handlers do not reach the model. A token is estimated as
//! four bytes, as for declarations.

use serde::Serialize;

use crate::observe::event::ContextScope;

/// Bytes of JSON text per token.
const BYTES_PER_TOKEN: u64 = 4;

/// The estimated tokens of answers from which on a `context_warning` is emitted, once per turn and once per session.
/// 0: never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextLimits {
    /// Of the answers of one turn.
    pub turn_tokens: u64,
    /// Of all answers of the session.
    pub session_tokens: u64,
}

impl Default for ContextLimits {
    fn default() -> Self {
        Self { turn_tokens: 16_000, session_tokens: 100_000 }
    }
}

/// A limit that an answer exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) struct ContextExcess {
    pub(in crate::gate) scope: ContextScope,
    pub(in crate::gate) tokens: u64,
    pub(in crate::gate) limit: u64,
}

/// The counters of a session.
#[derive(Debug, Default)]
pub(in crate::gate) struct SessionMonitor {
    turn: u32,
    turn_bytes: u64,
    session_bytes: u64,
    /// The newest turn with a warning.
    warned_turn: u32,
    has_warned: bool,
    loops: u32,
}

impl SessionMonitor {
    /// What was counted so far.
    pub(in crate::gate) const fn usage(&self) -> SessionUsage {
        SessionUsage {
            turn: self.turn,
            turn_context_bytes: self.turn_bytes,
            turn_context_tokens: self.turn_bytes.div_ceil(BYTES_PER_TOKEN),
            context_bytes: self.session_bytes,
            context_tokens: self.session_bytes.div_ceil(BYTES_PER_TOKEN),
            loops: self.loops,
        }
    }

    /// Counts a call that the loop guard warned of or refused.
    pub(in crate::gate) const fn count_loop(&mut self) {
        self.loops += 1;
    }

    /// Adds the answer to a call of the model. Returns the limits that it exceeded first.
    pub(in crate::gate) fn add_answer(
        &mut self,
        turn: u32,
        bytes: u64,
        limits: ContextLimits,
    ) -> [Option<ContextExcess>; 2] {
        if turn > self.turn {
            (self.turn, self.turn_bytes) = (turn, 0);
        }
        // A late answer of an earlier turn counts toward the session only.
        if turn == self.turn {
            self.turn_bytes += bytes;
        }
        self.session_bytes += bytes;
        let in_turn =
            excess(ContextScope::Turn, self.turn_bytes, limits.turn_tokens).filter(|_| self.warned_turn < turn);
        if in_turn.is_some() {
            self.warned_turn = turn;
        }
        let in_session =
            excess(ContextScope::Session, self.session_bytes, limits.session_tokens).filter(|_| !self.has_warned);
        self.has_warned |= in_session.is_some();
        [in_turn, in_session]
    }
}

fn excess(scope: ContextScope, bytes: u64, limit: u64) -> Option<ContextExcess> {
    let tokens = bytes.div_ceil(BYTES_PER_TOKEN);
    (limit > 0 && tokens > limit).then_some(ContextExcess { scope, tokens, limit })
}

/// What a session has used in this process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionUsage {
    /// The newest turn with an answer; 0 before the first.
    pub turn: u32,
    /// Bytes of the turn's answers to the model.
    pub turn_context_bytes: u64,
    /// The same in estimated tokens.
    pub turn_context_tokens: u64,
    /// Bytes of all answers to the model.
    pub context_bytes: u64,
    /// The same in estimated tokens.
    pub context_tokens: u64,
    /// The number of calls that the loop guard warned of or refused.
    pub loops: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ContextLimits = ContextLimits { turn_tokens: 10, session_tokens: 25 };

    fn scopes(monitor: &mut SessionMonitor, turn: u32, bytes: u64) -> Vec<(ContextScope, u64)> {
        let exceeded = monitor.add_answer(turn, bytes, LIMITS);
        exceeded.into_iter().flatten().map(|excess| (excess.scope, excess.tokens)).collect()
    }

    #[test]
    fn each_turn_and_the_session_warn_once_when_a_limit_is_exceeded() {
        let mut monitor = SessionMonitor::default();
        assert_eq!(scopes(&mut monitor, 1, 40), [], "ten tokens are no excess");
        assert_eq!(scopes(&mut monitor, 1, 1), [(ContextScope::Turn, 11)]);
        assert_eq!(scopes(&mut monitor, 1, 40), [], "the turn has warned");
        assert_eq!(scopes(&mut monitor, 2, 44), [(ContextScope::Turn, 11), (ContextScope::Session, 32)]);
        assert_eq!(scopes(&mut monitor, 1, 100), [], "a call of an earlier turn that is answered late");
        assert_eq!((monitor.turn, monitor.turn_bytes), (2, 44));
        assert_eq!(scopes(&mut monitor, 3, 41), [(ContextScope::Turn, 11)]);
        assert_eq!(monitor.session_bytes, 266);
    }

    #[test]
    fn a_limit_of_zero_never_warns() {
        let off = ContextLimits { turn_tokens: 0, session_tokens: 0 };
        assert_eq!(SessionMonitor::default().add_answer(1, u64::MAX / 8, off), [None, None]);
    }
}
