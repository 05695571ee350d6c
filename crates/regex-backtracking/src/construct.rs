//! From a pattern to its automaton, part by part (Glushkov's construction), counting ways.
//!
//! Repetitions are taken as ECMAScript runs them (22.2.2.3.1, `RepeatMatcher`): beyond the required number of times a
//! repetition that matches nothing fails, so `(a?)*` has one way to match `aaa` and `(a*)*` has many.

use std::collections::BTreeMap;
use std::ops::Range;

use oxc_regular_expression::ast::{BoundaryAssertionKind, Disjunction, Quantifier, Term};
use oxc_span::Span;
use regex_syntax::hir::ClassUnicode;

use super::automaton::{Automaton, Edge, Guard, Position, Repetition, START, State, Ways};
use super::classes::{self, Symbols};
use super::shape;

/// Larger automata are not built.
const MAX_POSITIONS: usize = 2_000;
const MAX_EDGES: usize = 100_000;
const MAX_CLASSES: usize = 300;
const MAX_STEPS: usize = 100_000;
const MAX_TIMES: u64 = 2_000;

/// The automaton of a pattern, or `None` where it is out of bounds or has parts that no automaton has.
pub(super) fn automaton(pattern: &Disjunction<'_>) -> Option<Automaton> {
    let mut builder = Builder { has_boundaries: shape::has_boundaries(pattern), ..Builder::default() };
    let whole = builder.disjunction(pattern)?;
    if builder.repetitions.is_empty() {
        return None;
    }
    let accept = builder.positions.len() + 1;
    let start = Ends::one(START, Guard::NONE);
    builder.connect(&start, &whole.first)?;
    builder.connect(&whole.last, &Ends::one(accept, Guard::NONE))?;
    for (guard, ways) in &whole.empty {
        builder.edge(START, accept, *guard, *ways)?;
    }
    let mut automaton = Automaton {
        symbols: Symbols::new(&builder.classes),
        positions: builder.positions,
        edges: Vec::new(),
        repetitions: builder.repetitions,
    };
    let edges = builder.edges.into_iter();
    let edges = edges.map(|((from, to, guard, inside), ways)| Edge { from, to, guard, ways, inside });
    automaton.edges = edges.filter(|edge| automaton.is_possible(edge)).collect();
    Some(automaton)
}

/// States in which a part can begin or end, each with what must hold there and in how many ways.
#[derive(Debug, Clone, Default)]
struct Ends(BTreeMap<(State, Guard), Ways>);

impl Ends {
    fn one(state: State, guard: Guard) -> Self {
        Self(BTreeMap::from([((state, guard), Ways::ONE)]))
    }

    fn add(&mut self, other: &Self) {
        self.add_after(other, Guard::NONE, Ways::ONE);
    }

    /// Adds the others as they are after (or before) something that matches nothing.
    fn add_after(&mut self, other: &Self, guard: Guard, ways: Ways) {
        for ((state, own), count) in &other.0 {
            let known = self.0.entry((*state, own.and(guard))).or_default();
            *known = known.plus(count.times(ways));
        }
    }

    fn beside(&self, empty: &BTreeMap<Guard, Ways>) -> Self {
        let mut all = Self::default();
        for (guard, ways) in empty {
            all.add_after(self, *guard, *ways);
        }
        all
    }
}

/// A part of the pattern.
#[derive(Debug, Default)]
struct Part {
    /// The ways to match nothing.
    empty: BTreeMap<Guard, Ways>,
    first: Ends,
    last: Ends,
}

impl Part {
    /// Matches nothing, where the guard holds.
    fn nothing(guard: Guard) -> Self {
        Self { empty: BTreeMap::from([(guard, Ways::ONE)]), ..Self::default() }
    }
}

#[derive(Default)]
struct Builder {
    has_boundaries: bool,
    classes: Vec<ClassUnicode>,
    positions: Vec<Position>,
    edges: BTreeMap<(State, State, Guard, usize), Ways>,
    repetitions: Vec<Repetition>,
    /// The number of the repetition that is being built.
    inside: usize,
    /// How many terms were built, for counted repetitions build theirs again and again.
    steps: usize,
}

impl Builder {
    fn disjunction(&mut self, pattern: &Disjunction<'_>) -> Option<Part> {
        let mut any = Part::default();
        for alternative in &pattern.body {
            let mut all = Part::nothing(Guard::NONE);
            for term in &alternative.body {
                let next = self.term(term)?;
                all = self.sequence(&all, &next)?;
            }
            any.first.add(&all.first);
            any.last.add(&all.last);
            for (guard, ways) in all.empty {
                let known = any.empty.entry(guard).or_default();
                *known = known.plus(ways);
            }
        }
        Some(any)
    }

