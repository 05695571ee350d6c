//! `voice-heavy`: a voice tool whose declaration is too large or too complex. A voice session sends every declaration
//! in each turn, the user waits while the model writes the arguments, and the model must ask aloud for each missing
//! one.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

/// Bytes of the declaration as JSON, about 1,000 tokens. Instructions and tools of an OpenAI Realtime session share
/// 16,384 tokens (the Realtime API's context limits), so a dozen such tools would fill them.
const MAX_BYTES: usize = 4 * 1024;
/// Nesting depth of objects; the arguments themselves are the first level.
const MAX_NESTING: usize = 3;
/// Number of required values: each missing one is a question to the user.
const MAX_REQUIRED: usize = 5;

/// The targets of voice sessions.
pub(super) const VOICE_TARGETS: [&str; 2] = ["openaiRealtime", "geminiNative"];
/// The modes in which the user speaks.
pub(super) const VOICE_MODES: [&str; 2] = ["voice", "webcam"];

pub(super) fn check(tool: &ToolSource, settings: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if !VOICE_MODES.iter().any(|mode| tool.allows_mode(mode)) {
        return;
    }
    let declared: Vec<&Value> = voice_declarations(tool, settings).collect();
    let most = |measure: fn(&Value) -> usize| declared.iter().map(|value| measure(value)).max().unwrap_or_default();
    let parameters = |value: &Value| value.get("parameters").cloned().unwrap_or_default();
    let heavy = [
        over_limit(most(declaration_bytes), MAX_BYTES, |found| {
            format!("its declaration has {found} bytes (recommended: at most {MAX_BYTES})")
        }),
        over_limit(
            declared.iter().map(|value| nesting_depth(&parameters(value))).max().unwrap_or_default(),
            MAX_NESTING,
            |found| format!("its arguments nest {found} objects deep (recommended: at most {MAX_NESTING})"),
        ),
        over_limit(
            declared.iter().map(|value| required_count(&parameters(value))).max().unwrap_or_default(),
            MAX_REQUIRED,
            |found| format!("it has {found} required arguments (recommended: at most {MAX_REQUIRED})"),
        ),
    ];
    for message in heavy.into_iter().flatten() {
        let message = format!("the tool is heavy for voice: {message}");
        let help = "shorten descriptions, remove arguments or give them defaults, or add a smaller tool for voice";
        findings.add(Code::VoiceHeavy, document.at_key("/allowedModes"), message, help);
    }
}

fn over_limit(found: usize, limit: usize, message: impl Fn(usize) -> String) -> Option<String> {
    (found > limit).then(|| message(found))
}

/// The declarations of a tool for the voice targets in use.
pub(super) fn voice_declarations<'a>(tool: &'a ToolSource, settings: &LintSettings) -> impl Iterator<Item = &'a Value> {
    let in_use: Vec<&str> = VOICE_TARGETS.into_iter().filter(|target| settings.in_use.contains(target)).collect();
    let declared = tool.declared.as_ref();
    in_use.into_iter().filter_map(move |target| declared?.provider_schemas.get(target))
}

pub(super) fn declaration_bytes(declaration: &Value) -> usize {
    declaration.to_string().len()
}

/// The nesting depth of objects, through arrays and compositions.
fn nesting_depth(schema: &Value) -> usize {
    let Value::Object(members) = schema else { return 0 };
    let branches =
        ["anyOf", "oneOf", "allOf", "prefixItems"].iter().filter_map(|keyword| members.get(*keyword)?.as_array());
    let inside = branches.flatten().chain(members.get("items")).map(nesting_depth).max().unwrap_or_default();
    let properties = members.get("properties").and_then(Value::as_object).filter(|properties| !properties.is_empty());
    properties
        .map_or(inside, |properties| inside.max(1 + properties.values().map(nesting_depth).max().unwrap_or_default()))
}

/// The number of required values, including those within required objects.
fn required_count(schema: &Value) -> usize {
    let names = schema.get("required").and_then(Value::as_array);
    let property = |name: &Value| schema.get("properties")?.get(name.as_str()?);
    names.into_iter().flatten().map(|name| property(name).map_or(1, |property| required_count(property).max(1))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_are_counted_through_lists_and_branches() {
        let text = json!({ "type": "string" });
        let within = |schema: &Value| json!({ "properties": { "a": schema } });
        assert_eq!(nesting_depth(&json!({ "properties": {} })), 0);
        assert_eq!(nesting_depth(&within(&text)), 1);
        assert_eq!(nesting_depth(&within(&json!({ "items": { "anyOf": [text, within(&within(&text))] } }))), 3);
    }

    #[test]
    fn required_values_are_counted_within_required_objects() {
        let schema = json!({ "required": ["a", "b", "c"], "properties": {
            "a": {}, "b": { "required": ["x", "y"], "properties": {} }, "c": { "properties": { "z": {} } },
            "d": { "required": ["x"] }
        } });
        assert_eq!(required_count(&schema), 4);
    }
}
