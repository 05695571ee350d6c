//! Search for pumps: words that lead from a state back to itself on two paths.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Range;

use super::automaton::{Automaton, Multiplicity, Repetition, StateIndex};
use super::strong_components::strong_components;

/// Maximum number of transition pairs per repetition; a larger repetition has no finding from the pair graph.
const MAX_PAIR_STEPS: usize = 1_000_000;

/// A word that leads from `state` back to `state` on two paths.
pub(super) struct Pump {
    /// The byte range of the repetition that contains the state.
    pub(super) span: Range<usize>,
    pub(super) state: StateIndex,
    pub(super) word: Vec<usize>,
}

/// Returns the first `Some` of `accept` over all pumps, those of inner repetitions first.
pub(super) fn find_pump<T>(automaton: &Automaton, accept: impl Fn(&Pump) -> Option<T>) -> Option<T> {
    let mut seen = BTreeSet::new();
    // Inner repetitions begin after the outer ones; a counted repetition has copies of its inner repetitions.
    let fresh = |repetition: &&Repetition| seen.insert((repetition.span.start, repetition.span.end));
    automaton.repetitions.iter().rev().filter(fresh).find_map(|repetition| {
        let accept = |(state, word)| accept(&Pump { span: repetition.span.clone(), state, word });
        let graph = RepetitionGraph::new(automaton, repetition);
        graph
            .multiple_edge_words()
            .into_iter()
            .find_map(accept)
            .or_else(|| graph.diverging_words().into_iter().find_map(accept))
    })
}

type StateAndWord = (StateIndex, Vec<usize>);

/// The subgraph of one repetition, with only the transitions inside strongly connected components.
struct RepetitionGraph<'a> {
    automaton: &'a Automaton,
    successors: Vec<Vec<usize>>,
    /// Transitions with a multiplicity above one, at most one per component.
    multiple_edges: Vec<(StateIndex, StateIndex)>,
}

impl<'a> RepetitionGraph<'a> {
    fn new(automaton: &'a Automaton, repetition: &Repetition) -> Self {
        let mut edges = BTreeMap::<(StateIndex, StateIndex), Multiplicity>::new();
        for edge in automaton.edges.iter().filter(|edge| repetition.nested_numbers.contains(&edge.repetition)) {
            let ways = edges.entry((edge.from, edge.to)).or_default();
            *ways = ways.plus(edge.ways);
        }
        let mut all = vec![Vec::new(); automaton.accept() + 1];
        for (from, to) in edges.keys() {
            all.get_mut(*from).into_iter().for_each(|next| next.push(*to));
        }
        let component = strong_components(&all);
        let together = |a: StateIndex, b: StateIndex| component.get(a) == component.get(b);
        for (from, next) in all.iter_mut().enumerate() {
            next.retain(|to| together(from, *to));
        }
        let several = edges.into_iter().filter(|((from, to), ways)| ways.is_several() && together(*from, *to));
        // One transition per component suffices.
        let doubled: BTreeMap<_, _> = several.map(|((from, to), _)| (component.get(from), (from, to))).collect();
        Self { automaton, successors: all, multiple_edges: doubled.into_values().collect() }
    }

    /// Words whose first transition has a multiplicity above one.
    fn multiple_edge_words(&self) -> Vec<StateAndWord> {
        let words = self.multiple_edges.iter().filter_map(|(from, to)| {
            let mut path = vec![*to];
            path.extend(shortest_path(&self.successors, *to, *from)?);
            let word = path.into_iter().map(|state| self.common_symbol(state, state)).collect::<Option<_>>()?;
            Some((*from, word))
        });
        words.collect()
    }

    /// A symbol that both states can read.
    fn common_symbol(&self, a: StateIndex, b: StateIndex) -> Option<usize> {
        self.automaton.symbols.common_symbol(self.automaton.class_of(a)?, self.automaton.class_of(b)?)
    }

