//! What must be found out before a call is admitted: what an earlier call has done, or what the code of its tool's schema says.
//! That runs outside of the admission, and the call is admitted again after it.

use std::sync::Arc;

use serde_json::Value;

use crate::admit::acts::reservation::Reservation;
use crate::call::{CallId, ReconcileOutcome, SessionId};
use crate::error::ToolError;
use crate::registry::CompiledTool;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;

/// Whether a record of uncertain outcome that a call meets is reconciled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconciling {
    /// It is not: the call hears that the outcome is unknown.
    Never,
    /// First: the call is admitted again after it.
    First,
    /// It has been, with this outcome; `None` if there was nothing to find out, or not now.
    Done(Option<ReconcileOutcome>),
}

impl Reconciling {
    /// What was found out.
    #[must_use]
    pub const fn outcome(self) -> Option<ReconcileOutcome> {
        if let Self::Done(outcome) = self { outcome } else { None }
    }
}

/// A record whose outcome is to be found out.
#[derive(Debug)]
pub struct UncertainRecord {
    /// The tool.
    pub tool: Arc<CompiledTool>,
    /// The session: another one than the caller's, if its principal's acts were looked at.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The record's epoch.
    pub epoch: u64,
    /// The fingerprint of the record's call.
    pub fingerprint: Fingerprint,
    /// The final arguments of a call with the same arguments.
    pub args: Option<Arc<str>>,
    /// What met it.
    pub met_by: MetBy,
    /// The reservation by which it was met, if it was.
    pub reservation: Option<Reservation>,
}

/// What met a record of uncertain outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetBy {
    /// The same call, delivered again.
    Replay,
    /// Another call that would do the same.
    EqualCall,
    /// The delivery of its result to the session.
    Delivery,
    /// The host's search for such records.
    Host,
}

impl MetBy {
    /// The name in the audit.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Replay => "replay",
            Self::EqualCall => "equal_call",
            Self::Delivery => "delivery",
            Self::Host => "host",
        }
    }
}

/// Whether the code of a tool's schema runs before its user is asked.
#[derive(Debug, Clone, Copy)]
pub enum SchemaCheck<'a> {
    /// It does not: the arguments are those of a question, or what its user wants instead.
    Never,
    /// First: the call is admitted again after it.
    First,
    /// It has run.
    Done(&'a SchemaFindings),
}

/// A call whose schema's code is to run before its user is asked.
#[derive(Debug)]
pub struct UncheckedCall {
    /// The tool.
    pub tool: Arc<CompiledTool>,
    /// The arguments as they would run, JSON text.
    pub args: Arc<str>,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The mode.
    pub mode: Arc<str>,
    /// The key under which the call would be recorded.
    pub key: RecordKey,
}

/// What the code of a schema has said of a call.
#[derive(Debug)]
pub struct SchemaFindings {
    /// The call.
    pub call: Box<UncheckedCall>,
    /// The members that it adds, by their JSON Pointers; or the refusal of the call.
    pub found: Result<Vec<(String, Value)>, ToolError>,
}
