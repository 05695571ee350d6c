//! Size limits of a strict schema.
//!
//! Source: OpenAI's guide "Structured model outputs", "Objects have limitations on nesting depth and size",
//! "Limitations on total string size", "Limitations on enum size". Nesting is counted as in OpenAI's Java SDK: the root
//! is level 0, every schema directly inside another is one level deeper, and references are not followed.

use serde_json::{Map, Value};

use super::super::Undeclarable;
use super::Inexpressible;
use crate::schema::dialect;

pub(super) const MAX_DEPTH: usize = 10;
const MAX_PROPERTIES: usize = 5_000;
/// Of all names of properties and definitions and all values of `enum` and `const` together, in characters.
const MAX_TEXT: usize = 120_000;
const MAX_ENUM_VALUES: usize = 1_000;
/// An `enum` with more values has the further limit [`MAX_LONG_ENUM_TEXT`], in characters.
const LONG_ENUM: usize = 250;
const MAX_LONG_ENUM_TEXT: usize = 15_000;

/// Refuses a schema at a level that is too deep.
pub(super) fn check_depth(at: &str, depth: usize) -> Result<(), Inexpressible> {
    if depth > MAX_DEPTH {
        return Err(Inexpressible::new(at, format!("it is nested deeper than {MAX_DEPTH} levels")));
    }
    Ok(())
}

/// Whether an `enum` is too long for a strict schema.
pub(super) fn is_enum_too_long(values: &[Value]) -> bool {
    values.len() > MAX_ENUM_VALUES
        || (values.len() > LONG_ENUM && values.iter().map(text_length).sum::<usize>() > MAX_LONG_ENUM_TEXT)
}

#[derive(Default)]
struct SchemaSize {
    depth: usize,
    properties: usize,
    text: usize,
    values: usize,
}

/// Refuses parameters that are too large as a whole.
pub(super) fn check_limits(parameters: &Map<String, Value>) -> Result<(), Undeclarable> {
    let mut size = SchemaSize::default();
    size.add_levels(&Value::Object(parameters.clone()));
    let too_much = [
        (size.depth, MAX_DEPTH, "levels of nesting"),
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
    /// Adds a schema with those in it, level by level.
    fn add_levels(&mut self, root: &Value) {
        let mut level = vec![root];
        let mut depth = 0;
        while !level.is_empty() {
            self.depth = depth;
            for schema in &level {
                self.add(schema);
            }
            level = level.into_iter().flat_map(dialect::subschemas).map(|(_, child)| child).collect();
            depth += 1;
        }
    }

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
        let mut deep = json!({ "type": "string" });
        for level in 0..11 {
            deep = json!({ "type": "array", "items": deep });
            let is_allowed = check_limits(deep.as_object().unwrap()).is_ok();
            assert_eq!(is_allowed, level < 10, "{level}");
        }
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
