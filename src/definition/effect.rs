//! The effect class: the one place that says what a tool's side effects mean for running it.

use serde::{Deserialize, Serialize};

use super::SideEffects;

/// Derived from `sideEffects` and `idempotent`. Decides retry, cancellation, caching and lost outcomes.
///
/// | class | from | cancel or deadline while running | lost outcome |
/// |---|---|---|---|
/// | `Pure` | none | abort | run again |
/// | `Read` | read_only | abort | run again |
/// | `IdempotentWrite` | writes, idempotent | shield, report unknown | run again with the same key |
/// | `Write` | writes | shield, report unknown | unknown: never run again |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Touches nothing.
    Pure,
    /// Reads.
    Read,
    /// Writes, and writing twice is the same as writing once.
    IdempotentWrite,
    /// Writes.
    Write,
}

impl EffectClass {
    pub(crate) const fn of(side_effects: SideEffects, idempotent: bool) -> Self {
        match (side_effects, idempotent) {
            (SideEffects::None, _) => Self::Pure,
            (SideEffects::ReadOnly, _) => Self::Read,
            (SideEffects::Writes, true) => Self::IdempotentWrite,
            (SideEffects::Writes, false) => Self::Write,
        }
    }

    /// True where a started call may have changed something even though nobody heard of it.
    #[must_use]
    pub const fn may_leave_effects(self) -> bool {
        match self {
            Self::Pure | Self::Read => false,
            Self::IdempotentWrite | Self::Write => true,
        }
    }

    /// True where a call that was started, and of which nobody knows what came, may be started again.
    #[must_use]
    pub const fn runs_again_when_lost(self) -> bool {
        match self {
            Self::Pure | Self::Read | Self::IdempotentWrite => true,
            Self::Write => false,
        }
    }
}
