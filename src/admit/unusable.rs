//! Calls that the stages tool and parse refuse: of an unknown tool, without a name, or with arguments that are no JSON
//! object.
//!
//! Such a call never reaches the stages loop guard and budget. What these stages limit, the number of equal calls and
//! the number of calls in a turn, is checked here instead.

use super::{Admission, AdmissionContext, CallHeader, budget, loop_guard};
use crate::call::{RawArgs, RawCall};
use crate::error::{ErrorType, ToolError};
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::CallLookup;

/// Whether a refusal counts in the turn's total budget after the first ones.
pub(super) const fn is_counted(error: &ToolError) -> bool {
    matches!(error.kind, ErrorType::Validation | ErrorType::NotFound)
}

/// The fingerprint of a call of an unknown tool: its name and its text as received.
pub(super) fn fingerprint(context: &AdmissionContext<'_>, call: &RawCall) -> Fingerprint {
    let text = match &call.args {
        RawArgs::Text(text) | RawArgs::Kept(text, _) => text,
        RawArgs::NotJson(problem) => problem,
    };
    Fingerprint::from_raw(context.attachment.session.fingerprint_key, &call.name, text)
}

/// The end of a refused call: its refusal, or that of the loop guard or of the turn's total budget.
pub(super) async fn check(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    counted: Option<&Fingerprint>,
    refused: Admission,
) -> Admission {
    let (Admission::Refuse(error), Some(call)) = (&refused, counted) else { return refused };
    if !is_counted(error) {
        return refused;
    }
    if let Err(repeated) = loop_guard::check(context, header, call) {
        return repeated;
    }
    if is_total_used_up(context, header).await { budget::exceeded_total(&header.mode).into() } else { refused }
}

/// Whether the turn has no call left. The first refused calls of a turn are free, and need no look-up.
async fn is_total_used_up(context: &AdmissionContext<'_>, header: &CallHeader) -> bool {
    let session = &context.attachment.session;
    let Some(refused) = session.loop_history.lock().refusals_in_budget(header.turn) else { return false };
    let lookup = CallLookup {
        session: &session.id,
        // No call has this key, since an empty id is not stable: only the counters are of interest.
        key: &RecordKey::from_provider_id(&"".into()),
        turn: header.turn,
        tool: "",
        rate_limit: None,
        known_revision: session.state_revision(),
        now: context.now,
    };
    // If the store fails, the refusal itself is the answer.
    let Ok(seen) = context.store.look_up(lookup).await else { return false };
    session.update_from_store(seen.state);
    seen.total_calls.saturating_add(refused) >= header.mode.total_calls
}
