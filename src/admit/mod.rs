//! Admission: may this call run? The order of the gate stands in [`admit`] and nowhere else.
//!
//! Each rung is a file. A rung reads what the ones before it have made and either goes on or stops the call with an
//! [`Admission`]. Nothing here starts a handler, and nothing before rung 10 debits anything.

mod argument_text;
mod backpressure;
mod budget;
mod claim;
mod complete;
mod confirm;
mod confirmed;
mod loop_guard;
mod mode;
mod nested_calls;
mod offload;
mod parse;
mod preview;
mod replay;
mod resolve_tool;
mod session_active;

use std::sync::Arc;

use tokio::time::Instant;

use crate::call::{CallId, KeptTextId, RawCall};
use crate::clock::EpochMs;
use crate::error::{ErrorType, ToolError};
use crate::registry::{CompiledTool, ToolSet};
use crate::schema::Clamped;
use crate::session::attachment::Attachment;
use crate::session::cache::CacheKey;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::session::parent_call::ParentCall;
use crate::session::policy::Mode;
use crate::store::{Question, Record, Store, StoreError};
use argument_text::ParsedArgs;
use complete::CompleteCall;

pub use backpressure::Backpressure;
pub use confirmed::{admit_approved, admit_confirmed};
pub(crate) use parse::{issues_error, not_serializable, parse_args};
pub(crate) use replay::{forgotten, outcome_unknown};
pub(crate) use resolve_tool::{check_services, unknown_tool};

/// Bounds on what a call may bring.
#[derive(Debug, Clone, Copy)]
pub struct ArgsLimits {
    /// Bytes of JSON text.
    pub max_bytes: usize,
    /// Containers within containers.
    pub max_depth: u32,
}

impl Default for ArgsLimits {
    fn default() -> Self {
        Self { max_bytes: 1024 * 1024, max_depth: 64 }
    }
}

/// What admission works with.
pub struct AdmissionContext<'a> {
    /// Who calls.
    pub attachment: &'a Attachment,
    /// The session's tools.
    pub tools: &'a ToolSet,
    /// The session's store.
    pub store: &'a dyn Store,
    /// Which store that is.
    pub record_location: RecordLocation,
    /// Whether there is room for another call.
    pub backpressure: &'a dyn Backpressure,
    /// The call whose handler makes this one; none where the model makes it.
    pub parent: Option<&'a Arc<ParentCall>>,
    /// Whether the gate takes no calls any more.
    pub closing: bool,
    /// Bounds.
    pub limits: ArgsLimits,
    /// When the call arrived.
    pub now: EpochMs,
}

/// Where a call's record is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordLocation {
    /// The session's store.
    Store,
    /// This process alone: the store fails.
    Process,
    /// It has none: it is no session's.
    Nowhere,
}

/// What is known of a call whatever becomes of it.
#[derive(Debug, Clone)]
pub struct CallHeader {
    /// The tool as called.
    pub name: Arc<str>,
    /// The provider's id.
    pub call_id: Option<CallId>,
    /// The tool, once it is known.
    pub tool: Option<Arc<CompiledTool>>,
    /// The tool set.
    pub registry_version: Arc<str>,
    /// The mode in which it is judged.
    pub mode: Arc<Mode>,
    /// The turn it belongs to.
    pub turn: u32,
    /// The call whose handler made it.
    pub parent: Option<Arc<ParentCall>>,
    /// When it arrived.
    pub received: Instant,
}

impl CallHeader {
    /// What is known of a call before anything of it has been looked at.
    #[must_use]
    pub fn new(desk: &AdmissionContext<'_>, call: &RawCall, received: Instant) -> Self {
        Self {
            name: call.name.as_str().into(),
            call_id: call.id.clone(),
            tool: None,
            registry_version: Arc::clone(&desk.tools.version),
            mode: Arc::clone(&desk.attachment.mode),
            turn: desk.parent.map_or_else(|| desk.attachment.turn(), |parent| parent.turn),
            parent: desk.parent.cloned(),
            received,
        }
    }
}

/// A call that may run, and is recorded as started.
#[derive(Debug)]
pub struct AdmittedCall {
    /// What is known of it.
    pub header: Arc<CallHeader>,
    /// The tool.
    pub tool: Arc<CompiledTool>,
    /// What was asked, as sent.
    pub fingerprint: Fingerprint,
    /// The final arguments: what was validated, what was shown, and exactly what the handler gets.
    pub args: Arc<str>,
    /// The host's number for that same text, where it keeps it.
    pub kept_text: Option<KeptTextId>,
    /// Arguments filled with their defaults.
    pub defaulted: Vec<String>,
    /// Arguments lowered to the mode's largest value.
    pub clamped: Vec<Clamped>,
    /// The record's key.
    pub key: RecordKey,
    /// What a kept result of an equal call is found by, where the tool's results are kept.
    pub cache: Option<CacheKey>,
    /// The claim's epoch.
    pub epoch: u64,
    /// Where its record is.
    pub record_location: RecordLocation,
    /// What the handler may pass downstream.
    pub idempotency_key: Arc<str>,
}

