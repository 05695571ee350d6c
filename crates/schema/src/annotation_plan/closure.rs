//! Properties of the whole arena: the closure of in-place schemas, and the summary of each subtree.

use std::collections::HashMap;

use super::applied_list::AppliedList;
use super::{AnnotationPlan, AppliedSchema, Certainty, NodeId, PlanProperty, SubtreeSummary};
use crate::SchemaError;

/// The most schemas in the closures of all nodes. Those of a real schema are about as many as its nodes.
const MAX_APPLIED: usize = 1 << 19;

enum ClosureStep {
    Visit(AppliedSchema),
    Emit(AppliedSchema),
}

impl AnnotationPlan {
    /// Computes every node's closure, its `declares_sensitive`, and the longest chain.
    ///
    /// # Errors
    /// If they are too large: references can lead from each schema to every other one.
    pub(super) fn compute_closures(&mut self) -> Result<(), SchemaError> {
        let mut size = 0;
        for id in 0..self.nodes.len() {
            let closure = self.closure(id);
            size += closure.len();
            if size > MAX_APPLIED {
                let reason = "its references apply too many schemas to one value".to_owned();
                return Err(SchemaError::Invalid { pointer: String::new(), reason });
            }
            if let Some(node) = self.nodes.get_mut(id) {
                node.closure = closure;
            }
        }
        for id in 0..self.nodes.len() {
            let is_sensitive = |property: &PlanProperty| {
                let closure = &self.node(property.node).closure;
                closure.iter().any(|applied| self.node(applied.node).is_sensitive)
            };
            let declares_sensitive = self.node(id).properties.iter().any(is_sensitive);
            if let Some(node) = self.nodes.get_mut(id) {
                node.declares_sensitive = declares_sensitive;
            }
        }
        self.longest_chain = self.longest_chains().into_iter().max().unwrap_or_default();
        Ok(())
    }

    /// The closure of a node: references and `allOf` first, then the schema itself, then schemas that possibly apply.
    /// Iterative: a chain of references may be as long as the schema.
    fn closure(&self, id: NodeId) -> Vec<AppliedSchema> {
        if self.node(id).in_place.is_empty() {
            return vec![AppliedSchema { node: id, certainty: Certainty::Certain }];
        }
        let mut closure = AppliedList::default();
        let mut visited: HashMap<NodeId, Certainty> = HashMap::new();
        let mut steps = vec![ClosureStep::Visit(AppliedSchema { node: id, certainty: Certainty::Certain })];
        while let Some(step) = steps.pop() {
            match step {
                ClosureStep::Emit(applied) => match closure.get_mut(applied.node) {
                    Some(known) => known.certainty = applied.certainty,
                    None => closure.push(applied),
                },
                ClosureStep::Visit(applied) => {
                    let before = visited.get(&applied.node).copied();
                    if before == Some(Certainty::Certain) || before == Some(applied.certainty) {
                        continue;
                    }
                    visited.insert(applied.node, applied.certainty);
                    self.push_steps(applied, &mut steps);
                }
            }
        }
        closure.into_schemas()
    }

    /// Pushes the steps in reverse order: `steps` is a stack.
    fn push_steps(&self, applied: AppliedSchema, steps: &mut Vec<ClosureStep>) {
        let in_place = &self.node(applied.node).in_place;
        let visits = |wanted: Certainty| {
            let wanted = in_place.iter().rev().filter(move |child| child.certainty == wanted);
            wanted.map(|child| {
                ClosureStep::Visit(AppliedSchema {
                    node: child.node,
                    certainty: child.certainty.and(applied.certainty),
                })
            })
        };
        steps.extend(visits(Certainty::Possible));
        steps.push(ClosureStep::Emit(applied));
        steps.extend(visits(Certainty::Certain));
    }

    /// The length of the longest chain of in-place schemas from each node. In a cycle it is the number of all schemas:
    /// validation enters no schema twice for the same value.
    fn longest_chains(&self) -> Vec<usize> {
        let mut chains = vec![0_usize; self.nodes.len()];
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for (id, node) in self.nodes.iter().enumerate().rev() {
                let below = node.in_place.iter().filter_map(|child| chains.get(child.node)).max();
                let length = below.map_or(0, |below| below + 1).min(self.nodes.len());
                if let Some(chain) = chains.get_mut(id) {
                    is_changed |= *chain != length;
                    *chain = length;
                }
            }
        }
        chains
    }

    /// Computes the summary of each node's subtree, after the defaults are known.
    pub(super) fn compute_subtrees(&mut self) {
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for id in (0..self.nodes.len()).rev() {
                let reach = self.subtree_summary(id);
                if let Some(node) = self.nodes.get_mut(id) {
                    is_changed |= node.subtree != reach;
                    node.subtree = reach;
                }
            }
        }
    }

    fn subtree_summary(&self, id: NodeId) -> SubtreeSummary {
        let node = self.node(id);
        let mut own = node.properties.iter().chain(&node.prefix_items);
        let has_default = |child: NodeId| self.node(child).subtree.has_default;
        SubtreeSummary {
            has_default: own.any(|property| property.default.is_some())
                || node.children(Certainty::Certain).any(has_default),
            has_default_below: node.parts().any(has_default),
            has_sensitive: node.is_sensitive
                || node.children(Certainty::Possible).any(|child| self.node(child).subtree.has_sensitive),
        }
    }
}

impl super::PlanNode {
    /// The schemas directly in or below this one: those that certainly apply, or all.
    pub(super) fn children(&self, at_least: Certainty) -> impl Iterator<Item = NodeId> {
        let in_place =
            self.in_place.iter().filter(move |child| at_least == Certainty::Possible || child.certainty == at_least);
        let some = self.possible_items.iter().copied().chain(self.unevaluated_properties);
        let some = some.filter(move |_| at_least == Certainty::Possible);
        in_place.map(|child| child.node).chain(self.parts()).chain(some)
    }

    /// The schemas of members and elements that apply to them certainly.
    fn parts(&self) -> impl Iterator<Item = NodeId> {
        let declared = self.properties.iter().chain(&self.prefix_items).map(|property| property.node);
        let others =
            self.pattern_properties.iter().map(|(_, id)| *id).chain(self.additional_properties).chain(self.items);
        declared.chain(others)
    }
}
