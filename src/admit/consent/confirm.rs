//! Stage confirmation: a user is asked before the call runs, if the tool needs it.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::admit::acts::duplicate;
use crate::admit::call::{CallHeader, CompleteCall};
use crate::admit::consent::{approvers, preview};
use crate::admit::context::AdmissionContext;
use crate::admit::decision::{Admission, Asked, StageResult};
use crate::admit::stages::replay;
use crate::error::{ConfirmationRequest, ErrorType, ToolError};
use crate::json::{CanonicalJson, Limits, Tape};
use crate::registry::CompiledTool;
use crate::session::fingerprint::canonical_digest;
use crate::session::key::{RecordKey, hex, kept_call_id};
use crate::store::{ConfirmedCall, DoneBefore, ParentClaim, Question, Record};

/// The question about a call, which names what was done before.
pub(in crate::admit) fn question(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    key: &RecordKey,
    call: &CompleteCall,
    again: Option<DoneBefore>,
) -> Result<(Question, ShownArgs), ToolError> {
    let shown = call.tool.shown_args(&call.tape);
    let question = new_question(context, header, key, call, (&shown, again))?;
    Ok((question, ShownArgs(shown)))
}

/// The refusal of the loop guard or the budget, if the call may be about a question that is pending already: asking it
/// again counts nowhere. A call of a tool that never asks stops here.
pub(in crate::admit) fn limit_of_question(
    tool: &CompiledTool,
    within: StageResult<()>,
) -> StageResult<Option<Box<ToolError>>> {
    match within {
        Ok(()) => Ok(None),
        Err(Admission::Refuse(limit)) if tool.definition.requires_confirmation => Ok(Some(Box::new(limit))),
        Err(stopped) => Err(stopped),
    }
}

/// The refusal of a call that its user has denied repeatedly in this turn.
pub(in crate::admit) fn denied(call: &CompleteCall, times: u32) -> ToolError {
    let message = format!("the user has denied this call of `{}` {times} times in this turn", call.tool.id);
    ToolError::new(ErrorType::LoopDetected, message)
        .with_details(json!({ "pattern": "denial" }))
        .with_suggestion("do not ask again; go on without it, or wait for what the user says next")
}

/// The arguments of a question, as people may see them.
pub(in crate::admit) struct ShownArgs(Value);

/// The arguments of a question that is pending already.
pub(in crate::admit) fn shown_before(tool: &CompiledTool, question: &Question, shown: ShownArgs) -> ShownArgs {
    // If nothing was added by code, equal questions show equal arguments.
    let by_code = question.by_code.as_ref().map(|_| Tape::parse(question.args.to_string(), &Limits::widest()));
    by_code.and_then(Result::ok).map_or(shown, |args| ShownArgs(tool.shown_args(&args)))
}

/// The end of a call whose question is pending.
pub(in crate::admit) fn ask(question: Arc<Question>, asked: Asked, shown: ShownArgs) -> Admission {
    let error = confirmation_required(&question, shown.0);
    Admission::Ask(question, asked, error)
}

/// Whether the call needs a confirmation, though nothing like it was done before.
pub(in crate::admit) fn is_needed(call: &CompleteCall) -> bool {
    let when = call.tool.confirm_when.as_ref();
    call.tool.definition.requires_confirmation && when.is_none_or(|when| when.is_valid(call.tape.root()))
}

fn new_question(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    key: &RecordKey,
    call: &CompleteCall,
    (shown, again): (&Value, Option<DoneBefore>),
) -> Result<Question, ToolError> {
    let definition = &call.tool.definition;
    let zone = context.attachment.time_zone.as_ref();
    approvers::check_asker(context, &call.tool.id, &definition.confirmation)?;
    let preview = preview_of(context, call, (shown, again), zone)?;
    Ok(Question {
        token: random_name("tgc_")?.into(),
        tool: Arc::clone(&call.tool.id),
        tool_version: Arc::clone(&call.tool.version),
        definition: call.tool.definition_digest(),
        args: call.tape.text().into(),
        args_digest: canonical_digest(&CanonicalJson::from_node(call.tape.root())),
        defaulted: call.defaulted.clone(),
        by_code: call.by_code.as_deref().cloned(),
        fingerprint: call.fingerprint.clone(),
        key: key.clone(),
        call_id: header.call_id.clone(),
        parent_call_id: context.parent.and_then(|parent| parent.call_id.as_ref().map(kept_call_id)),
        parents: waiting_parent(context, header).into_iter().collect(),
        repeat_call_ids: Vec::new(),
        turn: header.turn,
        mode: Arc::clone(&header.mode.name),
        preview,
        time_zone: zone.and_then(TimeZone::iana_name).map(Into::into),
        repaired: header.repaired.clone(),
        edited: header.edited.clone(),
        again,
        approvers: definition.confirmation.approvers.clone(),
        confirmed_by: Vec::new(),
        expires: context.now.saturating_add(definition.confirmation.ttl_ms),
    })
}

