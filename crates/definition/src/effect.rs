//! The effect class: the one place that says what a tool's side effects mean for running it.

use serde::{Deserialize, Serialize};

use super::{Cache, SideEffects};

/// Derived from `sideEffects` and `idempotent`. Whoever retries, cancels, caches, batches or finds a call of which
/// nobody knows the outcome asks it, and decides nothing by itself.
///
/// | class | from | retry | cancel while running | cacheable | lost outcome |
/// |---|---|---|---|---|---|
/// | `Pure` | none | yes | abort, or let it finish where a cache takes it | yes | run again |
/// | `Read` | read_only | yes | abort, or let it finish where a cache takes it | yes | run again |
/// | `IdempotentWrite` | writes, idempotent | yes, same key | shield, report unknown | no | run again with the same key |
/// | `Write` | writes | no | shield, report unknown | no | unknown: never run again |
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

/// What becomes of a running call that nobody waits for any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenCancelled {
    /// Its handler is asked to stop.
    Abort,
    /// It goes on: its result is kept for the next equal call.
    LetFinish,
    /// It goes on: it may have changed something already, and only its end tells.
    Shield,
}

/// What may be done about a started call of which nobody knows what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenLost {
    /// It is run again.
    RunAgain,
    /// It is run again with its key, once nobody else can be running it.
    RunAgainWithTheSameKey,
    /// It is never run again.
    NeverRunAgain,
}

/// What a call in a batch waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InBatch {
    /// Runs beside its neighbours.
    Together,
    /// Waits for all before it and holds all after it.
    Alone,
}

impl EffectClass {
    /// That of what a tool declares.
    #[must_use]
    pub const fn of(side_effects: SideEffects, idempotent: bool) -> Self {
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

    /// True where a failure that may pass is tried again.
    #[must_use]
    pub const fn may_be_retried(self) -> bool {
        match self {
            Self::Pure | Self::Read | Self::IdempotentWrite => true,
            Self::Write => false,
        }
    }

    /// True where a result may answer a later equal call.
    #[must_use]
    pub const fn is_cacheable(self) -> bool {
        match self {
            Self::Pure | Self::Read => true,
            Self::IdempotentWrite | Self::Write => false,
        }
    }

    /// What becomes of a running call whose last caller is cancelled; `cache` is its tool's.
    #[must_use]
    pub const fn when_cancelled(self, cache: Option<Cache>) -> WhenCancelled {
        match (self, cache) {
            (Self::Pure | Self::Read, None) => WhenCancelled::Abort,
            (Self::Pure | Self::Read, Some(_)) => WhenCancelled::LetFinish,
            (Self::IdempotentWrite | Self::Write, _) => WhenCancelled::Shield,
        }
    }

    /// True where a call that was started, and of which nobody knows what came, may be started again.
    #[must_use]
    pub const fn runs_again_when_lost(self) -> bool {
        match self.when_lost() {
            WhenLost::RunAgain | WhenLost::RunAgainWithTheSameKey => true,
            WhenLost::NeverRunAgain => false,
        }
    }

    /// What may be done about a started call that was lost.
    #[must_use]
    pub const fn when_lost(self) -> WhenLost {
        match self {
            Self::Pure | Self::Read => WhenLost::RunAgain,
            Self::IdempotentWrite => WhenLost::RunAgainWithTheSameKey,
            Self::Write => WhenLost::NeverRunAgain,
        }
    }

    /// What a call waits for among others that were made together.
    #[must_use]
    pub const fn in_batch(self) -> InBatch {
        match self {
            Self::Pure | Self::Read => InBatch::Together,
            Self::IdempotentWrite | Self::Write => InBatch::Alone,
        }
    }

    /// Whether calls of a tool that does not say may overlap within a session.
    #[must_use]
    pub const fn overlaps_by_default(self) -> bool {
        match self {
            Self::Pure | Self::Read => true,
            Self::IdempotentWrite | Self::Write => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole table, so that a changed cell is a changed test.
    #[test]
    fn the_table() {
        let row = |side_effects, idempotent| {
            let class = EffectClass::of(side_effects, idempotent);
            let cancelled = (class.when_cancelled(None), class.when_cancelled(Some(Cache { ttl_ms: 1 })));
            (class, class.may_be_retried(), cancelled, class.is_cacheable(), class.when_lost())
        };
        let reads = (WhenCancelled::Abort, WhenCancelled::LetFinish);
        let writes = (WhenCancelled::Shield, WhenCancelled::Shield);
        for idempotent in [false, true] {
            let pure = (EffectClass::Pure, true, reads, true, WhenLost::RunAgain);
            assert_eq!(row(SideEffects::None, idempotent), pure);
            let read = (EffectClass::Read, true, reads, true, WhenLost::RunAgain);
            assert_eq!(row(SideEffects::ReadOnly, idempotent), read);
        }
        let upsert = (EffectClass::IdempotentWrite, true, writes, false, WhenLost::RunAgainWithTheSameKey);
        assert_eq!(row(SideEffects::Writes, true), upsert);
        let write = (EffectClass::Write, false, writes, false, WhenLost::NeverRunAgain);
        assert_eq!(row(SideEffects::Writes, false), write);
    }
}