/// How admission ends.
#[derive(Debug)]
pub enum Admission {
    /// The call runs.
    Run(Box<AdmittedCall>),
    /// It was answered before.
    Replay(Arc<Record>),
    /// It is running already.
    Join(RecordKey, Arc<Record>),
    /// A user is asked.
    Ask(Arc<Question>, ToolError),
    /// It does not run.
    Refuse(ToolError),
    /// It does not run: the store failed.
    StoreFailed(ToolError),
}

/// What admission found, and how it ended.
#[derive(Debug)]
pub struct AdmissionResult {
    /// What is known of the call.
    pub header: Arc<CallHeader>,
    /// What was asked, where the loop guard counts it: a replay by provider id counts nowhere.
    pub counted: Option<Fingerprint>,
    /// How it ended.
    pub admission: Admission,
}

/// A rung's result: go on with `T`, or stop.
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
            StoreError::Failed(_) | StoreError::SessionFailed(_) => Self::StoreFailed(refusal),
            StoreError::SessionEnded | StoreError::WrongPrincipal => Self::Refuse(refusal),
        }
    }
}

/// What a store's failure means for a call that has not run.
#[must_use]
pub fn store_refusal(error: &StoreError) -> ToolError {
    match error {
        StoreError::SessionEnded => ToolError::new(ErrorType::SessionInactive, error.to_string()),
        StoreError::WrongPrincipal => ToolError::new(ErrorType::Auth, error.to_string()),
        StoreError::Failed(_) | StoreError::SessionFailed(_) => {
            tracing::warn!(%error, "a call was refused");
            ToolError::new(ErrorType::Transient, "the session store does not answer; try again").retryable_after(None)
        }
    }
}

/// Arguments that parsed.
struct ParsedCall {
    tool: Arc<CompiledTool>,
    args: ParsedArgs,
    kept_text: Option<KeptTextId>,
    fingerprint: Fingerprint,
    identity: CallIdentity,
}

/// What makes a second arrival of a call the same call.
enum CallIdentity {
    /// An id that names this call and no other.
    ProviderId(CallId),
    /// Its place among the calls that another call's handler makes.
    Position(RecordKey),
    /// Nothing but what is asked.
    Content(RecordKey),
}

/// Takes a call through the rungs, in the contract's order.
pub async fn admit(desk: &AdmissionContext<'_>, call: RawCall, received: Instant) -> AdmissionResult {
    let mut header = Arc::new(CallHeader::new(desk, &call, received));
    let mut counted = None;
    let admission = match run_checks(desk, call, &mut header, &mut counted).await {
        Ok(admitted) => Admission::Run(admitted),
        Err(stopped) => stopped,
    };
    AdmissionResult { header, counted, admission }
}

/// Takes a call as far as its question. `None` where none is asked: what becomes of the call, `admit` says.
pub async fn ask(desk: &AdmissionContext<'_>, call: RawCall, received: Instant) -> Option<AdmissionResult> {
    let mut header = Arc::new(CallHeader::new(desk, &call, received));
    let mut counted = None;
    match run_checks_before_claim(desk, call, &mut header, &mut counted).await {
        Err(admission @ Admission::Ask(..)) => Some(AdmissionResult { header, counted, admission }),
        Ok(_) | Err(_) => None,
    }
}

async fn run_checks(
    desk: &AdmissionContext<'_>,
    call: RawCall,
    header: &mut Arc<CallHeader>,
    counted: &mut Option<Fingerprint>,
) -> StageResult<Box<AdmittedCall>> {
    let (key, complete) = run_checks_before_claim(desk, call, header, counted).await?; // 1 to 9
    backpressure::check(desk, &complete.tool)?;
    claim::claim(desk, Arc::clone(header), key, complete, None).await // 10
}

async fn run_checks_before_claim(
    desk: &AdmissionContext<'_>,
    call: RawCall,
    header: &mut Arc<CallHeader>,
    counted: &mut Option<Fingerprint>,
) -> StageResult<(RecordKey, CompleteCall)> {
    session_active::check(desk)?; // 1
    let tool = resolve_tool::resolve(desk, &call)?; // 2
    Arc::make_mut(header).tool = Some(Arc::clone(&tool));
    let parsed = parse::parse(desk, header, tool, call.args, counted).await?; // 3
    let (key, seen) = replay::find(desk, header, &parsed, counted).await?; // 4
    mode::check_mode(desk, &parsed.tool)?; // 5
    mode::check_roles(desk, &parsed.tool)?;
    nested_calls::check(desk, &parsed.tool)?;
    loop_guard::check(desk, header, &parsed.fingerprint)?; // 6
    budget::check(header, &parsed.tool, &seen)?;
    let complete = complete::complete(parsed).await?; // 7, 8
    confirm::check(desk, header, &key, &complete).await?; // 9
    Ok((key, complete))
}
