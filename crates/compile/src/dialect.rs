//! JSON Schema draft 2020-12 as tools may use it: keywords, formats, how to walk a schema, how to compile one.
//!
//! Sources: JSON Schema Core and Validation, draft 2020-12. `definitions` is the old name of `$defs`, which the draft
//! keeps reserved.

use serde_json::{Value, json};

use super::source::pointer;
use toolgate_schema::{CompiledSchema, SUPPORTED_FORMATS};

/// What a keyword's value holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// One schema.
    Schema,
    /// A list of schemas.
    Schemas,
    /// Schemas by name.
    Named,
    /// No schema.
    Nothing,
}

const KEYWORDS: &[(&str, Holds)] = &[
    ("$anchor", Holds::Nothing),
    ("$comment", Holds::Nothing),
    ("$defs", Holds::Named),
    ("$dynamicAnchor", Holds::Nothing),
    ("$dynamicRef", Holds::Nothing),
    ("$id", Holds::Nothing),
    ("$ref", Holds::Nothing),
    ("$schema", Holds::Nothing),
    ("$vocabulary", Holds::Nothing),
    ("additionalProperties", Holds::Schema),
    ("allOf", Holds::Schemas),
    ("anyOf", Holds::Schemas),
    ("const", Holds::Nothing),
    ("contains", Holds::Schema),
    ("contentEncoding", Holds::Nothing),
    ("contentMediaType", Holds::Nothing),
    ("contentSchema", Holds::Schema),
    ("default", Holds::Nothing),
    ("definitions", Holds::Named),
    ("dependentRequired", Holds::Nothing),
    ("dependentSchemas", Holds::Named),
    ("deprecated", Holds::Nothing),
    ("description", Holds::Nothing),
    ("else", Holds::Schema),
    ("enum", Holds::Nothing),
    ("examples", Holds::Nothing),
    ("exclusiveMaximum", Holds::Nothing),
    ("exclusiveMinimum", Holds::Nothing),
    ("format", Holds::Nothing),
    ("if", Holds::Schema),
    ("items", Holds::Schema),
    ("maxContains", Holds::Nothing),
    ("maxItems", Holds::Nothing),
    ("maxLength", Holds::Nothing),
    ("maxProperties", Holds::Nothing),
    ("maximum", Holds::Nothing),
    ("minContains", Holds::Nothing),
    ("minItems", Holds::Nothing),
    ("minLength", Holds::Nothing),
    ("minProperties", Holds::Nothing),
    ("minimum", Holds::Nothing),
    ("multipleOf", Holds::Nothing),
    ("not", Holds::Schema),
    ("oneOf", Holds::Schemas),
    ("pattern", Holds::Nothing),
    ("patternProperties", Holds::Named),
    ("prefixItems", Holds::Schemas),
    ("properties", Holds::Named),
    ("propertyNames", Holds::Schema),
    ("readOnly", Holds::Nothing),
    ("required", Holds::Nothing),
    ("then", Holds::Schema),
    ("title", Holds::Nothing),
    ("type", Holds::Nothing),
    ("unevaluatedItems", Holds::Schema),
    ("unevaluatedProperties", Holds::Schema),
    ("uniqueItems", Holds::Nothing),
    ("writeOnly", Holds::Nothing),
];

/// The formats that are asserted; any other would be an annotation that nobody checks.
pub(super) const FORMATS: &[&str] = &SUPPORTED_FORMATS;

/// The values of `type`.
pub(super) const TYPES: &[&str] = &["string", "number", "integer", "boolean", "object", "array", "null"];

pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.iter().any(|(keyword, _)| *keyword == name)
}

/// Names of extensions, which mean something to Toolgate or to the author, never to a validator or provider.
pub(super) fn is_extension(name: &str) -> bool {
    name.starts_with("x-")
}

pub(super) fn keywords() -> Vec<&'static str> {
    KEYWORDS.iter().map(|(keyword, _)| *keyword).collect()
}

/// The schemas directly inside a schema, with their pointers relative to it.
pub(super) fn children(schema: &Value) -> Vec<(String, &Value)> {
    let Value::Object(members) = schema else { return Vec::new() };
    let mut found = Vec::new();
    for (name, value) in members {
        let Some((_, holds)) = KEYWORDS.iter().find(|(keyword, _)| keyword == name) else { continue };
        let at = pointer(&[name]);
        match (holds, value) {
            (Holds::Schema, Value::Object(_) | Value::Bool(_)) => found.push((at, value)),
            // `items` as a list is how older drafts wrote `prefixItems`.
            (Holds::Schema | Holds::Schemas, Value::Array(list)) => {
                found.extend(list.iter().enumerate().map(|(index, schema)| (format!("{at}/{index}"), schema)));
            }
            (Holds::Named, Value::Object(named)) => {
                found.extend(named.iter().map(|(key, schema)| (format!("{at}{}", pointer(&[key])), schema)));
            }
            _ => {}
        }
    }
    found
}

/// Visits a schema and every schema in it, with its JSON Pointer.
pub(super) fn walk<'a>(schema: &'a Value, pointer: &str, visit: &mut dyn FnMut(&str, &'a Value)) {
    visit(pointer, schema);
    for (below, child) in children(schema) {
        walk(child, &format!("{pointer}{below}"), visit);
    }
}

/// Whether a pattern can run.
pub(super) fn is_pattern(pattern: &str) -> bool {
    CompiledSchema::compile(&json!({ "pattern": pattern })).is_ok()
}

/// The `$schema` of draft 2020-12.
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Whether a schema names another dialect than 2020-12. Whatever else it names, it is read as 2020-12, because a
/// keyword that means something else there is refused by one of the rules.
pub(super) fn names_another(schema: &Value) -> bool {
    let named = schema.get("$schema").and_then(Value::as_str);
    named.is_some_and(|named| named.trim_end_matches('#') != DIALECT)
}
