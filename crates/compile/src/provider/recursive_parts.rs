//! Conjunctions in recursive schemas: `allOf`, and keywords beside `$ref`.
//!
//! A provider without `allOf` needs one object in place of a conjunction. Inlining the parts of a recursive one would
//! repeat the same conjunction below itself without end, so each distinct conjunction becomes a definition, which a
//! later occurrence references. The parts of a conjunction are schemas of the document, each at most once, so the number
//! of conjunctions is finite; the work of the lowering limits it.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::Receipt;
use super::flatten::flatten_schema;
use super::reference_graph::ReferenceGraph;
use super::references::{definition_name, is_annotation};
use crate::schema::dialect;

/// Replaces each conjunction from which a cycle of references can be reached by a reference to a definition without
/// `$ref` and `allOf` at its top level. `origins` are the pointers of the definitions in the authored schema, and get
/// those of the new ones.
pub(super) fn define_recursive_conjunctions(
    root: Map<String, Value>,
    origins: &mut BTreeMap<String, String>,
    receipt: &mut Receipt,
) -> Map<String, Value> {
    let authored = Value::Object(root);
    let graph = ReferenceGraph::new(&authored);
    if !graph.has_cycles() {
        return into_members(authored);
    }
    let mut definer =
        ConjunctionDefiner { root: &authored, graph, receipt, origins, names: HashMap::new(), pending: Vec::new() };
    let mut rewritten = into_members(definer.rewrite_authored());
    let mut definitions = match rewritten.shift_remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    while let Some((name, conjunction)) = definer.pending.pop() {
        if definer.receipt.is_spent() {
            break;
        }
        let definition = definer.merge_parts(&name, &conjunction);
        definitions.insert(name, definition);
    }
    definitions.sort_keys();
    rewritten.insert("$defs".to_owned(), Value::Object(definitions));
    rewritten
}

fn into_members(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

struct ConjunctionDefiner<'a> {
    root: &'a Value,
    graph: ReferenceGraph,
    receipt: &'a mut Receipt,
    origins: &'a mut BTreeMap<String, String>,
    /// The names of the new definitions by conjunction.
    names: HashMap<Value, String>,
    /// The new definitions that are not yet written.
    pending: Vec<(String, Value)>,
}

impl ConjunctionDefiner<'_> {
    fn rewrite_authored(&mut self) -> Value {
        self.receipt.spend_on(self.root);
        let mut rewritten = self.root.clone();
        let Value::Object(members) = &mut rewritten else { return rewritten };
        let definitions = members.get_mut("$defs").map(Value::take);
        self.rewrite_children(&mut rewritten, "");
        if let (Some(Value::Object(mut definitions)), Value::Object(members)) = (definitions, &mut rewritten) {
            for (name, definition) in &mut definitions {
                let at = self.origins.get(name).cloned().unwrap_or_default();
                self.rewrite_schema(definition, &at);
            }
            members.insert("$defs".to_owned(), Value::Object(definitions));
        }
        rewritten
    }

    /// The definition of a conjunction: one object.
    fn merge_parts(&mut self, name: &str, conjunction: &Value) -> Value {
        let at = self.origins.get(name).cloned().unwrap_or_default();
        let mut merged = flatten_schema(self.root, conjunction, &at, self.receipt);
        for keyword in ["$defs", "$schema", "$id"] {
            merged.shift_remove(keyword);
        }
        let mut merged = Value::Object(merged);
        self.rewrite_children(&mut merged, &at);
        merged
    }

    fn rewrite_children(&mut self, schema: &mut Value, at: &str) {
        let below: Vec<String> = dialect::subschemas(schema).into_iter().map(|(below, _)| below).collect();
        for below in below {
            if let Some(child) = schema.pointer_mut(&below) {
                self.rewrite_schema(child, &format!("{at}{below}"));
            }
        }
    }

    fn rewrite_schema(&mut self, schema: &mut Value, at: &str) {
        if self.receipt.is_spent() {
            return;
        }
        self.receipt.spend(at.len());
        let has_parts = has_parts(schema);
        if has_parts {
            self.receipt.spend_on(schema);
        }
        if !has_parts || !self.graph.reaches_cycle(schema) {
            return self.rewrite_children(schema, at);
        }
        let (annotations, conjunction) = split_annotations(std::mem::take(schema));
        let reference = match self.single_reference(&conjunction) {
            Some(reference) => reference,
            None => format!("#/$defs/{}", self.name_conjunction(Value::Object(conjunction), at)),
        };
        self.receipt.changed(at, format!("its references and `allOf` are declared as `{reference}`"));
        let mut members = annotations;
        members.insert("$ref".to_owned(), json!(reference));
        *schema = Value::Object(members);
    }

    /// The reference that is equal to a conjunction: its only part, or the part that contains all others.
    fn single_reference(&self, conjunction: &Map<String, Value>) -> Option<String> {
        let mut rest = conjunction.clone();
        let reference = match (rest.shift_remove("$ref"), rest.shift_remove("allOf")) {
            (Some(Value::String(reference)), None) => reference,
            (None, Some(Value::Array(parts))) => match parts.as_slice() {
                [Value::Object(part)] if part.keys().all(|keyword| keyword == "$ref" || is_annotation(keyword)) => {
                    part.get("$ref")?.as_str()?.to_owned()
                }
                _ => return None,
            },
            _ => return None,
        };
        let target = match definition_name(&reference) {
            Some(name) => self.root.get("$defs")?.get(name)?,
            None => self.root,
        };
        // `unevaluated…` depend on the keywords beside them.
        let is_repeated = |(keyword, value): (&String, &Value)| {
            !keyword.starts_with("unevaluated") && target.get(keyword) == Some(value)
        };
        rest.iter().all(is_repeated).then_some(reference)
    }

    /// The name of the definition of a conjunction at `at`.
    fn name_conjunction(&mut self, conjunction: Value, at: &str) -> String {
        if let Some(name) = self.names.get(&conjunction) {
            return name.clone();
        }
        let wanted = first_reference(&conjunction).and_then(definition_name).unwrap_or("root");
        let is_taken = |name: &str| {
            self.root.get("$defs").is_some_and(|definitions| definitions.get(name).is_some())
                || self.origins.contains_key(name)
        };
        let numbered = |number: usize| format!("{wanted}_merged_{number}");
        let mut number = self.names.len() + 1;
        while is_taken(&numbered(number)) {
            number += 1;
        }
        let name = numbered(number);
        self.origins.insert(name.clone(), at.to_owned());
        self.names.insert(conjunction.clone(), name.clone());
        self.pending.push((name.clone(), conjunction));
        name
    }
}

