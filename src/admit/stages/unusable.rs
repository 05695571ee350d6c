//! Calls that the stages tool and parse refuse: of an unknown tool, without a name, or with arguments that are no JSON
//! object.
//!
//! Such a call never reaches the stages loop guard and budget. What these stages limit, the number of equal calls and
//! the number of calls in a turn, is checked here instead.
//!
//! The refusals are counted in this process, beside the loop guard's history. A store operation for each would make
//! refusals expensive, so the store is asked only when the free ones are used up.

use crate::admit::call::CallHeader;
use crate::admit::context::AdmissionContext;
use crate::admit::decision::Admission;
use crate::admit::stages::{budget, loop_guard};
use crate::call::{RawArgs, RawCall};
use crate::error::{ErrorType, ToolError};
use crate::session::fingerprint::Fingerprint;

/// Whether a refusal counts in the turn's total budget after the first ones.
pub(in crate::admit) const fn is_counted(error: &ToolError) -> bool {
    matches!(error.kind, ErrorType::Validation | ErrorType::NotFound)
}

/// The fingerprint of a call of an unknown tool: its name and its text as received.
pub(in crate::admit) fn fingerprint(context: &AdmissionContext<'_>, call: &RawCall) -> Fingerprint {
    let text = match &call.args {
        RawArgs::Text(text) => text,
        RawArgs::NotJson(problem) => problem,
    };
    Fingerprint::from_raw(context.attachment.session.fingerprint_key, &call.name, text)
}

/// What a refused call ends with.
pub(in crate::admit) enum UnusableEnd {
    /// The refusal, or that of the loop guard.
    Refused(Admission),
    /// The refusal, unless the turn's total budget is used up by the calls of the store and this many refusals.
    UnlessUsedUp(Admission, u32),
}

/// Checks a refused call. The first refused calls of a turn are free.
pub(in crate::admit) fn check(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    counted: Option<&Fingerprint>,
    refused: Admission,
) -> UnusableEnd {
    let (Admission::Refuse(error), Some(call)) = (&refused, counted) else { return UnusableEnd::Refused(refused) };
    if !is_counted(error) {
        return UnusableEnd::Refused(refused);
    }
    if let Err(repeated) = loop_guard::check(context, header, call) {
        return UnusableEnd::Refused(repeated);
    }
    match context.attachment.session.loop_history.lock().refusals_in_budget(header.turn) {
        Some(refusals) => UnusableEnd::UnlessUsedUp(refused, refusals),
        None => UnusableEnd::Refused(refused),
    }
}

/// The end of a refused call in a turn that has made `calls` calls.
pub(in crate::admit) fn with_calls(header: &CallHeader, refused: Admission, refusals: u32, calls: u32) -> Admission {
    let is_used_up = calls.saturating_add(refusals) >= header.mode.total_calls;
    if is_used_up { budget::exceeded_total(&header.mode).into() } else { refused }
}
