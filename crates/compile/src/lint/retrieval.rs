//! `retrieval-writes`, `retrieval-not-idempotent`: a retrieval tool must only read and be idempotent, because its calls
//! are repeated, cached and answered from records.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if document.string_field("category") != Some("retrieval") {
        return;
    }
    if document.string_field("sideEffects") == Some("writes") {
        let help = "set `category` to `action`, or `sideEffects` to `read_only` if the tool only reads";
        findings.add(Code::RetrievalWrites, document.at_value("/sideEffects"), "a retrieval tool writes", help);
    }
    if document.members.get("idempotent") == Some(&Value::Bool(false)) {
        let help = "set `idempotent` to true, or `category` to `action` or `utility`";
        let at = document.at_value("/idempotent");
        findings.add(Code::RetrievalNotIdempotent, at, "a retrieval tool is not idempotent", help);
    }
}
