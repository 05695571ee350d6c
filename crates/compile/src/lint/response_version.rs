//! `response-version`: a handler that says which `ToolResponse` it returns says one that this gate speaks. Another major
//! version would fail when the handler is loaded.

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::tool::Tool;
use toolgate_definition::TOOL_RESPONSE_SCHEMA_VERSION;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(handler) = &tool.handler else { return };
    let Some((version, span)) = &handler.module.response_version else { return };
    if major(version) != major(TOOL_RESPONSE_SCHEMA_VERSION) {
        let message =
            format!("the handler returns ToolResponse `{version}`, this gate speaks {TOOL_RESPONSE_SCHEMA_VERSION}");
        let help = "return what the gate speaks, or remove `responseSchemaVersion`";
        findings.add(Code::ResponseVersion, handler.file.at(span.clone()), message, help);
    }
}

fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or(version)
}
