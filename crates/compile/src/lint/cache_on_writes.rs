//! `cache-on-writes`: a cached answer would tell the model that a write happened which did not.

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if document.text("sideEffects") == Some("writes") && document.members.contains_key("cache") {
        let help = "remove `cache`; equal calls within a turn are answered from the record anyway";
        findings.add(Code::CacheOnWrites, document.at_key("/cache"), "results of a tool that writes are cached", help);
    }
}
