//! A call on its way through admission: what every answer says of it, and what each part of the way makes of it.

use std::sync::Arc;

use serde_json::json;
use tokio::time::Instant;

use crate::admit::acts::reservation::Reservation;
use crate::admit::acts::reserving::Reserving;
use crate::admit::context::{AdmissionContext, RecordLocation};
use crate::call::{CallId, RawCall, ReconcileOutcome, shown_tool_name};
use crate::clock::{EpochMs, to_iso8601};
use crate::json::Tape;
use crate::registry::CompiledTool;
use crate::response::{Edited, Meta, Outcome, TOOL_RESPONSE_SCHEMA_VERSION, ToolResponse};
use crate::schema::{Clamped, Repaired};
use crate::session::cache::CacheKey;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, kept_call_id};
use crate::session::parent_call::ParentCall;
use crate::session::policy::Mode;
use crate::store::{AddedByCode, DoneBefore, GrantId, NewGrant, Question, UsedGrant};

/// The facts about a call that every answer and audit line needs.
#[derive(Debug, Clone)]
pub struct CallHeader {
    /// The tool as called.
    pub name: Arc<str>,
    /// The provider's id; a long one is replaced by its hash.
    pub call_id: Option<CallId>,
    /// The tool; `None` before the stage tool, and for an unknown name.
    pub tool: Option<Arc<CompiledTool>>,
    /// The version of the tool set.
    pub registry_version: Arc<str>,
    /// The mode whose policy applies.
    pub mode: Arc<Mode>,
    /// The turn of the call.
    pub turn: u32,
    /// The call whose handler made this one.
    pub parent: Option<Arc<ParentCall>>,
    /// Whether the handler that made it waits while its user is asked.
    pub waits: bool,
    /// What was repaired in the call.
    pub repaired: Vec<Repaired>,
    /// What its user changed in the call before confirming it.
    pub edited: Vec<Edited>,
    /// What was filled in, of a call that is asked about.
    pub defaulted: Vec<String>,
    /// The grant by which it runs without a question.
    pub grant: Option<GrantId>,
    /// The equal act that was done before, if it stopped the call.
    pub duplicate_of: Option<DoneBefore>,
    /// What was found out about the earlier call that it met, before it was admitted.
    pub reconciled: Option<ReconcileOutcome>,
    /// The time of arrival.
    pub received: Instant,
}

impl CallHeader {
    /// The header of a call that no stage has seen.
    #[must_use]
    pub fn new(context: &AdmissionContext<'_>, call: &RawCall, received: Instant) -> Self {
        Self {
            name: shown_tool_name(&call.name).into(),
            call_id: call.id.as_ref().map(kept_call_id),
            tool: None,
            registry_version: Arc::clone(&context.tools.version),
            mode: Arc::clone(&context.attachment.mode),
            turn: context.turn(),
            parent: context.parent.cloned(),
            waits: call.waits,
            repaired: Vec::new(),
            edited: Vec::new(),
            defaulted: Vec::new(),
            grant: None,
            duplicate_of: None,
            reconciled: context.reconciling.outcome(),
            received,
        }
    }

    /// The meta of every answer.
    #[must_use]
    pub fn meta(&self, now: EpochMs) -> Meta {
        Meta {
            tool_id: self.tool.as_ref().map_or_else(|| Arc::clone(&self.name), |tool| Arc::clone(&tool.id)),
            tool_version: self.tool.as_ref().map(|tool| Arc::clone(&tool.version)),
            registry_version: Arc::clone(&self.registry_version),
            duration: self.duration_ms(),
            timestamp: to_iso8601(now),
            response_schema_version: TOOL_RESPONSE_SCHEMA_VERSION,
            call_id: self.call_id.clone(),
            mode: Some(Arc::clone(&self.mode.name)),
            turn: Some(self.turn),
            attempts: None,
            idempotency_key: None,
            parent_call_id: self.parent.as_ref().and_then(|parent| parent.call_id.clone()),
            pending: false,
            cached: false,
            idempotent_cache_hit: false,
            original_turn: None,
            clamped: Vec::new(),
            defaulted: self.defaulted.clone(),
            repaired: self.repaired.clone(),
            edited: self.edited.clone(),
            grant: self.grant.clone(),
            reconciled: self.reconciled,
            truncated: None,
            warnings: Vec::new(),
        }
    }

