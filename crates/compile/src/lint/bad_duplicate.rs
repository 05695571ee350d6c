//! `bad-duplicate`: each place of `duplicate.key` must be one of the arguments. A place that no call has makes all calls
//! of the tool duplicates of each other.

use std::borrow::Cow;

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::suggestion;
use crate::schema::parameter_lookup::{PropertyLookup, find_property};
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(parameters) = document.parameters() else { return };
    let places = document.value_at("/duplicate/key").and_then(Value::as_array);
    for (index, place) in places.into_iter().flatten().enumerate() {
        let Some(place) = place.as_str() else { continue };
        if let Some(help) = fault(place, &parameters.schema) {
            let message = format!("`{place}` in `duplicate.key` names no argument");
            findings.add(Code::BadDuplicate, document.at_value(&format!("/duplicate/key/{index}")), message, help);
        }
    }
}

/// The help text for a place that names no argument; `None` if it names one or can't be checked.
fn fault(place: &str, parameters: &Value) -> Option<String> {
    let Some(names) = place.strip_prefix('/') else {
        return Some(format!("write a JSON Pointer, as in `/{place}`"));
    };
    let mut schemas = vec![parameters];
    for name in names.split('/').map(unescaped) {
        schemas = match find_property(parameters, &schemas, &name) {
            PropertyLookup::Found(next) => next,
            PropertyLookup::Undetermined => return None,
            PropertyLookup::Absent(known) => return Some(suggestion(&name, &known.into_iter().collect::<Vec<_>>())),
        };
    }
    None
}

fn unescaped(token: &str) -> Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_place_is_followed_into_objects() {
        let parameters = json!({ "type": "object", "additionalProperties": false, "properties": {
            "order_id": { "type": "string" },
            "to": { "type": "object", "additionalProperties": false, "properties": { "a/b": {} } },
            "free": { "type": "object" },
        } });
        for fine in ["/order_id", "/to", "/to/a~1b", "/free/anything"] {
            assert_eq!(fault(fine, &parameters), None, "{fine}");
        }
        assert_eq!(fault("/ordr_id", &parameters).unwrap(), "did you mean `order_id`?");
        assert_eq!(fault("order_id", &parameters).unwrap(), "write a JSON Pointer, as in `/order_id`");
        assert_eq!(fault("/to/b", &parameters).unwrap(), "use one of `a/b`");
    }
}