    fn term(&mut self, term: &Term<'_>) -> Option<Part> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        match term {
            Term::BoundaryAssertion(assertion) => Some(Part::nothing(match assertion.kind {
                BoundaryAssertionKind::Start => Guard::BEGIN,
                BoundaryAssertionKind::End => Guard::END,
                BoundaryAssertionKind::Boundary => Guard::BOUNDARY,
                BoundaryAssertionKind::NegativeBoundary => Guard::NO_BOUNDARY,
            })),
            Term::Quantifier(quantifier) => self.quantifier(quantifier),
            Term::Character(character) => self.character(classes::single(character.value)?),
            Term::Dot(_) => self.character(classes::dot()),
            Term::CharacterClassEscape(escape) => self.character(classes::escape(escape.kind)),
            Term::UnicodePropertyEscape(escape) => self.character(classes::property(escape)?),
            Term::CharacterClass(class) => self.character(classes::bracketed(class)?),
            Term::CapturingGroup(group) => self.disjunction(&group.body),
            Term::IgnoreGroup(group) if group.modifiers.is_none() => self.disjunction(&group.body),
            Term::IgnoreGroup(_)
            | Term::LookAroundAssertion(_)
            | Term::IndexedReference(_)
            | Term::NamedReference(_) => None,
        }
    }

    /// One character; two positions where it matters whether it is one of a word.
    fn character(&mut self, class: ClassUnicode) -> Option<Part> {
        if !self.has_boundaries {
            return self.position(class, false);
        }
        let (mut word, mut other) = (class.clone(), class);
        word.intersect(&classes::word());
        other.difference(&classes::word());
        let mut part = self.position(word, true)?;
        let other = self.position(other, false)?;
        part.first.add(&other.first);
        part.last.add(&other.last);
        Some(part)
    }

    fn position(&mut self, class: ClassUnicode, word: bool) -> Option<Part> {
        if class.ranges().is_empty() {
            return Some(Part::default());
        }
        let known = self.classes.iter().position(|known| *known == class);
        let class = known.unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        self.positions.push(Position { class, word });
        if self.positions.len() > MAX_POSITIONS || self.classes.len() > MAX_CLASSES {
            return None;
        }
        let ends = Ends::one(self.positions.len(), Guard::NONE);
        Some(Part { empty: BTreeMap::new(), first: ends.clone(), last: ends })
    }

    fn sequence(&mut self, a: &Part, b: &Part) -> Option<Part> {
        self.connect(&a.last, &b.first)?;
        let mut empty = BTreeMap::<Guard, Ways>::new();
        for (guard, ways) in &a.empty {
            for (next, more) in &b.empty {
                let known = empty.entry(guard.and(*next)).or_default();
                *known = known.plus(ways.times(*more));
            }
        }
        let mut first = b.first.beside(&a.empty);
        first.add(&a.first);
        let mut last = a.last.beside(&b.empty);
        last.add(&b.last);
        Some(Part { empty, first, last })
    }

    fn quantifier(&mut self, quantifier: &Quantifier<'_>) -> Option<Part> {
        // Within another one an upper bound matters: `(a{40})*` has one way, `(a+)*` has many.
        let outermost = self.inside == 0;
        let max = quantifier.max.filter(|_| !(outermost && shape::is_endless(quantifier)));
        let mut all = Part::nothing(Guard::NONE);
        // The last required time is the endless one's first.
        let required = if max.is_none() { quantifier.min.saturating_sub(1) } else { quantifier.min };
        if required > MAX_TIMES {
            return None;
        }
        for _ in 0..required {
            let next = self.term(&quantifier.body)?;
            all = self.sequence(&all, &next)?;
        }
        let rest = match max {
            None => self.endless(quantifier)?,
            Some(max) => self.up_to(max.saturating_sub(quantifier.min), &quantifier.body)?,
        };
        self.sequence(&all, &rest)
    }

    fn endless(&mut self, quantifier: &Quantifier<'_>) -> Option<Part> {
        let number = self.repetitions.len() + 1;
        let outside = std::mem::replace(&mut self.inside, number);
        self.repetitions.push(Repetition { span: bytes(quantifier.span), numbers: number..number });
        let mut part = self.term(&quantifier.body)?;
        self.connect(&part.last.clone(), &part.first)?;
        self.inside = outside;
        let next = self.repetitions.len() + 1;
        if let Some(own) = self.repetitions.get_mut(number - 1) {
            own.numbers.end = next;
        }
        if quantifier.min == 0 {
            part.empty = Part::nothing(Guard::NONE).empty;
        } else {
            // The required time may match nothing, and one that is not required follow it.
            let after_nothing = part.first.beside(&part.empty);
            part.first.add(&after_nothing);
        }
        Some(part)
    }

    /// At most so many times, each of which matches something and follows the one before.
    fn up_to(&mut self, most: u64, body: &Term<'_>) -> Option<Part> {
        let mut all = Part::nothing(Guard::NONE);
        let mut before: Option<Ends> = None;
        if most > MAX_TIMES {
            return None;
        }
        for _ in 0..most {
            let next = self.term(body)?;
            match before {
                None => all.first = next.first,
                Some(last) => self.connect(&last, &next.first)?,
            }
            all.last.add(&next.last);
            before = Some(next.last);
        }
        Some(all)
    }

    fn connect(&mut self, from: &Ends, to: &Ends) -> Option<()> {
        for ((state, guard), ways) in &from.0 {
            for ((next, also), more) in &to.0 {
                self.edge(*state, *next, guard.and(*also), ways.times(*more))?;
            }
        }
        Some(())
    }

    fn edge(&mut self, from: State, to: State, guard: Guard, ways: Ways) -> Option<()> {
        let known = self.edges.entry((from, to, guard, self.inside)).or_default();
        *known = known.plus(ways);
        (self.edges.len() <= MAX_EDGES).then_some(())
    }
}

fn bytes(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}