    /// The milliseconds since the call arrived, with microsecond precision.
    #[must_use]
    pub fn duration_ms(&self) -> f64 {
        // Computed from whole microseconds, so that a duration is written without the noise of a binary fraction.
        #[expect(clippy::cast_precision_loss, reason = "exact for 285 years")]
        let micros = self.received.elapsed().as_micros() as f64;
        micros / 1000.0
    }

    /// The answer to a call that runs on: its result is delivered later.
    #[must_use]
    pub fn running_answer(&self, now: EpochMs) -> ToolResponse {
        let data = json!({ "status": "running", "callId": self.call_id });
        let outcome = Outcome::success(Some(&data.to_string()), "[]");
        ToolResponse { outcome, meta: Meta { pending: true, ..self.meta(now) } }
    }
}

/// A parsed call without its arguments, which are being completed.
pub(in crate::admit) struct ParsedIdentity {
    pub(in crate::admit) tool: Arc<CompiledTool>,
    pub(in crate::admit) fingerprint: Fingerprint,
}

/// A call whose arguments are final.
pub(in crate::admit) struct CompleteCall {
    pub(in crate::admit) tool: Arc<CompiledTool>,
    pub(in crate::admit) fingerprint: Fingerprint,
    pub(in crate::admit) tape: Tape,
    pub(in crate::admit) defaulted: Vec<String>,
    pub(in crate::admit) clamped: Vec<Clamped>,
    /// What the code of its schema has added.
    pub(in crate::admit) by_code: Option<Box<AddedByCode>>,
}

/// A call that may run, and is recorded as started. Only admission makes one.
#[derive(Debug)]
pub struct AdmittedCall {
    /// The facts about the call.
    pub header: Arc<CallHeader>,
    /// The tool.
    pub tool: Arc<CompiledTool>,
    /// The fingerprint of the arguments as received.
    pub fingerprint: Fingerprint,
    /// The final arguments: validated, shown in a confirmation, and passed to the handler as they are.
    pub args: Arc<str>,
    /// JSON Pointers of the filled defaults.
    pub defaulted: Vec<String>,
    /// The clamped arguments.
    pub clamped: Vec<Clamped>,
    /// The record's key.
    pub key: RecordKey,
    /// The key of a cached result; `None` if the tool is not cached.
    pub cache: Option<CacheKey>,
    /// The epoch of the claim.
    pub epoch: u64,
    /// Where the record is stored.
    pub record_location: RecordLocation,
    /// The key that the handler may pass to other services.
    pub idempotency_key: Arc<str>,
    /// Its act, which is reserved for it among its principal's.
    pub reservation: Option<Reservation>,
    /// Whether its user has confirmed it although it was done before.
    pub does_again: bool,
    /// Whether its callers are answered early, at once: it continues a call whose callers were.
    pub answers_at_once: bool,
    /// Whether its attachment holds its result until it accepts it.
    pub is_held: bool,
    /// The question that its user has confirmed, until the audit has it.
    pub question: Option<Arc<Question>>,
    /// That this process takes care of its act.
    pub(in crate::admit) reserving: Option<Box<Reserving>>,
    /// What its user has granted with it.
    pub given: Option<Arc<NewGrant>>,
    /// The grant that it runs by.
    pub used: Option<Box<UsedGrant>>,
    pub(in crate::admit) _seal: Seal,
}

impl AdmittedCall {
    /// The epoch of its claim; `None` if the store does not have its record.
    #[must_use]
    pub fn stored_claim(&self) -> Option<u64> {
        (self.record_location == RecordLocation::Store).then_some(self.epoch)
    }
}

/// Private to admission, so that only admission makes an [`AdmittedCall`].
#[derive(Debug)]
pub(in crate::admit) struct Seal(pub(in crate::admit) ());
