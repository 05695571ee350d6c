//! `duplicate-undecided`: a tool that writes again when it is called again, without a confirmation, should say what a
//! duplicate is. Without `duplicate` its user is asked about an equal call of the same turn, which surprises where such
//! calls are meant, and misses a call of a later turn, or one whose other arguments differ.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if writes_again(document)
        && is_false(document, "requiresConfirmation")
        && !document.members.contains_key("duplicate")
    {
        let message = "the tool acts again for each call, and does not say which calls are the same act";
        let help = "set `duplicate` to false, or to the arguments that make an act: `{ \"key\": [\"/order_id\"] }`";
        findings.add(Code::DuplicateUndecided, document.at_value("/sideEffects"), message, help);
    }
}

/// Whether each call acts again.
pub(super) fn writes_again(document: &ToolDocument) -> bool {
    document.string_field("sideEffects") == Some("writes") && is_false(document, "idempotent")
}

fn is_false(document: &ToolDocument, name: &str) -> bool {
    document.members.get(name) == Some(&Value::Bool(false))
}
