//! `sensitive-confirmed`: a tool that writes after a confirmation should not have sensitive arguments. They are masked
//! in the preview, and a user cannot agree to what is hidden.
//!
//! A warning, because a user may have typed the value in a moment ago: a PIN, for example.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let asks = document.members.get("requiresConfirmation") == Some(&Value::Bool(true));
    if !asks || document.string_field("sideEffects") != Some("writes") {
        return;
    }
    let Some(parameters) = document.parameters() else { return };
    let mut places = Vec::new();
    sensitive_places(&parameters.schema, &mut String::new(), &mut places);
    for place in places {
        let message = "the user is asked to confirm an argument that is hidden from them".to_owned();
        let help =
            "leave out `x-sensitive` so that the preview shows it, or add `sensitive-confirmed` to `lintAccepted`";
        findings.add(
            Code::SensitiveConfirmed,
            document.at_value(&format!("/parameters{place}/x-sensitive")),
            message,
            help,
        );
    }
}

/// The pointers of the schemas that are marked as sensitive. Recurses as deep as the document is nested.
fn sensitive_places(schema: &Value, place: &mut String, places: &mut Vec<String>) {
    let length = place.len();
    match schema {
        Value::Object(members) => {
            if members.get("x-sensitive") == Some(&Value::Bool(true)) {
                places.push(place.clone());
            }
            for (name, member) in members {
                // These are values, not schemas.
                if matches!(name.as_str(), "default" | "examples" | "enum" | "const") && !place.ends_with("/properties")
                {
                    continue;
                }
                toolgate_json::pointer::push(place, name);
                sensitive_places(member, place, places);
                place.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                toolgate_json::pointer::push_index(place, index);
                sensitive_places(item, place, places);
                place.truncate(length);
            }
        }
        _ => {}
    }
}
