//! `tool_registry.d.ts`: TypeScript types of each tool's arguments and data, so that calls are typed.
//!
//! A type accepts every value that its schema accepts. If TypeScript can't express a schema, the type is wider, up to
//! `unknown`; it is never narrower.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::schema::refs;
use toolgate_definition::ToolDefinition;

/// Schemas per tool that are converted; further ones become `unknown`, because a larger type is unreadable.
const MAX_PARTS: usize = 2_000;

/// The declaration file's text.
pub(crate) fn declaration_file(tools: &[&ToolDefinition]) -> String {
    let mut text = "// Made by the build from the tool folders. Changes are lost.\n".to_owned();
    let doc = "/** Arguments by tool, as a caller writes them. What has a default may be left out. */";
    write_interface(&mut text, doc, "ToolArgs", tools, |tool| Some(&tool.json_schema));
    let doc = "/** `data` on success, by tool. */";
    write_interface(&mut text, doc, "ToolData", tools, |tool| tool.result_schema.as_deref());
    text.push_str("\nexport type ToolId = keyof ToolArgs\n");
    text
}

fn write_interface(
    text: &mut String,
    doc: &str,
    name: &str,
    tools: &[&ToolDefinition],
    schema: fn(&ToolDefinition) -> Option<&Value>,
) {
    // Writing into a String can't fail.
    let _ = writeln!(text, "\n{doc}\nexport interface {name} {{");
    for tool in tools {
        let of_type =
            schema(tool).map_or_else(|| "unknown".to_owned(), |schema| TypeWriter::new(schema).type_of(schema, 1));
        text.push_str(&comment(Some(&tool.description), 1));
        let _ = writeln!(text, "  {}: {of_type}", tool.tool_id);
    }
    text.push_str("}\n");
}

struct TypeWriter<'a> {
    /// The schema that references are relative to.
    root: &'a Value,
    /// References that are being expanded. A recursive reference becomes `unknown`.
    open_references: Vec<String>,
    parts: usize,
}

impl<'a> TypeWriter<'a> {
    const fn new(root: &'a Value) -> Self {
        Self { root, open_references: Vec::new(), parts: 0 }
    }

    /// The type of a schema; `depth` is the indentation of its lines.
    fn type_of(&mut self, schema: &Value, depth: usize) -> String {
        self.parts += 1;
        let members = match schema {
            Value::Object(members) if self.parts <= MAX_PARTS => members,
            Value::Bool(false) => return "never".to_owned(),
            _ => return "unknown".to_owned(),
        };
        let mut all = vec![self.own_type(members, depth)];
        if let Some((_, reference)) = refs::reference(schema) {
            all.push(self.referenced_type(reference, depth));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = members.get(keyword) {
                all.push(union_of(branches.iter().map(|branch| self.type_of(branch, depth))));
            }
        }
        if let Some(Value::Array(branches)) = members.get("allOf") {
            all.extend(branches.iter().map(|branch| self.type_of(branch, depth)));
        }
        intersection_of(all.into_iter())
    }

    fn referenced_type(&mut self, reference: &str, depth: usize) -> String {
        let found = refs::resolve(self.root, reference).filter(|(target, _)| !self.open_references.contains(target));
        let Some((target, schema)) = found else { return "unknown".to_owned() };
        self.open_references.push(target);
        let of_type = self.type_of(schema, depth);
        self.open_references.pop();
        of_type
    }

    /// The type of a schema's own keywords, without references and compositions.
    fn own_type(&mut self, members: &Map<String, Value>, depth: usize) -> String {
        match (members.get("const"), members.get("enum")) {
            (Some(only), _) => return literal(only),
            (None, Some(Value::Array(values))) => return union_of(values.iter().map(literal)),
            _ => {}
        }
        match members.get("type") {
            Some(Value::String(name)) => self.named_type(name, members, depth),
            Some(Value::Array(names)) => {
                union_of(names.iter().filter_map(Value::as_str).map(|name| self.named_type(name, members, depth)))
            }
            _ => "unknown".to_owned(),
        }
    }

    fn named_type(&mut self, name: &str, members: &Map<String, Value>, depth: usize) -> String {
        match name {
            "string" | "boolean" | "null" => name.to_owned(),
            "number" | "integer" => "number".to_owned(),
            "array" => self.array_type(members, depth),
            "object" => self.object_type(members, depth),
            _ => "unknown".to_owned(),
        }
    }

    fn array_type(&mut self, members: &Map<String, Value>, depth: usize) -> String {
        let items = members.get("items").map_or_else(|| "unknown".to_owned(), |items| self.type_of(items, depth));
        let Some(Value::Array(prefix)) = members.get("prefixItems") else { return format!("Array<{items}>") };
        // An array may be shorter than its prefix, so each position is optional.
        let positions: Vec<String> = prefix.iter().map(|item| format!("({})?", self.type_of(item, depth))).collect();
        let rest = if items == "never" { String::new() } else { format!(", ...Array<{items}>") };
        format!("[{}{rest}]", positions.join(", "))
    }

