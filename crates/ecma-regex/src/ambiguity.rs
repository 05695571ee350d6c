//! Finds repetitions that read one text in several ways: `(a+)+`, `(a|ab|b)*`. A backtracking engine without a limit
//! tries all the ways, whose number doubles with each iteration.
//!
//! The pattern is not run. Its positions are the terms that read one character, and each has a list of the positions that
//! may follow (Glushkov's construction). A repetition is ambiguous if two routes over one text lead from one position to
//! one position inside it.
//!
//! Approximations: what follows the repetition does not matter, although a match that cannot fail tries no second way.
//! `^`, `$`, `\b` and look-around read nothing; the body of a look-around is a pattern of its own. A back-reference reads
//! one character of any kind.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use oxc_regular_expression::ast::{Disjunction, Quantifier, Term};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::compile::single_character_class;
use super::syntax::{UNICODE, with_parsed};

/// An upper bound from which a counted repetition counts as endless: `(a+){10}` has more than 10^9 ways to read fifty
/// characters.
const ENDLESS_FROM: u64 = 10;
/// The work of one search. A pattern that needs more has no finding.
const MAX_STEPS: usize = 1_000_000;

/// Returns the bytes of an ambiguous repetition in a pattern, the innermost of the first one. `None` if there is none, or
/// if the pattern is invalid or too large.
///
/// The pattern is parsed with the flag `u`, or without flags if it is invalid with `u`.
///
/// ```
/// use toolgate_ecma_regex::find_ambiguous_repetition;
///
/// assert_eq!(find_ambiguous_repetition("^x(a+)+$"), Some(2..7));
/// assert_eq!(find_ambiguous_repetition("^a+(-a+)*$"), None);
/// ```
#[must_use]
pub fn find_ambiguous_repetition(pattern: &str) -> Option<Range<usize>> {
    let find = |flags| {
        with_parsed(pattern, flags, |parsed| {
            Ok(match RouteSearch::default().disjunction(&parsed.body) {
                Err(Stop::Ambiguous(repetition)) => Some(repetition),
                Ok(_) | Err(Stop::TooLarge | Stop::Unsupported) => None,
            })
        })
    };
    find(UNICODE).or_else(|_| find("")).ok().flatten()
}

/// What ends a search.
enum Stop {
    Ambiguous(Range<usize>),
    TooLarge,
    Unsupported,
}

type Position = usize;

/// A part of the pattern. A position is listed once for each way to reach it.
#[derive(Default)]
struct Part {
    /// The number of ways to read nothing; 2 stands for more.
    empty: usize,
    first: Vec<Position>,
    last: Vec<Position>,
}

impl Part {
    fn empty() -> Self {
        Self { empty: 1, ..Self::default() }
    }
}

#[derive(Default)]
struct RouteSearch {
    classes: Vec<ClassUnicode>,
    /// Whether two classes have a common character.
    overlaps: HashMap<(usize, usize), bool>,
    /// The class of each position.
    positions: Vec<usize>,
    /// The positions that may follow each position.
    next: Vec<Vec<Position>>,
    is_in_repetition: bool,
    steps: usize,
}