/// Whether a schema is a conjunction: `allOf`, or a reference with keywords beside it that constrain.
fn has_parts(schema: &Value) -> bool {
    let Value::Object(members) = schema else { return false };
    let is_constrained = || members.keys().any(|keyword| keyword != "$ref" && !is_annotation(keyword));
    members.contains_key("allOf") || (members.contains_key("$ref") && is_constrained())
}

/// The annotations of a schema, and its other keywords.
fn split_annotations(schema: Value) -> (Map<String, Value>, Map<String, Value>) {
    into_members(schema).into_iter().partition(|(keyword, _)| is_annotation(keyword))
}

/// The reference of a conjunction, or of one of its parts.
fn first_reference(conjunction: &Value) -> Option<&str> {
    let own = conjunction.get("$ref").and_then(Value::as_str);
    let parts = conjunction.get("allOf").and_then(Value::as_array);
    own.or_else(|| parts?.iter().find_map(|part| part.get("$ref")?.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined(root: Value) -> Value {
        let mut receipt = Receipt::default();
        let rewritten = define_recursive_conjunctions(into_members(root), &mut BTreeMap::new(), &mut receipt);
        assert!(!receipt.is_spent());
        Value::Object(rewritten)
    }

    #[test]
    fn a_recursive_conjunction_is_a_definition() {
        let found = defined(json!({
            "type": "object",
            "properties": { "child": { "$ref": "#", "minProperties": 1, "title": "Child" } }
        }));
        let child = json!({ "title": "Child", "$ref": "#/$defs/root_merged_1" });
        let expected = json!({
            "type": "object",
            "properties": { "child": child },
            "$defs": {
                "root_merged_1": { "minProperties": 1, "type": "object", "properties": { "child": child } }
            }
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_conjunction_of_one_part_is_the_reference() {
        let node = json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/node" } } });
        let found = defined(json!({
            "properties": {
                "one": { "title": "One", "allOf": [{ "$ref": "#/$defs/node" }] },
                "two": { "type": "object", "$ref": "#/$defs/node" }
            },
            "$defs": { "node": node }
        }));
        let expected = json!({
            "properties": {
                "one": { "title": "One", "$ref": "#/$defs/node" },
                "two": { "$ref": "#/$defs/node" }
            },
            "$defs": { "node": node }
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn conjunctions_of_each_other_end() {
        let both = |first: &str, second: &str| json!({ "allOf": [{ "$ref": format!("#/$defs/{first}") }, { "$ref": format!("#/$defs/{second}") }] });
        let found = defined(json!({
            "properties": { "start": both("a", "b") },
            "$defs": {
                "a": { "properties": { "c": both("a", "b") } },
                "b": { "properties": { "c": both("b", "a") } }
            }
        }));
        let names: Vec<&String> = found["$defs"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["a", "a_merged_1", "b", "b_merged_2"]);
        for name in names {
            assert!(found["$defs"][name]["properties"]["c"]["$ref"].is_string(), "{name}: {found}");
        }
    }
}
