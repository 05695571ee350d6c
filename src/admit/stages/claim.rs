//! Stage claim: one atomic store operation. Either the call is recorded as started, the turn debited and the
//! confirmation consumed, or nothing changes.

use std::sync::Arc;

use crate::admit::acts::{duplicate, principal_acts};
use crate::admit::call::{AdmittedCall, CallHeader, CompleteCall, Seal};
use crate::admit::context::{AdmissionContext, RecordLocation};
use crate::admit::decision::{Admission, Counted, StageResult};
use crate::admit::stages::{budget, call_limits, replay, uncertain};
use crate::error::{ErrorType, ToolError};
use crate::json::CanonicalJson;
use crate::registry::CompiledTool;
use crate::session::cache::CacheKey;
use crate::session::fingerprint::canonical_digest;
use crate::session::key::{RecordKey, idempotency_key};
use crate::store::owed::Hold;
use crate::store::reconcile::{CallOrigin, KeptCall};
use crate::store::{Claim, ClaimResult, Claimant, ConfirmedToken, GrantedCall};

/// When the store is asked for the call's record and the used budgets.
///
/// A store that is expensive to ask is asked once, by the claim, which grants only what a look-up would let through. A call
/// that is stopped then begins anew, with a look-up: its record comes before any refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::admit) enum Lookup {
    /// In the stage replay.
    BeforeClaim,
    /// By the claim.
    WithClaim,
}

/// What a user has confirmed.
pub(in crate::admit) struct Confirmed {
    pub(in crate::admit) token: ConfirmedToken,
    /// The epoch of the last equal act that the question named; 0 for none.
    pub(in crate::admit) known_act: u64,
    /// Whether it is not what the question showed, but what its user wants instead.
    pub(in crate::admit) is_edited: bool,
}

/// The request to claim a call. Only a call that the model makes now is budgeted and rate-limited: not the
/// user's act, nor a call that was admitted before.
pub(in crate::admit) fn request(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    key: &RecordKey,
    call: &CompleteCall,
    lookup: Lookup,
    (confirmed, by_grant): (Option<Confirmed>, Option<Arc<GrantedCall>>),
    by_model: bool,
) -> Claim {
    let tool = &call.tool;
    let known_act = confirmed.as_ref().map_or(0, |confirmed| confirmed.known_act);
    Claim {
        session: context.attachment.session.id.clone(),
        key: key.clone(),
        fingerprint: call.fingerprint.clone(),
        tool: Arc::clone(&tool.id),
        call_id: header.call_id.clone(),
        turn: header.turn,
        effect: tool.effect,
        is_retrieval: tool.is_retrieval(),
        budget: by_model.then(|| budget::budget_of_mode(&header.mode, counted_refusals(context, header))),
        limits: if by_model { call_limits::of_session(context, header, tool) } else { Vec::new() },
        consume_token: confirmed.map(|confirmed| confirmed.token),
        by_grant,
        claimant: context.store.lease().and_then(|_| Claimant::this_process()),
        lease_ms: context.store.lease_ms(),
        known_revision: context.attachment.session.state_revision(),
        repeats_answered: replay::repeats_answered(tool, key),
        act: principal_acts::act_in_session(context, call, known_act),
        kept: kept(context, header, call),
        hold: hold(context, header, tool),
        is_looked_up: lookup == Lookup::BeforeClaim,
        now: context.now,
    }
}

