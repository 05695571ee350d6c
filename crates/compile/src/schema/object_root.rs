//! Parameters as an object schema, because the arguments of a call are one JSON object.

use serde_json::{Map, Value, json};

/// The root is no object schema.
#[derive(Debug, PartialEq)]
pub(crate) struct NotObject;

/// Gives parameters `type: "object"` if they have no `type`, such as a reference or a union of objects, or if an object
/// is one of their types.
pub(crate) fn make_object_root(parameters: &mut Map<String, Value>) -> Result<(), NotObject> {
    let is_object = match parameters.get("type") {
        None => {
            parameters.shift_insert(0, "type".to_owned(), json!("object"));
            return Ok(());
        }
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        Some(name) => name == "object",
    };
    if !is_object {
        return Err(NotObject);
    }
    parameters.insert("type".to_owned(), json!("object"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_an_object_unless_its_type_is_another() {
        for (given, expected) in [
            (json!({ "$ref": "#/$defs/a" }), Some(json!({ "type": "object", "$ref": "#/$defs/a" }))),
            (json!({ "type": ["null", "object"], "title": "T" }), Some(json!({ "type": "object", "title": "T" }))),
            (json!({ "type": "array" }), None),
            (json!({ "type": ["string", "null"] }), None),
            (json!({ "type": 1 }), None),
        ] {
            let mut members = given.as_object().cloned().unwrap();
            let made = make_object_root(&mut members).ok().map(|()| Value::Object(members));
            assert_eq!(made, expected, "{given}");
        }
    }
}
