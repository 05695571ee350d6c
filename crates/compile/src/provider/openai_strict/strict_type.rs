//! The types of JSON Schema except `null`, and the types that a schema accepts.

use serde_json::{Map, Value};

/// A type except `null`, which is handled separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StrictType {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

impl StrictType {
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "number" => Self::Number,
            "integer" => Self::Integer,
            "boolean" => Self::Boolean,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn from_value(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Null => return None,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => Self::Integer,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        })
    }

    /// Whether a value is of this type.
    pub(super) fn accepts(self, value: &Value) -> bool {
        let kind = Self::from_value(value);
        kind == Some(self) || (self == Self::Number && kind == Some(Self::Integer))
    }
}

/// The types that a schema without combinators accepts.
#[derive(Debug, PartialEq)]
pub(super) enum AcceptedTypes {
    /// Values of these types, and `null` if set.
    Only { kinds: Vec<StrictType>, null: bool },
    /// Values of any type.
    Any,
}

/// The accepted types: from `type`, `enum` and `const`, else from the other keywords.
pub(super) fn accepted_types(flat: &Map<String, Value>) -> AcceptedTypes {
    let named = type_names(flat);
    if let Some(values) = listed_values(flat) {
        let is_named = |name: &str| named.as_ref().is_none_or(|named| named.contains(&name));
        let null = values.iter().any(|value| value.is_null()) && is_named("null");
        let kinds = values
            .iter()
            .filter_map(|value| StrictType::from_value(value))
            .filter(|kind| is_named(kind.name()) || (*kind == StrictType::Integer && is_named("number")));
        return AcceptedTypes::Only { kinds: distinct_types(kinds), null };
    }
    if let Some(named) = named {
        let kinds = named.iter().filter_map(|name| StrictType::parse(name));
        return AcceptedTypes::Only { kinds: distinct_types(kinds), null: named.contains(&"null") };
    }
    let shown = types_from_keywords(flat);
    if shown.is_empty() { AcceptedTypes::Any } else { AcceptedTypes::Only { kinds: shown, null: false } }
}

/// The values of `const` or `enum`.
fn listed_values(flat: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (flat.get("const"), flat.get("enum")) {
        (Some(only), _) => Some(vec![only]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        _ => None,
    }
}

/// The names in `type`.
pub(super) fn type_names(flat: &Map<String, Value>) -> Option<Vec<&str>> {
    match flat.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// Removes duplicates; `number` covers `integer`.
fn distinct_types(kinds: impl Iterator<Item = StrictType>) -> Vec<StrictType> {
    let mut seen = Vec::new();
    for kind in kinds {
        if !seen.contains(&kind) {
            seen.push(kind);
        }
    }
    if seen.contains(&StrictType::Number) {
        seen.retain(|kind| *kind != StrictType::Integer);
    }
    seen
}

/// The types that the keywords of a schema without `type` apply to.
fn types_from_keywords(flat: &Map<String, Value>) -> Vec<StrictType> {
    const SIGNS: [(StrictType, &[&str]); 4] = [
        (StrictType::Object, &["properties", "required", "patternProperties", "additionalProperties"]),
        (StrictType::Array, &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]),
        (StrictType::String, &["minLength", "maxLength", "pattern", "format"]),
        (StrictType::Number, &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    ];
    let shown = SIGNS.into_iter().filter(|(_, signs)| signs.iter().any(|sign| flat.contains_key(*sign)));
    shown.map(|(kind, _)| kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn accepted(schema: Value) -> AcceptedTypes {
        let Value::Object(flat) = schema else { panic!("an object") };
        accepted_types(&flat)
    }

    #[test]
    fn types_are_named_listed_or_shown() {
        let of = |kinds: &[StrictType], null| AcceptedTypes::Only { kinds: kinds.to_vec(), null };
        assert_eq!(accepted(json!({ "type": ["integer", "number", "null"] })), of(&[StrictType::Number], true));
        assert_eq!(accepted(json!({ "enum": ["a", 1, null] })), of(&[StrictType::String, StrictType::Integer], true));
        assert_eq!(accepted(json!({ "type": "string", "enum": ["a", 1, null] })), of(&[StrictType::String], false));
        assert_eq!(accepted(json!({ "type": "number", "const": 2 })), of(&[StrictType::Integer], false));
        assert_eq!(accepted(json!({ "type": "string", "const": 2 })), of(&[], false));
        assert_eq!(accepted(json!({ "properties": {} })), of(&[StrictType::Object], false));
        assert_eq!(accepted(json!({ "title": "x" })), AcceptedTypes::Any);
    }
}
