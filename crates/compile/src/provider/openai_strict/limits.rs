//! Size limits of a strict schema.
//!
//! Source: OpenAI's guide "Structured model outputs", "Objects have limitations on nesting depth and size",
//! "Limitations on total string size", "Limitations on enum size". Nesting is counted as in OpenAI's Java SDK: the root
//! is level 0, every schema directly inside another is one level deeper, and references are not followed.

use serde_json::{Map, Value};

use super::super::Undeclarable;
use crate::dialect;

pub(super) const MAX_DEPTH: usize = 10;
const MAX_PROPERTIES: usize = 5_000;
/// Of all names of properties and definitions and all values of `enum` and `const` together, in characters.
const MAX_TEXT: usize = 120_000;
const MAX_ENUM_VALUES: usize = 1_000;
/// An `enum` with more values has the further limit [`MAX_LIST_TEXT`], in characters.
const LONG_ENUM: usize = 250;
const MAX_LONG_ENUM_TEXT: usize = 15_000;

/// Whether an `enum` is too long for a strict schema.
pub(super) fn is_enum_too_long(values: &[Value]) -> bool {
    values.len() > MAX_ENUM_VALUES
        || (values.len() > LONG_ENUM && values.iter().map(text_length).sum::<usize>() > MAX_LONG_ENUM_TEXT)
}

#[derive(Default)]
struct SchemaSize {
    properties: usize,
    text: usize,
    values: usize,
}

/// Refuses parameters that are too large as a whole.
pub(super) fn check_limits(parameters: &Map<String, Value>) -> Result<(), Undeclarable> {
    let mut size = SchemaSize::default();
    dialect::walk(&Value::Object(parameters.clone()), "", &mut |_, schema| size.add(schema));
    let too_much = [
        (size.properties, MAX_PROPERTIES, "properties"),
        (size.text, MAX_TEXT, "characters in names and fixed values"),
        (size.values, MAX_ENUM_VALUES, "values in `enum`"),
    ];
    match too_much.into_iter().find(|(count, max, _)| count > max) {
        None => Ok(()),
        Some((count, max, what)) => Err(Undeclarable {
            pointer: String::new(),
            reason: format!("it has {count} {what}, and {max} are allowed"),
        }),
    }
}

impl SchemaSize {
    fn add(&mut self, schema: &Value) {
        let names = |keyword: &str| schema.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::keys);
        self.properties += names("properties").count();
        self.text += names("properties").chain(names("$defs")).map(|name| name.chars().count()).sum::<usize>();
        let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        self.values += values.clone().count();
        self.text += values.chain(schema.get("const")).map(text_length).sum::<usize>();
    }
}

fn text_length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        other => other.to_string().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_whole_is_measured() {
        let of = |count: usize| {
            let properties: Map<String, Value> =
                (0..count).map(|n| (n.to_string(), json!({ "type": "string" }))).collect();
            check_limits(&Map::from_iter([("properties".to_owned(), Value::Object(properties))]))
        };
        assert_eq!(of(5_000), Ok(()));
        let reason = "it has 5001 properties, and 5000 are allowed".to_owned();
        assert_eq!(of(5_001), Err(Undeclarable { pointer: String::new(), reason }));
    }

    #[test]
    fn a_long_list_of_long_texts_is_too_long() {
        let list = |count: usize, length: usize| vec![json!("x".repeat(length)); count];
        assert!(!is_enum_too_long(&list(250, 100)));
        assert!(is_enum_too_long(&list(251, 100)));
        assert!(!is_enum_too_long(&list(1_000, 15)));
        assert!(is_enum_too_long(&list(1_001, 1)));
    }
}