/// The claim of the call whose handler waits for the answer.
fn waiting_parent(context: &AdmissionContext<'_>, header: &CallHeader) -> Option<ParentClaim> {
    let parent = context.parent.filter(|_| header.waits)?;
    Some(ParentClaim { key: parent.key.clone(), epoch: parent.claim? })
}

/// The text for the user, which begins with what was done before.
pub(in crate::admit) fn preview_of(
    context: &AdmissionContext<'_>,
    call: &CompleteCall,
    (shown, again): (&Value, Option<DoneBefore>),
    zone: Option<&TimeZone>,
) -> Result<String, ToolError> {
    let preview = preview::preview(&call.tool, &call.tape, shown, zone)?;
    Ok(match again {
        Some(done) => duplicate::preview(&call.tool, (done, context.now), shown, zone, &preview),
        None => preview,
    })
}

/// A name of 128 random bits. Without random bytes no question is asked and nothing runs.
pub(in crate::admit) fn random_name(prefix: &str) -> Result<String, ToolError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "no random bytes for a confirmation");
        ToolError::new(ErrorType::Transient, "a confirmation can't be asked for just now; try again")
            .retryable_after(None)
    })?;
    Ok(format!("{prefix}{}", hex(&bytes)))
}

const OTHERS_DECIDE: &str =
    "tell the user what will be done and who decides; do not ask the user for a yes, which would not count";

fn confirmation_required(question: &Question, args: Value) -> ToolError {
    let (of, suggestion) = match &question.approvers {
        None => ("the user's confirmation".to_owned(), "tell the user what will be done and wait for the answer"),
        Some(approvers) => (format!("the confirmation of {}", approvers::who(approvers)), OTHERS_DECIDE),
    };
    let message = format!("`{}` needs {of} and has not run: {}", question.tool, question.preview);
    let mut error = ToolError::new(ErrorType::ConfirmationRequired, message)
        .with_audit_message(format!("`{}` needs {of}", question.tool))
        .with_suggestion(suggestion);
    error.confirmation_request = Some(Box::new(ConfirmationRequest {
        token: question.token.to_string(),
        expires: question.expires,
        tool: question.tool.to_string(),
        args,
        preview: question.preview.clone(),
        approvers: question.approvers.clone(),
    }));
    error
}

/// Joins or replays an equal call that was confirmed in this turn or the one before: it is not asked again. `record` is
/// that of the confirmed call.
pub(in crate::admit) fn already_confirmed(
    context: &AdmissionContext<'_>,
    call: &CompleteCall,
    confirmed: ConfirmedCall,
    record: Option<Arc<Record>>,
) -> StageResult<Admission> {
    match record {
        Some(record) => replay::replay_or_join(context, &call.tool, confirmed.key, record),
        None => Ok(ToolError::new(
            ErrorType::Conflict,
            "this call was confirmed and has run; its answer is not kept any more",
        )
        .into()),
    }
}

/// Why the user of a handler's call has not confirmed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoConfirmation {
    /// The user has denied it.
    Denied,
    /// The time to confirm is over.
    Expired,
}

/// The refusal of a handler's call that has waited for its user.
#[must_use]
pub fn not_confirmed(tool: &str, why: NoConfirmation) -> ToolError {
    match why {
        NoConfirmation::Denied => {
            ToolError::new(ErrorType::Cancelled, format!("the user declined `{tool}`: it has not run"))
                .with_details(json!({ "outcome": "declined" }))
                .with_suggestion("do not call it again unless the user asks for it")
        }
        NoConfirmation::Expired => {
            let message = format!("`{tool}` was not confirmed in time: it has not run");
            ToolError::new(ErrorType::ConfirmationExpired, message).with_details(json!({ "reason": "expired" }))
        }
    }
}
