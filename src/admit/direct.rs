//! Admission of a call without a session: nothing is replayed, budgeted or recorded, and there is no user to ask.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::stages::{AdmissionPath, Stage, StageOrder};
use super::{
    AdmittedCall, ArgsLimits, CallHeader, RecordLocation, Seal, check_services, issues_error, not_serializable,
    parse_args, time_rules, unknown_tool,
};
use crate::call::{RawArgs, SessionId};
use crate::clock::EpochMs;
use crate::error::{ErrorType, ToolError};
use crate::json::{CanonicalJson, HashKey, Tape};
use crate::registry::{CompiledTool, ToolSet};
use crate::schema::{Clamp, Completed, NullReading};
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, hex, idempotency_key};

/// The input of admission without a session.
pub struct DirectAdmission<'a> {
    /// The tools.
    pub tools: &'a ToolSet,
    /// The tool's name, as called.
    pub name: &'a str,
    /// The services of the host.
    pub services: &'a BTreeSet<String>,
    /// Bounds of the arguments.
    pub limits: ArgsLimits,
    /// The key of fingerprints.
    pub fingerprint_key: HashKey,
    /// Whether the gate takes no more calls.
    pub closing: bool,
    /// The time of arrival.
    pub now: EpochMs,
}

/// Admits a call without a session. `header` gets the tool once it is known.
///
/// # Errors
/// Why the call may not run; CONFIRMATION_REQUIRED for every tool that needs a confirmation.
pub fn admit_direct(
    admission: &DirectAdmission<'_>,
    args: RawArgs,
    header: &mut Arc<CallHeader>,
) -> Result<AdmittedCall, ToolError> {
    let mut order = StageOrder::new(AdmissionPath::Direct);
    order.enter(Stage::Session);
    if admission.closing {
        return Err(ToolError::new(ErrorType::SessionInactive, "the registry is closed"));
    }
    order.enter(Stage::Tool);
    let tool = admission.tools.get(admission.name).ok_or_else(|| unknown_tool(admission.tools, admission.name))?;
    let tool = Arc::clone(tool);
    Arc::make_mut(header).tool = Some(Arc::clone(&tool));
    check_services(&tool, admission.services)?;
    order.enter(Stage::Parse);
    let tape = parse_direct(&tool, args, admission.limits)?;
    let canonical = CanonicalJson::from_node(tape.root());
    let fingerprint = Fingerprint::from_canonical(admission.fingerprint_key, Arc::clone(&tool.id), &canonical);
    drop(canonical);
    order.enter(Stage::Completion);
    let clamps = tool.clamps(&header.mode.name, header.mode.top_k);
    let completed = complete_direct(&tool, tape, &clamps, tool.strict_nulls.reading())?;
    time_rules::check(&tool, &completed.tape, Some(admission.now))?;
    order.enter(Stage::Confirmation);
    if tool.definition.requires_confirmation {
        let message = format!("`{}` needs the user's confirmation, which only a session can ask for", tool.id);
        return Err(
            ToolError::new(ErrorType::ConfirmationRequired, message).with_suggestion("call it through a session")
        );
    }
    let (key, session) = unique_key()?;
    Ok(AdmittedCall {
        idempotency_key: idempotency_key(&session, &tool.id, &key),
        header: Arc::clone(header),
        fingerprint,
        args: completed.tape.into_text().into(),
        kept_args: None,
        defaulted: completed.defaulted,
        clamped: completed.clamped,
        key,
        cache: None,
        epoch: 0,
        record_location: RecordLocation::Nowhere,
        tool,
        question: None,
        _seal: Seal(()),
    })
}

/// Completes and validates arguments without a call, as those of a model with the strict declaration.
///
/// # Errors
/// VALIDATION with every issue.
pub fn validate_direct(tool: &CompiledTool, args: RawArgs, limits: ArgsLimits) -> Result<String, ToolError> {
    let nulls = NullReading::StrictAsAbsent;
    let completed = complete_direct(tool, parse_direct(tool, args, limits)?, &[], nulls)?;
    time_rules::check(tool, &completed.tape, None)?;
    Ok(completed.tape.into_text())
}

fn parse_direct(tool: &CompiledTool, args: RawArgs, limits: ArgsLimits) -> Result<Tape, ToolError> {
    match args {
        RawArgs::Text(text) | RawArgs::Kept(text, _) => parse_args(text, limits, &tool.args_schema),
        RawArgs::NotJson(problem) => Err(not_serializable(&problem)),
    }
}

fn complete_direct(
    tool: &CompiledTool,
    tape: Tape,
    clamps: &[Clamp],
    nulls: NullReading,
) -> Result<Completed, ToolError> {
    tool.args_schema.complete_and_validate(tape, clamps, nulls).map_err(|issues| issues_error(&tool.id, &issues))
}

/// A random key: without a session no two calls are the same call.
fn unique_key() -> Result<(RecordKey, SessionId), ToolError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| {
        ToolError::new(ErrorType::Transient, "no random bytes are available; try again").retryable_after(None)
    })?;
    let random = hex(&bytes);
    Ok((RecordKey::from_provider_id(&random.as_str().into()), "direct".into()))
}
