//! Records of calls.

use std::sync::Arc;

use super::claimant::Claimant;
use crate::call::CallId;
use crate::clock::EpochMs;
use crate::definition::EffectClass;
use crate::response::ToolResponse;
use crate::session::fingerprint::Fingerprint;

/// The state of a recorded call.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordState {
    /// The handler has been started.
    Started,
    /// The call has been answered.
    Settled(Arc<ToolResponse>),
    /// The call was started, and its outcome is unknown.
    Unknown,
    /// A write whose answer was evicted: it is known to have run.
    Forgotten {
        /// Whether it succeeded.
        ok: bool,
    },
}

impl RecordState {
    /// Whether the call has been answered, and its answer is kept.
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        matches!(self, Self::Settled(_))
    }

    /// Whether it is not certain what the call has done: its outcome is unknown, or it failed and may have had effects.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Settled(response) => response.outcome.error().is_some_and(|error| error.partial_side_effects),
            Self::Started | Self::Forgotten { .. } => false,
        }
    }
}

/// The record of a call that ran or is running.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The call's fingerprint.
    pub fingerprint: Fingerprint,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The turn in which it ran.
    pub turn: u32,
    /// The number of the claim: a settlement with another epoch is refused.
    pub epoch: u64,
    /// The time of the claim.
    pub claimed_at: EpochMs,
    /// The tool's effect class: decides what a repeat means.
    pub effect: EffectClass,
    /// The process that runs it, if that is known: one that has left it to be completed from elsewhere does not.
    pub claimant: Option<Claimant>,
    /// Whether its callers were answered early: its result is delivered later.
    pub is_deferred: bool,
    /// Whether it has ended without a caller that got its answer.
    pub is_unheard: bool,
    /// The call's state.
    pub state: RecordState,
}
