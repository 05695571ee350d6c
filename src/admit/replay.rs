//! Rung 4: the same call seen before is answered from its record; one still running is joined. Roles are checked
//! again, nothing is debited.

use std::sync::Arc;

use serde_json::json;

use super::{Admission, Desk, Header, Identity, ParsedCall, Rung, loops, mode};
use crate::call::CallId;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::{CallLookup, CallLookupResult, Record, RecordState};

/// The key under which the call is recorded, with what has been used up; or the earlier call's answer.
pub(super) async fn find(
    desk: &Desk<'_>,
    header: &Header,
    parsed: &ParsedCall,
    counted: &mut Option<Fingerprint>,
) -> Rung<(RecordKey, CallLookupResult)> {
    match &parsed.identity {
        Identity::Content(key) => by_content(desk, header, parsed, key).await,
        Identity::Within(key) => {
            let seen = look(desk, header, &parsed.tool, key).await?;
            let Some(record) = seen.record.clone() else { return Ok((key.clone(), seen)) };
            *counted = None;
            Err(known(desk, &parsed.tool, key.clone(), record)?)
        }
        Identity::Named(id) => match by_id(desk, header, parsed, id).await? {
            Found::Nothing(key, seen) => Ok((key, *seen)),
            Found::Record(key, record) => {
                *counted = None;
                Err(known(desk, &parsed.tool, key, record)?)
            }
        },
    }
}

async fn by_content(
    desk: &Desk<'_>,
    header: &Header,
    parsed: &ParsedCall,
    key: &RecordKey,
) -> Rung<(RecordKey, CallLookupResult)> {
    let seen = look(desk, header, &parsed.tool, key).await?;
    let Some(record) = seen.record.clone() else { return Ok((key.clone(), seen)) };
    loops::check(desk, header, &parsed.fingerprint)?;
    Err(known(desk, &parsed.tool, key.clone(), record)?)
}

enum Found {
    Nothing(RecordKey, Box<CallLookupResult>),
    Record(RecordKey, Arc<Record>),
}

async fn by_id(desk: &Desk<'_>, header: &Header, parsed: &ParsedCall, id: &CallId) -> Rung<Found> {
    let key = RecordKey::from_provider_id(id);
    let seen = look(desk, header, &parsed.tool, &key).await?;
    match seen.record.clone() {
        Some(record) if record.fingerprint.matches(&parsed.fingerprint) => Ok(Found::Record(key, record)),
        Some(record) if record.turn == header.turn => Err(reused(id).into()),
        Some(_) => later_turn(desk, header, parsed, id).await,
        None if seen.calls_without_id > 0 => {
            let unnamed = RecordKey::from_content(header.turn, &parsed.tool.id, &parsed.args.canonical());
            match desk.store.alias_record(&desk.attachment.session.id, &unnamed, &key).await? {
                Some(record) => Ok(Found::Record(unnamed, record)),
                None => Ok(Found::Nothing(key, Box::new(seen))),
            }
        }
        None => Ok(Found::Nothing(key, Box::new(seen))),
    }
}

/// In a later turn the same id with other arguments is a new call.
async fn later_turn(desk: &Desk<'_>, header: &Header, parsed: &ParsedCall, id: &CallId) -> Rung<Found> {
    let key = RecordKey::from_provider_id_in_turn(id, header.turn);
    let seen = look(desk, header, &parsed.tool, &key).await?;
    match seen.record.clone() {
        Some(record) if record.fingerprint.matches(&parsed.fingerprint) => Ok(Found::Record(key, record)),
        Some(_) => Err(reused(id).into()),
        None => Ok(Found::Nothing(key, Box::new(seen))),
    }
}

async fn look(desk: &Desk<'_>, header: &Header, tool: &CompiledTool, key: &RecordKey) -> Rung<CallLookupResult> {
    let look = CallLookup {
        session: &desk.attachment.session.id,
        key,
        turn: header.turn,
        tool: &tool.id,
        rate_limit: tool.definition.rate_limit,
        known_revision: desk.attachment.session.state_revision(),
        now: desk.now,
    };
    let mut seen = desk.store.look_up(look).await?;
    desk.attachment.session.update_from_store(seen.state.take());
    Ok(seen)
}

/// How a call that is recorded already is answered.
pub(super) fn known(desk: &Desk<'_>, tool: &CompiledTool, key: RecordKey, record: Arc<Record>) -> Rung<Admission> {
    mode::check_roles(desk, tool)?;
    Ok(match &record.state {
        RecordState::Started => Admission::Join(key, record),
        RecordState::Settled(_) => Admission::Replay(record),
        RecordState::Unknown => Admission::Refuse(outcome_unknown(&tool.id)),
        RecordState::Forgotten { ok } => Admission::Refuse(forgotten(&tool.id, *ok)),
    })
}

fn reused(id: &CallId) -> ToolError {
    let message = format!("call id `{id}` was used in this turn with other arguments; a new call needs a new id");
    ToolError::new(ErrorType::Conflict, message).with_details(json!({ "reason": "call_id_reused" }))
}

/// A claim whose key belongs to a call with other arguments: a user agrees to one of two calls that a model made under
/// one id, and the other one has run.
pub(super) fn taken(tool: &str) -> ToolError {
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