    fn object_type(&mut self, members: &Map<String, Value>, depth: usize) -> String {
        let empty = Map::new();
        let properties = members.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let closed = members.get("additionalProperties") == Some(&Value::Bool(false))
            && !members.contains_key("patternProperties");
        if properties.is_empty() {
            return if closed { "Record<string, never>" } else { "Record<string, unknown>" }.to_owned();
        }
        let mut text = "{\n".to_owned();
        for (name, schema) in properties {
            let required = members.get("required").and_then(Value::as_array);
            let required = required.is_some_and(|required| required.iter().any(|listed| listed == name));
            let mark = if required { "" } else { "?" };
            text.push_str(&comment(schema.get("description").and_then(Value::as_str), depth + 1));
            let of_type = self.type_of(schema, depth + 1);
            // Writing into a String can't fail.
            let _ = writeln!(text, "{}{}{mark}: {of_type}", indent(depth + 1), key(name));
        }
        if !closed {
            let _ = writeln!(text, "{}[key: string]: unknown", indent(depth + 1));
        }
        text + &indent(depth) + "}"
    }
}

/// A union. `unknown` absorbs the other types.
fn union_of(types: impl Iterator<Item = String>) -> String {
    let types = unique(types, "never");
    if types.iter().any(|name| name == "unknown") { "unknown".to_owned() } else { joined_types(&types, " | ", "never") }
}

/// An intersection. `unknown` is omitted.
fn intersection_of(types: impl Iterator<Item = String>) -> String {
    joined_types(&unique(types, "unknown"), " & ", "unknown")
}

fn unique(types: impl Iterator<Item = String>, neutral: &str) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for name in types.filter(|name| name != neutral) {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    unique
}

/// Types joined by an operator; unions and intersections among them are parenthesized.
fn joined_types(types: &[String], operator: &str, none: &str) -> String {
    match types {
        [] => none.to_owned(),
        [one] => one.clone(),
        several => {
            let composite = |name: &String| name.contains(" | ") || name.contains(" & ");
            let wrap = |name: &String| if composite(name) { format!("({name})") } else { name.clone() };
            several.iter().map(wrap).collect::<Vec<_>>().join(operator)
        }
    }
}

/// A value as a literal type.
fn literal(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => "unknown".to_owned(),
        value => value.to_string(),
    }
}

fn key(name: &str) -> String {
    let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    let plain = name.chars().all(word) && name.starts_with(|first: char| !first.is_ascii_digit());
    if plain { name.to_owned() } else { Value::from(name).to_string() }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn comment(text: Option<&str>, depth: usize) -> String {
    let Some(text) = text else { return String::new() };
    // `*/` would end the comment.
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "*\\/");
    if line.is_empty() { String::new() } else { format!("{}/** {line} */\n", indent(depth)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn type_of(schema: &Value) -> String {
        TypeWriter::new(schema).type_of(schema, 0)
    }

    #[test]
    fn schemas_become_types() {
        for (schema, expected) in [
            (json!(true), "unknown"),
            (json!({ "type": "integer" }), "number"),
            (json!({ "type": ["string", "null"] }), "string | null"),
            (json!({ "enum": ["a", 1, null, "a"] }), "\"a\" | 1 | null"),
            (json!({ "type": "string", "const": "x\"y" }), "\"x\\\"y\""),
            (json!({ "type": "array", "items": { "enum": ["a", "b"] } }), "Array<\"a\" | \"b\">"),
            (json!({ "type": "array", "prefixItems": [{ "type": "string" }], "items": false }), "[(string)?]"),
            (json!({ "type": "object", "additionalProperties": false }), "Record<string, never>"),
            (json!({ "type": "object" }), "Record<string, unknown>"),
            (
                json!({ "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/n" }], "$defs": { "n": { "type": "number" } } }),
                "string | number",
            ),
            (json!({ "allOf": [{ "type": "string" }, { "enum": ["a", "b"] }] }), "string & (\"a\" | \"b\")"),
            (
                json!({ "type": "object", "additionalProperties": false, "required": ["a-b"], "properties": {
                    "a-b": { "type": "string", "description": "ends */ here\nnot" }, "c": true } }),
                "{\n  /** ends *\\/ here not */\n  \"a-b\": string\n  c?: unknown\n}",
            ),
        ] {
            assert_eq!(type_of(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn recursion_ends_in_unknown() {
        let schema = json!({ "type": "array", "items": { "$ref": "#" } });
        assert_eq!(type_of(&schema), "Array<Array<unknown>>");
        let wide = json!({ "anyOf": (0..50).map(|_| json!({ "$ref": "#/$defs/a" })).collect::<Vec<_>>(), "$defs": {
            "a": { "items": { "$ref": "#/$defs/b" }, "type": "array" },
            "b": { "type": "array", "prefixItems": (0..50).map(|_| json!({ "$ref": "#/$defs/c" })).collect::<Vec<_>>() },
            "c": { "type": "array", "prefixItems": (0..50).map(|_| json!({ "type": "string" })).collect::<Vec<_>>() } } });
        assert!(type_of(&wide).len() < 100_000, "a wide schema ends too");
    }
}
