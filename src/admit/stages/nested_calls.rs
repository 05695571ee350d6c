//! Stage nested calls: a call of a handler stays within the depth limit, and does not wait for a call that waits for
//! it.

use serde_json::json;

use crate::admit::context::AdmissionContext;
use crate::admit::decision::StageResult;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::session::parent_call::MAX_DEPTH;

pub(in crate::admit) fn check(context: &AdmissionContext<'_>, tool: &CompiledTool) -> StageResult<()> {
    let Some(parent) = context.parent else { return Ok(()) };
    if parent.depth >= MAX_DEPTH {
        let message =
            format!("`{}` is called too deep: a call may be at most {MAX_DEPTH} calls below the model's", tool.id);
        return Err(conflict(message, "depth").into());
    }
    if !tool.definition.parallel && parent.exclusive_tools.contains(&tool.id) {
        let message = format!("`{}` runs one call at a time, and a call of it waits for this one", tool.id);
        return Err(conflict(message, "parallel").into());
    }
    Ok(())
}

fn conflict(message: String, reason: &str) -> ToolError {
    ToolError::new(ErrorType::Conflict, message).with_details(json!({ "reason": reason }))
}
