//! The automaton of a pattern: a state for each character that the pattern names, and the ways from one to the next.

use std::ops::Range;

use super::classes::Symbols;

/// Index of a state. State 0 is the beginning; the state after the last position is the end.
pub(super) type State = usize;

/// Where nothing is read yet.
pub(super) const START: State = 0;

/// What must hold between two characters for a transition to be taken: a set of bits.
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

    const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it holds between two characters, of which is known whether they are word characters; `None` stands for
    /// the beginning or the end of the text.
    pub(super) fn holds(self, before: Option<bool>, after: Option<bool>) -> bool {
        let boundary = before.unwrap_or(false) != after.unwrap_or(false);
        !(self.has(Self::BEGIN) && before.is_some()
            || self.has(Self::END) && after.is_some()
            || self.has(Self::BOUNDARY) && !boundary
            || self.has(Self::NO_BOUNDARY) && boundary)
    }
}

/// A number of ways, of which only none, one and several are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Ways(u8);

impl Ways {
    pub(super) const ONE: Self = Self(1);

    pub(super) const fn several(self) -> bool {
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
    /// What it matches, as an index of the automaton's symbols.
    pub(super) class: usize,
    /// Whether what it matches are word characters; of use only where the pattern has `\b` or `\B`, for there each
    /// position matches either word characters or others.
    pub(super) word: bool,
}

/// A transition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: State,
    pub(super) to: State,
    pub(super) guard: Guard,
    pub(super) ways: Ways,
    /// The innermost repetition that it belongs to; 0 for none.
    pub(super) inside: usize,
}

/// A repetition without an upper bound.
#[derive(Debug, Clone)]
pub(super) struct Repetition {
    /// Its bytes in the pattern.
    pub(super) span: Range<usize>,
    /// It and the repetitions in it, by number.
    pub(super) numbers: Range<usize>,
}

/// A pattern's automaton.
pub(super) struct Automaton {
    /// State `n + 1` reads position `n`.
    pub(super) positions: Vec<Position>,
    pub(super) symbols: Symbols,
    pub(super) edges: Vec<Edge>,
    /// In the order in which they begin; the first has number 1.
    pub(super) repetitions: Vec<Repetition>,
}

impl Automaton {
    /// The state in which the pattern is matched.
    pub(super) fn accept(&self) -> State {
        self.positions.len() + 1
    }

    fn position(&self, state: State) -> Option<&Position> {
        self.positions.get(state.checked_sub(1)?)
    }

    /// What the state reads; nothing for the beginning and the end.
    pub(super) fn class(&self, state: State) -> Option<usize> {
        self.position(state).map(|position| position.class)
    }

    /// Whether the state has just read a word character; `None` for the beginning and the end.
    pub(super) fn word(&self, state: State) -> Option<bool> {
        self.position(state).map(|position| position.word)
    }

    /// Whether a transition can ever be taken.
    pub(super) fn is_possible(&self, edge: &Edge) -> bool {
        edge.to == self.accept() || edge.guard.holds(self.word(edge.from), self.word(edge.to))
    }
}
