//! Answers: an outcome with the meta of the call that gets it.

use std::sync::Arc;

use serde_json::json;

use crate::admit::{AdmittedCall, CallHeader, RecordLocation};
use crate::clock::EpochMs;
use crate::error::{ErrorType, ToolError};
use crate::response::{Meta, Outcome, ToolResponse, Truncated};
use crate::run::execution::{CancellationEffect, CancelledCall};
use crate::session::cache::CachedResult;

/// The answer to a call that did not run.
#[must_use]
pub fn refused(header: &CallHeader, error: ToolError, now: EpochMs) -> ToolResponse {
    // What was changed is said of what ran, or is asked about.
    let is_told = error.kind == ErrorType::ConfirmationRequired || error.partial_side_effects;
    let mut meta = header.meta(now);
    if !is_told {
        meta.edited.clear();
    }
    ToolResponse { outcome: error.into(), meta }
}

/// The answer to a call that ran.
#[must_use]
pub fn executed(
    call: &AdmittedCall,
    attempts: u32,
    outcome: Outcome,
    truncated: Option<Truncated>,
    mut warnings: Vec<String>,
    now: EpochMs,
) -> ToolResponse {
    if call.record_location == RecordLocation::Process {
        warnings.push("store_unavailable".to_owned());
    }
    let meta = Meta {
        attempts: Some(attempts),
        idempotency_key: Some(Arc::clone(&call.idempotency_key)),
        clamped: call.clamped.clone(),
        defaulted: call.defaulted.clone(),
        truncated,
        warnings,
        ..call.header.meta(now)
    };
    ToolResponse { outcome, meta }
}

/// The answer to a call with a cached result.
#[must_use]
pub fn from_cache(call: &AdmittedCall, cached: CachedResult, now: EpochMs) -> ToolResponse {
    let CachedResult { outcome, truncated, source_idempotency_key: _ } = cached;
    let mut response = executed(call, 0, outcome, truncated, Vec::new(), now);
    response.meta.attempts = None;
    response.meta.cached = true;
    response
}

/// The answer to a call that was recorded before, or that joined a running one: no handler ran for it.
#[must_use]
pub fn replayed(header: &CallHeader, first: &ToolResponse, original_turn: u32, now: EpochMs) -> ToolResponse {
    let mut response = joined(header, first, now);
    response.meta.idempotent_cache_hit = true;
    response.meta.original_turn = Some(original_turn);
    response
}

/// The answer to a call that joined an execution whose own caller was cancelled: the handler ran for this call.
#[must_use]
pub fn joined(header: &CallHeader, first: &ToolResponse, now: EpochMs) -> ToolResponse {
    let Meta { duration, timestamp, call_id, mode, turn, parent_call_id, edited, reconciled, .. } = header.meta(now);
    let reconciled = reconciled.or(first.meta.reconciled);
    let mut meta = Meta { duration, timestamp, call_id, mode, turn, parent_call_id, reconciled, ..first.meta.clone() };
    // Its user has changed this call into one that was made before.
    if header.duplicate_of.is_some() && !edited.is_empty() {
        meta.edited = edited;
    }
    ToolResponse { outcome: first.outcome.clone(), meta }
}

/// CANCELLED, with the effect on the execution.
#[must_use]
pub fn cancelled(header: &CallHeader, cancelled: &CancelledCall, now: EpochMs) -> ToolResponse {
    let what = match cancelled.effect {
        CancellationEffect::Aborted => "nothing was done",
        CancellationEffect::Continues => "the same call goes on for others",
        CancellationEffect::Unknown => "it had been started; what came of it is not known yet",
    };
    let mut error = ToolError::new(ErrorType::Cancelled, format!("`{}` was cancelled: {what}", header.name))
        .with_details(json!({ "outcome": cancelled.effect.as_str(), "reason": cancelled.reason }));
    error.partial_side_effects = cancelled.effect == CancellationEffect::Unknown;
    refused(header, error, now)
}
