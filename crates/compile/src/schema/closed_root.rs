//! Parameters that say nothing about undeclared arguments are closed, as those of schema libraries are.

use serde_json::{Map, Value};

/// Keywords whose schemas name properties of the same object.
const APPLICATORS: [&str; 9] =
    ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/// Adds `additionalProperties: false`, to a composition `unevaluatedProperties: false`. What says whether it is open stays.
pub(crate) fn close_root(parameters: &mut Map<String, Value>) {
    let says = |keyword: &&str| parameters.contains_key(*keyword);
    if ["additionalProperties", "unevaluatedProperties"].iter().any(|keyword| says(keyword)) {
        return;
    }
    let keyword =
        if APPLICATORS.iter().any(|keyword| says(keyword)) { "unevaluatedProperties" } else { "additionalProperties" };
    parameters.insert(keyword.to_owned(), Value::Bool(false));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_root_that_says_nothing_is_closed() {
        for (given, expected) in [
            (json!({ "properties": {} }), json!({ "properties": {}, "additionalProperties": false })),
            (json!({ "additionalProperties": true }), json!({ "additionalProperties": true })),
            (json!({ "unevaluatedProperties": {} }), json!({ "unevaluatedProperties": {} })),
            (json!({ "$ref": "#/$defs/a" }), json!({ "$ref": "#/$defs/a", "unevaluatedProperties": false })),
        ] {
            let mut members = given.as_object().cloned().unwrap();
            close_root(&mut members);
            assert_eq!(Value::Object(members), expected);
        }
    }
}
