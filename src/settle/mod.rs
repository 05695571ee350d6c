//! Settling: normalizes, checks and caps the outcome of a handler (the order is in [`outcome`]), and builds the answer.
//!
//! The gate then applies the intents, records, notifies the observers and answers, in this order: once the answer is
//! there, so is the record.

pub mod answer;
mod failure_cap;
mod handler_error;
mod normalize;
mod result_members;
mod returned_failure;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use crate::admit::NO_SLOT_RETRY_AFTER_MS;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::response::{Outcome, Truncated};
use crate::run::retry::TransientFailure;
use crate::run::{HandlerError, HandlerOutcome};
use crate::session::intent::Intent;
use crate::session::policy::Mode;
use crate::session::state::Farewell;

/// The normalized outcome of a handler: checked and capped.
#[derive(Debug)]
pub struct NormalizedOutcome {
    /// The response without its meta.
    pub outcome: Outcome,
    /// The requested session intents, in order.
    pub intents: Vec<Intent>,
    /// The farewell, should the voice session end.
    pub farewell: Farewell,
    /// The omitted part of the data.
    pub truncated: Option<Truncated>,
    /// The full data, if a part was omitted and the data may be kept.
    pub full: Option<Arc<str>>,
    /// Problems of the result that do not invalidate it.
    pub warnings: Vec<String>,
    /// Set if the outcome is a failure after which another attempt may succeed.
    pub transient_failure: Option<TransientFailure>,
}

impl NormalizedOutcome {
    /// An outcome without intents and warnings.
    fn plain(outcome: Outcome) -> Self {
        Self {
            outcome,
            intents: Vec::new(),
            farewell: Farewell::default(),
            truncated: None,
            full: None,
            warnings: Vec::new(),
            transient_failure: None,
        }
    }

    /// A failure, capped to `limit_bytes`, with the intents' JSON text.
    fn failed(error: ToolError, intents_text: &str, limit_bytes: u64, mut warnings: Vec<String>) -> Self {
        let error = failure_cap::cap(error, limit_bytes, &mut warnings);
        Self { warnings, ..Self::plain(Outcome::failure(error, intents_text)) }
    }
}

impl From<ToolError> for NormalizedOutcome {
    fn from(error: ToolError) -> Self {
        Self::plain(error.into())
    }
}

impl Default for NormalizedOutcome {
    /// A success without data.
    fn default() -> Self {
        Self::plain(Outcome::success(None, "[]"))
    }
}

/// Normalizes the outcome, checks it against `resultSchema`, and caps its data or its failure. A result of more than
/// `max_result_bytes` of JSON text is not read.
#[must_use]
pub fn normalize_outcome(
    tool: &CompiledTool,
    mode: &Mode,
    max_result_bytes: usize,
    from: HandlerOutcome,
) -> NormalizedOutcome {
    let limit = tool.definition.result_limit_bytes.unwrap_or(mode.result_limit_bytes);
    let invalid = |problem: &str| NormalizedOutcome::failed(invalid_result(tool, problem), "[]", limit, Vec::new());
    match from {
        HandlerOutcome::Returned(text) if text.len() <= max_result_bytes => {
            normalize::parse_result(tool, text, limit).unwrap_or_else(|problem| invalid(&problem))
        }
        HandlerOutcome::ReturnedWithLoss { text, warning } if text.len() <= max_result_bytes => {
            let mut outcome = normalize::parse_result(tool, text, limit).unwrap_or_else(|problem| invalid(&problem));
            outcome.warnings.push(warning);
            outcome
        }
        HandlerOutcome::Returned(_) | HandlerOutcome::ReturnedWithLoss { .. } | HandlerOutcome::TooLarge => {
            invalid(&format!("its result is too large: a handler may return at most {max_result_bytes} bytes of JSON"))
        }
        HandlerOutcome::Nothing => invalid("it returned nothing"),
        HandlerOutcome::Left => invalid("it was left to be completed, by what completes it"),
        HandlerOutcome::NotJson { problem, path } => {
            NormalizedOutcome::failed(not_json(tool, &problem, path), "[]", limit, Vec::new())
        }
        HandlerOutcome::Threw(thrown) => {
            let dropped = thrown.details_too_large.then(|| "`error.details` was dropped: it is too large".to_owned());
            let (error, passing) = handler_error::to_tool_error(tool, *thrown);
            NormalizedOutcome {
                transient_failure: passing,
                ..NormalizedOutcome::failed(error, "[]", limit, dropped.into_iter().collect())
            }
        }
    }
}

/// What a handler's function throws, as the answer to its call, capped.
#[must_use]
pub fn thrown_error(tool: &CompiledTool, thrown: HandlerError) -> ToolError {
    let limit = tool.definition.result_limit_bytes.unwrap_or(u64::MAX);
    failure_cap::cap(handler_error::to_tool_error(tool, thrown).0, limit, &mut Vec::new())
}

/// INTERNAL for a handler that broke its contract.
fn invalid_result(tool: &CompiledTool, problem: &str) -> ToolError {
    internal(tool, format!("`{}` gave no usable answer: {problem}", tool.id))
}

/// INTERNAL for a result that can't be written as JSON. The handler has ended: a write must not be made again for its answer.
fn not_json(tool: &CompiledTool, problem: &str, path: Option<String>) -> ToolError {
    let mut details = serde_json::json!({ "reason": "result_not_json" });
    if let (Value::Object(details), Some(path)) = (&mut details, path) {
        details.insert("path".to_owned(), path.into());
    }
    let error = invalid_result(tool, &format!("its result is not JSON: {problem}")).with_details(details);
    if tool.effect.may_leave_effects() { error.with_suggestion("it has run: do not call it again") } else { error }
}

/// INTERNAL after a handler was started: whether a write had its effect is unknown.
fn internal(tool: &CompiledTool, message: String) -> ToolError {
    let error = ToolError::new(ErrorType::Internal, message);
    if tool.effect.may_leave_effects() { error.with_side_effects() } else { error }
}

/// TRANSIENT for a call that found no slot in time: it has not run.
#[must_use]
pub fn queue_timed_out(tool: &CompiledTool, waited_ms: u64) -> ToolError {
    let message =
        format!("`{}` has not run: it waited {waited_ms} ms behind other calls; try again in a moment", tool.id);
    ToolError::new(ErrorType::Transient, message)
        .with_details(serde_json::json!({ "reason": "queue_timeout", "waitedMs": waited_ms }))
        .retryable_after(Some(NO_SLOT_RETRY_AFTER_MS))
}

/// TRANSIENT for a call that did not end before its deadline.
#[must_use]
pub fn timed_out(tool: &CompiledTool, timeout_ms: u64) -> ToolError {
    let message = format!("`{}` did not answer within {timeout_ms} ms", tool.id);
    let mut error = ToolError::new(ErrorType::Transient, message);
    let mut details = serde_json::json!({ "reason": "timeout", "timeoutMs": timeout_ms });
    if tool.effect.may_leave_effects() {
        error.partial_side_effects = true;
        error.suggestion = Some("find out whether it took effect before calling again".to_owned());
        if let Value::Object(details) = &mut details {
            details.insert("outcome".to_owned(), "unknown".into());
        }
    } else {
        error.retryable = true;
    }
    error.with_details(details)
}
