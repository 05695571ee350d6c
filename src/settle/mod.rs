//! Settling: normalizes, checks and caps the outcome of a handler (the order is in [`outcome`]), and builds the answer.
//!
//! The gate then applies the intents, records, notifies the observers and answers, in this order: once the answer is
//! there, so is the record.

pub mod answer;
mod handler_error;
mod normalize;

use std::sync::Arc;

use serde_json::Value;

use crate::admit::NO_SLOT_RETRY_AFTER_MS;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::response::{Outcome, Truncated};
use crate::run::HandlerOutcome;
use crate::run::retry::TransientFailure;
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
    pub passing: Option<TransientFailure>,
}

impl From<ToolError> for NormalizedOutcome {
    fn from(error: ToolError) -> Self {
        Self {
            outcome: error.into(),
            intents: Vec::new(),
            farewell: Farewell::default(),
            truncated: None,
            full: None,
            warnings: Vec::new(),
            passing: None,
        }
    }
}

/// Normalizes the outcome, checks it against `resultSchema`, and caps its data.
#[must_use]
pub fn outcome(tool: &CompiledTool, mode: &Mode, from: HandlerOutcome) -> NormalizedOutcome {
    let text = match from {
        HandlerOutcome::Returned(text) => text,
        HandlerOutcome::Nothing => return invalid_result(tool, "it returned nothing").into(),
        HandlerOutcome::NotJson(problem) => {
            return invalid_result(tool, &format!("its result is not JSON: {problem}")).into();
        }
        HandlerOutcome::Threw(thrown) => {
            let (error, transient_failure) = handler_error::to_tool_error(tool, *thrown);
            return NormalizedOutcome { passing: transient_failure, ..error.into() };
        }
    };
    let limit = tool.definition.result_limit_bytes.unwrap_or(mode.result_limit_bytes);
    match normalize::result(tool, text, limit) {
        Ok(normalized) => normalized,
        Err(problem) => invalid_result(tool, &problem).into(),
    }
}

/// INTERNAL for a handler that broke its contract. Whether it had effects is unknown.
fn invalid_result(tool: &CompiledTool, problem: &str) -> ToolError {
    ToolError::new(ErrorType::Internal, format!("`{}` gave no usable answer: {problem}", tool.id)).with_side_effects()
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
