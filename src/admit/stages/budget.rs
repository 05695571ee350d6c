//! Stage budget: an early refusal, without a debit, if the turn's budgets are exhausted. The stage claim decides again,
//! atomically.

use serde_json::json;

use crate::admit::call::CallHeader;
use crate::admit::decision::StageResult;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::session::policy::Mode;
use crate::store::{Budget, CallLookupResult};

pub(in crate::admit) fn check(header: &CallHeader, tool: &CompiledTool, seen: &CallLookupResult) -> StageResult<()> {
    let mode = &header.mode;
    if seen.total_calls >= mode.total_calls || (tool.is_retrieval() && seen.retrieval_calls >= mode.retrieval_calls) {
        return Err(exceeded(mode, tool, seen).into());
    }
    Ok(())
}

/// A mode's call counts, less the turn's refusals that count.
pub(in crate::admit) fn budget_of_mode(mode: &Mode, refusals: u32) -> Budget {
    Budget { retrieval_calls: mode.retrieval_calls, total_calls: mode.total_calls.saturating_sub(refusals) }
}

/// BUDGET_EXCEEDED, with the exhausted budget.
pub(in crate::admit) fn exceeded(mode: &Mode, tool: &CompiledTool, seen: &CallLookupResult) -> ToolError {
    if seen.total_calls >= mode.total_calls || !tool.is_retrieval() {
        return exceeded_total(mode);
    }
    used_up(mode, "retrieval", "retrieval calls", mode.retrieval_calls)
}

/// BUDGET_EXCEEDED for the total budget.
pub(in crate::admit) fn exceeded_total(mode: &Mode) -> ToolError {
    used_up(mode, "total", "tool calls", mode.total_calls)
}

fn used_up(mode: &Mode, what: &str, calls: &str, limit: u32) -> ToolError {
    ToolError::new(ErrorType::BudgetExceeded, format!("this turn's {limit} {calls} in {} mode are used up", mode.name))
        .with_details(json!({ "budget": what, "limit": limit }))
        .with_suggestion("answer from what you have, or go on in the next turn")
}
