//! Admission: may this call run? [`Stage::ORDER`] declares the order of the stages.
//!
//! Each stage is a file of plain functions. A stage reads the results of the stages before and either goes on or stops the
//! call with an [`Admission`]. What a call waits for, the store or a worker, is in `admitting`: on a store that never waits,
//! the one future of [`admit`] is ready when it is first polled. Admission starts no handler, and debits nothing before the
//! claim.

mod admitting;
mod again;
mod approvers;
mod argument_text;
mod asking;
mod backpressure;
mod budget;
mod call_limits;
mod call_meta;
mod claim;
mod complete;
mod confirm;
mod confirmed;
mod confirmed_call;
mod context;
mod duplicate;
mod edit;
mod grant;
mod loop_guard;
mod mode;
mod nested_calls;
mod offload;
mod parse;
mod preview;
mod principal_acts;
mod principal_session;
mod replay;
mod reserving;
mod resolve_tool;
mod schema_check;
mod session_active;
mod stages;
mod time_rules;
mod tool_name;
mod uncertain;
mod unusable;
mod validate;

use std::sync::Arc;

use tokio::time::Instant;

use crate::call::{CallId, RawCall, ReconcileOutcome, shown_tool_name};
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::response::Edited;
use crate::schema::{Clamped, Repaired};
use crate::session::cache::CacheKey;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, kept_call_id};
use crate::session::parent_call::ParentCall;
use crate::session::policy::Mode;
use crate::store::{DoneBefore, GrantId, NewGrant, Question, Record, StoreError, UsedGrant};
use admitting::Admitting;
use argument_text::ParsedArgs;
use reserving::Reserving;

pub use again::{CallBefore, admit_again};
pub use approvers::{Approver, check_approver, needs_more};
pub use backpressure::{Backpressure, NO_SLOT_RETRY_AFTER_MS};
pub use confirm::{NoConfirmation, not_confirmed};
pub use confirmed::{UserConfirmation, admit_confirmed};
pub use confirmed_call::admit_confirmed_call;
pub use context::{AdmissionContext, ArgsLimits, RecordLocation};
pub(crate) use offload::is_read_at_once;
pub(crate) use parse::{issues_error, not_serializable, parse_args};
pub use preview::argument_table;
pub use principal_acts::Reservation;
pub(crate) use replay::{forgotten, outcome_unknown, ran_as};
pub(crate) use resolve_tool::unknown_tool;
pub(crate) use schema_check::not_checked;
pub use schema_check::{SchemaCheck, SchemaFindings, UncheckedCall};
pub use stages::{AdmissionPath, Stage};
pub use uncertain::{MetBy, Reconciling, UncertainRecord, args_for_another_run};
pub use validate::{validate, validate_named};

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
    reserving: Option<Box<Reserving>>,
    /// What its user has granted with it.
    pub given: Option<Arc<NewGrant>>,
    /// The grant that it runs by.
    pub used: Option<Box<UsedGrant>>,
    _seal: Seal,
}

impl AdmittedCall {
    /// The epoch of its claim; `None` if the store does not have its record.
    #[must_use]
    pub fn stored_claim(&self) -> Option<u64> {
        (self.record_location == RecordLocation::Store).then_some(self.epoch)
    }
}

/// When the store is asked for the call's record and the used budgets.
///
/// A store that is expensive to ask is asked once, by the claim, which grants only what a look-up would let through. A call
/// that is stopped then begins anew, with a look-up: its record comes before any refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lookup {
    /// In the stage replay.
    BeforeClaim,
    /// By the claim.
    WithClaim,
}

/// The longest arguments of a call that may have to begin anew, in bytes: they are copied.
const MAX_COPIED_ARGS: usize = 16 * 1024;

/// A copy of the call, if its first try leaves the look-up to the claim. A nested call is tried once: parsing counts it
/// among its parent's calls, and counted twice it would have the key of a later call, under which it could run again.
fn copy_for_second_try(context: &AdmissionContext<'_>, call: &RawCall) -> Option<RawCall> {
    let may_begin_anew = context.parent.is_none() && call.args.text_bytes() <= MAX_COPIED_ARGS;
    (context.store.claims_first() && may_begin_anew).then(|| call.clone())
}

/// Private to admission, so that only admission makes an [`AdmittedCall`].
#[derive(Debug)]
struct Seal(());

/// The decision of admission.
#[derive(Debug)]
pub enum Admission {
    /// The call runs.
    Run(Box<AdmittedCall>),
    /// The call was answered before, by the record under this key.
    Replay(RecordKey, Arc<Record>),
    /// The call is running already, by the record at this location.
    Join(RecordLocation, RecordKey, Arc<Record>),
    /// The call meets a record whose outcome is uncertain: that is to be found out first. Only where the context allows it.
    Reconcile(Box<UncertainRecord>),
    /// The code of the tool's schema is to run before its user is asked. Only where the context allows it.
    Check(Box<UncheckedCall>),
    /// A user is asked.
    Ask(Arc<Question>, Asked, ToolError),
    /// An approver has confirmed, now or before, and the question needs more of them.
    Counted(Arc<Question>, Counted),
    /// The call does not run.
    Refuse(ToolError),
    /// The call does not run, because the store failed.
    StoreFailed(ToolError),
}

