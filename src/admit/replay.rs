//! Stage replay: a recorded call is answered from its record; a running one is joined. Roles are checked again, nothing
//! is debited.

use std::sync::Arc;

use serde_json::json;

use super::{Admission, AdmissionContext, CallHeader, CallIdentity, Lookup, ParsedCall, StageResult, loop_guard, mode};
use crate::call::CallId;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, kept_call_id};
use crate::store::{CallLookup, CallLookupResult, Record, RecordState};

/// Returns the key of the call's record and the used budgets, unless they are left to the claim; or stops with the earlier
/// call's answer.
pub(super) async fn find(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    parsed: &ParsedCall,
    counted: &mut Option<Fingerprint>,
    lookup: Lookup,
) -> StageResult<(RecordKey, Option<CallLookupResult>)> {
    if lookup == Lookup::WithClaim {
        let key = match &parsed.identity {
            CallIdentity::Content(key) | CallIdentity::Position(key) => key.clone(),
            CallIdentity::ProviderId(id) => RecordKey::from_provider_id(id),
        };
        return Ok((key, None));
    }
    match &parsed.identity {
        CallIdentity::Content(key) => find_by_content(context, header, parsed, key).await,
        CallIdentity::Position(key) => {
            let seen = look_up(context, header, &parsed.tool, key).await?;
            let Some(record) = seen.record.clone() else { return Ok((key.clone(), Some(seen))) };
            *counted = None;
            Err(replay_or_join(context, &parsed.tool, key.clone(), record)?)
        }
        CallIdentity::ProviderId(id) => match find_by_id(context, header, parsed, id).await? {
            RecordLookup::NotFound(key, seen) => Ok((key, Some(*seen))),
            RecordLookup::Found(key, record) => {
                *counted = None;
                Err(replay_or_join(context, &parsed.tool, key, record)?)
            }
        },
    }
}

async fn find_by_content(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    parsed: &ParsedCall,
    key: &RecordKey,
) -> StageResult<(RecordKey, Option<CallLookupResult>)> {
    let seen = look_up(context, header, &parsed.tool, key).await?;
    let Some(record) = seen.record.clone() else { return Ok((key.clone(), Some(seen))) };
    loop_guard::check(context, header, &parsed.fingerprint)?;
    Err(replay_or_join(context, &parsed.tool, key.clone(), record)?)
}

enum RecordLookup {
    NotFound(RecordKey, Box<CallLookupResult>),
    Found(RecordKey, Arc<Record>),
}

async fn find_by_id(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    parsed: &ParsedCall,
    id: &CallId,
) -> StageResult<RecordLookup> {
    let key = RecordKey::from_provider_id(id);
    let seen = look_up(context, header, &parsed.tool, &key).await?;
    match seen.record.clone() {
        Some(record) if record.fingerprint.matches(&parsed.fingerprint) => Ok(RecordLookup::Found(key, record)),
        Some(record) if record.turn == header.turn => Err(id_reused(id).into()),
        Some(_) => find_in_later_turn(context, header, parsed, id).await,
        None if seen.calls_without_id > 0 => {
            let unnamed = RecordKey::from_content(header.turn, &parsed.tool.id, &parsed.args.canonical());
            match context.store.alias_record(&context.attachment.session.id, &unnamed, &key).await? {
                Some(record) => Ok(RecordLookup::Found(unnamed, record)),
                None => Ok(RecordLookup::NotFound(key, Box::new(seen))),
            }
        }
        None => Ok(RecordLookup::NotFound(key, Box::new(seen))),
    }
}

/// Looks up a reused id: in a later turn the same id with other arguments is a new call.
async fn find_in_later_turn(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    parsed: &ParsedCall,
    id: &CallId,
) -> StageResult<RecordLookup> {
    let key = RecordKey::from_provider_id_in_turn(id, header.turn);
    let seen = look_up(context, header, &parsed.tool, &key).await?;
    match seen.record.clone() {
        Some(record) if record.fingerprint.matches(&parsed.fingerprint) => Ok(RecordLookup::Found(key, record)),
        Some(_) => Err(id_reused(id).into()),
        None => Ok(RecordLookup::NotFound(key, Box::new(seen))),
    }
}

async fn look_up(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    tool: &CompiledTool,
    key: &RecordKey,
) -> StageResult<CallLookupResult> {
    let lookup = CallLookup {
        session: &context.attachment.session.id,
        key,
        turn: header.turn,
        tool: &tool.id,
        rate_limit: tool.definition.rate_limit,
        known_revision: context.attachment.session.state_revision(),
        now: context.now,
    };
    let mut seen = context.store.look_up(lookup).await?;
    let session = &context.attachment.session;
    session.update_from_store(seen.state.take());
    let refusals = session.loop_history.lock().refusals_in_budget(header.turn).unwrap_or_default();
    seen.total_calls = seen.total_calls.saturating_add(refusals);
    Ok(seen)
}

/// The answer to a call that has a record.
pub(super) fn replay_or_join(
    context: &AdmissionContext<'_>,
    tool: &CompiledTool,
    key: RecordKey,
    record: Arc<Record>,
) -> StageResult<Admission> {
    mode::check_roles(context, tool)?;
    Ok(match &record.state {
        RecordState::Started => Admission::Join(context.record_location, key, record),
        RecordState::Settled(_) => Admission::Replay(record),
        RecordState::Unknown => Admission::Refuse(outcome_unknown(&tool.id)),
        RecordState::Forgotten { ok } => Admission::Refuse(forgotten(&tool.id, *ok)),
    })
}

fn id_reused(id: &CallId) -> ToolError {
    let message =
        format!("call id `{}` was used in this turn with other arguments; a new call needs a new id", kept_call_id(id));
    ToolError::new(ErrorType::Conflict, message).with_details(json!({ "reason": "call_id_reused" }))
}

/// CONFLICT for a claim whose key belongs to a call with other arguments: a model made two calls under one id, one has
/// run, and a user confirmed the other.
pub(super) fn id_taken(tool: &str) -> ToolError {
    let message = format!("another call has run under this call's id; `{tool}` has not run with these arguments");
    ToolError::new(ErrorType::Conflict, message)
        .with_details(json!({ "reason": "call_id_reused" }))
        .with_suggestion("make the call again with a new id")
}

pub(crate) fn outcome_unknown(tool: &str) -> ToolError {
    let message = format!("this call of `{tool}` was started and its outcome is not known; it is not run again");
    ToolError::new(ErrorType::Conflict, message)
        .with_details(json!({ "outcome": "unknown" }))
        .with_suggestion("find out whether it took effect before calling again")
        .with_side_effects()
}

pub(crate) fn forgotten(tool: &str, ok: bool) -> ToolError {
    let outcome = if ok { "committed" } else { "failed" };
    let message = format!("this call of `{tool}` has run before ({outcome}); its answer is not kept any more");
    ToolError::new(ErrorType::Conflict, message).with_details(json!({ "outcome": outcome }))
}
