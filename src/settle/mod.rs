//! Settling: what came of a call is normalized, checked, capped, and said. The order stands in [`outcome`]; the gate
//! then applies intents, records, tells the observers and answers, in that order, so that whoever hears the answer
//! finds the record.

pub mod answer;
mod handler_error;
mod normalize;

use std::sync::Arc;

use serde_json::Value;

use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::response::{Outcome, Truncated};
use crate::run::HandlerOutcome;
use crate::run::retry::TransientFailure;
use crate::session::intent::Intent;
use crate::session::policy::Mode;
use crate::session::state::Farewell;

/// When a call that waited in vain may come again, in milliseconds.
const RETRY_AFTER_MS: u64 = 1000;

/// What a handler's end means, checked and ready to be told.
#[derive(Debug)]
pub struct NormalizedOutcome {
    /// The answer without its meta.
    pub outcome: Outcome,
    /// What it wants to happen to the session, in order.
    pub intents: Vec<Intent>,
    /// What the end of a voice session would say.
    pub farewell: Farewell,
    /// What was left out of its data.
    pub truncated: Option<Truncated>,
    /// All of its data, where something was left out and it may be kept.
    pub full: Option<Arc<str>>,
    /// What was wrong with it and did not matter.
    pub warnings: Vec<String>,
    /// Where it is a failure that another attempt may not meet.
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

/// Normalizes, checks against `resultSchema`, caps.
#[must_use]
pub fn outcome(tool: &CompiledTool, mode: &Mode, from: HandlerOutcome) -> NormalizedOutcome {
    let text = match from {
        HandlerOutcome::Returned(text) => text,
        HandlerOutcome::Nothing => return invalid_result(tool, "it returned nothing").into(),
        HandlerOutcome::NotJson(problem) => {
            return invalid_result(tool, &format!("its result is not JSON: {problem}")).into();
        }
        HandlerOutcome::Threw(thrown) => {
            let (error, passing) = handler_error::to_tool_error(tool, *thrown);
            return NormalizedOutcome { passing, ..error.into() };
        }
    };
    let limit = tool.definition.result_limit_bytes.unwrap_or(mode.result_limit_bytes);
    match normalize::result(tool, text, limit) {
        Ok(normalized) => normalized,
        Err(problem) => invalid_result(tool, &problem).into(),
    }
}

/// INTERNAL for a handler that broke its contract. What it did before is not known.
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
        .retryable_after(Some(RETRY_AFTER_MS))
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
