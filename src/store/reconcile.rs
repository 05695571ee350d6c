//! Reconciles: a call whose outcome is uncertain is looked up where its effect would be, by its tool.
//!
//! A reconcile has a claim of its own on the call's record: one runs at a time, in all processes on the store. The claim ends
//! with its time or with its process, and its number decides whether an end is accepted: that of a process which was
//! taken for dead changes nothing. A pause follows a reconcile that found nothing out.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::claimant::Claimant;
use super::grants::GrantId;
use super::record::{Record, RecordState};
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::response::{Edited, ToolResponse};
use crate::schema::{Clamped, Repaired};
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;

/// The longest arguments that are kept with a record, in bytes.
pub const MAX_KEPT_ARGS: usize = 16 * 1024;

/// What is kept of a call until its outcome is certain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptCall {
    /// The session's id: where the store keeps a hash of it, the record is found by this.
    pub session: Arc<str>,
    /// The final arguments, JSON text of an object; `None` if they are sensitive or large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Arc<str>>,
    /// How the call came to them.
    #[serde(default, skip_serializing_if = "CallOrigin::is_empty")]
    pub origin: CallOrigin,
    /// Its counterpart, if the call's act counts among its principal's: of the call's record its reservation there, of a
    /// reservation the call's record.
    #[serde(rename = "with", default, skip_serializing_if = "Option::is_none")]
    pub counterpart: Option<RecordPlace>,
}

/// Where a record is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordPlace {
    /// The session.
    pub session: Arc<str>,
    /// The record's key.
    pub key: RecordKey,
    /// The record's epoch; 0 of a call that is claimed later than its act is reserved.
    #[serde(default)]
    pub epoch: u64,
}

/// How a call came to the arguments that ran, and to run: what its answer says of it.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallOrigin {
    /// What was repaired.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<Repaired>,
    /// What its user has changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<Edited>,
    /// The places of defaults.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defaulted: Vec<String>,
    /// What was clamped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clamped: Vec<Clamped>,
    /// The grant by which it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantId>,
}

impl CallOrigin {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A reconcile that runs, or the pause after one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ReconcileHold {
    /// The number of its claim; 0 in the pause.
    pub(super) number: u64,
    pub(super) until: EpochMs,
    /// The process whose death ends it.
    #[serde(rename = "by", default, skip_serializing_if = "Option::is_none")]
    pub(super) claimant: Option<Claimant>,
}

impl ReconcileHold {
    pub(super) fn is_held(&self, now: EpochMs) -> bool {
        self.until > now && !self.claimant.is_some_and(Claimant::has_died)
    }
}

/// A request to read what became of a principal's call, also after its session's end.
#[derive(Debug, Clone)]
pub struct ReadRecord {
    /// The session.
    pub session: SessionId,
    /// The record's key, or its alias.
    pub key: RecordKey,
    /// The principal: a session of another one, which may have the id by now, has no record of the call.
    pub principal: Arc<str>,
    /// The current time.
    pub now: EpochMs,
}

/// A request to claim the reconcile of a call.
#[derive(Debug, Clone)]
pub struct BeginReconcile {
    /// The session.
    pub session: SessionId,
    /// The record's key, or its alias.
    pub key: RecordKey,
    /// The epoch of the record.
    pub epoch: u64,
    /// Whether the caller has the call's arguments, should they not be kept.
    pub has_args: bool,
    /// How long the claim is held, in milliseconds. It is not renewed: a reconcile ends by its deadline.
    pub hold_ms: u64,
    /// The process whose death ends the claim.
    pub claimant: Option<Claimant>,
    /// The current time.
    pub now: EpochMs,
}

/// What became of a request to claim a reconcile.
#[derive(Debug, Clone)]
pub enum ReconcileBegun {
    /// The reconcile may run.
    Granted(Box<ReconcileGrant>),
    /// Another reconcile of the call runs.
    Running,
    /// One has found nothing out shortly before.
    Paused,
    /// The call's arguments are not known.
    NoArgs,
    /// There is nothing to find out: the record is gone, runs, or is certain.
    Certain,
}

/// The claim of a reconcile.
#[derive(Debug, Clone)]
pub struct ReconcileGrant {
    /// The claim's number, required for its end.
    pub number: u64,
    /// The record's own key.
    pub key: RecordKey,
    /// The record.
    pub record: Arc<Record>,
    /// What is kept of the call; `None` if the caller's arguments are all there is.
    pub kept: Option<Arc<KeptCall>>,
}

/// A request to end a reconcile.
#[derive(Debug, Clone)]
pub struct EndReconcile {
    /// The session.
    pub session: SessionId,
    /// The record's own key.
    pub key: RecordKey,
    /// The epoch of the record.
    pub epoch: u64,
    /// The number of the claim.
    pub number: u64,
    /// What was found out.
    pub found: ReconcileFound,
    /// How long no other reconcile runs if nothing was found out, in milliseconds.
    pub pause_ms: u64,
    /// The current time.
    pub now: EpochMs,
}

/// What a reconcile has found out about a call.
#[derive(Debug, Clone)]
pub enum ReconcileFound {
    /// It has taken effect.
    Happened {
        /// The state to record.
        state: RecordState,
        /// The result, should it be owed to the session.
        owed: Arc<ToolResponse>,
    },
    /// It has had no effect, and may be made again.
    NotHappened {
        /// The result, should it be owed to the session.
        owed: Arc<ToolResponse>,
    },
    /// Nothing.
    Unknown,
}

/// What became of the end of a reconcile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReconcileEnded {
    /// It is recorded.
    Recorded,
    /// The call's handler may still run, and so the call can't be free: the record stays as it is.
    MayStillRun,
    /// The record no longer belongs to the claim. Nothing was changed.
    Lost,
}

/// A part of the search for uncertain calls.
#[derive(Debug, Clone)]
pub struct UncertainPage {
    /// Only calls that were begun by then.
    pub begun_by: EpochMs,
    /// Where to go on; `None` at the beginning.
    pub cursor: Option<String>,
}

/// Calls whose outcome may be uncertain.
#[derive(Debug, Clone, Default)]
pub struct UncertainCalls {
    /// The calls that were found.
    pub calls: Vec<UncertainCall>,
    /// Where to go on; `None` at the end.
    pub next: Option<String>,
}

/// A call whose outcome may be uncertain.
#[derive(Debug, Clone, PartialEq)]
pub struct UncertainCall {
    /// The session.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The record's epoch.
    pub epoch: u64,
    /// The call's fingerprint.
    pub fingerprint: Fingerprint,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The time of the claim.
    pub claimed_at: EpochMs,
}
