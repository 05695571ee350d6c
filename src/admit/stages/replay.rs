//! Stage replay: a recorded call is answered from its record; a running one is joined. Roles are checked again, nothing
//! is debited.

use std::sync::Arc;

use serde_json::json;

use crate::admit::args::parse::{CallIdentity, ParsedCall};
use crate::admit::call::CallHeader;
use crate::admit::context::AdmissionContext;
use crate::admit::decision::{Admission, StageResult};
use crate::admit::stages::{loop_guard, mode, uncertain};
use crate::call::{CallId, SessionId};
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, idempotency_key, kept_call_id};
use crate::store::{CallLookup, CallLookupResult, Record, RecordState};

/// The search for a call's record: one look-up after another, until the call is found or known to be new.
pub(in crate::admit) struct Search<'a> {
    header: &'a CallHeader,
    parsed: &'a ParsedCall,
    key: RecordKey,
    /// Whether the call's id was used in an earlier turn: in a later turn the same id with other arguments is a new call.
    is_id_reused: bool,
}

/// What a look-up leads to.
pub(in crate::admit) enum SearchStep<'a> {
    /// The record of this call.
    Found(RecordKey, Arc<Record>),
    /// The call is new.
    New(RecordKey, CallLookupResult),
    /// The next key has to be looked up.
    LookUp(Search<'a>),
    /// The call may be one that was recorded without an id, under `unnamed`; its own key is `named`.
    Alias { unnamed: RecordKey, named: RecordKey, seen: CallLookupResult },
}

impl<'a> Search<'a> {
    pub(in crate::admit) fn new(header: &'a CallHeader, parsed: &'a ParsedCall) -> Self {
        Self { header, parsed, key: first_key(parsed), is_id_reused: false }
    }

    /// The key to look up.
    pub(in crate::admit) const fn key(&self) -> &RecordKey {
        &self.key
    }

    /// What the call is known by, if it has no usable id.
    pub(in crate::admit) fn content(&self) -> Option<Fingerprint> {
        matches!(self.parsed.identity, CallIdentity::Content(_)).then(|| self.parsed.fingerprint.clone())
    }

    /// Goes on with what was seen under the key.
    pub(in crate::admit) fn seen(self, seen: CallLookupResult) -> StageResult<SearchStep<'a>> {
        let Self { header, parsed, key, is_id_reused } = self;
        let CallIdentity::ProviderId(id) = &parsed.identity else {
            return Ok(match seen.record.clone() {
                Some(record) if repeats_answered(&parsed.tool, &key) && record.state.is_answered() => {
                    SearchStep::New(key, seen)
                }
                Some(record) => SearchStep::Found(seen.named.unwrap_or(key), record),
                None => SearchStep::New(key, seen),
            });
        };
        match seen.record.clone() {
            Some(record) if record.fingerprint.matches(&parsed.fingerprint) => Ok(SearchStep::Found(key, record)),
            Some(record) if is_id_reused || record.turn == header.turn => Err(id_reused(id).into()),
            Some(_) => {
                let key = RecordKey::from_provider_id_in_turn(id, header.turn);
                Ok(SearchStep::LookUp(Self { header, parsed, key, is_id_reused: true }))
            }
            // A repeatable call with a new id is no repeat of one without an id.
            None if seen.calls_without_id > 0 && !is_id_reused && !parsed.tool.is_repeatable() => {
                let unnamed = RecordKey::from_content(header.turn, &parsed.tool.id, &parsed.args.canonical());
                Ok(SearchStep::Alias { unnamed, named: key, seen })
            }
            None => Ok(SearchStep::New(key, seen)),
        }
    }
}

/// Whether a call runs although an equal one has been answered: by its content it is known only while the other runs.
pub(in crate::admit) fn repeats_answered(tool: &CompiledTool, key: &RecordKey) -> bool {
    tool.is_repeatable() && key.is_of_content()
}

/// The key under which a call is recorded, unless its id was used before.
pub(in crate::admit) fn first_key(parsed: &ParsedCall) -> RecordKey {
    match &parsed.identity {
        CallIdentity::Content(key) | CallIdentity::Position(key) => key.clone(),
        CallIdentity::ProviderId(id) => RecordKey::from_provider_id(id),
    }
}

