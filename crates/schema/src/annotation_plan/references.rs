//! The schemas of a document by identity, for references: their nodes and JSON Pointers.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;

use super::{NodeId, Reference};
use toolgate_json::pointer;

/// The nodes and pointers of a document's schemas by identity, and its references.
pub(super) struct PlanReferences {
    /// Each schema has one node, so that it is read once.
    nodes: HashMap<usize, NodeId>,
    /// JSON Pointers by identity. Schemas of other documents have none.
    pointers: HashMap<usize, String>,
    pub(super) references: Vec<Reference>,
}

impl PlanReferences {
    pub(super) fn new(root: &Value) -> Self {
        Self { nodes: HashMap::new(), pointers: all_pointers(root), references: Vec::new() }
    }

    /// Returns the node of a known schema; records `node` for a new one and returns `None`.
    pub(super) fn known_or_insert(&mut self, schema: &Value, node: NodeId) -> Option<NodeId> {
        match self.nodes.entry(address(schema)) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(new) => {
                new.insert(node);
                None
            }
        }
    }

    pub(super) fn pointer_of(&self, schema: &Value) -> Option<&String> {
        self.pointers.get(&address(schema))
    }

    /// Records a reference if both ends are in this document.
    pub(super) fn record(&mut self, holder: &Value, target: &Value, node: NodeId) {
        if let (Some(holder), Some(target)) = (self.pointer_of(holder).cloned(), self.pointer_of(target).cloned()) {
            self.references.push(Reference { holder, target, node });
        }
    }
}

/// A schema's identity: a document does not move in memory while it is read.
fn address(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

/// `ApplicatorKeywords` that lead to another schema.
const REFERENCE_KEYWORDS: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// `ApplicatorKeywords` that name a schema or its dialect. A property may also have such a name; then its value is not a string.
const IDENTIFIER_KEYWORDS: [&str; 5] = ["$id", "id", "$anchor", "$dynamicAnchor", "$schema"];

/// Whether no schema contains a reference, and no schema below the root has a name or dialect of its own: then each
/// subschema means the same outside of the document.
pub(super) fn is_self_contained(root: &Value) -> bool {
    let is_reference = |name: &String| REFERENCE_KEYWORDS.contains(&name.as_str());
    let is_name = |name: &String, value: &Value| value.is_string() && IDENTIFIER_KEYWORDS.contains(&name.as_str());
    let mut pending = vec![root];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                let is_root = std::ptr::eq(value, root);
                if members.iter().any(|(name, value)| is_reference(name) || (!is_root && is_name(name, value))) {
                    return false;
                }
                pending.extend(members.values());
            }
            Value::Array(elements) => pending.extend(elements),
            _ => {}
        }
    }
    true
}

fn all_pointers(root: &Value) -> HashMap<usize, String> {
    let mut pointers = HashMap::new();
    let mut pending = vec![(root, String::new())];
    while let Some((value, pointer)) = pending.pop() {
        let mut push = |token: &str, child| {
            let mut below = pointer.clone();
            pointer::push(&mut below, token);
            pending.push((child, below));
        };
        match value {
            Value::Object(members) => members.iter().for_each(|(name, child)| push(name, child)),
            Value::Array(elements) => {
                elements.iter().enumerate().for_each(|(index, child)| push(&index.to_string(), child));
            }
            _ => {}
        }
        pointers.insert(address(value), pointer);
    }
    pointers
}
