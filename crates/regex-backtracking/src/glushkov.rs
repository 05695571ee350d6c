//! Glushkov's construction of a pattern's automaton, with the multiplicity of each transition.
//!
//! Repetitions follow ECMAScript (22.2.2.3.1, `RepeatMatcher`): after the required number of iterations, an iteration
//! that matches the empty string fails, so `(a?)*` has one way to match `aaa` and `(a*)*` has many.

use std::collections::BTreeMap;
use std::ops::Range;

use oxc_regular_expression::ast::{BoundaryAssertionKind, Disjunction, Quantifier, Term};
use oxc_span::Span;
use regex_syntax::hir::ClassUnicode;
use toolgate_ecma_regex::character_classes;

use super::alphabet::Alphabet;
use super::automaton::{Automaton, Edge, Guard, Multiplicity, Position, Repetition, START, StateIndex};
use super::pattern_syntax;

/// Bounds of the construction; larger automata are not built.
const MAX_POSITIONS: usize = 2_000;
const MAX_EDGES: usize = 100_000;
const MAX_CLASSES: usize = 300;
const MAX_TERMS: usize = 100_000;
const MAX_ITERATIONS: u64 = 2_000;

/// Builds the automaton of a pattern; `None` if it is out of bounds or has terms that are not regular.
pub(super) fn build_automaton(pattern: &Disjunction<'_>) -> Option<Automaton> {
    let mut builder =
        AutomatonBuilder { has_boundaries: pattern_syntax::has_boundaries(pattern), ..AutomatonBuilder::default() };
    let whole = builder.disjunction(pattern)?;
    if builder.repetitions.is_empty() {
        return None;
    }
    let accept = builder.positions.len() + 1;
    let start = GuardedStates::single(START, Guard::NONE);
    builder.connect(&start, &whole.first)?;
    builder.connect(&whole.last, &GuardedStates::single(accept, Guard::NONE))?;
    for (guard, ways) in &whole.empty {
        builder.add_edge(START, accept, *guard, *ways)?;
    }
    let mut automaton = Automaton {
        symbols: Alphabet::new(&builder.classes),
        positions: builder.positions,
        edges: Vec::new(),
        repetitions: builder.repetitions,
    };
    let edges = builder.edges.into_iter();
    let edges = edges.map(|((from, to, guard, inside), ways)| Edge { from, to, guard, ways, repetition: inside });
    automaton.edges = edges.filter(|edge| automaton.is_possible(edge)).collect();
    Some(automaton)
}

/// The states in which a fragment can begin (first set) or end (last set), each with its guard and its multiplicity.
#[derive(Debug, Clone, Default)]
struct GuardedStates(BTreeMap<(StateIndex, Guard), Multiplicity>);

impl GuardedStates {
    fn single(state: StateIndex, guard: Guard) -> Self {
        Self(BTreeMap::from([((state, guard), Multiplicity::ONE)]))
    }

    fn add_all(&mut self, other: &Self) {
        self.add_through_empty(other, Guard::NONE, Multiplicity::ONE);
    }

    /// Adds the other states, reached through an empty match with this guard and multiplicity.
    fn add_through_empty(&mut self, other: &Self, guard: Guard, ways: Multiplicity) {
        for ((state, own), count) in &other.0 {
            let known = self.0.entry((*state, own.and(guard))).or_default();
            *known = known.plus(count.times(ways));
        }
    }

    fn through_empty(&self, empty: &BTreeMap<Guard, Multiplicity>) -> Self {
        let mut all = Self::default();
        for (guard, ways) in empty {
            all.add_through_empty(self, *guard, *ways);
        }
        all
    }
}

/// The automaton fragment of a part of the pattern.
#[derive(Debug, Default)]
struct Fragment {
    /// The guards of the empty matches, with their multiplicity.
    empty: BTreeMap<Guard, Multiplicity>,
    first: GuardedStates,
    last: GuardedStates,
}

