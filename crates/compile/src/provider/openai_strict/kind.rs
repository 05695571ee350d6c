//! The types of JSON Schema but `null`, and how a schema shows which of them it takes.

use serde_json::{Map, Value};

/// A type but `null`, which is said beside the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

impl Kind {
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

    fn of(value: &Value) -> Option<Self> {
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
    pub(super) fn takes(self, value: &Value) -> bool {
        let kind = Self::of(value);
        kind == Some(self) || (self == Self::Number && kind == Some(Self::Integer))
    }
}

/// What a schema without combinators takes.
#[derive(Debug, PartialEq)]
pub(super) enum Takes {
    /// Values of these types, and `null` or not.
    Kinds { kinds: Vec<Kind>, null: bool },
    /// Values of any type.
    Anything,
}

/// What `type`, `enum` and `const` say; where they say nothing, what the other keywords are about.
pub(super) fn taken(flat: &Map<String, Value>) -> Takes {
    let named = type_names(flat);
    if let Some(values) = values(flat) {
        let is_named = |name: &str| named.as_ref().is_none_or(|named| named.contains(&name));
        let null = values.iter().any(|value| value.is_null()) && is_named("null");
        let kinds = values
            .iter()
            .filter_map(|value| Kind::of(value))
            .filter(|kind| is_named(kind.name()) || (*kind == Kind::Integer && is_named("number")));
        return Takes::Kinds { kinds: distinct(kinds), null };
    }
    if let Some(named) = named {
        let kinds = named.iter().filter_map(|name| Kind::parse(name));
        return Takes::Kinds { kinds: distinct(kinds), null: named.contains(&"null") };
    }
    let shown = shown(flat);
    if shown.is_empty() { Takes::Anything } else { Takes::Kinds { kinds: shown, null: false } }
}

/// The values that a schema lists.
fn values(flat: &Map<String, Value>) -> Option<Vec<&Value>> {
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

/// Each type once; `number` covers `integer`.
fn distinct(kinds: impl Iterator<Item = Kind>) -> Vec<Kind> {
    let mut seen = Vec::new();
    for kind in kinds {
        if !seen.contains(&kind) {
            seen.push(kind);
        }
    }
    if seen.contains(&Kind::Number) {
        seen.retain(|kind| *kind != Kind::Integer);
    }
    seen
}

/// The types that a schema is about although it does not name them.
fn shown(flat: &Map<String, Value>) -> Vec<Kind> {
    const SIGNS: [(Kind, &[&str]); 4] = [
        (Kind::Object, &["properties", "required", "patternProperties", "additionalProperties"]),
        (Kind::Array, &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]),
        (Kind::String, &["minLength", "maxLength", "pattern", "format"]),
        (Kind::Number, &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    ];
    let shown = SIGNS.into_iter().filter(|(_, signs)| signs.iter().any(|sign| flat.contains_key(*sign)));
    shown.map(|(kind, _)| kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kinds(schema: Value) -> Takes {
        let Value::Object(flat) = schema else { panic!("an object") };
        taken(&flat)
    }

    #[test]
    fn types_are_named_listed_or_shown() {
        let of = |kinds: &[Kind], null| Takes::Kinds { kinds: kinds.to_vec(), null };
        assert_eq!(kinds(json!({ "type": ["integer", "number", "null"] })), of(&[Kind::Number], true));
        assert_eq!(kinds(json!({ "enum": ["a", 1, null] })), of(&[Kind::String, Kind::Integer], true));
        assert_eq!(kinds(json!({ "type": "string", "enum": ["a", 1, null] })), of(&[Kind::String], false));
        assert_eq!(kinds(json!({ "type": "number", "const": 2 })), of(&[Kind::Integer], false));
        assert_eq!(kinds(json!({ "type": "string", "const": 2 })), of(&[], false));
        assert_eq!(kinds(json!({ "properties": {} })), of(&[Kind::Object], false));
        assert_eq!(kinds(json!({ "title": "x" })), Takes::Anything);
    }
}
