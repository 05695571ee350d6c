//! `writes-without-confirmation`, `utility-writes`: a tool that writes should ask for confirmation, and is rarely a
//! utility.
//!
//! Both are warnings, because some tools must act at once. The author acknowledges such a tool in `lintAccepted`.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if document.string_field("sideEffects") != Some("writes") {
        return;
    }
    let at = || document.at_value("/sideEffects");
    match document.string_field("category") {
        Some("action") if document.members.get("requiresConfirmation") == Some(&Value::Bool(false)) => {
            let help = "set `requiresConfirmation` to true, or add `writes-without-confirmation` to `lintAccepted`";
            findings.add(Code::WritesWithoutConfirmation, at(), "the tool writes without a confirmation", help);
        }
        Some("utility") => {
            let help = "set `category` to `action`, or add `utility-writes` to `lintAccepted`";
            findings.add(Code::UtilityWrites, at(), "a utility tool writes", help);
        }
        _ => {}
    }
}
