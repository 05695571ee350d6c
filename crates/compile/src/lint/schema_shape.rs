//! `schema-not-object`, `schema-not-closed`: arguments are named, so `parameters` is an object schema; and a model
//! that invents an argument must hear of it, so it is closed.

use serde_json::{Value, json};

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(site) = document.parameters() else { return };
    if site.schema.get("type") != Some(&json!("object")) {
        let at = document.at_value("/parameters/type");
        findings.add(Code::SchemaNotObject, at, "`parameters` is no object schema", "write `\"type\": \"object\"`");
    }
    if site.schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        let at = document.at_value("/parameters/additionalProperties");
        let help = "write `\"additionalProperties\": false`";
        findings.add(Code::SchemaNotClosed, at, "`parameters` lets arguments pass that it does not name", help);
    }
}
