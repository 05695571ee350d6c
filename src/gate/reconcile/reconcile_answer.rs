//! What a tool's function `reconcile` answers. Nothing about it is trusted.

use serde_json::Value;

use crate::json::{Kind, Limits, LoneSurrogates, NumberRange, Tape};
use crate::registry::CompiledTool;
use crate::run::HandlerOutcome;
use crate::session::policy::Mode;
use crate::settle::{self, NormalizedOutcome};

/// The largest nesting depth of an answer.
const MAX_DEPTH: u32 = 512;

/// A usable answer.
#[derive(Debug)]
pub(in crate::gate) enum ReconcileAnswer {
    /// The call has taken effect, with this result. `None` if the tool does not have it, and promises one by its schema.
    Happened(Option<Box<NormalizedOutcome>>),
    /// It has had no effect, and will have none.
    NotHappened,
    /// The tool does not know.
    Unknown,
}

/// Reads an answer. Data is checked and capped as that of a handler is.
///
/// # Errors
/// Why the answer is of no use. It contains no value.
pub(in crate::gate) fn read(
    tool: &CompiledTool,
    mode: &Mode,
    max_result_bytes: usize,
    outcome: HandlerOutcome,
) -> Result<ReconcileAnswer, String> {
    let text = match outcome {
        HandlerOutcome::Returned(text) if text.len() <= max_result_bytes => text,
        HandlerOutcome::Returned(_) | HandlerOutcome::ReturnedWithLoss { .. } | HandlerOutcome::TooLarge => {
            return Err("its answer is too large, or can't be written as JSON without a loss".to_owned());
        }
        HandlerOutcome::Threw(_) => return Err("it threw".to_owned()),
        HandlerOutcome::NotJson { problem, .. } => return Err(problem),
        HandlerOutcome::Nothing | HandlerOutcome::Left => return Err(NO_OUTCOME.to_owned()),
    };
    let limits = Limits {
        max_depth: MAX_DEPTH,
        max_bytes: usize::MAX,
        lone_surrogates: LoneSurrogates::Allow,
        numbers: NumberRange::Finite,
    };
    let tape = Tape::parse(text, &limits).map_err(|error| format!("its answer can't be read: {}", error.reason()))?;
    let root = tape.root();
    let named = if root.kind() == Kind::Object { root.get("outcome").map(|outcome| outcome.to_value()) } else { None };
    let is_alone = || root.members().count() == 1;
    match named.as_ref().and_then(Value::as_str) {
        Some("not_happened") if !is_alone() => Err(MORE_MEMBERS.to_owned()),
        Some("not_happened") => Ok(ReconcileAnswer::NotHappened),
        Some("unknown") => Ok(ReconcileAnswer::Unknown),
        Some("happened") => {
            let data = root.get("data").filter(|data| !data.is_null()).map(|data| data.raw());
            happened(tool, mode, max_result_bytes, data)
        }
        _ => Err(NO_OUTCOME.to_owned()),
    }
}

const NO_OUTCOME: &str = "its answer has no `outcome`, which must be `happened`, `not_happened` or `unknown`";

const MORE_MEMBERS: &str = "its answer `not_happened` has other members beside it";

fn happened(
    tool: &CompiledTool,
    mode: &Mode,
    max_result_bytes: usize,
    data: Option<&str>,
) -> Result<ReconcileAnswer, String> {
    let result = match data {
        None if tool.result_schema.is_some() => return Ok(ReconcileAnswer::Happened(None)),
        None => "{\"ok\":true}".to_owned(),
        Some(data) => format!("{{\"ok\":true,\"data\":{data}}}"),
    };
    // The envelope is not the tool's.
    let max_bytes = max_result_bytes.saturating_add(ENVELOPE_BYTES);
    let normalized = settle::normalize_outcome(tool, mode, max_bytes, HandlerOutcome::Returned(result));
    match normalized.outcome.error() {
        None => Ok(ReconcileAnswer::Happened(Some(Box::new(normalized)))),
        Some(_) => Err("its `data` does not fit the tool's `resultSchema`".to_owned()),
    }
}

const ENVELOPE_BYTES: usize = 64;
