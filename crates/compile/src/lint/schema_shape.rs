//! `schema-not-object`, `schema-not-closed`: `parameters` must be an object schema, because arguments have names; and
//! it must be closed, so that an invented argument is an error.

use serde_json::{Value, json};

use super::LintSettings;
use crate::code::Code;
use crate::report::Findings;
use crate::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(site) = document.parameters() else { return };
    if site.schema.get("type") != Some(&json!("object")) {
        let at = document.at_value("/parameters/type");
        findings.add(Code::SchemaNotObject, at, "`parameters` is not an object schema", "write `\"type\": \"object\"`");
    }
    if site.schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        let at = document.at_value("/parameters/additionalProperties");
        let help = "write `\"additionalProperties\": false`";
        findings.add(Code::SchemaNotClosed, at, "`parameters` accepts undeclared arguments", help);
    }
}
