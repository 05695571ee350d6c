//! JSON Schema draft 2020-12 as tools may use it: keywords, formats, patterns, and walking a schema.
//!
//! Sources: JSON Schema Core and Validation, draft 2020-12. `definitions` is the old name of `$defs`, which the draft
//! keeps reserved.

use serde_json::Value;

use crate::text::source::pointer_from_names;
use toolgate_schema::SUPPORTED_FORMATS;

/// The schemas in a keyword's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeywordContent {
    /// One schema.
    Schema,
    /// A list of schemas.
    SchemaList,
    /// Schemas by name.
    SchemaMap,
    /// No schema.
    NoSchema,
}

const KEYWORDS: &[(&str, KeywordContent)] = &[
    ("$anchor", KeywordContent::NoSchema),
    ("$comment", KeywordContent::NoSchema),
    ("$defs", KeywordContent::SchemaMap),
    ("$dynamicAnchor", KeywordContent::NoSchema),
    ("$dynamicRef", KeywordContent::NoSchema),
    ("$id", KeywordContent::NoSchema),
    ("$ref", KeywordContent::NoSchema),
    ("$schema", KeywordContent::NoSchema),
    ("$vocabulary", KeywordContent::NoSchema),
    ("additionalProperties", KeywordContent::Schema),
    ("allOf", KeywordContent::SchemaList),
    ("anyOf", KeywordContent::SchemaList),
    ("const", KeywordContent::NoSchema),
    ("contains", KeywordContent::Schema),
    ("contentEncoding", KeywordContent::NoSchema),
    ("contentMediaType", KeywordContent::NoSchema),
    ("contentSchema", KeywordContent::Schema),
    ("default", KeywordContent::NoSchema),
    ("definitions", KeywordContent::SchemaMap),
    ("dependentRequired", KeywordContent::NoSchema),
    ("dependentSchemas", KeywordContent::SchemaMap),
    ("deprecated", KeywordContent::NoSchema),
    ("description", KeywordContent::NoSchema),
    ("else", KeywordContent::Schema),
    ("enum", KeywordContent::NoSchema),
    ("examples", KeywordContent::NoSchema),
    ("exclusiveMaximum", KeywordContent::NoSchema),
    ("exclusiveMinimum", KeywordContent::NoSchema),
    ("format", KeywordContent::NoSchema),
    ("if", KeywordContent::Schema),
    ("items", KeywordContent::Schema),
    ("maxContains", KeywordContent::NoSchema),
    ("maxItems", KeywordContent::NoSchema),
    ("maxLength", KeywordContent::NoSchema),
    ("maxProperties", KeywordContent::NoSchema),
    ("maximum", KeywordContent::NoSchema),
    ("minContains", KeywordContent::NoSchema),
    ("minItems", KeywordContent::NoSchema),
    ("minLength", KeywordContent::NoSchema),
    ("minProperties", KeywordContent::NoSchema),
    ("minimum", KeywordContent::NoSchema),
    ("multipleOf", KeywordContent::NoSchema),
    ("not", KeywordContent::Schema),
    ("oneOf", KeywordContent::SchemaList),
    ("pattern", KeywordContent::NoSchema),
    ("patternProperties", KeywordContent::SchemaMap),
    ("prefixItems", KeywordContent::SchemaList),
    ("properties", KeywordContent::SchemaMap),
    ("propertyNames", KeywordContent::Schema),
    ("readOnly", KeywordContent::NoSchema),
    ("required", KeywordContent::NoSchema),
    ("then", KeywordContent::Schema),
    ("title", KeywordContent::NoSchema),
    ("type", KeywordContent::NoSchema),
    ("unevaluatedItems", KeywordContent::Schema),
    ("unevaluatedProperties", KeywordContent::Schema),
    ("uniqueItems", KeywordContent::NoSchema),
    ("writeOnly", KeywordContent::NoSchema),
];

/// The formats that are asserted; any other format would be an unchecked annotation.
pub(crate) const FORMATS: &[&str] = &SUPPORTED_FORMATS;

/// The values of `type`.
pub(crate) const TYPES: &[&str] = &["string", "number", "integer", "boolean", "object", "array", "null"];

pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.iter().any(|(keyword, _)| *keyword == name)
}

/// Whether a keyword is an extension: for Toolgate or the author, ignored by validators and providers.
pub(crate) fn is_extension(name: &str) -> bool {
    name.starts_with("x-")
}

pub(crate) fn keywords() -> Vec<&'static str> {
    KEYWORDS.iter().map(|(keyword, _)| *keyword).collect()
}

/// The schemas directly inside a schema, with their pointers relative to it.
pub(crate) fn subschemas(schema: &Value) -> Vec<(String, &Value)> {
    let Value::Object(members) = schema else { return Vec::new() };
    let mut found = Vec::new();
    for (name, value) in members {
        let Some((_, holds)) = KEYWORDS.iter().find(|(keyword, _)| keyword == name) else { continue };
        let at = pointer_from_names(&[name]);
        match (holds, value) {
            (KeywordContent::Schema, Value::Object(_) | Value::Bool(_)) => found.push((at, value)),
            // `items` as an array is `prefixItems` of older drafts.
            (KeywordContent::Schema | KeywordContent::SchemaList, Value::Array(list)) => {
                found.extend(list.iter().enumerate().map(|(index, schema)| (format!("{at}/{index}"), schema)));
            }
            (KeywordContent::SchemaMap, Value::Object(named)) => {
                found.extend(named.iter().map(|(key, schema)| (format!("{at}{}", pointer_from_names(&[key])), schema)));
            }
            _ => {}
        }
    }
    found
}

/// Visits a schema and every schema in it, with its JSON Pointer.
pub(crate) fn walk<'a>(schema: &'a Value, pointer: &str, visit: &mut dyn FnMut(&str, &'a Value)) {
    visit(pointer, schema);
    for (below, child) in subschemas(schema) {
        walk(child, &format!("{pointer}{below}"), visit);
    }
}

/// The `$schema` of draft 2020-12.
pub(crate) const DIALECT_2020_12: &str = "https://json-schema.org/draft/2020-12/schema";

/// Whether a schema declares another dialect than 2020-12. It is read as 2020-12 all the same, because a keyword with
/// another meaning there is refused by one of the lint rules.
pub(crate) fn declares_other_dialect(schema: &Value) -> bool {
    let named = schema.get("$schema").and_then(Value::as_str);
    named.is_some_and(|named| named.trim_end_matches('#') != DIALECT_2020_12)
}
