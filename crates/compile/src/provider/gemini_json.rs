//! Gemini's function declaration with JSON Schema, `parametersJsonSchema`.
//!
//! Sources: `FunctionDeclaration.parametersJsonSchema` of the Gemini API (an object whose properties are the
//! parameters) and `GenerationConfig.responseJsonSchema`, which lists the keywords that are read: [`READ`]. Other
//! keywords are rewritten with these if possible: `allOf` is merged, `const` becomes `enum`, an exclusive bound of
//! integers the next integer. The rest is ignored by the API, so it stays in the declaration, and the receipt lists it.
//! References target `$defs` and have no sibling keywords. Cycles are allowed "only within non-required properties",
//! so a required cyclic property becomes optional.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};

use super::extensions::without_extensions;
use super::flatten::flatten_schema;
use super::recursive_parts::define_recursive_conjunctions;
use super::reference_graph::ReferenceGraph;
use super::references::{is_annotation, localize_references};
use super::root_object::plain_object;
use super::{DeclareFn, Provider, Receipt};
use crate::schema::dialect;
use toolgate_definition::ToolDefinition;

pub(super) const PROVIDER: Provider = Provider {
    name: "geminiJson",
    max_tools: Some(super::gemini_native::MAX_TOOLS),
    declare: DeclareFn::Infallible(declare),
};

/// The keywords that Gemini reads. `oneOf` is read as `anyOf`, and `enum` only for strings and numbers.
const SUPPORTED_KEYWORDS: [&str; 21] = [
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
    let mut local = localize_references(&without_extensions(&tool.json_schema), receipt);
    let mut root = plain_object(&local.schema, receipt);
    root.shift_remove("$schema");
    let root = Value::Object(define_recursive_conjunctions(root, &mut local.origins, receipt));
    let mut rewriting =
        SchemaRewriter { root: &root, graph: ReferenceGraph::new(&root), origins: &local.origins, receipt };
    let schema = rewriting.rewrite_schema(&root, "");
    json!({ "name": tool.tool_id, "description": tool.description, "parametersJsonSchema": schema })
}

struct SchemaRewriter<'a> {
    root: &'a Value,
    graph: ReferenceGraph,
    /// The JSON Pointer of each definition in the authored schema.
    origins: &'a BTreeMap<String, String>,
    receipt: &'a mut Receipt,
}

