//! `response-version`: a handler's `responseSchemaVersion` must have the major version of `ToolResponse` that the gate
//! supports. Another major version would fail when the handler is loaded.

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;
use toolgate_definition::TOOL_RESPONSE_SCHEMA_VERSION;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(handler) = &tool.handler else { return };
    let Some((version, span)) = &handler.module.response_version else { return };
    if major(version) != major(TOOL_RESPONSE_SCHEMA_VERSION) {
        let message =
            format!("the handler returns ToolResponse `{version}`; this gate supports {TOOL_RESPONSE_SCHEMA_VERSION}");
        let help = "return a supported version, or remove `responseSchemaVersion`";
        findings.add(Code::ResponseVersion, handler.file.at_span(span.clone()), message, help);
    }
}

fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or(version)
}
