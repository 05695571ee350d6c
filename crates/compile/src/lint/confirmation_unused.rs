//! `confirmation-unused`: `confirmation` says how the user is asked, so its author expects a question. A tool without
//! `requiresConfirmation` asks none.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(Value::Object(confirmation)) = document.members.get("confirmation") else { return };
    let asks_nothing = document.members.get("requiresConfirmation") == Some(&Value::Bool(false));
    // Of approvers, `bad-approvers` says the same.
    if asks_nothing && !confirmation.contains_key("approvers") {
        let message = "`confirmation` has no effect: `requiresConfirmation` is false, so no user is asked";
        let help = "set `requiresConfirmation` to true, or remove `confirmation`";
        findings.add(Code::ConfirmationUnused, document.at_key("/confirmation"), message.to_owned(), help);
    }
}
