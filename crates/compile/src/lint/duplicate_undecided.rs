//! `duplicate-undecided`: a tool that writes again when it is called again, without a confirmation, should say what a
//! duplicate is. Without `duplicate` its user is asked about an equal call of the same turn, which surprises where such
//! calls are meant, and misses a call of a later turn, or one whose other arguments differ.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let is_false = |name: &str| document.members.get(name) == Some(&Value::Bool(false));
    let writes_again = document.string_field("sideEffects") == Some("writes") && is_false("idempotent");
    if writes_again && is_false("requiresConfirmation") && !document.members.contains_key("duplicate") {
        let message = "the tool acts again for each call, and does not say which calls are the same act";
        let help = "set `duplicate` to false, or to the arguments that make an act: `{ \"key\": [\"/order_id\"] }`";
        findings.add(Code::DuplicateUndecided, document.at_value("/sideEffects"), message, help);
    }
}
