//! Alternatives: `anyOf`, and `oneOf`, which is declared as `anyOf`.

use std::collections::HashSet;

use indexmap::IndexSet;
use serde_json::{Map, Value, json};

use super::super::exclusive_branches::are_exclusive;
use super::super::references::{definition_name, is_annotation};
use super::object::is_fixed;
use super::strict_type::type_names;
use super::typed_schema::join_alternatives;
use super::{Inexpressible, StrictLowering, StrictResult};

impl<'a> StrictLowering<'a> {
    /// Lowers alternatives, each together with the constraints beside them.
    pub(super) fn lower_union(
        &mut self,
        flat: &Map<String, Value>,
        branches: &[Value],
        (keyword, at): (&str, &str),
        depth: usize,
    ) -> StrictResult {
        let resolved: Vec<&Value> = branches.iter().map(|branch| self.resolve_branch(branch)).collect();
        if keyword == "oneOf" {
            self.report_one_of(&resolved, at);
        }
        let beside = shared_constraints(flat, &resolved);
        let mut lowered: IndexSet<Value> = IndexSet::new();
        let mut problem = None;
        for (index, branch) in branches.iter().enumerate() {
            let at = format!("{at}/{keyword}/{index}");
            let is_apart = resolved.get(index).is_some_and(|resolved| has_disjoint_type(resolved, flat));
            let before = self.receipt.len();
            let one = if is_apart {
                Err(Inexpressible::no_value(&at))
            } else if beside.is_empty() {
                self.lower_schema(branch, &at, depth + 1)
            } else {
                self.lower_schema(&json!({ "allOf": [branch, beside] }), &at, depth + 1)
            };
            match one {
                Ok(one) => add_branch(&mut lowered, one),
                Err(why) => {
                    // Entries about parts of it are irrelevant.
                    self.receipt.truncate(before);
                    self.report_left_out(&at, format!("an alternative is left out: {}", why.reason), &why);
                    problem = Some(problem.filter(|problem: &Inexpressible| !problem.matches_nothing).unwrap_or(why));
                }
            }
        }
        if lowered.is_empty() {
            return Err(problem.unwrap_or_else(|| Inexpressible::no_value(at)));
        }
        let mut lowered: Vec<Value> = lowered.into_iter().collect();
        distinct_first_keys(&mut lowered);
        let words = self.lower_annotations(flat, Vec::new(), at);
        Ok(join_alternatives(words, lowered))
    }

    /// The target of a branch that is a reference, else the branch itself.
    fn resolve_branch<'b>(&self, branch: &'b Value) -> &'b Value
    where
        'a: 'b,
    {
        let name = branch.get("$ref").and_then(Value::as_str).and_then(definition_name);
        name.and_then(|name| self.definition(name)).unwrap_or(branch)
    }

    fn report_one_of(&mut self, branches: &[&Value], at: &str) {
        let at = format!("{at}/oneOf");
        if are_exclusive(branches.iter().copied()) {
            self.receipt.changed(at, "`oneOf` is declared as `anyOf`; its branches exclude each other");
        } else {
            self.receipt.lost(at, "`oneOf` is declared as `anyOf`; several branches may then match");
        }
    }
}

/// The constraints beside the alternatives, without a `type` that every branch implies.
fn shared_constraints(flat: &Map<String, Value>, branches: &[&Value]) -> Map<String, Value> {
    let mut beside = flat.clone();
    beside.retain(|keyword, _| {
        !is_annotation(keyword) && !matches!(keyword.as_str(), "anyOf" | "oneOf" | "$defs" | "$schema" | "$id")
    });
    let outer = type_names(&beside).unwrap_or_default();
    let is_within = |branch: &&Value| {
        let inner = branch.as_object().and_then(type_names).unwrap_or_default();
        !inner.is_empty() && inner.iter().all(|name| outer.contains(name))
    };
    let is_redundant = branches.iter().filter(|branch| !has_disjoint_type(branch, flat)).all(is_within);
    if is_redundant {
        beside.shift_remove("type");
    }
    beside
}

/// Whether a branch and the schema around the alternatives have no type in common.
fn has_disjoint_type(branch: &Value, flat: &Map<String, Value>) -> bool {
    let inner = branch.as_object().and_then(type_names);
    let (Some(inner), Some(outer)) = (inner, type_names(flat)) else { return false };
    let meets = |name: &&str| outer.contains(name) || (*name == "integer" && outer.contains(&"number"));
    let meets_back = |name: &&str| *name == "integer" && inner.contains(&"number");
    !inner.iter().any(meets) && !outer.iter().any(meets_back)
}

/// Adds an alternative without duplicates; a nested `anyOf` is flattened.
fn add_branch(lowered: &mut IndexSet<Value>, one: Map<String, Value>) {
    let inner = one.get("anyOf").filter(|_| one.len() == 1).and_then(Value::as_array);
    lowered.extend(inner.cloned().unwrap_or_else(|| vec![Value::Object(one)]));
}

/// Gives each object a first property that differs from the earlier ones, if possible: the API refuses alternatives
/// that it can't distinguish by their first property. A first property with a fixed value already distinguishes them.
fn distinct_first_keys(branches: &mut [Value]) {
    let mut used: HashSet<String> = HashSet::new();
    for branch in branches {
        let Some(Value::Object(properties)) = branch.get_mut("properties") else { continue };
        let Some((first, schema)) = properties.iter().next() else { continue };
        if is_fixed(schema) {
            continue;
        }
        if used.insert(first.clone()) {
            continue;
        }
        // A property that is not nullable identifies the alternative best.
        let takes_null = |schema: &Value| schema.get("type").is_some_and(Value::is_array);
        let free = |(name, _): &(&String, &Value)| !used.contains(*name);
        let own = properties.iter().filter(free).min_by_key(|(_, schema)| takes_null(schema));
        let Some((own, schema)) = own.map(|(name, schema)| (name.clone(), schema.clone())) else { continue };
        properties.shift_insert(0, own.clone(), schema);
        used.insert(own);
        let names: Vec<&String> = properties.keys().collect();
        let required = json!(names);
        if let Some(slot) = branch.get_mut("required") {
            *slot = required;
        }
    }
}