    fn successors(&self, state: StateIndex) -> &[StateIndex] {
        self.successors.get(state).map_or(&[], Vec::as_slice)
    }

    /// Words on which two paths diverge from a state and meet in it again: cycles of the pair graph from a pair of
    /// equal states through a pair of different states.
    fn diverging_words(&self) -> Vec<StateAndWord> {
        let Some(pairs) = self.pair_graph() else { return Vec::new() };
        let component = strong_components(&pairs.next);
        let of = |node: usize| component.get(node).copied();
        let mut diverging = HashMap::new();
        for (node, _) in pairs.nodes.iter().enumerate().filter(|(_, (a, b))| a != b) {
            diverging.entry(of(node)).or_insert(node);
        }
        let mut found = Vec::new();
        for (node, (state, _)) in pairs.nodes.iter().enumerate().filter(|(_, (a, b))| a == b) {
            let Some(apart) = diverging.remove(&of(node)) else { continue };
            found.extend(self.cycle_word(&pairs, node, apart).map(|word| (*state, word)));
        }
        found
    }

    /// The word of the shortest cycle from a node through another node.
    fn cycle_word(&self, pairs: &PairGraph, node: usize, over: usize) -> Option<Vec<usize>> {
        let mut path = shortest_path(&pairs.next, node, over)?;
        path.extend(shortest_path(&pairs.next, over, node)?);
        path.into_iter().map(|node| pairs.nodes.get(node).and_then(|(a, b)| self.common_symbol(*a, *b))).collect()
    }

    /// Builds the pair graph: the pairs of states that a common word reaches from one state. `None` beyond
    /// [`MAX_STEPS`].
    fn pair_graph(&self) -> Option<PairGraph> {
        let mut pairs = PairGraph::default();
        for state in (0..self.successors.len()).filter(|state| !self.successors(*state).is_empty()) {
            pairs.find_or_add(state, state);
        }
        let (mut steps, mut node) = (0, 0);
        while let Some(&(a, b)) = pairs.nodes.get(node) {
            let mut next = BTreeSet::new();
            for &to_a in self.successors(a) {
                for &to_b in self.successors(b) {
                    steps += 1;
                    if self.common_symbol(to_a, to_b).is_some() {
                        next.insert(pairs.find_or_add(to_a.min(to_b), to_a.max(to_b)));
                    }
                }
            }
            if steps > MAX_PAIR_STEPS {
                return None;
            }
            pairs.next.push(next.into_iter().collect());
            node += 1;
        }
        Some(pairs)
    }
}

/// A graph of pairs of states, the smaller state first.
#[derive(Default)]
struct PairGraph {
    nodes: Vec<(StateIndex, StateIndex)>,
    known: HashMap<(StateIndex, StateIndex), usize>,
    next: Vec<Vec<usize>>,
}

impl PairGraph {
    fn find_or_add(&mut self, a: StateIndex, b: StateIndex) -> usize {
        let fresh = self.nodes.len();
        let node = *self.known.entry((a, b)).or_insert(fresh);
        if node == fresh {
            self.nodes.push((a, b));
        }
        node
    }
}

/// Returns the nodes on a shortest path (breadth-first search), without the first; empty from a node to itself.
pub(super) fn shortest_path(next: &[Vec<usize>], from: usize, to: usize) -> Option<Vec<usize>> {
    let mut before: HashMap<usize, usize> = HashMap::new();
    let mut open = VecDeque::from([from]);
    while let Some(node) = open.pop_front() {
        if node == to {
            let mut path = Vec::new();
            let mut node = node;
            while node != from {
                path.push(node);
                node = *before.get(&node)?;
            }
            path.reverse();
            return Some(path);
        }
        for &successor in next.get(node).map_or(&[][..], Vec::as_slice) {
            if successor != from && !before.contains_key(&successor) {
                before.insert(successor, node);
                open.push_back(successor);
            }
        }
    }
    None
}