/// The admitted call if the claim was granted, or why it was not.
pub(in crate::admit) fn decide(
    context: &AdmissionContext<'_>,
    header: Arc<CallHeader>,
    key: RecordKey,
    call: CompleteCall,
    result: ClaimResult,
) -> StageResult<Box<AdmittedCall>> {
    let tool = &call.tool;
    match result {
        ClaimResult::Granted { epoch, is_held, state, used } => {
            context.attachment.session.update_from_store(state);
            let mut call = admitted(context, header, key, call, epoch);
            (call.is_held, call.used) = (is_held, used);
            Ok(call)
        }
        // The key was claimed meanwhile, by the same call or by another call with the same id.
        ClaimResult::Existing(record) if record.fingerprint.matches(&call.fingerprint) => {
            let stopped = replay::replay_or_join(context, tool, key, record)?;
            Err(uncertain::with_args_of(stopped, &call))
        }
        ClaimResult::Counted { question, is_new } => {
            Err(Admission::Counted(question, if is_new { Counted::Now } else { Counted::Before }))
        }
        ClaimResult::Duplicate(done) => Err(duplicate::refused(tool, done.summary()).into()),
        ClaimResult::Existing(_) => Err(replay::id_taken(&tool.id).into()),
        // A claim without a look-up is looked up next. Any other came at once with an equal call under an id.
        ClaimResult::NotLookedUp => {
            let message = format!("an equal call of `{}` was made at the same time; try again", tool.id);
            Err(ToolError::new(ErrorType::Transient, message).retryable_after(None).into())
        }
        ClaimResult::OverBudget(mut seen) => {
            seen.total_calls = seen.total_calls.saturating_add(counted_refusals(context, &header));
            Err(budget::exceeded(&header.mode, tool, &seen).into())
        }
        ClaimResult::OverLimit(reached) => Err(call_limits::refusal(context, &header, tool, &reached).into()),
        ClaimResult::ConfirmationNotPending | ClaimResult::NotGranted => Err(no_longer_open()),
    }
}

/// The refusal of a confirmation that was closed after it was read.
pub(in crate::admit) fn no_longer_open() -> Admission {
    ToolError::new(ErrorType::ConfirmationExpired, "this confirmation is not open any more").into()
}

/// What is kept with the record for a reconcile.
fn kept(context: &AdmissionContext<'_>, header: &CallHeader, call: &CompleteCall) -> Option<Arc<KeptCall>> {
    if !call.tool.is_reconciled() {
        return None;
    }
    let origin = CallOrigin {
        repaired: header.repaired.clone(),
        edited: header.edited.clone(),
        defaulted: call.defaulted.clone(),
        clamped: call.clamped.clone(),
        grant: None,
    };
    let session = context.attachment.session.id.as_str().into();
    Some(Arc::new(KeptCall { session, args: uncertain::kept_args(&call.tool, &call.tape), origin, counterpart: None }))
}

/// Who holds the call's result until the model has it: the attachment that makes or confirms a write, if it asks for that. A call that may run
/// again is asked for again; a call without an id can't be accepted.
fn hold(context: &AdmissionContext<'_>, header: &CallHeader, tool: &CompiledTool) -> Option<Hold> {
    let is_direct = header.parent.is_none() && context.record_location == RecordLocation::Store;
    let is_held =
        context.attachment.holds_writes && is_direct && header.call_id.is_some() && !tool.effect.runs_again_when_lost();
    is_held.then(|| Hold {
        by: context.attachment.delivery().id,
        running: Arc::new(header.running_answer(context.now)),
        keep_ms: context.owed_result_ms,
    })
}

/// The refusals of the turn that its total budget counts.
fn counted_refusals(context: &AdmissionContext<'_>, header: &CallHeader) -> u32 {
    context.attachment.session.loop_history.lock().refusals_in_budget(header.turn).unwrap_or_default()
}

/// The call that may run. Its claim is stored.
fn admitted(
    context: &AdmissionContext<'_>,
    header: Arc<CallHeader>,
    key: RecordKey,
    call: CompleteCall,
    epoch: u64,
) -> Box<AdmittedCall> {
    let tool = call.tool;
    Box::new(AdmittedCall {
        cache: tool.cache().map(|_| CacheKey {
            tool: Arc::clone(&tool.id),
            version: Arc::clone(&tool.version),
            mode: Arc::clone(&header.mode.name),
            args: canonical_digest(&CanonicalJson::from_node(call.tape.root())),
        }),
        idempotency_key: idempotency_key(&context.attachment.session.id, &tool.id, &key),
        header,
        fingerprint: call.fingerprint,
        args: call.tape.into_text().into(),
        defaulted: call.defaulted,
        clamped: call.clamped,
        key,
        epoch,
        record_location: context.record_location,
        tool,
        reservation: None,
        reserving: None,
        does_again: false,
        question: None,
        given: None,
        used: None,
        answers_at_once: false,
        is_held: false,
        _seal: Seal(()),
    })
}
