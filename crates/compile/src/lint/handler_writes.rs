//! `handler-writes`: the handler of a tool that only reads should send no HTTP request whose method changes something.
//! Such a call would be repeated, joined and cached as a read.
//!
//! A warning, because some services take searches by POST.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::module_graph;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let effect = tool.schema.as_ref().and_then(|document| document.string_field("sideEffects"));
    let Some(effect @ ("none" | "read_only")) = effect else { return };
    for (file, write) in module_graph::http_writes(tool) {
        let message = format!("a tool with `sideEffects` `{effect}` sends a {} request", write.method);
        let help = "set `sideEffects` to `writes`; if the request only reads, add `handler-writes` to `lintAccepted`";
        findings.add(Code::HandlerWrites, file.at_span(write.span), message, help);
    }
}
