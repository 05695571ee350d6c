//! `schema-not-object`, `schema-not-closed`: `parameters` must be an object schema, because arguments have names; and it should be
//! closed, so that an invented argument is an error. The build closes one that says nothing.

use serde_json::json;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::schema::is_closed;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(site) = document.parameters() else { return };
    if site.schema.get("type") != Some(&json!("object")) {
        let at = document.at_value("/parameters/type");
        findings.add(Code::SchemaNotObject, at, "`parameters` is not an object schema", "write `\"type\": \"object\"`");
    }
    if !is_closed(&site.schema) {
        let at = document.at_value("/parameters/additionalProperties");
        let help = "write `\"additionalProperties\": false`, or add `schema-not-closed` to `lintAccepted`";
        findings.add(Code::SchemaNotClosed, at, "`parameters` accepts undeclared arguments", help);
    }
}
