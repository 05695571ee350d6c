//! Strongly connected components of a graph (Tarjan 1972), with an explicit stack instead of recursion.

/// Returns the component number of each node.
pub(super) fn strong_components(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut search = TarjanSearch {
        order: vec![None; successors.len()],
        low: vec![0; successors.len()],
        component: vec![None; successors.len()],
        stack: Vec::new(),
        next_order: 0,
        next_component: 0,
    };
    for root in 0..successors.len() {
        if search.order.get(root).is_some_and(Option::is_none) {
            search.visit_from(root, successors);
        }
    }
    search.component.into_iter().map(Option::unwrap_or_default).collect()
}

struct TarjanSearch {
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    component: Vec<Option<usize>>,
    stack: Vec<usize>,
    next_order: usize,
    next_component: usize,
}

impl TarjanSearch {
    fn visit_from(&mut self, root: usize, successors: &[Vec<usize>]) {
        let mut open = vec![(root, 0)];
        self.enter(root);
        while let Some((node, next)) = open.last_mut() {
            let node = *node;
            if let Some(&successor) = successors.get(node).and_then(|all| all.get(*next)) {
                *next += 1;
                match self.order.get(successor).copied().flatten() {
                    None => {
                        self.enter(successor);
                        open.push((successor, 0));
                    }
                    Some(order) if self.component.get(successor).is_some_and(Option::is_none) => {
                        self.lower_link(node, order);
                    }
                    Some(_) => {}
                }
                continue;
            }
            open.pop();
            self.close_component(node);
            if let Some((above, _)) = open.last() {
                let low = self.low.get(node).copied().unwrap_or_default();
                self.lower_link(*above, low);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        if let (Some(order), Some(low)) = (self.order.get_mut(node), self.low.get_mut(node)) {
            *order = Some(self.next_order);
            *low = self.next_order;
        }
        self.next_order += 1;
        self.stack.push(node);
    }

    fn lower_link(&mut self, node: usize, to: usize) {
        if let Some(low) = self.low.get_mut(node) {
            *low = to.min(*low);
        }
    }

    /// If a node is the root of a component, pops the component from the stack.
    fn close_component(&mut self, node: usize) {
        if self.order.get(node).copied().flatten() != self.low.get(node).copied() {
            return;
        }
        while let Some(member) = self.stack.pop() {
            if let Some(component) = self.component.get_mut(member) {
                *component = Some(self.next_component);
            }
            if member == node {
                break;
            }
        }
        self.next_component += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_together() {
        let graph = [vec![1], vec![2], vec![0, 3], vec![4], vec![], vec![5]];
        let found = strong_components(&graph);
        assert!(found[0] == found[1] && found[1] == found[2]);
        let mut distinct = found.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 4, "{found:?}");
    }
}
