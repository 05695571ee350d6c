//! `tool_registry.d.ts`: TypeScript types of each tool's arguments and data, so that calls are typed.
//!
//! A type says what TypeScript can say of a schema. Where a schema says more, or something else, the type is wider,
//! down to `unknown`; it is never narrower.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::refs;
use toolgate_definition::ToolDefinition;

/// A tool whose type has more parts is of no use to a person as a type.
const MAX_PARTS: usize = 2_000;

/// The declaration file's text.
pub(super) fn text(tools: &[&ToolDefinition]) -> String {
    let mut text = "// Made by the build from the tool folders. Changes are lost.\n".to_owned();
    let doc = "/** Arguments by tool, as a caller writes them. What has a default may be left out. */";
    interface(&mut text, doc, "ToolArgs", tools, |tool| Some(&tool.json_schema));
    let doc = "/** `data` on success, by tool. */";
    interface(&mut text, doc, "ToolData", tools, |tool| tool.result_schema.as_deref());
    text.push_str("\nexport type ToolId = keyof ToolArgs\n");
    text
}

fn interface(
    text: &mut String,
    doc: &str,
    name: &str,
    tools: &[&ToolDefinition],
    schema: fn(&ToolDefinition) -> Option<&Value>,
) {
    // Writing into a String can't fail.
    let _ = writeln!(text, "\n{doc}\nexport interface {name} {{");
    for tool in tools {
        let of_type = schema(tool).map_or_else(|| "unknown".to_owned(), |schema| Types::new(schema).of(schema, 1));
        text.push_str(&comment(Some(&tool.description), 1));
        let _ = writeln!(text, "  {}: {of_type}", tool.tool_id);
    }
    text.push_str("}\n");
}

struct Types<'a> {
    /// What references count from.
    root: &'a Value,
    /// References that the current type stands in. A type that holds itself ends in `unknown`.
    open: Vec<String>,
    parts: usize,
}

impl<'a> Types<'a> {
    const fn new(root: &'a Value) -> Self {
        Self { root, open: Vec::new(), parts: 0 }
    }

    /// The type of a schema; `depth` is how far its lines are indented.
    fn of(&mut self, schema: &Value, depth: usize) -> String {
        self.parts += 1;
        let members = match schema {
            Value::Object(members) if self.parts <= MAX_PARTS => members,
            Value::Bool(false) => return "never".to_owned(),
            _ => return "unknown".to_owned(),
        };
        let mut all = vec![self.own(members, depth)];
        if let Some((_, reference)) = refs::reference(schema) {
            all.push(self.referred(reference, depth));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = members.get(keyword) {
                all.push(either(branches.iter().map(|branch| self.of(branch, depth))));
            }
        }
        if let Some(Value::Array(branches)) = members.get("allOf") {
            all.extend(branches.iter().map(|branch| self.of(branch, depth)));
        }
        both(all.into_iter())
    }

    fn referred(&mut self, reference: &str, depth: usize) -> String {
        let found = refs::resolve(self.root, reference).filter(|(target, _)| !self.open.contains(target));
        let Some((target, schema)) = found else { return "unknown".to_owned() };
        self.open.push(target);
        let of_type = self.of(schema, depth);
        self.open.pop();
        of_type
    }

    /// What a schema says itself, besides what it refers to.
    fn own(&mut self, members: &Map<String, Value>, depth: usize) -> String {
        match (members.get("const"), members.get("enum")) {
            (Some(only), _) => return literal(only),
            (None, Some(Value::Array(values))) => return either(values.iter().map(literal)),
            _ => {}
        }
        match members.get("type") {
            Some(Value::String(name)) => self.named(name, members, depth),
            Some(Value::Array(names)) => {
                either(names.iter().filter_map(Value::as_str).map(|name| self.named(name, members, depth)))
            }
            _ => "unknown".to_owned(),
        }
    }

    fn named(&mut self, name: &str, members: &Map<String, Value>, depth: usize) -> String {
        match name {
            "string" | "boolean" | "null" => name.to_owned(),
            "number" | "integer" => "number".to_owned(),
            "array" => self.array(members, depth),
            "object" => self.object(members, depth),
            _ => "unknown".to_owned(),
        }
    }

    fn array(&mut self, members: &Map<String, Value>, depth: usize) -> String {
        let items = members.get("items").map_or_else(|| "unknown".to_owned(), |items| self.of(items, depth));
        let Some(Value::Array(prefix)) = members.get("prefixItems") else { return format!("Array<{items}>") };
        // An array may be shorter than its prefix, so each position is optional.
        let positions: Vec<String> = prefix.iter().map(|item| format!("({})?", self.of(item, depth))).collect();
        let rest = if items == "never" { String::new() } else { format!(", ...Array<{items}>") };
        format!("[{}{rest}]", positions.join(", "))
    }

    fn object(&mut self, members: &Map<String, Value>, depth: usize) -> String {
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
            let of_type = self.of(schema, depth + 1);
            // Writing into a String can't fail.
            let _ = writeln!(text, "{}{}{mark}: {of_type}", indent(depth + 1), key(name));
        }
        if !closed {
            let _ = writeln!(text, "{}[key: string]: unknown", indent(depth + 1));
        }
        text + &indent(depth) + "}"
    }
}

/// A union. What may be anything makes all of it anything.
fn either(types: impl Iterator<Item = String>) -> String {
    let types = unique(types, "never");
    if types.iter().any(|name| name == "unknown") { "unknown".to_owned() } else { joined(&types, " | ", "never") }
}

/// An intersection. What says nothing is left out.
fn both(types: impl Iterator<Item = String>) -> String {
    joined(&unique(types, "unknown"), " & ", "unknown")
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

/// Types joined by an operator; what joins others itself is wrapped.
fn joined(types: &[String], operator: &str, none: &str) -> String {
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
    // The end of a comment inside it would end it.
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "*\\/");
    if line.is_empty() { String::new() } else { format!("{}/** {line} */\n", indent(depth)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(schema: &Value) -> String {
        Types::new(schema).of(schema, 0)
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
            assert_eq!(of(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn recursion_ends_in_unknown() {
        let schema = json!({ "type": "array", "items": { "$ref": "#" } });
        assert_eq!(of(&schema), "Array<Array<unknown>>");
        let wide = json!({ "anyOf": (0..50).map(|_| json!({ "$ref": "#/$defs/a" })).collect::<Vec<_>>(), "$defs": {
            "a": { "items": { "$ref": "#/$defs/b" }, "type": "array" },
            "b": { "type": "array", "prefixItems": (0..50).map(|_| json!({ "$ref": "#/$defs/c" })).collect::<Vec<_>>() },
            "c": { "type": "array", "prefixItems": (0..50).map(|_| json!({ "type": "string" })).collect::<Vec<_>>() } } });
        assert!(of(&wide).len() < 100_000, "a wide schema ends too");
    }
}