impl Fragment {
    /// Matches the empty string if the guard holds.
    fn empty_match(guard: Guard) -> Self {
        Self { empty: BTreeMap::from([(guard, Multiplicity::ONE)]), ..Self::default() }
    }
}

#[derive(Default)]
struct AutomatonBuilder {
    has_boundaries: bool,
    classes: Vec<ClassUnicode>,
    positions: Vec<Position>,
    edges: BTreeMap<(StateIndex, StateIndex, Guard, usize), Multiplicity>,
    repetitions: Vec<Repetition>,
    /// The number of the innermost repetition under construction; 0 for none.
    current_repetition: usize,
    /// The number of terms built: counted repetitions build their body once per iteration.
    steps: usize,
}

impl AutomatonBuilder {
    fn disjunction(&mut self, pattern: &Disjunction<'_>) -> Option<Fragment> {
        let mut any = Fragment::default();
        for alternative in &pattern.body {
            let mut all = Fragment::empty_match(Guard::NONE);
            for term in &alternative.body {
                let next = self.term(term)?;
                all = self.sequence(&all, &next)?;
            }
            any.first.add_all(&all.first);
            any.last.add_all(&all.last);
            for (guard, ways) in all.empty {
                let known = any.empty.entry(guard).or_default();
                *known = known.plus(ways);
            }
        }
        Some(any)
    }

    fn term(&mut self, term: &Term<'_>) -> Option<Fragment> {
        self.steps += 1;
        if self.steps > MAX_TERMS {
            return None;
        }
        match term {
            Term::BoundaryAssertion(assertion) => Some(Fragment::empty_match(match assertion.kind {
                BoundaryAssertionKind::Start => Guard::BEGIN,
                BoundaryAssertionKind::End => Guard::END,
                BoundaryAssertionKind::Boundary => Guard::BOUNDARY,
                BoundaryAssertionKind::NegativeBoundary => Guard::NO_BOUNDARY,
            })),
            Term::Quantifier(quantifier) => self.quantifier(quantifier),
            Term::Character(character) => self.character(character_classes::single_character(character.value)),
            Term::Dot(_) => self.character(character_classes::dot()),
            Term::CharacterClassEscape(escape) => self.character(character_classes::class_escape(escape.kind)),
            Term::UnicodePropertyEscape(escape) => self.character(character_classes::unicode_property(escape)?),
            Term::CharacterClass(class) => self.character(character_classes::bracketed(class)?),
            Term::CapturingGroup(group) => self.disjunction(&group.body),
            Term::IgnoreGroup(group) if group.modifiers.is_none() => self.disjunction(&group.body),
            Term::IgnoreGroup(_)
            | Term::LookAroundAssertion(_)
            | Term::IndexedReference(_)
            | Term::NamedReference(_) => None,
        }
    }

    /// One character. With `\b` or `\B` in the pattern it becomes two positions: word characters and others.
    fn character(&mut self, class: ClassUnicode) -> Option<Fragment> {
        if !self.has_boundaries {
            return self.position(class, false);
        }
        let (mut word, mut other) = (class.clone(), class);
        word.intersect(&character_classes::word());
        other.difference(&character_classes::word());
        let mut part = self.position(word, true)?;
        let other = self.position(other, false)?;
        part.first.add_all(&other.first);
        part.last.add_all(&other.last);
        Some(part)
    }

    fn position(&mut self, class: ClassUnicode, word: bool) -> Option<Fragment> {
        if class.ranges().is_empty() {
            return Some(Fragment::default());
        }
        let known = self.classes.iter().position(|known| *known == class);
        let class = known.unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        self.positions.push(Position { class, is_word: word });
        if self.positions.len() > MAX_POSITIONS || self.classes.len() > MAX_CLASSES {
            return None;
        }
        let ends = GuardedStates::single(self.positions.len(), Guard::NONE);
        Some(Fragment { empty: BTreeMap::new(), first: ends.clone(), last: ends })
    }

