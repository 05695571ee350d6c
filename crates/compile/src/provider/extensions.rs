//! Removal of extension keywords (`x-…`), which no provider receives.

use serde_json::Value;

use crate::schema::dialect;

/// The schema without extension keywords. A property whose name begins with `x-` is an argument and stays.
pub(super) fn without_extensions(schema: &Value) -> Value {
    let mut clean = schema.clone();
    let mut pointers = Vec::new();
    dialect::walk(schema, "", &mut |pointer, _| pointers.push(pointer.to_owned()));
    for pointer in pointers {
        if let Some(Value::Object(members)) = clean.pointer_mut(&pointer) {
            members.retain(|name, _| !dialect::is_extension(name));
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn extensions_go_and_arguments_stay() {
        let schema = json!({
            "x-a": 1,
            "properties": { "x-b": { "type": "string", "x-sensitive": true, "default": { "x-c": 1 } } },
            "anyOf": [{ "x-d": { "x-e": 1 }, "items": { "x-f": null } }]
        });
        let expected = json!({
            "properties": { "x-b": { "type": "string", "default": { "x-c": 1 } } },
            "anyOf": [{ "items": {} }]
        });
        assert_eq!(without_extensions(&schema), expected);
    }
}
