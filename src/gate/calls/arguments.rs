//! Arguments without a call: for hosts that validate them, and for what people see.

use serde_json::Value;

use crate::admit;
use crate::call::RawArgs;
use crate::error::ToolError;
use crate::gate::Gate;
use crate::json::{Limits, Tape};
use crate::registry::{CompiledTool, ToolSet};

/// The completed arguments, or the refusal.
pub type ValidatedArgs = Result<String, ToolError>;

impl Gate {
    /// Runs the stages parse and completion on arguments, without a mode's clamps. Returns the completed arguments.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown tool, VALIDATION with every issue.
    pub fn validate_args(&self, tool_id: &str, args: RawArgs) -> ValidatedArgs {
        admit::validate_named(&self.tools(), tool_id, args, self.parts.limits.args)
    }

    /// The completed arguments with their sensitive values masked. `None` if the tool is unknown or the arguments are
    /// invalid: a sensitive value in the wrong place would not be masked.
    #[must_use]
    pub fn shown_args(&self, tools: &ToolSet, tool_id: &str, args: String) -> Option<Value> {
        let tool = tools.get(tool_id)?;
        self.completed_args(tool, args).map(|args| tool.shown_args(&args))
    }

    /// The completed arguments; `None` if they are invalid.
    pub(in crate::gate) fn completed_args(&self, tool: &CompiledTool, args: String) -> Option<Tape> {
        let completed = admit::validate(tool, RawArgs::Text(args), self.parts.limits.args).ok()?;
        Tape::parse(completed, &Limits::widest()).ok()
    }
}
