//! Which definitions of a localized schema reference which, and where recursion is.

use std::collections::HashMap;

use serde_json::Value;

use super::Receipt;
use super::references::definition_name;
use crate::schema::dialect;

/// The references between the root and the definitions of a localized schema.
pub(super) struct ReferenceGraph {
    /// The index of the root (`#`) and of each definition, by reference.
    indices: HashMap<String, usize>,
    /// By index: the indices that it references.
    edges: Vec<Vec<usize>>,
    /// By index: whether a cycle can be reached from it.
    reaches_cycle: Vec<bool>,
    /// By index, if known: whether it reaches itself.
    cyclic: Vec<Option<bool>>,
}

impl ReferenceGraph {
    /// Returns the graph of a schema whose references target its root or its `$defs`.
    pub(super) fn new(root: &Value) -> Self {
        let definitions: Vec<(String, &Value)> = root
            .get("$defs")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, schema)| (format!("#/$defs/{name}"), schema))
            .collect();
        let nodes: Vec<(String, &Value)> = std::iter::once(("#".to_owned(), root)).chain(definitions).collect();
        let indices: HashMap<String, usize> =
            nodes.iter().enumerate().map(|(index, (reference, _))| (reference.clone(), index)).collect();
        let targets = |schema| references_in(schema).into_iter().filter_map(|name| indices.get(name).copied());
        let edges: Vec<Vec<usize>> = nodes.iter().map(|(_, schema)| targets(schema).collect()).collect();
        let reaches_cycle = reaches_cycle(&edges);
        let cyclic = reaches_cycle.iter().map(|reaches| (!reaches).then_some(false)).collect();
        Self { indices, edges, reaches_cycle, cyclic }
    }

    /// Whether a cycle of references can be reached from a schema.
    pub(super) fn reaches_cycle(&self, schema: &Value) -> bool {
        let reaches = |name: &str| self.indices.get(name).and_then(|index| self.reaches_cycle.get(*index)).copied();
        references_in(schema).into_iter().any(|name| reaches(name).unwrap_or_default())
    }

    /// Whether any schema is recursive.
    pub(super) fn has_cycles(&self) -> bool {
        self.reaches_cycle.contains(&true)
    }

    /// Whether a schema references a schema that references itself, directly or not.
    pub(super) fn is_cyclic(&mut self, schema: &Value, receipt: &mut Receipt) -> bool {
        let starts: Vec<usize> =
            references_in(schema).into_iter().filter_map(|name| self.indices.get(name).copied()).collect();
        starts.into_iter().any(|start| self.reaches_itself(start, receipt))
    }

    fn reaches_itself(&mut self, start: usize, receipt: &mut Receipt) -> bool {
        if let Some(known) = self.cyclic.get(start).copied().flatten() {
            return known;
        }
        let mut seen = vec![false; self.edges.len()];
        let mut open = vec![start];
        let mut found = false;
        while let Some(node) = open.pop() {
            let next = self.edges.get(node).map(Vec::as_slice).unwrap_or_default();
            receipt.spend(next.len() + 1);
            found |= next.contains(&start);
            if found || receipt.is_spent() {
                break;
            }
            let unseen =
                next.iter().filter(|next| seen.get_mut(**next).is_some_and(|seen| !std::mem::replace(seen, true)));
            open.extend(unseen);
        }
        if let Some(cyclic) = self.cyclic.get_mut(start) {
            *cyclic = Some(found);
        }
        found
    }
}

/// By node: whether a cycle can be reached. Nodes whose targets all end are removed until none is left.
fn reaches_cycle(edges: &[Vec<usize>]) -> Vec<bool> {
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (node, targets) in edges.iter().enumerate() {
        for target in targets {
            if let Some(sources) = sources.get_mut(*target) {
                sources.push(node);
            }
        }
    }
    let mut targets_left: Vec<usize> = edges.iter().map(Vec::len).collect();
    let mut ending: Vec<usize> = (0..edges.len()).filter(|node| targets_left.get(*node) == Some(&0)).collect();
    while let Some(node) = ending.pop() {
        for source in sources.get(node).into_iter().flatten() {
            let Some(left) = targets_left.get_mut(*source) else { continue };
            *left -= 1;
            if *left == 0 {
                ending.push(*source);
            }
        }
    }
    targets_left.into_iter().map(|left| left > 0).collect()
}

/// The references in a schema and its subschemas, without `$defs`.
fn references_in(schema: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        found.extend(schema.get("$ref").and_then(Value::as_str));
        let children = dialect::subschemas(schema).into_iter();
        open.extend(children.filter(|(below, _)| !below.starts_with("/$defs/")).map(|(_, child)| child));
    }
    found.retain(|reference| *reference == "#" || definition_name(reference).is_some());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cycles_and_what_leads_to_them() {
        let to = |names: &[&str]| {
            let references: Vec<Value> =
                names.iter().map(|name| json!({ "$ref": format!("#/$defs/{name}") })).collect();
            json!({ "prefixItems": references })
        };
        let root = json!({ "$defs": {
            "leads": to(&["one", "end"]), "one": to(&["two"]), "two": to(&["one", "self", "end"]),
            "self": to(&["self"]), "between": to(&["self", "end"]), "end": {}
        } });
        let mut graph = ReferenceGraph::new(&root);
        let mut receipt = Receipt::default();
        let answers = |name: &str| {
            let schema = to(&[name]);
            (graph.reaches_cycle(&schema), graph.is_cyclic(&schema, &mut receipt))
        };
        let found = ["leads", "one", "two", "self", "between", "end", "absent"].map(answers);
        let leads = (true, false);
        assert_eq!(found, [leads, (true, true), (true, true), (true, true), leads, (false, false), (false, false)]);
        assert!(graph.has_cycles());
    }
}
