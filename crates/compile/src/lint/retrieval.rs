//! `retrieval-writes`, `retrieval-not-idempotent`: retrieval calls are repeated, cached and answered from records, so
//! a tool of that category only reads, and reading twice is reading once.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if document.text("category") != Some("retrieval") {
        return;
    }
    if document.text("sideEffects") == Some("writes") {
        let help = "make `category` `action`, or `sideEffects` `read_only` where it only reads";
        findings.add(Code::RetrievalWrites, document.at_value("/sideEffects"), "a retrieval tool writes", help);
    }
    if document.members.get("idempotent") == Some(&Value::Bool(false)) {
        let help = "make `idempotent` true, or `category` `action` or `utility`";
        let at = document.at_value("/idempotent");
        findings.add(Code::RetrievalNotIdempotent, at, "a retrieval tool is not idempotent", help);
    }
}
