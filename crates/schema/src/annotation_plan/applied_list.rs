//! The schemas that apply to one value, each once, in order.

use std::collections::HashMap;

use super::{AppliedSchema, NodeId};

/// Up to so many are looked through: that is faster than an index, and real values have fewer.
const FEW: usize = 16;

/// A list of schemas that finds each by its node.
#[derive(Default)]
pub(super) struct AppliedList {
    schemas: Vec<AppliedSchema>,
    /// The places in `schemas`, once these are more than a few.
    places: HashMap<NodeId, usize>,
}

impl AppliedList {
    pub(super) fn get_mut(&mut self, node: NodeId) -> Option<&mut AppliedSchema> {
        if self.schemas.len() <= FEW {
            return self.schemas.iter_mut().find(|known| known.node == node);
        }
        self.schemas.get_mut(*self.places.get(&node)?)
    }

    /// Adds a schema that is not in the list.
    pub(super) fn push(&mut self, applied: AppliedSchema) {
        self.schemas.push(applied);
        let count = self.schemas.len();
        if count > FEW {
            let first = if self.places.is_empty() { 0 } else { count - 1 };
            self.places.extend(self.schemas.iter().enumerate().skip(first).map(|(place, known)| (known.node, place)));
        }
    }

    pub(super) fn into_schemas(self) -> Vec<AppliedSchema> {
        self.schemas
    }
}
