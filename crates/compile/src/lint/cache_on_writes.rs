//! `cache-on-writes`: a tool that writes must not cache results. A cached result would report a write that did not
//! happen.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if document.string_field("sideEffects") == Some("writes") && document.members.contains_key("cache") {
        let help = "remove `cache`; equal calls within a turn are answered from the record anyway";
        findings.add(Code::CacheOnWrites, document.at_key("/cache"), "results of a tool that writes are cached", help);
    }
}
