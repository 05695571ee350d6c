//! `bad-clamp`: a clamp must name a numeric argument, with a limit that the argument's schema accepts. A rejected limit
//! would turn valid calls into invalid ones.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::suggestion;
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_definition::is_numeric;
use crate::tool_folder::tool_source::{EmbeddedSchema, ToolDocument, ToolSource};

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(parameters) = document.parameters() else { return };
    let modes = document.members.get("clamp").and_then(Value::as_object);
    for (mode, limits) in modes.into_iter().flatten() {
        for (argument, limit) in limits.as_object().into_iter().flatten() {
            let at = pointer_from_names(&["clamp", mode, argument]);
            if limit.is_number() {
                check_clamp(document, parameters, &at, (argument, limit), findings);
            }
        }
    }
}

fn check_clamp(
    document: &ToolDocument,
    parameters: &EmbeddedSchema,
    at: &str,
    (argument, limit): (&str, &Value),
    findings: &mut Findings,
) {
    let property = parameters.schema.get("properties").and_then(|properties| properties.get(argument));
    if property.is_none() {
        let message = format!("`{argument}` is clamped, but `parameters` has no such property");
        let help = match &*numeric_properties(parameters) {
            [] => "remove the clamp: no argument is a number".to_owned(),
            numeric => suggestion(argument, numeric),
        };
        findings.add(Code::BadClamp, document.at_key(at), message, help);
    } else if !is_numeric(property) {
        let message = format!("`{argument}` is clamped, but it is not numeric");
        let help = "clamp a property of type `integer` or `number`";
        findings.add(Code::BadClamp, document.at_key(at), message, help);
    } else if let Some(reason) = parameters.rejection_reason(&pointer_from_names(&["properties", argument]), limit) {
        let message = format!("the clamp of `{argument}` is rejected by its schema: {reason}");
        findings.add(Code::BadClamp, document.at_value(at), message, "choose a value that the schema accepts");
    }
}

fn numeric_properties(parameters: &EmbeddedSchema) -> Vec<&str> {
    let properties = parameters.schema.get("properties").and_then(Value::as_object);
    let numeric = properties.into_iter().flatten().filter(|(_, schema)| is_numeric(Some(schema)));
    numeric.map(|(name, _)| name.as_str()).collect()
}
