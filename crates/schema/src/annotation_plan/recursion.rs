//! Which schemas of the arena are recursive: those that are in or below themselves.

use super::{AnnotationPlan, Certainty, NodeId, Reference};

impl AnnotationPlan {
    /// The references to recursive schemas.
    pub(crate) fn recursive_references(&self) -> Vec<&Reference> {
        if self.references.is_empty() {
            return Vec::new();
        }
        let recursive = self.recursive_nodes();
        self.references.iter().filter(|reference| recursive.get(reference.node).copied().unwrap_or_default()).collect()
    }

    /// By node: whether it reaches itself. Such nodes are those that reach each other (Kosaraju's algorithm), or that are
    /// their own child.
    fn recursive_nodes(&self) -> Vec<bool> {
        let children: Vec<Vec<NodeId>> =
            self.nodes.iter().map(|node| node.children(Certainty::Possible).collect()).collect();
        let mut parents: Vec<Vec<NodeId>> = vec![Vec::new(); children.len()];
        for (node, children) in children.iter().enumerate() {
            for child in children {
                if let Some(parents) = parents.get_mut(*child) {
                    parents.push(node);
                }
            }
        }
        let mut recursive = vec![false; children.len()];
        let mut seen = vec![false; children.len()];
        for start in finishing_order(&children).into_iter().rev() {
            let group = reached(start, &parents, &mut seen);
            let is_alone = group.len() == 1;
            for node in group {
                if let (Some(slot), Some(children)) = (recursive.get_mut(node), children.get(node)) {
                    *slot = !is_alone || children.contains(&node);
                }
            }
        }
        recursive
    }
}

/// All nodes, each after those that it reaches.
fn finishing_order(edges: &[Vec<NodeId>]) -> Vec<NodeId> {
    let mut order = Vec::new();
    let mut seen = vec![false; edges.len()];
    for start in 0..edges.len() {
        // Each open node with the number of its edges that were followed.
        let mut open = if is_new(start, &mut seen) { vec![(start, 0)] } else { Vec::new() };
        while let Some((node, followed)) = open.last_mut() {
            if let Some(next) = edges.get(*node).and_then(|edges| edges.get(*followed)) {
                *followed += 1;
                if is_new(*next, &mut seen) {
                    open.push((*next, 0));
                }
            } else {
                order.push(*node);
                open.pop();
            }
        }
    }
    order
}

/// The nodes that are reached from `start` and were not seen before.
fn reached(start: NodeId, edges: &[Vec<NodeId>], seen: &mut [bool]) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut open = if is_new(start, seen) { vec![start] } else { Vec::new() };
    while let Some(node) = open.pop() {
        found.push(node);
        open.extend(edges.get(node).into_iter().flatten().copied().filter(|next| is_new(*next, seen)));
    }
    found
}

/// Marks a node as seen; whether it was not.
fn is_new(node: NodeId, seen: &mut [bool]) -> bool {
    seen.get_mut(node).is_some_and(|seen| !std::mem::replace(seen, true))
}
