//! Records of calls, and the requests that claim, renew and settle them.

use std::sync::Arc;

use super::CallLookupResult;
use super::question::Token;
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::definition::{EffectClass, RateLimit};
use crate::response::ToolResponse;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::state::StateChange;

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
    /// The call's state.
    pub state: RecordState,
}

/// The call limits of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The maximum of retrieval calls.
    pub retrieval_calls: u32,
    /// The maximum of calls, retrievals included.
    pub total_calls: u32,
}

/// A request to claim a call: the one atomic step between admission and the run.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The call's fingerprint.
    pub fingerprint: Fingerprint,
    /// The tool.
    pub tool: Arc<str>,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The turn to debit.
    pub turn: u32,
    /// The tool's effect class: decides what a repeat means.
    pub effect: EffectClass,
    /// Whether the call counts as a retrieval.
    pub is_retrieval: bool,
    /// The turn's limits; `None` for a confirmed call, which the user makes and not the model.
    pub budget: Option<Budget>,
    /// The tool's rate limit; `None` for a confirmed call.
    pub rate_limit: Option<RateLimit>,
    /// The token of the confirmation that this claim consumes.
    pub consume_token: Option<Token>,
    /// The claim's lease without a renewal, in milliseconds; `None` for the lifetime of the store.
    pub lease_ms: Option<u64>,
    /// The current time.
    pub now: EpochMs,
}

/// The result of a claim.
#[derive(Debug, Clone)]
pub enum ClaimResult {
    /// The call is recorded as started, the turn is debited, the confirmation is consumed.
    Granted {
        /// The claim's number, required for the settlement.
        epoch: u64,
    },
    /// The call is recorded already. Nothing was changed.
    Existing(Arc<Record>),
    /// The turn's budget is used up. Nothing was changed.
    OverBudget(CallLookupResult),
    /// The tool's rate limit is reached. Nothing was changed.
    OverRateLimit {
        /// The time until a call is allowed, in milliseconds.
        wait_ms: u64,
    },
    /// The confirmation is no longer pending. Nothing was changed.
    ConfirmationNotPending,
}

/// A request to settle a claim.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The claim's epoch.
    pub epoch: u64,
    /// The state to record; `None` removes the record, so that the call may be made again.
    pub state: Option<RecordState>,
    /// The changes of the session's state by the call's intents.
    pub changes: Vec<StateChange>,
    /// The current time.
    pub now: EpochMs,
}

/// A request to extend the lease of a claim whose handler is still running.
#[derive(Debug, Clone)]
pub struct Renewal {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The claim's epoch.
    pub epoch: u64,
    /// The new lease, counted from now, in milliseconds.
    pub lease_ms: u64,
    /// The current time.
    pub now: EpochMs,
}
