//! Definitions in another object, such as Gemini's `{ functionDeclarations: […] }`: how to take them out of it.

use serde_json::{Map, Value};

/// The deepest wrapper that is looked into: `{ tools: [{ functionDeclarations: […] }] }` has three levels.
const MAX_LEVELS: usize = 4;
/// The longest name of a member that is shown.
const MAX_NAME: usize = 64;
/// Members of a definition, whose other members are not searched.
const OWN_MEMBERS: [&str; 4] = ["description", "parameters", "inputSchema", "input_schema"];

/// What to pass instead of an object that has no name; `None` if no definition is found in it.
pub(super) fn help_for_wrapped(members: &Map<String, Value>) -> Option<String> {
    if OWN_MEMBERS.iter().any(|name| members.contains_key(*name)) {
        return None;
    }
    help_in_members(members, "", MAX_LEVELS)
}

fn help_in_members(members: &Map<String, Value>, at: &str, levels: usize) -> Option<String> {
    let named = members.iter().filter(|(name, _)| name.len() <= MAX_NAME);
    named.filter(|_| levels > 0).find_map(|(name, value)| {
        let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        match value {
            Value::Object(inner) if is_definition(inner) => Some(format!("pass the definition in `{at}`")),
            Value::Object(inner) => help_in_members(inner, &at, levels - 1),
            Value::Array(items) => match items.first()?.as_object()? {
                first if is_definition(first) => {
                    Some(format!("pass each definition in the list `{at}`, one at a time"))
                }
                first => help_in_members(first, &format!("{at}[0]"), levels - 1),
            },
            _ => None,
        }
    })
}

/// Whether an object has the name of a tool, also in OpenAI's `function`.
fn is_definition(members: &Map<String, Value>) -> bool {
    let named = |members: &Map<String, Value>| members.get("name").is_some_and(Value::is_string);
    named(members) || members.get("function").and_then(Value::as_object).is_some_and(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_member_with_the_definitions_is_named() {
        let tool = json!({ "name": "x", "parameters": {} });
        let list = |at: &str| Some(format!("pass each definition in the list `{at}`, one at a time"));
        let cases = [
            (json!({ "functionDeclarations": [tool] }), list("functionDeclarations")),
            (json!({ "function_declarations": [tool, tool] }), list("function_declarations")),
            (json!({ "tools": [{ "type": "function", "function": tool }] }), list("tools")),
            (json!({ "tools": [{ "functionDeclarations": [tool] }] }), list("tools[0].functionDeclarations")),
            (json!({ "result": { "tools": [tool] } }), list("result.tools")),
            (json!({ "toolSpec": tool }), Some("pass the definition in `toolSpec`".to_owned())),
            (json!({ "tools": [] }), None),
            (json!({ "tools": ["x"], "of": 1 }), None),
            (json!({ "a": { "b": { "c": { "d": { "e": tool } } } } }), None),
            // A definition without a name, whose schema has an example with one.
            (json!({ "parameters": { "examples": [{ "name": "x" }] } }), None),
        ];
        for (given, expected) in cases {
            assert_eq!(help_for_wrapped(given.as_object().unwrap()), expected, "{given}");
        }
    }
}
