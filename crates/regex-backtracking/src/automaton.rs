//! The Glushkov automaton of a pattern: one state per character of the pattern, and the transitions with guards and
//! multiplicities.

use std::ops::Range;

use super::alphabet::Alphabet;

/// Index of a state. State 0 is the start; the state after the last position is the accepting state.
pub(super) type StateIndex = usize;

/// The start state.
pub(super) const START: StateIndex = 0;

/// The assertions that a transition requires between two characters, as a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Guard(u8);

impl Guard {
    pub(super) const NONE: Self = Self(0);
    /// `^`
    pub(super) const BEGIN: Self = Self(1);
    /// `$`
    pub(super) const END: Self = Self(2);
    /// `\b`
    pub(super) const BOUNDARY: Self = Self(4);
    /// `\B`
    pub(super) const NO_BOUNDARY: Self = Self(8);

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn contains(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the guard holds between two characters; the arguments are whether they are word characters, `None` for
    /// the beginning or the end of the text.
    pub(super) fn holds(self, before: Option<bool>, after: Option<bool>) -> bool {
        let boundary = before.unwrap_or(false) != after.unwrap_or(false);
        !(self.contains(Self::BEGIN) && before.is_some()
            || self.contains(Self::END) && after.is_some()
            || self.contains(Self::BOUNDARY) && !boundary
            || self.contains(Self::NO_BOUNDARY) && boundary)
    }
}

/// A number of ways to take a transition, saturated: none, one or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Multiplicity(u8);

impl Multiplicity {
    pub(super) const ONE: Self = Self(1);

    pub(super) const fn is_several(self) -> bool {
        self.0 > 1
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0).min(2))
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self(self.0.saturating_mul(other.0).min(2))
    }
}

/// A character of the pattern.
#[derive(Debug, Clone)]
pub(super) struct Position {
    /// The class that it matches, as an index into the automaton's `symbols`.
    pub(super) class: usize,
    /// Whether it matches word characters. Meaningful only if the pattern has `\b` or `\B`: then each position matches
    /// either only word characters or only others.
    pub(super) is_word: bool,
}

/// A transition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: StateIndex,
    pub(super) to: StateIndex,
    pub(super) guard: Guard,
    pub(super) ways: Multiplicity,
    /// The number of the innermost repetition that contains the transition; 0 for none.
    pub(super) repetition: usize,
}

/// A repetition without an upper bound.
#[derive(Debug, Clone)]
pub(super) struct Repetition {
    /// The byte range in the pattern.
    pub(super) span: Range<usize>,
    /// The numbers of this repetition and of the repetitions inside it.
    pub(super) nested_numbers: Range<usize>,
}

/// A pattern's automaton.
pub(super) struct Automaton {
    /// State `n + 1` reads position `n`.
    pub(super) positions: Vec<Position>,
    pub(super) symbols: Alphabet,
    pub(super) edges: Vec<Edge>,
    /// In order of their start in the pattern; the first has number 1.
    pub(super) repetitions: Vec<Repetition>,
}

impl Automaton {
    /// The accepting state.
    pub(super) fn accept(&self) -> StateIndex {
        self.positions.len() + 1
    }

    fn position(&self, state: StateIndex) -> Option<&Position> {
        self.positions.get(state.checked_sub(1)?)
    }

    /// The class of the state's character; `None` for the start and the accepting state.
    pub(super) fn class_of(&self, state: StateIndex) -> Option<usize> {
        self.position(state).map(|position| position.class)
    }

    /// Whether the state has just read a word character; `None` for the start and the accepting state.
    pub(super) fn reads_word_char(&self, state: StateIndex) -> Option<bool> {
        self.position(state).map(|position| position.is_word)
    }

    /// Whether the guard of a transition can hold.
    pub(super) fn is_possible(&self, edge: &Edge) -> bool {
        edge.to == self.accept() || edge.guard.holds(self.reads_word_char(edge.from), self.reads_word_char(edge.to))
    }
}
