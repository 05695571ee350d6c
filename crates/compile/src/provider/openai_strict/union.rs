//! Alternatives: `anyOf`, and `oneOf`, which a strict schema tells as `anyOf`.

use serde_json::{Map, Value, json};

use super::super::exclusive::exclusive;
use super::super::references::{definition_of, is_annotation};
use super::kind::type_names;
use super::object::is_fixed;
use super::typed::joined;
use super::{Lowered, Lowering, Unsayable};

impl Lowering<'_> {
    /// Lowers alternatives, each together with what is said beside them.
    pub(super) fn union(
        &mut self,
        flat: &Map<String, Value>,
        branches: &[Value],
        (keyword, at): (&str, &str),
        depth: usize,
    ) -> Lowered {
        let resolved: Vec<Value> = branches.iter().map(|branch| self.resolved(branch).clone()).collect();
        if keyword == "oneOf" {
            self.one_of(&resolved, at);
        }
        let beside = beside(flat, &resolved);
        let mut lowered: Vec<Value> = Vec::new();
        let mut problem = None;
        for (index, branch) in branches.iter().enumerate() {
            let at = format!("{at}/{keyword}/{index}");
            let is_apart = resolved.get(index).is_some_and(|resolved| is_apart(resolved, flat));
            let before = self.receipt.0.len();
            let one = if is_apart {
                Err(Unsayable::no_value(&at))
            } else if beside.is_empty() {
                self.schema(branch, &at, depth + 1)
            } else {
                self.schema(&json!({ "allOf": [branch, beside] }), &at, depth + 1)
            };
            match one {
                Ok(one) => add(&mut lowered, one),
                Err(why) => {
                    // What was found below it says nothing any more.
                    self.receipt.0.truncate(before);
                    self.left_out(&at, format!("an alternative is left out: {}", why.reason), &why);
                    problem = Some(problem.filter(|problem: &Unsayable| !problem.is_empty).unwrap_or(why));
                }
            }
        }
        if lowered.is_empty() {
            return Err(problem.unwrap_or_else(|| Unsayable::no_value(at)));
        }
        distinct_first_keys(&mut lowered);
        let words = self.words(flat, Vec::new(), at);
        Ok(joined(words, lowered))
    }

    /// What a branch that is a reference leads to.
    fn resolved<'b>(&'b self, branch: &'b Value) -> &'b Value {
        let name = branch.get("$ref").and_then(Value::as_str).and_then(definition_of);
        name.and_then(|name| self.definition(name)).unwrap_or(branch)
    }

    fn one_of(&mut self, branches: &[Value], at: &str) {
        let at = format!("{at}/oneOf");
        if exclusive(branches) {
            self.receipt.changed(at, "`oneOf` is told as `anyOf`; its branches exclude each other");
        } else {
            self.receipt.lost(at, "`oneOf` is told as `anyOf`: that only one branch may fit is not said");
        }
    }
}

/// What constrains every branch. A type that each branch has anyway says nothing more.
fn beside(flat: &Map<String, Value>, branches: &[Value]) -> Map<String, Value> {
    let mut beside = flat.clone();
    beside.retain(|keyword, _| {
        !is_annotation(keyword) && !matches!(keyword.as_str(), "anyOf" | "oneOf" | "$defs" | "$schema" | "$id")
    });
    let outer = type_names(&beside).unwrap_or_default();
    let is_within = |branch: &Value| {
        let inner = branch.as_object().and_then(type_names).unwrap_or_default();
        !inner.is_empty() && inner.iter().all(|name| outer.contains(name))
    };
    let is_redundant = branches.iter().filter(|branch| !is_apart(branch, flat)).all(is_within);
    if is_redundant {
        beside.shift_remove("type");
    }
    beside
}

/// Whether a branch has no type in common with what stands beside the alternatives.
fn is_apart(branch: &Value, flat: &Map<String, Value>) -> bool {
    let inner = branch.as_object().and_then(type_names);
    let (Some(inner), Some(outer)) = (inner, type_names(flat)) else { return false };
    let meets = |name: &&str| outer.contains(name) || (*name == "integer" && outer.contains(&"number"));
    let meets_back = |name: &&str| *name == "integer" && inner.contains(&"number");
    !inner.iter().any(meets) && !outer.iter().any(meets_back)
}

/// Adds an alternative once; alternatives of its own become alternatives here.
fn add(lowered: &mut Vec<Value>, one: Map<String, Value>) {
    let inner = one.get("anyOf").filter(|_| one.len() == 1).and_then(Value::as_array);
    for branch in inner.cloned().unwrap_or_else(|| vec![Value::Object(one)]) {
        if !lowered.contains(&branch) {
            lowered.push(branch);
        }
    }
}

/// Lets each object begin with another property than those before it, where it can: the API refuses alternatives that
/// it can't tell apart by their first property. One with a fixed value tells them apart already.
fn distinct_first_keys(branches: &mut [Value]) {
    let mut used: Vec<String> = Vec::new();
    for branch in branches {
        let Some(Value::Object(properties)) = branch.get_mut("properties") else { continue };
        let Some((first, schema)) = properties.iter().next() else { continue };
        if is_fixed(schema) {
            continue;
        }
        if !used.contains(first) {
            used.push(first.clone());
            continue;
        }
        // What must be there says most about which alternative it is.
        let takes_null = |schema: &Value| schema.get("type").is_some_and(Value::is_array);
        let free = |(name, _): &(&String, &Value)| !used.contains(name);
        let own = properties.iter().filter(free).min_by_key(|(_, schema)| takes_null(schema));
        let Some((own, schema)) = own.map(|(name, schema)| (name.clone(), schema.clone())) else { continue };
        properties.shift_insert(0, own.clone(), schema);
        used.push(own);
        let names: Vec<&String> = properties.keys().collect();
        let required = json!(names);
        if let Some(slot) = branch.get_mut("required") {
            *slot = required;
        }
    }
}
