//! A thrown value as an error of the contract.

use std::time::Duration;

use crate::error::{Details, ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::run::HandlerError;
use crate::run::retry::TransientFailure;

/// Codes of transient network failures, as Node.js and undici name them.
const TRANSIENT_CODES: [&str; 7] =
    ["ECONNRESET", "ETIMEDOUT", "ECONNREFUSED", "EAI_AGAIN", "EPIPE", "ENOTFOUND", "EHOSTUNREACH"];

/// What messages of transient failures contain, in lower case.
const TRANSIENT_WORDS: [&str; 14] = [
    "network",
    "timeout",
    "timed out",
    "econnreset",
    "econnrefused",
    "etimedout",
    "epipe",
    "eai_again",
    "enotfound",
    "ehostunreach",
    "socket hang up",
    "fetch failed",
    "temporarily unavailable",
    "service unavailable",
];

/// Converts a thrown value. Returns a [`TransientFailure`] too if another attempt may succeed: after a TRANSIENT or
/// RATE_LIMIT without `retryable: false`, and after a network failure. Never after any other type, even with
/// `retryable: true`: a retryable CONFLICT or AUTH is for the model to repeat, with something changed.
pub(super) fn to_tool_error(tool: &CompiledTool, thrown: HandlerError) -> (ToolError, Option<TransientFailure>) {
    let named = thrown.kind.as_deref().and_then(ErrorType::parse).filter(|kind| kind.may_come_from_a_handler());
    let failure = TransientFailure { retry_after: retry_after_ms(&thrown).map(Duration::from_millis) };
    match named {
        Some(kind @ (ErrorType::Transient | ErrorType::RateLimit)) if thrown.retryable != Some(false) => {
            (to_typed_error(tool, kind, thrown), Some(failure))
        }
        Some(kind) => (to_typed_error(tool, kind, thrown), None),
        None if is_transient(tool, &thrown) => (network_error(tool, &thrown), Some(failure)),
        None if thrown.partial_side_effects == Some(false) => (ToolError::new(ErrorType::Internal, failed(tool)), None),
        None => (super::internal(tool, failed(tool)), None),
    }
}

fn to_typed_error(tool: &CompiledTool, kind: ErrorType, thrown: HandlerError) -> ToolError {
    // A write that lost its connection may have happened, unless its handler sets `partialSideEffects: false` or
    // `retryable: true`.
    let doubtful = kind == ErrorType::Transient && tool.effect.may_leave_effects() && thrown.retryable != Some(true);
    let partial_side_effects = thrown.partial_side_effects.unwrap_or(doubtful);
    let usual = match kind {
        ErrorType::Transient => !partial_side_effects,
        ErrorType::RateLimit => true,
        _ => false,
    };
    ToolError {
        retryable: thrown.retryable.unwrap_or(usual),
        partial_side_effects,
        retry_after_ms: retry_after_ms(&thrown),
        details: thrown.details.map(Details::from),
        suggestion: thrown.suggestion,
        idempotency_required: thrown.idempotency_required,
        ..ToolError::new(kind, thrown.message)
    }
}

/// The delay before a retry: `retryAfterMs`, or `retryAfter` in seconds.
fn retry_after_ms(thrown: &HandlerError) -> Option<u64> {
    thrown.retry_after_ms.or_else(|| thrown.retry_after.map(|seconds| seconds * 1000.0)).map(whole_ms)
}

fn is_transient(tool: &CompiledTool, thrown: &HandlerError) -> bool {
    has_transient_code(thrown) || (!tool.effect.may_leave_effects() && has_transient_message(&thrown.message))
}

/// Whether a plain error's message names a transient failure. Words are less certain than codes, so they count only if
/// another attempt is harmless.
fn has_transient_message(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    TRANSIENT_WORDS.iter().any(|word| message.contains(word))
}

fn has_transient_code(thrown: &HandlerError) -> bool {
    let code = thrown.code.as_deref().unwrap_or_default();
    let by_status = thrown.status.is_some_and(|status| matches!(status, 408 | 425 | 429 | 500..=599));
    TRANSIENT_CODES.contains(&code) || code.starts_with("UND_ERR_") || by_status
}

/// TRANSIENT for a network failure. The thrown message may name hosts and is not shown to the model.
fn network_error(tool: &CompiledTool, thrown: &HandlerError) -> ToolError {
    let error = ToolError::new(ErrorType::Transient, format!("`{}` could not reach a service it needs", tool.id));
    if tool.effect.may_leave_effects() {
        return error.with_side_effects().with_suggestion("find out whether it took effect before calling again");
    }
    error.retryable_after(retry_after_ms(thrown))
}

/// Rounds up to whole milliseconds: never earlier than requested. A negative number is 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast saturates, and `max` excludes negative numbers"
)]
fn whole_ms(ms: f64) -> u64 {
    ms.max(0.0).ceil() as u64
}

/// What is said of an untyped exception. Its own message may contain anything and is not shown to the model.
fn failed(tool: &CompiledTool) -> String {
    format!("`{}` failed unexpectedly", tool.id)
}