/// Whether the question of a call is a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// It was asked now.
    Now,
    /// An equal one was pending.
    Before,
}

/// Whether an approver's confirmation is a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// It counts now.
    Now,
    /// The approver had confirmed before.
    Before,
}

/// The result of admission.
#[derive(Debug)]
pub struct AdmissionResult {
    /// The facts about the call.
    pub header: Arc<CallHeader>,
    /// The fingerprint that the loop guard counts; `None` for a replay by provider id, which counts nowhere.
    pub counted: Option<Fingerprint>,
    /// The decision.
    pub admission: Admission,
}

/// The result of a stage: go on with `T`, or stop.
type StageResult<T> = Result<T, Admission>;

impl From<ToolError> for Admission {
    fn from(error: ToolError) -> Self {
        Self::Refuse(error)
    }
}

impl From<StoreError> for Admission {
    fn from(error: StoreError) -> Self {
        let refusal = store_refusal(&error);
        match error {
            StoreError::Failed(_)
            | StoreError::Unreachable(_)
            | StoreError::SessionFailed(_)
            | StoreError::LostData(_) => Self::StoreFailed(refusal),
            StoreError::SessionEnded | StoreError::WrongPrincipal | StoreError::Full => Self::Refuse(refusal),
        }
    }
}

/// The refusal of a call that has not run because the store failed.
#[must_use]
pub fn store_refusal(error: &StoreError) -> ToolError {
    match error {
        StoreError::SessionEnded => ToolError::new(ErrorType::SessionInactive, error.to_string()),
        StoreError::WrongPrincipal => ToolError::new(ErrorType::Auth, error.to_string()),
        StoreError::Full => ToolError::new(ErrorType::Transient, error.to_string())
            .retryable_after(Some(crate::store::FULL_RETRY_AFTER_MS)),
        StoreError::Failed(_) | StoreError::Unreachable(_) | StoreError::SessionFailed(_) | StoreError::LostData(_) => {
            tracing::warn!(%error, "a call was refused");
            ToolError::new(ErrorType::Transient, "the session store does not answer; try again").retryable_after(None)
        }
    }
}

/// A call whose arguments are parsed.
struct ParsedCall {
    tool: Arc<CompiledTool>,
    args: ParsedArgs,
    fingerprint: Fingerprint,
    identity: CallIdentity,
}

/// What identifies a second arrival of the same call.
enum CallIdentity {
    /// A stable id of the provider.
    ProviderId(CallId),
    /// The position among the calls of another handler.
    Position(RecordKey),
    /// The content of the call.
    Content(RecordKey),
}

/// Takes a call through all stages.
pub async fn admit(context: &AdmissionContext<'_>, call: RawCall, received: Instant) -> AdmissionResult {
    let mut admitting = Admitting::new(context, CallHeader::new(context, &call, received), AdmissionPath::Call);
    let copy = copy_for_second_try(context, &call);
    let lookup = if copy.is_some() { Lookup::WithClaim } else { Lookup::BeforeClaim };
    let mut done = admitting.run(call, lookup).await;
    if let (Some(call), true, Err(stopped)) = (copy, admitting.is_not_looked_up(), &done)
        && !matches!(stopped, Admission::StoreFailed(_))
    {
        done = admitting.run(call, Lookup::BeforeClaim).await;
    }
    if matches!(&done, Err(Admission::Refuse(error)) if unusable::is_counted(error)) {
        context.attachment.session.loop_history.lock().count_refusal(admitting.header.turn);
    }
    admitting.ended(done)
}

/// Takes a call as far as its question. `None` if the call asks none: only [`admit`] decides about it.
pub async fn ask(context: &AdmissionContext<'_>, call: RawCall, received: Instant) -> Option<AdmissionResult> {
    let mut admitting = Admitting::new(context, CallHeader::new(context, &call, received), AdmissionPath::Call);
    let asked = match admitting.run_checks(call, Lookup::BeforeClaim).await {
        // The claim would find what was done before, and ask about it.
        Ok((key, complete)) => match admitting.ask_about_duplicate(&key, &complete).await {
            Ok(asked) => asked,
            Err(stopped) => Some(stopped),
        },
        Err(stopped) => Some(stopped),
    };
    let asked = asked.filter(|asked| matches!(asked, Admission::Ask(..) | Admission::Check(_)));
    asked.map(|asked| admitting.ended(Err(asked)))
}
