//! `bad-repeatable`: only calls without effects may be repeated, and a repeated call must not be answered from a cache.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if document.members.get("repeatable") != Some(&Value::Bool(true)) {
        return;
    }
    let (message, help) = if document.string_field("sideEffects") == Some("writes") {
        ("equal calls of a tool that writes would write again", "remove `repeatable`; a call with a new id runs anyway")
    } else if document.members.contains_key("cache") {
        ("a repeated call would be answered from the cache", "remove `cache` or `repeatable`")
    } else {
        return;
    };
    findings.add(Code::BadRepeatable, document.at_key("/repeatable"), message, help);
}