/// Whether a repeat of the call counts for the loop guard: under a hash of its content it does; with an id it counts
/// nowhere.
pub(in crate::admit) const fn is_counted(parsed: &ParsedCall) -> bool {
    matches!(parsed.identity, CallIdentity::Content(_))
}

/// The answer to a call whose record was found.
pub(in crate::admit) fn found(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    parsed: &ParsedCall,
    (key, record): (RecordKey, Arc<Record>),
) -> StageResult<Admission> {
    if is_counted(parsed) {
        loop_guard::check(context, header, &parsed.fingerprint)?;
    }
    replay_or_join(context, &parsed.tool, key, record)
}

/// The look-up of a call's record and the used budgets.
pub(in crate::admit) fn lookup(context: &AdmissionContext<'_>, header: &CallHeader, key: &RecordKey) -> CallLookup {
    CallLookup {
        session: context.attachment.session.id.clone(),
        key: key.clone(),
        turn: header.turn,
        limits: Vec::new(),
        known_revision: context.attachment.session.state_revision(),
        act: None,
        content: None,
        now: context.now,
    }
}

/// Takes over what a look-up says of the session: its state, and the turn's calls with the refusals that count.
pub(in crate::admit) fn take_over(context: &AdmissionContext<'_>, header: &CallHeader, seen: &mut CallLookupResult) {
    let session = &context.attachment.session;
    session.update_from_store(seen.state.take());
    let refusals = session.loop_history.lock().refusals_in_budget(header.turn).unwrap_or_default();
    seen.total_calls = seen.total_calls.saturating_add(refusals);
}

/// The answer to a call that has a record.
pub(in crate::admit) fn replay_or_join(
    context: &AdmissionContext<'_>,
    tool: &Arc<CompiledTool>,
    key: RecordKey,
    record: Arc<Record>,
) -> StageResult<Admission> {
    mode::check_roles(context, tool)?;
    if let Some(first) = uncertain::reconcile(context, tool, &key, &record) {
        return Ok(first);
    }
    Ok(match &record.state {
        RecordState::Started => Admission::Join(context.record_location, key, record),
        RecordState::Settled(_) => Admission::Replay(key, record),
        RecordState::Unknown => Admission::Refuse(outcome_unknown(&tool.id)),
        RecordState::Forgotten { ok } => {
            let ran_as = ran_as(&context.attachment.session.id, &tool.id, (&key, &record));
            Admission::Refuse(forgotten(&tool.id, *ok, ran_as.as_deref()))
        }
    })
}

fn id_reused(id: &CallId) -> ToolError {
    let message =
        format!("call id `{}` was used in this turn with other arguments; a new call needs a new id", kept_call_id(id));
    ToolError::new(ErrorType::Conflict, message).with_details(json!({ "reason": "call_id_reused" }))
}

/// CONFLICT for a claim whose key belongs to a call with other arguments: a model made two calls under one id, one has
/// run, and a user confirmed the other.
pub(in crate::admit) fn id_taken(tool: &str) -> ToolError {
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

/// The idempotency key of a record that was found under this key. `None` if that may be the key of a repeat: a record without an
/// id is found by the id of one, too.
pub(crate) fn ran_as(session: &SessionId, tool: &str, (key, record): (&RecordKey, &Record)) -> Option<Arc<str>> {
    let is_its_own = key.is_of_content() || record.call_id.is_some();
    is_its_own.then(|| idempotency_key(session, tool, key))
}

/// CONFLICT for a call that has run, and whose answer is not kept. `ran_as` is the idempotency key by which the service knows it.
pub(crate) fn forgotten(tool: &str, ok: bool, ran_as: Option<&str>) -> ToolError {
    let outcome = if ok { "committed" } else { "failed" };
    let message = format!("this call of `{tool}` has run before ({outcome}); its answer is not kept any more");
    let details = match ran_as {
        Some(key) => json!({ "outcome": outcome, "idempotencyKey": key }),
        None => json!({ "outcome": outcome }),
    };
    ToolError::new(ErrorType::Conflict, message).with_details(details)
}
