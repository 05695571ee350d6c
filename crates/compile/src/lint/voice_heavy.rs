//! `voice-heavy`: a tool for voice whose declaration is heavy. A spoken session carries every declaration in each turn,
//! the user waits while the model writes the arguments, and what the user did not say has to be asked for aloud.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::report::Findings;
use crate::tool::Tool;

/// Bytes of the declaration as JSON, some thousand tokens. Instructions and tools of an OpenAI Realtime session share
/// 16,384 tokens (the Realtime API's context limits), so a dozen such tools would fill them.
const MAX_BYTES: usize = 4 * 1024;
/// Objects within objects, the arguments themselves being the first.
const MAX_NESTING: usize = 3;
/// Values that the model must have before it can call: each one missing is one more question to the user.
const MAX_REQUIRED: usize = 5;

/// The targets of spoken sessions.
pub(super) const TARGETS: [&str; 2] = ["openaiRealtime", "geminiNative"];
/// The modes in which the user speaks.
pub(super) const MODES: [&str; 2] = ["voice", "webcam"];

pub(super) fn check(tool: &Tool, settings: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    if !MODES.iter().any(|mode| tool.allows(mode)) {
        return;
    }
    let declared: Vec<&Value> = declarations(tool, settings).collect();
    let most = |measure: fn(&Value) -> usize| declared.iter().map(|value| measure(value)).max().unwrap_or_default();
    let parameters = |value: &Value| value.get("parameters").cloned().unwrap_or_default();
    let heavy = [
        over(most(bytes), MAX_BYTES, |found| format!("its declaration has {found} bytes, {MAX_BYTES} are fine")),
        over(
            declared.iter().map(|value| nesting(&parameters(value))).max().unwrap_or_default(),
            MAX_NESTING,
            |found| format!("its arguments nest {found} objects deep, {MAX_NESTING} are fine"),
        ),
        over(
            declared.iter().map(|value| required(&parameters(value))).max().unwrap_or_default(),
            MAX_REQUIRED,
            |found| format!("it has {found} required arguments, {MAX_REQUIRED} are fine"),
        ),
    ];
    for message in heavy.into_iter().flatten() {
        let message = format!("the tool is heavy for voice: {message}");
        let help = "shorten texts, leave out arguments or give them defaults, or make a lighter tool for voice";
        findings.add(Code::VoiceHeavy, document.at_key("/allowedModes"), message, help);
    }
}

fn over(found: usize, limit: usize, message: impl Fn(usize) -> String) -> Option<String> {
    (found > limit).then(|| message(found))
}

/// What spoken sessions in use are told of a tool.
pub(super) fn declarations<'a>(tool: &'a Tool, settings: &Settings) -> impl Iterator<Item = &'a Value> {
    let in_use: Vec<&str> = TARGETS.into_iter().filter(|target| settings.in_use.has(target)).collect();
    let declared = tool.declared.as_ref();
    in_use.into_iter().filter_map(move |target| declared?.provider_schemas.get(target))
}

pub(super) fn bytes(declaration: &Value) -> usize {
    declaration.to_string().len()
}

/// How deep objects stand in objects.
fn nesting(schema: &Value) -> usize {
    let Value::Object(members) = schema else { return 0 };
    let branches =
        ["anyOf", "oneOf", "allOf", "prefixItems"].iter().filter_map(|keyword| members.get(*keyword)?.as_array());
    let inside = branches.flatten().chain(members.get("items")).map(nesting).max().unwrap_or_default();
    let properties = members.get("properties").and_then(Value::as_object).filter(|properties| !properties.is_empty());
    properties.map_or(inside, |properties| inside.max(1 + properties.values().map(nesting).max().unwrap_or_default()))
}

/// How many values are required, those within required objects included.
fn required(schema: &Value) -> usize {
    let names = schema.get("required").and_then(Value::as_array);
    let property = |name: &Value| schema.get("properties")?.get(name.as_str()?);
    names.into_iter().flatten().map(|name| property(name).map_or(1, |property| required(property).max(1))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_are_counted_through_lists_and_branches() {
        let text = json!({ "type": "string" });
        let within = |schema: &Value| json!({ "properties": { "a": schema } });
        assert_eq!(nesting(&json!({ "properties": {} })), 0);
        assert_eq!(nesting(&within(&text)), 1);
        assert_eq!(nesting(&within(&json!({ "items": { "anyOf": [text, within(&within(&text))] } }))), 3);
    }

    #[test]
    fn required_values_are_counted_within_required_objects() {
        let schema = json!({ "required": ["a", "b", "c"], "properties": {
            "a": {}, "b": { "required": ["x", "y"], "properties": {} }, "c": { "properties": { "z": {} } },
            "d": { "required": ["x"] }
        } });
        assert_eq!(required(&schema), 4);
    }
}
