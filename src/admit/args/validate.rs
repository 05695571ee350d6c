//! Arguments without a call: completed and validated, as those of a model with the strict declaration.

use crate::admit::args::parse::{issues_error, not_serializable, parse_args};
use crate::admit::args::time_rules;
use crate::admit::context::ArgsLimits;
use crate::admit::stages::resolve_tool::unknown_tool;
use crate::call::RawArgs;
use crate::error::ToolError;
use crate::registry::{CompiledTool, ToolSet};
use crate::schema::NullReading;

/// As [`validate`], of the tool with this id.
///
/// # Errors
/// NOT_FOUND for an unknown tool, VALIDATION with every issue.
pub fn validate_named(tools: &ToolSet, tool_id: &str, args: RawArgs, limits: ArgsLimits) -> Result<String, ToolError> {
    let tool =
        tools.get(tool_id).filter(|tool| !tool.definition.nested_only).ok_or_else(|| unknown_tool(tools, tool_id))?;
    validate(tool, args, limits)
}

/// Returns the completed arguments, JSON text.
///
/// # Errors
/// VALIDATION with every issue.
pub fn validate(tool: &CompiledTool, args: RawArgs, limits: ArgsLimits) -> Result<String, ToolError> {
    let tape = match args {
        RawArgs::Text(text) => parse_args(text, limits, &tool.args_schema)?,
        RawArgs::NotJson(problem) => return Err(not_serializable(&problem)),
    };
    let completed = tool.args_schema.complete_and_validate(tape, &[], NullReading::StrictAsAbsent);
    let completed = completed.map_err(|issues| issues_error(&tool.id, &issues))?;
    time_rules::check(tool, &completed.tape, None)?;
    Ok(completed.tape.into_text())
}
