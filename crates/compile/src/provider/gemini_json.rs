//! Gemini's function declaration with JSON Schema, `parametersJsonSchema`.
//!
//! Sources: `FunctionDeclaration.parametersJsonSchema` of the Gemini API (an object whose properties are the parameters)
//! and `GenerationConfig.responseJsonSchema`, which lists what of JSON Schema is read: [`READ`]. The whole schema may be
//! sent and the rest is not read, so it stays in the declaration, and the receipt says what is not read. What can be said
//! with words that are read is said with them: `allOf` is merged, `const` becomes `enum`, an exclusive bound of integers
//! the next integer. References lead into `$defs` and
//! stand alone. They may be cyclic "only within non-required properties", so that a required one becomes optional here.

use serde_json::{Map, Value, json};

use super::clean::without_extensions;
use super::parts::whole;
use super::references::{definition_of, is_annotation, localized};
use super::root::plain_object;
use super::{Declare, Provider, Receipt};
use crate::dialect;
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider = Provider { name: "geminiJson", declare: Declare::Always(declare) };

/// What is read. `oneOf` is read as `anyOf`, and `enum` for texts and numbers.
const READ: [&str; 21] = [
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "oneOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
];

fn declare(tool: &ToolDefinition, receipt: &mut Receipt) -> Value {
    let local = localized(&without_extensions(&tool.json_schema), receipt);
    let mut root = plain_object(&local.schema, receipt);
    root.shift_remove("$schema");
    let root = Value::Object(root);
    let mut rewriting = Rewriting { root: &root, receipt };
    let schema = rewriting.rewritten(&root, "");
    json!({ "name": tool.tool_id, "description": tool.description, "parametersJsonSchema": schema })
}

struct Rewriting<'a> {
    root: &'a Value,
    receipt: &'a mut Receipt,
}

impl Rewriting<'_> {
    /// The schema in words that are read, as far as there are any.
    fn rewritten(&mut self, schema: &Value, at: &str) -> Value {
        let members = match schema {
            Value::Object(members) => members,
            // The same in more words, for readers that expect an object.
            Value::Bool(true) => return json!({}),
            _ => return schema.clone(),
        };
        let is_alone = members.keys().all(|keyword| keyword == "$ref" || is_annotation(keyword));
        if members.contains_key("$ref") && is_alone {
            return self.reference(members, at);
        }
        let has_parts = ["$ref", "allOf"].iter().any(|keyword| members.contains_key(*keyword));
        let mut flat = if has_parts {
            let mut merged = whole(self.root, schema, at, self.receipt);
            if !at.is_empty() {
                merged.shift_remove("$defs");
            }
            merged
        } else {
            members.clone()
        };
        self.fixed(&mut flat, at);
        self.exclusive_bounds(&mut flat, at);
        self.unread(&flat, at);
        self.cycles(&mut flat, at);
        let mut flat = Value::Object(flat);
        let is_read = |below: &str| READ.iter().any(|keyword| below.split('/').nth(1) == Some(*keyword));
        let children = dialect::children(&flat).into_iter().filter(|(below, _)| is_read(below));
        let below: Vec<(String, Value)> = children.map(|(below, child)| (below, child.clone())).collect();
        for (below, child) in below {
            let child = self.rewritten(&child, &format!("{at}{below}"));
            if let Some(slot) = flat.pointer_mut(&below) {
                *slot = child;
            }
        }
        flat
    }

    /// No other property may stand beside a reference.
    fn reference(&mut self, members: &Map<String, Value>, at: &str) -> Value {
        let mut around = members.clone();
        let reference = around.shift_remove("$ref");
        around.retain(|keyword, _| matches!(keyword.as_str(), "title" | "description"));
        if around.is_empty() {
            return json!({ "$ref": reference });
        }
        self.receipt.changed(format!("{at}/$ref"), "what stands beside `$ref` is told around it");
        around.insert("anyOf".to_owned(), json!([{ "$ref": reference }]));
        Value::Object(around)
    }

    /// `const` as an `enum` of one value.
    fn fixed(&mut self, flat: &mut Map<String, Value>, at: &str) {
        let is_read = |value: &Value| value.is_string() || value.is_number();
        if let Some(only) = flat.get("const").filter(|only| is_read(only)).cloned() {
            flat.shift_remove("const");
            let kind = if only.is_string() { "string" } else { "number" };
            flat.entry("type").or_insert_with(|| json!(kind));
            flat.insert("enum".to_owned(), json!([only]));
            self.receipt.changed(format!("{at}/const"), "`const` is told as an `enum` of one value");
        }
        if let Some(Value::Array(values)) = flat.get("enum")
            && !values.iter().all(|value| is_read(value) || value.is_null())
        {
            self.receipt.lost(format!("{at}/enum"), "Gemini reads only texts and numbers in `enum`");
        }
    }

    fn exclusive_bounds(&mut self, flat: &mut Map<String, Value>, at: &str) {
        if flat.get("type").is_none_or(|kind| kind != "integer") {
            return;
        }
        for (exclusive, inclusive, step) in [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)] {
            let bound = flat.get(exclusive).and_then(Value::as_i64).and_then(|bound| bound.checked_add(step));
            if let Some(bound) = bound.filter(|_| !flat.contains_key(inclusive)) {
                flat.shift_remove(exclusive);
                flat.insert(inclusive.to_owned(), json!(bound));
                self.receipt.changed(format!("{at}/{exclusive}"), format!("`{exclusive}` is told as `{inclusive}`"));
            }
        }
    }

    fn unread(&mut self, flat: &Map<String, Value>, at: &str) {
        for keyword in flat.keys().filter(|keyword| !READ.contains(&keyword.as_str())) {
            let at = format!("{at}/{keyword}");
            let change = format!("Gemini does not read `{keyword}`");
            if is_annotation(keyword) || !dialect::is_keyword(keyword) {
                self.receipt.changed(at, change);
            } else {
                self.receipt.lost(at, change);
            }
        }
        if let Some(Value::Array(branches)) = flat.get("oneOf")
            && !super::exclusive::exclusive(branches)
        {
            self.receipt.lost(format!("{at}/oneOf"), "Gemini reads `oneOf` as `anyOf`");
        }
    }

    /// A required property that leads back to its own object becomes optional.
    fn cycles(&mut self, flat: &mut Map<String, Value>, at: &str) {
        let Some(Value::Object(properties)) = flat.get("properties") else { return };
        let cyclic: Vec<String> = properties
            .iter()
            .filter(|(_, schema)| is_cyclic(self.root, schema))
            .map(|(name, _)| name.clone())
            .collect();
        let Some(Value::Array(required)) = flat.get_mut("required") else { return };
        required.retain(|name| {
            let stays = !cyclic.iter().any(|cyclic| name == cyclic.as_str());
            if !stays {
                let change = format!("{name} is cyclic, and Gemini takes cycles in optional properties only");
                self.receipt.lost(format!("{at}/required"), change);
            }
            stays
        });
    }
}

