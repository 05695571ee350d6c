//! What references make necessary: which schema is which, and where it stands.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;

use super::{NodeId, Reference};
use toolgate_json::pointer;

/// The schemas of a document by their identity, for references.
pub(super) struct Referring {
    /// Each schema is read once, however many references lead to it.
    known: HashMap<usize, NodeId>,
    /// JSON Pointers. What stands in another document has none.
    pointers: HashMap<usize, String>,
    pub(super) references: Vec<Reference>,
}

impl Referring {
    pub(super) fn new(root: &Value) -> Self {
        Self { known: HashMap::new(), pointers: all_pointers(root), references: Vec::new() }
    }

    /// The node that a schema has already; else it has this one from now on.
    pub(super) fn known(&mut self, schema: &Value, node: NodeId) -> Option<NodeId> {
        match self.known.entry(address(schema)) {
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

    /// Keeps a reference, where both its ends stand in this document.
    pub(super) fn note(&mut self, holder: &Value, target: &Value, node: NodeId) {
        if let (Some(holder), Some(target)) = (self.pointer_of(holder).cloned(), self.pointer_of(target).cloned()) {
            self.references.push(Reference { holder, target, node });
        }
    }
}

/// A schema's identity: a document does not move while it is read.
fn address(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

/// Keywords that lead to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Keywords that name a schema or its dialect. A member of that name may be a property as well; then it holds no string.
const NAMES: [&str; 5] = ["$id", "id", "$anchor", "$dynamicAnchor", "$schema"];

/// Whether no schema below the root has a name or a dialect of its own, and none refers to another: whatever stands there
/// means the same anywhere else.
pub(super) fn stands_alone(root: &Value) -> bool {
    let is_reference = |name: &String| REFERENCES.contains(&name.as_str());
    let is_name = |name: &String, value: &Value| value.is_string() && NAMES.contains(&name.as_str());
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
