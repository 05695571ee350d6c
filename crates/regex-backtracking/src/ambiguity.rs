//! Words that lead from a state back to itself on two ways.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Range;

use super::automaton::{Automaton, Repetition, State, Ways};
use super::components::components;

/// Pairs of transitions that are looked at in one repetition; where they do not suffice nothing is found.
const MAX_STEPS: usize = 1_000_000;

/// A word that can be repeated, each time on two ways.
pub(super) struct Pump {
    /// The repetition that it is in.
    pub(super) span: Range<usize>,
    pub(super) state: State,
    pub(super) word: Vec<usize>,
}

/// The first answer that `judge` gives to a word, those of inner repetitions first.
pub(super) fn find<T>(automaton: &Automaton, judge: impl Fn(&Pump) -> Option<T>) -> Option<T> {
    let mut seen = BTreeSet::new();
    // Inner repetitions begin after the ones around them; a counted repetition has copies of what is in it.
    let fresh = |repetition: &&Repetition| seen.insert((repetition.span.start, repetition.span.end));
    automaton.repetitions.iter().rev().filter(fresh).find_map(|repetition| {
        let judge = |(state, word)| judge(&Pump { span: repetition.span.clone(), state, word });
        let inside = Inside::new(automaton, repetition);
        inside.doubled().into_iter().find_map(judge).or_else(|| inside.forks().into_iter().find_map(judge))
    })
}

type Found = (State, Vec<usize>);

/// The part of an automaton that one repetition is, without the transitions that lead nowhere back.
struct Inside<'a> {
    automaton: &'a Automaton,
    next: Vec<Vec<usize>>,
    /// Transitions that can be taken in several ways.
    doubled: Vec<(State, State)>,
}

impl<'a> Inside<'a> {
    fn new(automaton: &'a Automaton, repetition: &Repetition) -> Self {
        let mut edges = BTreeMap::<(State, State), Ways>::new();
        for edge in automaton.edges.iter().filter(|edge| repetition.numbers.contains(&edge.inside)) {
            let ways = edges.entry((edge.from, edge.to)).or_default();
            *ways = ways.plus(edge.ways);
        }
        let mut all = vec![Vec::new(); automaton.accept() + 1];
        for (from, to) in edges.keys() {
            all.get_mut(*from).into_iter().for_each(|next| next.push(*to));
        }
        let component = components(&all);
        let together = |a: State, b: State| component.get(a) == component.get(b);
        for (from, next) in all.iter_mut().enumerate() {
            next.retain(|to| together(from, *to));
        }
        let several = edges.into_iter().filter(|((from, to), ways)| ways.several() && together(*from, *to));
        // One for each component: the others there are as good.
        let doubled: BTreeMap<_, _> = several.map(|((from, to), _)| (component.get(from), (from, to))).collect();
        Self { automaton, next: all, doubled: doubled.into_values().collect() }
    }

    /// Words that begin with a transition of several ways.
    fn doubled(&self) -> Vec<Found> {
        let words = self.doubled.iter().filter_map(|(from, to)| {
            let mut path = vec![*to];
            path.extend(shortest(&self.next, *to, *from)?);
            let word = path.into_iter().map(|state| self.symbol(state, state)).collect::<Option<_>>()?;
            Some((*from, word))
        });
        words.collect()
    }

    /// A symbol that both states read.
    fn symbol(&self, a: State, b: State) -> Option<usize> {
        self.automaton.symbols.common(self.automaton.class(a)?, self.automaton.class(b)?)
    }

    fn next(&self, state: State) -> &[State] {
        self.next.get(state).map_or(&[], Vec::as_slice)
    }

    /// Words on which two different states are reached, from one state and back to it.
    fn forks(&self) -> Vec<Found> {
        let Some(pairs) = self.pairs() else { return Vec::new() };
        let component = components(&pairs.next);
        let of = |node: usize| component.get(node).copied();
        let mut diverging = HashMap::new();
        for (node, _) in pairs.nodes.iter().enumerate().filter(|(_, (a, b))| a != b) {
            diverging.entry(of(node)).or_insert(node);
        }
        let mut found = Vec::new();
        for (node, (state, _)) in pairs.nodes.iter().enumerate().filter(|(_, (a, b))| a == b) {
            let Some(apart) = diverging.remove(&of(node)) else { continue };
            found.extend(self.round(&pairs, node, apart).map(|word| (*state, word)));
        }
        found
    }

    /// The word that leads from a node over another one and back.
    fn round(&self, pairs: &Pairs, node: usize, over: usize) -> Option<Vec<usize>> {
        let mut path = shortest(&pairs.next, node, over)?;
        path.extend(shortest(&pairs.next, over, node)?);
        path.into_iter().map(|node| pairs.nodes.get(node).and_then(|(a, b)| self.symbol(*a, *b))).collect()
    }

    /// The pairs of states that one word leads to from one state; `None` where they are too many.
    fn pairs(&self) -> Option<Pairs> {
        let mut pairs = Pairs::default();
        for state in (0..self.next.len()).filter(|state| !self.next(*state).is_empty()) {
            pairs.node(state, state);
        }
        let (mut steps, mut node) = (0, 0);
        while let Some(&(a, b)) = pairs.nodes.get(node) {
            let mut next = BTreeSet::new();
            for &to_a in self.next(a) {
                for &to_b in self.next(b) {
                    steps += 1;
                    if self.symbol(to_a, to_b).is_some() {
                        next.insert(pairs.node(to_a.min(to_b), to_a.max(to_b)));
                    }
                }
            }
            if steps > MAX_STEPS {
                return None;
            }
            pairs.next.push(next.into_iter().collect());
            node += 1;
        }
        Some(pairs)
    }
}

/// A graph of pairs of states, the smaller one first.
#[derive(Default)]
struct Pairs {
    nodes: Vec<(State, State)>,
    known: HashMap<(State, State), usize>,
    next: Vec<Vec<usize>>,
}

impl Pairs {
    fn node(&mut self, a: State, b: State) -> usize {
        let fresh = self.nodes.len();
        let node = *self.known.entry((a, b)).or_insert(fresh);
        if node == fresh {
            self.nodes.push((a, b));
        }
        node
    }
}

/// The nodes on the shortest way from one node to another, without the first; empty from a node to itself.
pub(super) fn shortest(next: &[Vec<usize>], from: usize, to: usize) -> Option<Vec<usize>> {
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
