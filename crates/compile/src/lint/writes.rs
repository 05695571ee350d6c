//! `writes-without-confirmation`, `utility-writes`: a tool that writes should ask first, and is rarely a utility.
//!
//! Both are warnings, for there are tools that must act at once. An author who means it says so in `lintAccepted`.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if document.text("sideEffects") != Some("writes") {
        return;
    }
    let at = || document.at_value("/sideEffects");
    match document.text("category") {
        Some("action") if document.members.get("requiresConfirmation") == Some(&Value::Bool(false)) => {
            let help = "make `requiresConfirmation` true, or put `writes-without-confirmation` into `lintAccepted`";
            findings.add(Code::WritesWithoutConfirmation, at(), "the tool writes without a confirmation", help);
        }
        Some("utility") => {
            let help = "make `category` `action`, or put `utility-writes` into `lintAccepted`";
            findings.add(Code::UtilityWrites, at(), "a utility tool writes", help);
        }
        _ => {}
    }
}
