//! The requests that look up, claim, renew and settle a call.

use std::sync::Arc;

use super::acts::{Act, DoneAct};
use super::claimant::Claimant;
use super::grants::{GrantedCall, UsedGrant};
use super::limits::{CallLimit, LimitReached};
use super::owed::Hold;
use super::question::{ConfirmedToken, Question};
use super::reconcile::KeptCall;
use super::record::{Record, RecordState};
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::definition::EffectClass;
use crate::response::ToolResponse;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::state::{SessionState, StateChange};

/// The lookup for the replay stage and the budget stage.
#[derive(Debug, Clone)]
pub struct CallLookup {
    /// The session.
    pub session: SessionId,
    /// The key of the call's record.
    pub key: RecordKey,
    /// The attachment's turn.
    pub turn: u32,
    /// The limits whose counts are in the session.
    pub limits: Vec<CallLimit>,
    /// The state revision that the caller has.
    pub known_revision: u64,
    /// The act to look for, if there is one.
    pub act: Option<Act>,
    /// The call, if it is known by its content: an equal call of the turn that came under an id is the same.
    pub content: Option<Fingerprint>,
    /// The current time.
    pub now: EpochMs,
}

/// The record under a key and the usage counters.
#[derive(Debug, Clone, Default)]
pub struct CallLookupResult {
    /// The record, if any.
    pub record: Option<Arc<Record>>,
    /// Its key, if it is the record of an equal call that came under an id.
    pub named: Option<RecordKey>,
    /// The equal act that was done before, if one was looked for.
    pub done: Option<DoneAct>,
    /// The number of retrieval calls of the turn.
    pub retrieval_calls: u32,
    /// The number of calls of the turn.
    pub total_calls: u32,
    /// The limit that is reached, if there is one.
    pub limit_reached: Option<LimitReached>,
    /// The number of calls without a usable id recorded in the turn: a later call with an id may be an alias of such a call.
    pub calls_without_id: u32,
    /// The state, if its revision differs from the caller's.
    pub state: Option<Box<SessionState>>,
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
    /// The limits whose counts are in the session; none for a confirmed call.
    pub limits: Vec<CallLimit>,
    /// The token of the confirmation that this claim consumes.
    pub consume_token: Option<ConfirmedToken>,
    /// The call, if it runs only by a grant, of which this claim takes one call.
    pub by_grant: Option<Arc<GrantedCall>>,
    /// The claim's lease without a renewal, in milliseconds; `None` for the lifetime of the store.
    pub lease_ms: Option<u64>,
    /// The process whose death ends the claim before its lease does; `None` if only the lease ends it.
    pub claimant: Option<Claimant>,
    /// The state revision that the caller has.
    pub known_revision: u64,
    /// Whether the call was looked up before. If not, the claim is granted only if a look-up would have found nothing.
    pub is_looked_up: bool,
    /// Whether the call runs although an equal one has been answered: the answered record is replaced.
    pub repeats_answered: bool,
    /// What the call does; `None` if it may be done again and again.
    pub act: Option<Act>,
    /// What a reconcile of the call will need; `None` if it can't be kept, or the tool has none.
    pub kept: Option<Arc<KeptCall>>,
    /// Who holds the call's result from now on; `None` if only its callers get it.
    pub hold: Option<Hold>,
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
        /// Whether the call's result is held for its attachment.
        is_held: bool,
        /// The state, if its revision differs from the caller's.
        state: Option<Box<SessionState>>,
        /// The grant by which the call runs.
        used: Option<Box<UsedGrant>>,
    },
    /// The call is recorded already. Nothing was changed.
    Existing(Arc<Record>),
    /// Another call has done the same, or does it now. Nothing was changed.
    Duplicate(DoneAct),
    /// The turn's budget is used up. Nothing was changed.
    OverBudget(CallLookupResult),
    /// A limit is reached. Nothing was changed.
    OverLimit(LimitReached),
    /// The confirmation is no longer pending. Nothing was changed.
    ConfirmationNotPending,
    /// The confirmation needs more approvers, and stays pending.
    Counted {
        /// The question, with the approvers who have confirmed it.
        question: Arc<Question>,
        /// Whether this one had not confirmed it before.
        is_new: bool,
    },
    /// No grant covers the call any more. Nothing was changed.
    NotGranted,
    /// The call was not looked up, and may be one that was recorded without an id. Nothing was changed.
    NotLookedUp,
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
    /// Whether a caller gets the answer of this end: what no caller gets, no model has heard of.
    pub is_heard: bool,
    /// The result, which is delivered later if the call's callers were answered early.
    pub owed: Option<Arc<ToolResponse>>,
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
