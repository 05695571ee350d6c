//! `bad-clamp`: a clamp lowers a numeric argument to a value that its schema takes. One that it rejects would turn
//! valid calls into invalid ones.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::resolve::is_numeric;
use crate::source::pointer;
use crate::suggest::suggestion;
use crate::tool::{Document, Site, Tool};

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(parameters) = document.parameters() else { return };
    let modes = document.members.get("clamp").and_then(Value::as_object);
    for (mode, limits) in modes.into_iter().flatten() {
        for (argument, limit) in limits.as_object().into_iter().flatten() {
            let at = pointer(&["clamp", mode, argument]);
            if limit.is_number() {
                clamp(document, parameters, &at, (argument, limit), findings);
            }
        }
    }
}

fn clamp(document: &Document, parameters: &Site, at: &str, (argument, limit): (&str, &Value), findings: &mut Findings) {
    let property = parameters.schema.get("properties").and_then(|properties| properties.get(argument));
    if property.is_none() {
        let message = format!("`{argument}` is clamped, but `parameters` has no such property");
        findings.add(Code::BadClamp, document.at_key(at), message, suggestion(argument, &numeric(parameters)));
    } else if !is_numeric(property) {
        let message = format!("`{argument}` is clamped, but it is no number");
        let help = "clamp a property of type `integer` or `number`";
        findings.add(Code::BadClamp, document.at_key(at), message, help);
    } else if let Some(reason) = parameters.rejects(&pointer(&["properties", argument]), limit) {
        let message = format!("the clamp of `{argument}` is rejected by its schema: {reason}");
        findings.add(Code::BadClamp, document.at_value(at), message, "choose a value that the schema takes");
    }
}

fn numeric(parameters: &Site) -> Vec<&str> {
    let properties = parameters.schema.get("properties").and_then(Value::as_object);
    let numeric = properties.into_iter().flatten().filter(|(_, schema)| is_numeric(Some(schema)));
    numeric.map(|(name, _)| name.as_str()).collect()
}
