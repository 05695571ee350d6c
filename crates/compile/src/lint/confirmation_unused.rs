//! `confirmation-unused`: `confirmation` says how the user is asked, so its author expects a question. A tool asks none that
//! neither requires a confirmation nor asks about duplicates.

use serde_json::Value;

use super::{LintSettings, duplicate_undecided};
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(Value::Object(confirmation)) = document.members.get("confirmation") else { return };
    let confirms_nothing = document.members.get("requiresConfirmation") == Some(&Value::Bool(false));
    // Of approvers, `bad-approvers` says the same.
    if confirms_nothing && !asks_about_duplicates(document) && !confirmation.contains_key("approvers") {
        let message = "`confirmation` has no effect: `requiresConfirmation` is false, so no user is asked";
        let help = "set `requiresConfirmation` to true, or remove `confirmation`";
        findings.add(Code::ConfirmationUnused, document.at_key("/confirmation"), message.to_owned(), help);
    }
}

/// Whether the user is asked if a call does again what an earlier one has done.
fn asks_about_duplicates(document: &ToolDocument) -> bool {
    match document.members.get("duplicate") {
        Some(Value::Object(rule)) => rule.get("on").is_none_or(|on| on == "ask"),
        Some(_) => false,
        None => duplicate_undecided::writes_again(document),
    }
}
