//! Builds the attack string of a pump: a prefix that reaches the ambiguous state, the pump, and a suffix that fails.
//!
//! An engine stops at the first path that succeeds, so an ambiguous repetition is slow only if its continuation can
//! fail. All paths that continue from the repetition must fail: then the engine tries all of them before any other
//! alternative, even if another alternative matches in the end.

use std::collections::{HashSet, VecDeque};

use super::AttackString;
use super::ambiguity::{Pump, shortest_path};
use super::automaton::{Automaton, Edge, START, StateIndex};

/// Maximum number of transitions followed in the search for a failing suffix.
const MAX_TRANSITIONS: usize = 500_000;
/// Number of pumps after which the set of reached states is mostly stable.
const PUMP_COUNT: usize = 8;

/// Builds the attack string of a pump; `None` if the match cannot fail or the search is out of bounds.
pub(super) fn build_attack_string(automaton: &Automaton, pump: &Pump) -> Option<AttackString> {
    let mut run = StateSetSimulation::new(automaton);
    let prefix = run.shortest_word_to(pump.state)?;
    let mut states = vec![pump.state];
    for _ in 0..PUMP_COUNT {
        states = run.states_after(states, &pump.word)?;
    }
    let suffix = run.failing_suffix(states)?;
    let text = |symbols: &[usize]| symbols.iter().map(|symbol| automaton.symbols.representative(*symbol)).collect();
    Some(AttackString {
        repetition_span: pump.span.clone(),
        prefix: text(&prefix),
        pump: text(&pump.word),
        suffix: text(&suffix),
    })
}

/// Simulates the automaton on all paths at once, as sets of states.
struct StateSetSimulation<'a> {
    automaton: &'a Automaton,
    outgoing: Vec<Vec<&'a Edge>>,
    steps: usize,
}

impl<'a> StateSetSimulation<'a> {
    fn new(automaton: &'a Automaton) -> Self {
        let mut from = vec![Vec::new(); automaton.accept()];
        for edge in &automaton.edges {
            from.get_mut(edge.from).into_iter().for_each(|edges: &mut Vec<&Edge>| edges.push(edge));
        }
        Self { automaton, outgoing: from, steps: 0 }
    }

    fn edges(&self, state: StateIndex) -> &[&'a Edge] {
        self.outgoing.get(state).map_or(&[], Vec::as_slice)
    }

    /// Returns a shortest word from the start to a state.
    fn shortest_word_to(&self, state: StateIndex) -> Option<Vec<usize>> {
        let next: Vec<Vec<usize>> =
            self.outgoing.iter().map(|edges| edges.iter().map(|edge| edge.to).collect()).collect();
        let path = shortest_path(&next, START, state)?;
        let symbol = |state: &StateIndex| {
            let class = self.automaton.class_of(*state)?;
            self.automaton.symbols.common_symbol(class, class)
        };
        path.iter().map(symbol).collect()
    }

    /// Returns the states after a word; `None` if the pattern matches on the way.
    fn states_after(&mut self, states: Vec<StateIndex>, word: &[usize]) -> Option<Vec<StateIndex>> {
        word.iter().try_fold(states, |states, symbol| self.step(&states, *symbol))
    }

    fn step(&mut self, states: &[StateIndex], symbol: usize) -> Option<Vec<StateIndex>> {
        let automaton = self.automaton;
        let character = automaton.symbols.representative(symbol);
        let is_word = character.is_ascii_alphanumeric() || character == '_';
        let mut next = Vec::new();
        for &state in states {
            let edges = self.edges(state);
            for edge in edges {
                if edge.to == automaton.accept() {
                    if edge.guard.holds(automaton.reads_word_char(state), Some(is_word)) {
                        return None;
                    }
                } else if automaton.class_of(edge.to).is_some_and(|class| automaton.symbols.is_in_class(symbol, class))
                {
                    next.push(edge.to);
                }
            }
            self.steps += edges.len();
        }
        next.sort_unstable();
        next.dedup();
        Some(next)
    }

    /// Whether the pattern matches if the text ends here.
    fn accepts_at_end(&self, states: &[StateIndex]) -> bool {
        let accept = self.automaton.accept();
        states.iter().any(|state| {
            let mut ends = self.edges(*state).iter().filter(|edge| edge.to == accept);
            ends.any(|edge| edge.guard.holds(self.automaton.reads_word_char(*state), None))
        })
    }

    /// Returns a shortest word after which the text can end without a match.
    fn failing_suffix(&mut self, states: Vec<StateIndex>) -> Option<Vec<usize>> {
        let mut seen = HashSet::from([states.clone()]);
        let mut open = VecDeque::from([(states, Vec::new())]);
        while let Some((states, word)) = open.pop_front() {
            if !self.accepts_at_end(&states) {
                return Some(word);
            }
            for symbol in 0..self.automaton.symbols.count() {
                if self.steps > MAX_TRANSITIONS {
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
