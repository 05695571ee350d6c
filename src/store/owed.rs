//! Owed results: of calls whose callers were answered early, before they ended, or may not live to pass the answer on.
//!
//! The result of such a call is delivered to its session later, once. It is a row of its own under the claim's epoch, so
//! that it is there whatever becomes of the call's record. An attachment takes it for a while, and accepts it once its
//! provider has it; a result that is not accepted in time is taken by another one.
//!
//! A call that is answered directly may be held from its claim on: its attachment has taken its result before there is one.
//! Its claim shows that the call runs; what it ends with is its attachment's to accept.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::claimant::Claimant;
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::definition::EffectClass;
use crate::response::ToolResponse;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;

/// The number of owed results per session. A further call is not answered early: its caller waits for its result.
pub const MAX_OWED: usize = 100;

/// How long a result has been owed at this time; `None` if none is, or only later: that of a call that was left is owed from the
/// call's deadline on.
pub(super) const fn owed_ms(since: Option<EpochMs>, now: EpochMs) -> Option<u64> {
    match since {
        Some(since) => now.checked_sub(since),
        None => None,
    }
}

/// The attachment that holds the result of a call from its claim on.
#[derive(Debug, Clone)]
pub struct Hold {
    /// The number under which the attachment takes results.
    pub by: u64,
    /// What is answered of the call while it runs; its meta is that of the result.
    pub running: Arc<ToolResponse>,
    /// How long its result is owed, in milliseconds.
    pub keep_ms: u64,
}

/// A request to let a claimed call outlast its callers.
#[derive(Debug, Clone)]
pub struct Deferral {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The claim's epoch.
    pub epoch: u64,
    /// The answer that its callers get; its meta is that of the result.
    pub running: Arc<ToolResponse>,
    /// The arguments, if the call may run again once its claim is lost.
    pub args: Option<Arc<str>>,
    /// What is to change.
    pub step: DeferralStep,
    /// How long its result is owed, in milliseconds.
    pub keep_ms: u64,
    /// The current time.
    pub now: EpochMs,
}

/// A step of a call on its way out of its process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeferralStep {
    /// The call may be ended from elsewhere, by whoever has the secret with this digest.
    AllowCompletion {
        /// The digest.
        secret: Arc<str>,
    },
    /// Its callers are answered early: its result is owed.
    AnswerCallers,
    /// Its handler has returned and no process runs it: it ends by a completion, or at this time.
    Leave {
        /// The deadline; `None` for none.
        until: Option<EpochMs>,
        /// Whether its callers are answered early.
        answers_callers: bool,
    },
}

/// The result of a [`Deferral`].
#[derive(Debug, Clone)]
pub enum DeferralResult {
    /// The step is taken.
    Done,
    /// As many results are owed as may be. Nothing was changed.
    Full,
    /// The call has ended already: its answer, if it is recorded. Nothing is owed.
    Ended(Option<Arc<ToolResponse>>),
}

/// A request for the next owed result.
#[derive(Debug, Clone)]
pub struct TakeOwed {
    /// The session.
    pub session: SessionId,
    /// The number of the attachment that takes it, unique among those of all processes.
    pub by: u64,
    /// The epochs of the results that the attachment goes on holding.
    pub held: Vec<u64>,
    /// The epochs of the results that the attachment may not have: their tools need roles that it does not hold.
    pub skips: Vec<u64>,
    /// Whether the attachment takes one more.
    pub takes: bool,
    /// The process whose death ends the hold at once; `None` if only its time does.
    pub claimant: Option<Claimant>,
    /// The current time.
    pub now: EpochMs,
}

/// The answer to a request for the next owed result.
#[derive(Debug, Clone, Default)]
pub struct TakenOwed {
    /// The result that was taken.
    pub result: Option<OwedResult>,
    /// The number of results that are owed and were not taken: of running calls, or taken by others.
    pub others: usize,
    /// The results that were owed for too long, and are dropped now.
    pub dropped: Vec<DroppedResult>,
}

/// A result that no attachment took as long as it was owed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedResult {
    /// The tool.
    pub tool: Arc<str>,
    /// The provider's id; of a long one a hash.
    pub call_id: Option<CallId>,
}

/// An owed result.
#[derive(Debug, Clone)]
pub struct OwedResult {
    /// The claim's epoch, which names it.
    pub epoch: u64,
    /// The result; of a call without one, the answer that its callers got.
    pub response: Arc<ToolResponse>,
    /// How the call ended.
    pub end: OwedEnd,
}

/// How a call ended whose result is owed.
#[derive(Debug, Clone)]
pub enum OwedEnd {
    /// With a result.
    Ended,
    /// Its process died.
    Lost {
        /// What a lost call means.
        effect: EffectClass,
        /// The key of its record.
        key: RecordKey,
        /// Its fingerprint.
        fingerprint: Fingerprint,
        /// Its arguments, if it may run again.
        args: Option<Arc<str>>,
    },
    /// No completion came before its deadline.
    Overdue {
        /// When it was claimed.
        claimed_at: EpochMs,
        /// What a lost call means.
        effect: EffectClass,
        /// The key of its record.
        key: RecordKey,
        /// Its fingerprint.
        fingerprint: Fingerprint,
    },
}

/// What a call is made again of that was claimed and lost.
#[derive(Debug, Clone)]
pub struct LostClaim {
    /// The key of its record.
    pub key: RecordKey,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// Its final arguments.
    pub args: Arc<str>,
}

/// A request to end the delivery of a result.
#[derive(Debug, Clone)]
pub struct EndDelivery {
    /// The session.
    pub session: SessionId,
    /// The attachment that took it.
    pub by: u64,
    /// The result.
    pub epoch: u64,
    /// Whether it was accepted; if not, it is offered again.
    pub accepted: bool,
    /// The current time.
    pub now: EpochMs,
}

/// A call whose result is owed.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the call, and none follows from another")]
pub struct OwedCall {
    /// The claim's epoch, which names it.
    pub epoch: u64,
    /// The record's key.
    pub key: RecordKey,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// When it was claimed.
    pub claimed_at: EpochMs,
    /// Whether it has not ended.
    pub is_running: bool,
    /// Whether its attachment answers it directly, and so holds its result.
    pub is_direct: bool,
    /// Whether no process runs it: it ends by a completion.
    pub is_left: bool,
    /// Whether a completion ends it: it has not ended, and is not past the deadline of a call that was left. The claim of a
    /// process that died counts until another call has taken its place.
    pub may_be_completed: bool,
    /// The tool's effect class.
    pub effect: EffectClass,
    /// The digest of the secret that completes it.
    pub secret: Option<Arc<str>>,
    /// The answer that its callers got, or its result.
    pub response: Arc<ToolResponse>,
}

/// What is kept of an owed call beside its record and its result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OwedRow {
    pub(super) key: RecordKey,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) args: Option<Arc<str>>,
    /// What is answered of a held call while it runs, as it is stored: one row less in the claim's commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) running: Option<Arc<str>>,
}
