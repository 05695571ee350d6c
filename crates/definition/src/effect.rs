//! The effect class: the only place that maps a tool's side effects to execution rules.

use serde::{Deserialize, Serialize};

use super::{Cache, SideEffects};

/// Derived from `sideEffects` and `idempotent`. Decides retry, cancellation, caching, batching and the treatment of
/// calls with an unknown outcome; no other code decides these.
///
/// | class | from | retry | cancel while running | cacheable | lost outcome | an equal call soon after |
/// |---|---|---|---|---|---|---|
/// | `Pure` | none | yes | abort, or let it finish if the tool has a cache | yes | run again | no matter |
/// | `Read` | read_only | yes | abort, or let it finish if the tool has a cache | yes | run again | no matter |
/// | `IdempotentWrite` | writes, idempotent | yes, same key | shield, report unknown | no | run again with the same key | no matter |
/// | `Write` | writes | no | shield, report unknown | no | unknown: never run again | a duplicate |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// No side effects.
    Pure,
    /// Reads.
    Read,
    /// Writes; writing twice has the same effect as writing once.
    IdempotentWrite,
    /// Writes.
    Write,
}

/// The treatment of a running call whose last caller is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancellationPolicy {
    /// The handler is asked to stop.
    Abort,
    /// The call continues: its result is cached for the next equal call.
    LetFinish,
    /// The call continues: it may already have had an effect, and only its end shows whether it had.
    Shield,
}

/// The treatment of a started call whose outcome is unknown (lost).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostCallPolicy {
    /// It is run again.
    RunAgain,
    /// It is run again with its key, once no other process can be running it.
    RunAgainWithSameKey,
    /// It is never run again.
    NeverRunAgain,
}

/// The ordering of a call within a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchPolicy {
    /// Runs concurrently with its neighbours.
    Concurrent,
    /// Waits for all calls before it and blocks all calls after it.
    Exclusive,
}

impl EffectClass {
    /// The class of a tool with these declared properties.
    #[must_use]
    pub const fn from_declared(side_effects: SideEffects, idempotent: bool) -> Self {
        match (side_effects, idempotent) {
            (SideEffects::None, _) => Self::Pure,
            (SideEffects::ReadOnly, _) => Self::Read,
            (SideEffects::Writes, true) => Self::IdempotentWrite,
            (SideEffects::Writes, false) => Self::Write,
        }
    }

    /// Whether a started call may have had an effect without a known outcome.
    #[must_use]
    pub const fn may_leave_effects(self) -> bool {
        match self {
            Self::Pure | Self::Read => false,
            Self::IdempotentWrite | Self::Write => true,
        }
    }

    /// Whether a transient failure is retried.
    #[must_use]
    pub const fn may_be_retried(self) -> bool {
        match self {
            Self::Pure | Self::Read | Self::IdempotentWrite => true,
            Self::Write => false,
        }
    }

    /// Whether a result may be reused for a later equal call.
    #[must_use]
    pub const fn is_cacheable(self) -> bool {
        match self {
            Self::Pure | Self::Read => true,
            Self::IdempotentWrite | Self::Write => false,
        }
    }

    /// The treatment of a running call whose last caller is cancelled; `cache` is the tool's.
    #[must_use]
    pub const fn cancellation_policy(self, cache: Option<Cache>) -> CancellationPolicy {
        match (self, cache) {
            (Self::Pure | Self::Read, None) => CancellationPolicy::Abort,
            (Self::Pure | Self::Read, Some(_)) => CancellationPolicy::LetFinish,
            (Self::IdempotentWrite | Self::Write, _) => CancellationPolicy::Shield,
        }
    }

    /// Whether a lost call may be run again.
    #[must_use]
    pub const fn runs_again_when_lost(self) -> bool {
        match self.lost_call_policy() {
            LostCallPolicy::RunAgain | LostCallPolicy::RunAgainWithSameKey => true,
            LostCallPolicy::NeverRunAgain => false,
        }
    }

    /// The treatment of a lost call.
    #[must_use]
    pub const fn lost_call_policy(self) -> LostCallPolicy {
        match self {
            Self::Pure | Self::Read => LostCallPolicy::RunAgain,
            Self::IdempotentWrite => LostCallPolicy::RunAgainWithSameKey,
            Self::Write => LostCallPolicy::NeverRunAgain,
        }
    }

    /// The ordering of a call within a batch.
    #[must_use]
    pub const fn batch_policy(self) -> BatchPolicy {
        match self {
            Self::Pure | Self::Read => BatchPolicy::Concurrent,
            Self::IdempotentWrite | Self::Write => BatchPolicy::Exclusive,
        }
    }

    /// Whether an equal call soon after is a duplicate if the tool does not say.
    #[must_use]
    pub const fn has_duplicates_by_default(self) -> bool {
        match self {
            Self::Pure | Self::Read | Self::IdempotentWrite => false,
            Self::Write => true,
        }
    }

    /// Whether calls may overlap within a session if the tool does not declare `parallel`.
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

    /// The complete table, so that a changed cell fails the test.
    #[test]
    fn the_table() {
        let row = |side_effects, idempotent| {
            let class = EffectClass::from_declared(side_effects, idempotent);
            let cancelled = (class.cancellation_policy(None), class.cancellation_policy(Some(Cache { ttl_ms: 1 })));
            assert_eq!(class.has_duplicates_by_default(), class == EffectClass::Write);
            (class, class.may_be_retried(), cancelled, class.is_cacheable(), class.lost_call_policy())
        };
        let reads = (CancellationPolicy::Abort, CancellationPolicy::LetFinish);
        let writes = (CancellationPolicy::Shield, CancellationPolicy::Shield);
        for idempotent in [false, true] {
            let pure = (EffectClass::Pure, true, reads, true, LostCallPolicy::RunAgain);
            assert_eq!(row(SideEffects::None, idempotent), pure);
            let read = (EffectClass::Read, true, reads, true, LostCallPolicy::RunAgain);
            assert_eq!(row(SideEffects::ReadOnly, idempotent), read);
        }
        let upsert = (EffectClass::IdempotentWrite, true, writes, false, LostCallPolicy::RunAgainWithSameKey);
        assert_eq!(row(SideEffects::Writes, true), upsert);
        let write = (EffectClass::Write, false, writes, false, LostCallPolicy::NeverRunAgain);
        assert_eq!(row(SideEffects::Writes, false), write);
    }
}
