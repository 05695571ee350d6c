//! `bad-when`: the condition `confirmation.when` must speak of arguments. One about another name holds for no call, or for each: a
//! user is never asked, or always.

use serde_json::{Map, Value};

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::suggestion;
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};

/// Keywords whose schemas are about the same value.
const OF_THE_SAME: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(Value::Object(when)) = document.value_at("/confirmation/when") else { return };
    let Some(parameters) = document.parameters() else { return };
    let Some(arguments) = parameters.schema.get("properties").and_then(Value::as_object) else { return };
    // Arguments may be declared there.
    if OF_THE_SAME.iter().chain(&["$ref", "patternProperties"]).any(|keyword| parameters.schema.get(*keyword).is_some())
    {
        return;
    }
    let known: Vec<&str> = arguments.keys().map(String::as_str).collect();
    check_names(document, "/confirmation/when", when, &known, findings);
}

fn check_names(document: &ToolDocument, at: &str, when: &Map<String, Value>, known: &[&str], findings: &mut Findings) {
    let mut report = |place, name: &str| {
        let message = format!("`confirmation.when` is about `{name}`, which is not an argument");
        findings.add(Code::BadWhen, place, message, suggestion(name, known));
    };
    let is_unknown = |name: &str| !known.contains(&name);
    for name in when.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        if is_unknown(name) {
            report(document.at_key(&format!("{at}{}", pointer_from_names(&["properties", name]))), name);
        }
    }
    for (index, name) in when.get("required").and_then(Value::as_array).into_iter().flatten().enumerate() {
        if let Some(name) = name.as_str().filter(|name| is_unknown(name)) {
            report(document.at_value(&format!("{at}/required/{index}")), name);
        }
    }
    for keyword in OF_THE_SAME {
        match when.get(keyword) {
            Some(Value::Object(schema)) => check_names(document, &format!("{at}/{keyword}"), schema, known, findings),
            Some(Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    if let Value::Object(schema) = schema {
                        check_names(document, &format!("{at}/{keyword}/{index}"), schema, known, findings);
                    }
                }
            }
            _ => {}
        }
    }
}
