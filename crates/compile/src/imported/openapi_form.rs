//! Schemas in the form of `OpenAPI` 3.0, which Gemini's `Schema` is a subset of: `type: "OBJECT"`, `nullable`, int64
//! bounds as texts, `format: "enum"`, `example`.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::findings::ToolFindings;
use crate::findings::code::Code;
use crate::schema::dialect::{self, TYPES};

/// The schema in JSON Schema. `at` is its pointer in the definition.
pub(super) fn to_json_schema<'a>(schema: &'a Value, at: &str, found: &mut ToolFindings) -> Cow<'a, Value> {
    let (mut is_gemini, mut nullable) = (false, Vec::new());
    dialect::walk(schema, at, &mut |pointer, inner| {
        is_gemini |= inner
            .get("type")
            .and_then(Value::as_str)
            .is_some_and(|name| name == UNSPECIFIED || gemini_type(name).is_some());
        if inner.get("nullable").is_some_and(Value::is_boolean) {
            nullable.push(format!("{pointer}/nullable"));
        }
    });
    if !is_gemini && nullable.is_empty() {
        return Cow::Borrowed(schema);
    }
    if !is_gemini {
        for pointer in nullable {
            let message = "`nullable` is of OpenAPI 3.0; it is read as the type `null`";
            found.warning(Code::UnknownKeyword, pointer, message, "add `\"null\"` to `type`");
        }
    }
    let mut rewritten = schema.clone();
    rewrite(&mut rewritten, is_gemini);
    Cow::Owned(rewritten)
}

/// The type of Gemini that says nothing.
const UNSPECIFIED: &str = "TYPE_UNSPECIFIED";
/// Numbers that JSON carries as texts.
const NUMBERS: [&str; 8] =
    ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties", "minimum", "maximum"];

/// The type that Gemini writes in capitals.
fn gemini_type(name: &str) -> Option<&'static str> {
    TYPES.iter().find(|known| known.to_ascii_uppercase() == name).copied()
}

/// Rewrites a schema and those in it.
fn rewrite(schema: &mut Value, is_gemini: bool) {
    let inner: Vec<String> = dialect::subschemas(schema).into_iter().map(|(pointer, _)| pointer).collect();
    for pointer in inner {
        if let Some(child) = schema.pointer_mut(&pointer) {
            rewrite(child, is_gemini);
        }
    }
    if is_gemini {
        rewrite_gemini_keywords(schema);
    }
    rewrite_nullable(schema);
}

fn rewrite_gemini_keywords(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind == UNSPECIFIED {
        members.shift_remove("type");
    } else if let Some(name) = gemini_type(kind) {
        members.insert("type".to_owned(), json!(name));
    }
    for keyword in &NUMBERS {
        let number = members.get(*keyword).and_then(Value::as_str).and_then(parse_number);
        if let Some(number) = number {
            members.insert((*keyword).to_owned(), number);
        }
    }
    // It says that `enum` lists the values.
    if members.get("format").is_some_and(|format| format == "enum") {
        members.shift_remove("format");
    }
    if let Some(ordering) = members.shift_remove("propertyOrdering") {
        sort_properties(members, &ordering);
    }
    if let Some(example) = members.shift_remove("example") {
        members.entry("examples").or_insert_with(|| json!([example]));
    }
    // Gemini writes each value of `enum` as a text.
    let is_number = members.get("type").is_some_and(|kind| kind == "integer" || kind == "number");
    if let Some(Value::Array(values)) = members.get_mut("enum").filter(|_| is_number) {
        for value in values {
            *value = value.as_str().and_then(parse_number).unwrap_or_else(|| value.take());
        }
    }
}

fn parse_number(text: &str) -> Option<Value> {
    let integer = text.parse::<i64>().ok().map(Value::from);
    integer.or_else(|| text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from))
}

/// Sorts properties by Gemini's `propertyOrdering`; other providers use the order of `properties`.
pub(super) fn sort_properties(members: &mut Map<String, Value>, ordering: &Value) {
    let Some(Value::Object(properties)) = members.get_mut("properties") else { return };
    let names = ordering.as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut sorted = Map::new();
    for name in names {
        sorted.extend(
            properties
                .get_mut(name)
                .map(Value::take)
                .filter(|_| !sorted.contains_key(name))
                .map(|property| (name.to_owned(), property)),
        );
    }
    properties.retain(|name, _| !sorted.contains_key(name));
    sorted.append(properties);
    *properties = sorted;
}

/// `nullable: true` adds `null` to the values, whatever describes them.
fn rewrite_nullable(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    match members.get("nullable") {
        Some(Value::Bool(true)) => drop(members.shift_remove("nullable")),
        Some(Value::Bool(false)) => return drop(members.shift_remove("nullable")),
        _ => return,
    }
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    match members.get_mut("type") {
        Some(Value::Array(names)) if names.iter().all(|name| name != "null") => names.push(json!("null")),
        Some(name @ Value::String(_)) if *name != "null" => *name = json!([name.take(), "null"]),
        _ => {}
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = members.get_mut(keyword) {
            branches.push(json!({ "type": "null" }));
        }
    }
    let is_limited = ["$ref", "allOf", "const", "not"].iter().any(|keyword| members.contains_key(*keyword));
    if is_limited {
        let described = members.get("description").cloned();
        *schema = json!({ "anyOf": [schema.take(), { "type": "null" }] });
        if let (Some(described), Value::Object(members)) = (described, schema) {
            members.insert("description".to_owned(), described);
        }
    }
}

#[cfg(test)]
mod tests;