    fn sequence(&mut self, a: &Fragment, b: &Fragment) -> Option<Fragment> {
        self.connect(&a.last, &b.first)?;
        let mut empty = BTreeMap::<Guard, Multiplicity>::new();
        for (guard, ways) in &a.empty {
            for (next, more) in &b.empty {
                let known = empty.entry(guard.and(*next)).or_default();
                *known = known.plus(ways.times(*more));
            }
        }
        let mut first = b.first.through_empty(&a.empty);
        first.add_all(&a.first);
        let mut last = a.last.through_empty(&b.empty);
        last.add_all(&b.last);
        Some(Fragment { empty, first, last })
    }

    fn quantifier(&mut self, quantifier: &Quantifier<'_>) -> Option<Fragment> {
        // Inside another repetition the upper bound matters: `(a{40})*` has one way, `(a+)*` has many.
        let outermost = self.current_repetition == 0;
        let max = quantifier.max.filter(|_| !(outermost && pattern_syntax::is_effectively_unbounded(quantifier)));
        let mut all = Fragment::empty_match(Guard::NONE);
        // The last required iteration is the first of the unbounded repetition.
        let required = if max.is_none() { quantifier.min.saturating_sub(1) } else { quantifier.min };
        if required > MAX_ITERATIONS {
            return None;
        }
        for _ in 0..required {
            let next = self.term(&quantifier.body)?;
            all = self.sequence(&all, &next)?;
        }
        let rest = match max {
            None => self.unbounded(quantifier)?,
            Some(max) => self.at_most(max.saturating_sub(quantifier.min), &quantifier.body)?,
        };
        self.sequence(&all, &rest)
    }

    fn unbounded(&mut self, quantifier: &Quantifier<'_>) -> Option<Fragment> {
        let number = self.repetitions.len() + 1;
        let outside = std::mem::replace(&mut self.current_repetition, number);
        self.repetitions.push(Repetition { span: byte_range(quantifier.span), nested_numbers: number..number });
        let mut part = self.term(&quantifier.body)?;
        self.connect(&part.last.clone(), &part.first)?;
        self.current_repetition = outside;
        let next = self.repetitions.len() + 1;
        if let Some(own) = self.repetitions.get_mut(number - 1) {
            own.nested_numbers.end = next;
        }
        if quantifier.min == 0 {
            part.empty = Fragment::empty_match(Guard::NONE).empty;
        } else {
            // The required iteration may match the empty string, and an optional iteration may follow it.
            let after_nothing = part.first.through_empty(&part.empty);
            part.first.add_all(&after_nothing);
        }
        Some(part)
    }

    /// At most `most` optional iterations, each with a nonempty match.
    fn at_most(&mut self, most: u64, body: &Term<'_>) -> Option<Fragment> {
        let mut all = Fragment::empty_match(Guard::NONE);
        let mut before: Option<GuardedStates> = None;
        if most > MAX_ITERATIONS {
            return None;
        }
        for _ in 0..most {
            let next = self.term(body)?;
            match before {
                None => all.first = next.first,
                Some(last) => self.connect(&last, &next.first)?,
            }
            all.last.add_all(&next.last);
            before = Some(next.last);
        }
        Some(all)
    }

    fn connect(&mut self, from: &GuardedStates, to: &GuardedStates) -> Option<()> {
        for ((state, guard), ways) in &from.0 {
            for ((next, also), more) in &to.0 {
                self.add_edge(*state, *next, guard.and(*also), ways.times(*more))?;
            }
        }
        Some(())
    }

    fn add_edge(&mut self, from: StateIndex, to: StateIndex, guard: Guard, ways: Multiplicity) -> Option<()> {
        let known = self.edges.entry((from, to, guard, self.current_repetition)).or_default();
        *known = known.plus(ways);
        (self.edges.len() <= MAX_EDGES).then_some(())
    }
}

fn byte_range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
