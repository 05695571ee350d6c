//! What follows from the arena as a whole: which schemas come along with each, and what lies below them.

use std::collections::{HashMap, HashSet};

use super::{Applied, Certainty, NodeId, Plan, Property, Reach, Reference};

enum Step {
    Visit(Applied),
    Emit(Applied),
}

impl Plan {
    /// Computes every node's closure, what it declares, and the longest chain.
    pub(super) fn close(&mut self) {
        self.longest_chain = self.chains().into_iter().max().unwrap_or_default();
        for id in 0..self.nodes.len() {
            let closure = self.closure(id);
            if let Some(node) = self.nodes.get_mut(id) {
                node.closure = closure;
            }
        }
        for id in 0..self.nodes.len() {
            let is_sensitive = |property: &Property| {
                let closure = &self.node(property.node).closure;
                closure.iter().any(|applied| self.node(applied.node).is_sensitive)
            };
            let declares_sensitive = self.node(id).properties.iter().any(is_sensitive);
            if let Some(node) = self.nodes.get_mut(id) {
                node.declares_sensitive = declares_sensitive;
            }
        }
    }

    /// References and `allOf` come first, then the schema itself, then what applies perhaps. No recursion: a chain of
    /// references may be as long as the schema.
    fn closure(&self, id: NodeId) -> Vec<Applied> {
        if self.node(id).in_place.is_empty() {
            return vec![Applied { node: id, certainty: Certainty::Certain }];
        }
        let mut closure: Vec<Applied> = Vec::new();
        let mut visited: HashMap<NodeId, Certainty> = HashMap::new();
        let mut steps = vec![Step::Visit(Applied { node: id, certainty: Certainty::Certain })];
        while let Some(step) = steps.pop() {
            match step {
                Step::Emit(applied) => match closure.iter_mut().find(|known| known.node == applied.node) {
                    Some(known) => known.certainty = applied.certainty,
                    None => closure.push(applied),
                },
                Step::Visit(applied) => {
                    let before = visited.get(&applied.node).copied();
                    if before == Some(Certainty::Certain) || before == Some(applied.certainty) {
                        continue;
                    }
                    visited.insert(applied.node, applied.certainty);
                    self.push_steps(applied, &mut steps);
                }
            }
        }
        closure
    }

    /// In reverse, since the last one pushed is done first.
    fn push_steps(&self, applied: Applied, steps: &mut Vec<Step>) {
        let in_place = &self.node(applied.node).in_place;
        let visits = |wanted: Certainty| {
            let wanted = in_place.iter().rev().filter(move |child| child.certainty == wanted);
            wanted.map(|child| {
                Step::Visit(Applied { node: child.node, certainty: child.certainty.and(applied.certainty) })
            })
        };
        steps.extend(visits(Certainty::Perhaps));
        steps.push(Step::Emit(applied));
        steps.extend(visits(Certainty::Certain));
    }

    /// How long the longest chain of schemas in place is from each node. In a circle it is the number of all schemas:
    /// validation enters none twice for the same value.
    fn chains(&self) -> Vec<usize> {
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

    /// References to schemas that lead back to themselves.
    pub(crate) fn recursive_references(&self) -> Vec<&Reference> {
        let mut recursive: HashMap<NodeId, bool> = HashMap::new();
        let mut is_recursive = |id| *recursive.entry(id).or_insert_with(|| self.leads_to_itself(id));
        self.references.iter().filter(|reference| is_recursive(reference.node)).collect()
    }

    fn leads_to_itself(&self, id: NodeId) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![id];
        while let Some(current) = pending.pop() {
            for child in self.node(current).children(Certainty::Perhaps) {
                if child == id {
                    return true;
                }
                if seen.insert(child) {
                    pending.push(child);
                }
            }
        }
        false
    }

    /// Marks what lies in or below each node, once the defaults are settled.
    pub(super) fn mark_reach(&mut self) {
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for id in (0..self.nodes.len()).rev() {
                let reach = self.reach_of(id);
                if let Some(node) = self.nodes.get_mut(id) {
                    is_changed |= node.reach != reach;
                    node.reach = reach;
                }
            }
        }
    }

    fn reach_of(&self, id: NodeId) -> Reach {
        let node = self.node(id);
        let mut own = node.properties.iter().chain(&node.leading);
        Reach {
            default: own.any(|property| property.default.is_some())
                || node.children(Certainty::Certain).any(|child| self.node(child).reach.default),
            sensitive: node.is_sensitive
                || node.children(Certainty::Perhaps).any(|child| self.node(child).reach.sensitive),
        }
    }
}

impl super::PlanNode {
    /// The schemas directly in or below this one: those that apply for sure, or all of them.
    fn children(&self, at_least: Certainty) -> impl Iterator<Item = NodeId> {
        let in_place =
            self.in_place.iter().filter(move |child| at_least == Certainty::Perhaps || child.certainty == at_least);
        let below = self.properties.iter().chain(&self.leading).map(|property| property.node);
        let others = self.patterns.iter().map(|(_, id)| *id).chain(self.additional).chain(self.items);
        let some = self.some_elements.iter().copied().chain(self.unevaluated_members);
        let some = some.filter(move |_| at_least == Certainty::Perhaps);
        in_place.map(|child| child.node).chain(below).chain(others).chain(some)
    }
}
