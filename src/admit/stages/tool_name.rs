//! Rule `tool_name`: a call of an unknown tool whose name is that of one tool of the session, in another spelling.

use std::sync::Arc;

use crate::admit::context::AdmissionContext;
use crate::admit::stages::mode;
use crate::admit::stages::resolve_tool::check_offered;
use crate::call::RawCall;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::schema::RepairRule;
use crate::session::fingerprint::Fingerprint;

/// A call whose tool's name was repaired: how it is answered if its arguments do not fit.
#[derive(Debug)]
pub(in crate::admit) struct NamedOtherwise {
    /// The name as called.
    pub(in crate::admit) name: Arc<str>,
    /// The refusal of an unknown tool.
    pub(in crate::admit) refusal: ToolError,
    /// What the loop guard counts.
    pub(in crate::admit) counted: Fingerprint,
}

/// The tool that a refused call means, if exactly one tool that the session may call has this name in another spelling.
pub(in crate::admit) fn meant(
    context: &AdmissionContext<'_>,
    call: &RawCall,
    refusal: &ToolError,
) -> Option<Arc<CompiledTool>> {
    if refusal.kind != ErrorType::NotFound || context.tools.get(&call.name).is_some() {
        return None;
    }
    let may_call = |tool: &&Arc<CompiledTool>| {
        !tool.definition.nested_only
            && tool.allows_mode(&context.attachment.mode.name)
            && check_offered(tool, &context.attachment.services).is_ok()
            && mode::check_roles(context, tool).is_ok()
    };
    let mut tools = context.tools.respelt(&call.name).filter(may_call);
    let (Some(tool), None) = (tools.next(), tools.next()) else { return None };
    context.repair_rules(tool).contains(RepairRule::ToolName).then(|| Arc::clone(tool))
}
