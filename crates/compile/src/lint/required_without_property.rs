//! `required-without-property`: a name in `required` that a closed object does not have. No value can satisfy both, so
//! every call would be refused.
//!
//! An object with `patternProperties` may accept the name and is skipped; so is what stands below `not` and `if`, which
//! need no value that matches.

use serde_json::{Map, Value};

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::schema::dialect;
use crate::tool_folder::tool_source::ToolSource;
use toolgate_json::suggest;

/// The most properties among which a misspelt name is looked for.
const MAX_COMPARED: usize = 500;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        let mut open = vec![(String::new(), &site.schema)];
        while let Some((at, schema)) = open.pop() {
            for (index, name) in impossible_names(schema) {
                let place = document.at_value(&format!("{}{at}/required/{index}", site.pointer));
                let message = format!("`{name}` is required, but the closed object has no such property");
                findings.add(Code::RequiredWithoutProperty, place, message, help(schema, name));
            }
            let applied =
                dialect::subschemas(schema).into_iter().filter(|(below, _)| below != "/not" && below != "/if");
            open.extend(applied.map(|(below, child)| (format!("{at}{below}"), child)));
        }
    }
}

/// The required names that the schema itself rejects, with their indices.
fn impossible_names(schema: &Value) -> Vec<(usize, &str)> {
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let has_patterns = schema.get("patternProperties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    let Some(required) = schema.get("required").and_then(Value::as_array).filter(|_| is_closed && !has_patterns) else {
        return Vec::new();
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = required.iter().enumerate().filter_map(|(index, name)| Some((index, name.as_str()?)));
    names.filter(|(_, name)| properties.is_none_or(|properties| !properties.contains_key(*name))).collect()
}

fn help(schema: &Value, name: &str) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    // More names would take long to compare, and one that is alike says little among them.
    let names =
        properties.filter(|named| named.len() <= MAX_COMPARED).into_iter().flat_map(Map::keys).map(String::as_str);
    suggest(name, names).map_or_else(
        || format!("add `{name}` to `properties`, or remove it from `required`"),
        |meant| format!("did you mean `{meant}`?"),
    )
}