impl SchemaRewriter<'_> {
    /// The schema rewritten with supported keywords, as far as possible.
    fn rewrite_schema(&mut self, schema: &Value, at: &str) -> Value {
        self.receipt.spend(at.len() + 1);
        if self.receipt.is_spent() {
            return json!({});
        }
        let members = match schema {
            Value::Object(members) => members,
            // For readers that expect an object.
            Value::Bool(true) => return json!({}),
            _ => return schema.clone(),
        };
        let is_alone = members.keys().all(|keyword| keyword == "$ref" || is_annotation(keyword));
        if members.contains_key("$ref") && is_alone {
            return self.rewrite_reference(members, at);
        }
        let has_parts = ["$ref", "allOf"].iter().any(|keyword| members.contains_key(*keyword));
        let mut flat = if has_parts {
            let mut merged = flatten_schema(self.root, schema, at, self.receipt);
            if !at.is_empty() {
                merged.shift_remove("$defs");
            }
            merged
        } else {
            self.receipt.spend_on(schema);
            members.clone()
        };
        self.rewrite_const(&mut flat, at);
        self.rewrite_exclusive_bounds(&mut flat, at);
        self.report_unsupported(&flat, at);
        self.relax_required_cycles(&mut flat, at);
        let mut flat = Value::Object(flat);
        let is_read = |below: &str| SUPPORTED_KEYWORDS.iter().any(|keyword| below.split('/').nth(1) == Some(*keyword));
        let children = dialect::subschemas(&flat).into_iter().filter(|(below, _)| is_read(below));
        let below: Vec<(String, Value)> = children.map(|(below, child)| (below, child.clone())).collect();
        for (below, child) in below {
            let child = self.rewrite_schema(&child, &self.pointer(at, &below));
            if let Some(slot) = flat.pointer_mut(&below) {
                *slot = child;
            }
        }
        flat
    }

    /// The pointer of a subschema in the authored schema.
    fn pointer(&self, at: &str, below: &str) -> String {
        let definition = below.strip_prefix("/$defs/").filter(|_| at.is_empty());
        match definition.and_then(|name| self.origins.get(name)) {
            Some(origin) => origin.clone(),
            None => format!("{at}{below}"),
        }
    }

    /// A reference with its title and description around it: Gemini allows no keyword beside `$ref`.
    fn rewrite_reference(&mut self, members: &Map<String, Value>, at: &str) -> Value {
        let mut around = members.clone();
        let reference = around.shift_remove("$ref");
        around.retain(|keyword, _| matches!(keyword.as_str(), "title" | "description"));
        if around.is_empty() {
            return json!({ "$ref": reference });
        }
        self.receipt.changed(format!("{at}/$ref"), "the keywords beside `$ref` are declared in a schema around it");
        around.insert("anyOf".to_owned(), json!([{ "$ref": reference }]));
        Value::Object(around)
    }

    /// Rewrites `const` as an `enum` of one value.
    fn rewrite_const(&mut self, flat: &mut Map<String, Value>, at: &str) {
        let is_read = |value: &Value| value.is_string() || value.is_number();
        if let Some(only) = flat.get("const").filter(|only| is_read(only)).cloned() {
            flat.shift_remove("const");
            let kind = if only.is_string() { "string" } else { "number" };
            flat.entry("type").or_insert_with(|| json!(kind));
            flat.insert("enum".to_owned(), json!([only]));
            self.receipt.changed(format!("{at}/const"), "`const` is declared as an `enum` of one value");
        }
        if let Some(Value::Array(values)) = flat.get("enum")
            && !values.iter().all(|value| is_read(value) || value.is_null())
        {
            self.receipt.lost(format!("{at}/enum"), "Gemini reads only strings and numbers in `enum`");
        }
    }

    fn rewrite_exclusive_bounds(&mut self, flat: &mut Map<String, Value>, at: &str) {
        if flat.get("type").is_none_or(|kind| kind != "integer") {
            return;
        }
        for (exclusive, inclusive, step) in [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)] {
            let bound = flat.get(exclusive).and_then(Value::as_i64).and_then(|bound| bound.checked_add(step));
            if let Some(bound) = bound.filter(|_| !flat.contains_key(inclusive)) {
                flat.shift_remove(exclusive);
                flat.insert(inclusive.to_owned(), json!(bound));
                self.receipt
                    .changed(format!("{at}/{exclusive}"), format!("`{exclusive}` is declared as `{inclusive}`"));
            }
        }
    }

    fn report_unsupported(&mut self, flat: &Map<String, Value>, at: &str) {
        for keyword in flat.keys().filter(|keyword| !SUPPORTED_KEYWORDS.contains(&keyword.as_str())) {
            let at = format!("{at}/{keyword}");
            let change = format!("Gemini does not read `{keyword}`");
            if is_annotation(keyword) || !dialect::is_keyword(keyword) {
                self.receipt.changed(at, change);
            } else {
                self.receipt.lost(at, change);
            }
        }
        if let Some(Value::Array(branches)) = flat.get("oneOf")
            && !super::exclusive_branches::are_exclusive(branches.iter())
        {
            self.receipt.lost(format!("{at}/oneOf"), "Gemini reads `oneOf` as `anyOf`");
        }
    }

    /// Makes required properties optional if their schema is cyclic.
    fn relax_required_cycles(&mut self, flat: &mut Map<String, Value>, at: &str) {
        let Some(Value::Object(properties)) = flat.get("properties") else { return };
        let cyclic: HashSet<String> = properties
            .iter()
            .filter(|(_, schema)| self.graph.is_cyclic(schema, self.receipt))
            .map(|(name, _)| name.clone())
            .collect();
        let Some(Value::Array(required)) = flat.get_mut("required") else { return };
        required.retain(|name| {
            let stays = !name.as_str().is_some_and(|name| cyclic.contains(name));
            if !stays {
                let change = format!("{name} is cyclic, and Gemini accepts cycles in optional properties only");
                self.receipt.lost(format!("{at}/required"), change);
            }
            stays
        });
    }
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
        let origins = BTreeMap::new();
        let graph = ReferenceGraph::new(&root);
        let mut rewriter = SchemaRewriter { root: &root, graph, origins: &origins, receipt: &mut receipt };
        let schema = rewriter.rewrite_schema(&root, "");
        assert_eq!(schema["$defs"]["node"]["required"], json!(["value"]));
        assert_eq!(schema["required"], json!([]));
        let found: Vec<(&str, bool)> = receipt.iter().map(|entry| (entry.pointer.as_str(), entry.lost)).collect();
        assert_eq!(found, [("/required", true), ("/$defs/node/required", true), ("/$defs/text/minLength", true)]);
    }
}