/// Whether a schema refers to something that refers to itself.
fn is_cyclic(root: &Value, schema: &Value) -> bool {
    let direct = references(schema);
    direct.iter().any(|start| {
        let mut open = target(root, start).map(references).unwrap_or_default();
        let mut seen: Vec<String> = Vec::new();
        while let Some(next) = open.pop() {
            if next == *start {
                return true;
            }
            if !seen.contains(&next) {
                open.extend(target(root, &next).map(references).unwrap_or_default());
                seen.push(next);
            }
        }
        false
    })
}

fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    match definition_of(reference) {
        Some(name) => root.get("$defs")?.get(name),
        None => Some(root),
    }
}

/// The references in a schema and in all schemas in it, definitions aside.
fn references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    dialect::walk(schema, "", &mut |pointer, schema| {
        if !pointer.starts_with("/$defs/") {
            found.extend(schema.get("$ref").and_then(Value::as_str).map(str::to_owned));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_cycles_become_optional() {
        let node = json!({
            "type": "object",
            "properties": {
                "value": { "$ref": "#/$defs/text" },
                "children": { "type": "array", "items": { "$ref": "#/$defs/node" } }
            },
            "required": ["value", "children"]
        });
        let root = json!({ "properties": { "node": { "$ref": "#/$defs/node" } }, "required": ["node"],
                           "$defs": { "node": node, "text": { "type": "string", "minLength": 1 } } });
        let mut receipt = Receipt::default();
        let schema = Rewriting { root: &root, receipt: &mut receipt }.rewritten(&root, "");
        assert_eq!(schema["$defs"]["node"]["required"], json!(["value"]));
        assert_eq!(schema["required"], json!([]));
        let found: Vec<(&str, bool)> = receipt.0.iter().map(|entry| (entry.pointer.as_str(), entry.lost)).collect();
        assert_eq!(found, [("/required", true), ("/$defs/node/required", true), ("/$defs/text/minLength", true)]);
    }
}
