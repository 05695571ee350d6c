//! A recorded call: how it is claimed, held, settled, and what is known of it.

use std::sync::Arc;

use super::Seen;
use super::question::Token;
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::definition::{EffectClass, RateLimit};
use crate::response::ToolResponse;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::state::Change;

/// What became of a recorded call.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordState {
    /// Its handler has been started.
    Started,
    /// It has been answered.
    Settled(Arc<ToolResponse>),
    /// It was started, and nobody knows what came of it.
    Unknown,
    /// A write whose answer made room for newer ones: it is known to have run.
    Forgotten {
        /// Whether it had succeeded.
        ok: bool,
    },
}

/// A call that ran, or runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What was asked.
    pub fingerprint: Fingerprint,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The turn in which it ran.
    pub turn: u32,
    /// Which claim: a settlement of another is refused.
    pub epoch: u64,
    /// When it was claimed.
    pub claimed_at: EpochMs,
    /// What a repeat of it means.
    pub effect: EffectClass,
    /// What became of it.
    pub state: RecordState,
}

/// How often a turn may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Retrieval calls.
    pub retrieval_calls: u32,
    /// All calls.
    pub total_calls: u32,
}

/// Rung 10: the one atomic step between being allowed and running.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// What is asked.
    pub fingerprint: Fingerprint,
    /// The tool.
    pub tool: Arc<str>,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The turn that is debited.
    pub turn: u32,
    /// What a repeat of it means.
    pub effect: EffectClass,
    /// Whether it counts as a retrieval.
    pub retrieval: bool,
    /// The turn's limits; `None` for a confirmed call, which is the user's act and not the model's.
    pub budget: Option<Budget>,
    /// The tool's rate limit; none for a confirmed call.
    pub rate: Option<RateLimit>,
    /// The confirmation that this claim consumes.
    pub consume: Option<Token>,
    /// How long the claim is held without a renewal; `None` for as long as the store is there.
    pub lease_ms: Option<u64>,
    /// Now.
    pub now: EpochMs,
}

/// What came of a claim.
#[derive(Debug, Clone)]
pub enum Claimed {
    /// The call is recorded as started, the turn is debited, the confirmation is consumed.
    Granted {
        /// For the settlement.
        epoch: u64,
    },
    /// It is recorded already. Nothing was changed.
    Existing(Arc<Record>),
    /// The turn's calls are used up. Nothing was changed.
    OverBudget(Seen),
    /// The tool's rate limit is reached. Nothing was changed.
    OverRate {
        /// How long until a call is let through.
        wait_ms: u64,
    },
    /// The confirmation is not pending any more. Nothing was changed.
    NotPending,
}

/// Rung 12: what a claim came to.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The claim's.
    pub epoch: u64,
    /// What to record; `None` removes the record, so that the call may be made again.
    pub state: Option<RecordState>,
    /// What the call's intents changed in the session's state.
    pub changes: Vec<Change>,
    /// Now.
    pub now: EpochMs,
}

/// A claim whose handler still runs: it is held for longer.
#[derive(Debug, Clone)]
pub struct Renewal {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The claim's.
    pub epoch: u64,
    /// From now on.
    pub lease_ms: u64,
    /// Now.
    pub now: EpochMs,
}
