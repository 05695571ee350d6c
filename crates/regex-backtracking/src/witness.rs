//! The text that proves a finding: it reaches the ambiguous repetition, goes round in it, and fails in the end.
//!
//! An engine stops at the first way that succeeds, so a repetition that is followed by nothing that can fail is not
//! slow however ambiguous it is. What decides are the ways that go on from the repetition: all of them must fail, for
//! then all are tried before anything else is, even where another alternative matches in the end.

use std::collections::{HashSet, VecDeque};

use super::Attack;
use super::ambiguity::{Pump, shortest};
use super::automaton::{Automaton, Edge, START, State};

/// Transitions that are followed in search of an end that fails.
const MAX_STEPS: usize = 500_000;
/// After so many repetitions the states reached are mostly the same each time.
const PUMPS: usize = 8;

/// The text for a word that can be repeated, where there is one.
pub(super) fn attack(automaton: &Automaton, pump: &Pump) -> Option<Attack> {
    let mut run = Run::new(automaton);
    let prefix = run.way_to(pump.state)?;
    let mut states = vec![pump.state];
    for _ in 0..PUMPS {
        states = run.after(states, &pump.word)?;
    }
    let suffix = run.failing(states)?;
    let text = |symbols: &[usize]| symbols.iter().map(|symbol| automaton.symbols.character(*symbol)).collect();
    Some(Attack { part: pump.span.clone(), prefix: text(&prefix), pump: text(&pump.word), suffix: text(&suffix) })
}

/// Runs an automaton on all ways at once.
struct Run<'a> {
    automaton: &'a Automaton,
    from: Vec<Vec<&'a Edge>>,
    steps: usize,
}

impl<'a> Run<'a> {
    fn new(automaton: &'a Automaton) -> Self {
        let mut from = vec![Vec::new(); automaton.accept()];
        for edge in &automaton.edges {
            from.get_mut(edge.from).into_iter().for_each(|edges: &mut Vec<&Edge>| edges.push(edge));
        }
        Self { automaton, from, steps: 0 }
    }

    fn edges(&self, state: State) -> &[&'a Edge] {
        self.from.get(state).map_or(&[], Vec::as_slice)
    }

    /// A shortest word that leads to a state.
    fn way_to(&self, state: State) -> Option<Vec<usize>> {
        let next: Vec<Vec<usize>> = self.from.iter().map(|edges| edges.iter().map(|edge| edge.to).collect()).collect();
        let path = shortest(&next, START, state)?;
        let symbol = |state: &State| {
            let class = self.automaton.class(*state)?;
            self.automaton.symbols.common(class, class)
        };
        path.iter().map(symbol).collect()
    }

    /// The states after a word, or `None` where the pattern is matched on the way.
    fn after(&mut self, states: Vec<State>, word: &[usize]) -> Option<Vec<State>> {
        word.iter().try_fold(states, |states, symbol| self.step(&states, *symbol))
    }

    fn step(&mut self, states: &[State], symbol: usize) -> Option<Vec<State>> {
        let automaton = self.automaton;
        let character = automaton.symbols.character(symbol);
        let is_word = character.is_ascii_alphanumeric() || character == '_';
        let mut next = Vec::new();
        for &state in states {
            let edges = self.edges(state);
            for edge in edges {
                if edge.to == automaton.accept() {
                    if edge.guard.holds(automaton.word(state), Some(is_word)) {
                        return None;
                    }
                } else if automaton.class(edge.to).is_some_and(|class| automaton.symbols.is_in(symbol, class)) {
                    next.push(edge.to);
                }
            }
            self.steps += edges.len();
        }
        next.sort_unstable();
        next.dedup();
        Some(next)
    }

    /// Whether the text may end here and be matched.
    fn accepts(&self, states: &[State]) -> bool {
        let accept = self.automaton.accept();
        states.iter().any(|state| {
            let mut ends = self.edges(*state).iter().filter(|edge| edge.to == accept);
            ends.any(|edge| edge.guard.holds(self.automaton.word(*state), None))
        })
    }

    /// A shortest word after which the text can end and is not matched.
    fn failing(&mut self, states: Vec<State>) -> Option<Vec<usize>> {
        let mut seen = HashSet::from([states.clone()]);
        let mut open = VecDeque::from([(states, Vec::new())]);
        while let Some((states, word)) = open.pop_front() {
            if !self.accepts(&states) {
                return Some(word);
            }
            for symbol in 0..self.automaton.symbols.count() {
                if self.steps > MAX_STEPS {
                    return None;
                }
                let Some(next) = self.step(&states, symbol) else { continue };
                if seen.insert(next.clone()) {
                    let mut longer = word.clone();
                    longer.push(symbol);
                    open.push_back((next, longer));
                }
            }
        }
        None
    }
}