impl RouteSearch {
    fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS { Err(Stop::TooLarge) } else { Ok(()) }
    }

    fn disjunction(&mut self, disjunction: &Disjunction<'_>) -> Result<Part, Stop> {
        let mut any = Part::default();
        for alternative in &disjunction.body {
            let mut all = Part::empty();
            for term in &alternative.body {
                let next = self.term(term)?;
                all = self.sequence(all, next)?;
            }
            any.empty = (any.empty + all.empty).min(2);
            any.first.extend(all.first);
            any.last.extend(all.last);
        }
        Ok(any)
    }

    fn term(&mut self, term: &Term<'_>) -> Result<Part, Stop> {
        self.spend(1)?;
        if let Some(class) = single_character_class(term).map_err(|_| Stop::Unsupported)? {
            return self.character(class);
        }
        match term {
            Term::Quantifier(quantifier) => self.quantifier(quantifier),
            Term::CapturingGroup(group) => self.disjunction(&group.body),
            Term::IgnoreGroup(group) => self.disjunction(&group.body),
            Term::IndexedReference(_) | Term::NamedReference(_) => {
                self.character(ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)]))
            }
            Term::LookAroundAssertion(look) => {
                let outside = std::mem::take(self);
                self.steps = outside.steps;
                self.disjunction(&look.body)?;
                *self = Self { steps: self.steps, ..outside };
                Ok(Part::empty())
            }
            _ => Ok(Part::empty()),
        }
    }

    fn character(&mut self, class: ClassUnicode) -> Result<Part, Stop> {
        self.spend(class.ranges().len())?;
        if class.ranges().is_empty() {
            return Ok(Part::default());
        }
        let known = self.classes.iter().position(|known| *known == class);
        self.positions.push(known.unwrap_or(self.classes.len()));
        if known.is_none() {
            self.classes.push(class);
        }
        let position = self.next.len();
        self.next.push(Vec::new());
        Ok(Part { empty: 0, first: vec![position], last: vec![position] })
    }

    fn sequence(&mut self, mut one: Part, mut other: Part) -> Result<Part, Stop> {
        self.connect(&one.last, &other.first)?;
        self.spend(one.first.len() + other.last.len())?;
        one.first.extend(other.first.repeat(one.empty));
        other.last.extend(one.last.repeat(other.empty));
        Ok(Part { empty: (one.empty * other.empty).min(2), first: one.first, last: other.last })
    }

    fn connect(&mut self, from: &[Position], to: &[Position]) -> Result<(), Stop> {
        self.spend(from.len().saturating_mul(to.len()))?;
        for from in from {
            if let Some(next) = self.next.get_mut(*from) {
                next.extend(to);
            }
        }
        Ok(())
    }

    fn quantifier(&mut self, quantifier: &Quantifier<'_>) -> Result<Part, Stop> {
        let Quantifier { min, max, body, .. } = quantifier;
        if !self.is_in_repetition {
            // Only the parts of a repetition are compared: one iteration stands for all.
            let is_endless = max.is_none_or(|max| max >= ENDLESS_FROM);
            return if is_endless { self.endless(quantifier) } else { self.term(body) };
        }
        let mut all = Part::empty();
        // The last required iteration is the first of an endless repetition.
        for _ in 0..if max.is_none() { min.saturating_sub(1) } else { *min } {
            let next = self.term(body)?;
            all = self.sequence(all, next)?;
        }
        let rest = match max {
            None => self.endless(quantifier)?,
            Some(max) => self.optional(max.saturating_sub(*min), body)?,
        };
        self.sequence(all, rest)
    }

    fn endless(&mut self, quantifier: &Quantifier<'_>) -> Result<Part, Stop> {
        let start = self.next.len();
        let is_inside = std::mem::replace(&mut self.is_in_repetition, true);
        let mut part = self.term(&quantifier.body)?;
        self.is_in_repetition = is_inside;
        self.connect(&part.last, &part.first)?;
        if self.has_two_routes(start)? {
            return Err(Stop::Ambiguous(quantifier.span.start as usize..quantifier.span.end as usize));
        }
        if quantifier.min == 0 {
            part.empty = 1;
        }
        Ok(part)
    }

    /// Iterations that may be left out. One that reads nothing fails in ECMAScript.
    fn optional(&mut self, times: u64, body: &Term<'_>) -> Result<Part, Stop> {
        let mut all = Part::empty();
        let mut before = Vec::new();
        for time in 0..times {
            let next = self.term(body)?;
            self.connect(&before, &next.first)?;
            all.last.extend(&next.last);
            before = next.last;
            if time == 0 {
                all.first = next.first;
            }
        }
        Ok(all)
    }

    /// Whether two routes over one text, among the positions from `start` on, lead from one position to one position.
    fn has_two_routes(&mut self, start: Position) -> Result<bool, Stop> {
        let mut open: Vec<_> = (start..self.next.len()).map(|position| (position, position)).collect();
        let mut seen = HashSet::new();
        let next = std::mem::take(&mut self.next);
        while let Some((one, other)) = open.pop() {
            let (Some(ones), Some(others)) = (next.get(one), next.get(other)) else { continue };
            self.spend(1 + ones.len().saturating_mul(others.len()))?;
            for (index, &one_next) in ones.iter().enumerate() {
                let from = if one == other { index + 1 } else { 0 };
                for &other_next in others.iter().skip(from) {
                    if one_next == other_next {
                        return Ok(true);
                    }
                    let pair = (one_next.min(other_next), one_next.max(other_next));
                    if self.have_common_character(pair)? && seen.insert(pair) {
                        open.push(pair);
                    }
                }
            }
        }
        self.next = next;
        Ok(false)
    }

    fn have_common_character(&mut self, (one, other): (Position, Position)) -> Result<bool, Stop> {
        let class = |position: Position| self.positions.get(position).copied().unwrap_or_default();
        let key = (class(one), class(other));
        if let Some(known) = self.overlaps.get(&key) {
            return Ok(*known);
        }
        let (Some(one), Some(other)) = (self.classes.get(key.0), self.classes.get(key.1)) else { return Ok(false) };
        let mut common = one.clone();
        common.intersect(other);
        let steps = one.ranges().len() + other.ranges().len();
        self.overlaps.insert(key, !common.ranges().is_empty());
        self.spend(steps)?;
        Ok(!common.ranges().is_empty())
    }
}
