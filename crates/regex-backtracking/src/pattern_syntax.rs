//! Syntactic properties of a pattern, needed before its automaton is built.

use oxc_regular_expression::ast::{BoundaryAssertionKind, Disjunction, Quantifier, Term};

/// Upper bounds from which a counted repetition is as slow as an unbounded one.
///
/// `(a+){10}` tries all partitions of a text of fifty characters into ten parts, which are more than 10^9. If one
/// iteration matches only a few texts, more iterations are needed: 2^32 paths for `(a|a){32}`.
const UNBOUNDED_FROM_NESTED: u64 = 10;
const UNBOUNDED_FROM: u64 = 32;

/// Whether a repetition has no upper bound, or one so large that it is treated as unbounded.
pub(super) fn is_effectively_unbounded(quantifier: &Quantifier<'_>) -> bool {
    quantifier.max.is_none_or(|max| {
        max >= UNBOUNDED_FROM || (max >= UNBOUNDED_FROM_NESTED && any_term(&quantifier.body, &is_unbounded_term))
    })
}

fn is_unbounded_term(term: &Term<'_>) -> bool {
    matches!(term, Term::Quantifier(quantifier) if quantifier.max.is_none_or(|max| max >= UNBOUNDED_FROM))
}

/// Whether a pattern contains `\b` or `\B`.
pub(super) fn has_boundaries(pattern: &Disjunction<'_>) -> bool {
    any_term_in(pattern, &|term| {
        matches!(term, Term::BoundaryAssertion(assertion) if matches!(
            assertion.kind,
            BoundaryAssertionKind::Boundary | BoundaryAssertionKind::NegativeBoundary
        ))
    })
}

/// Whether `is` holds for a term or a term inside it. Look-around is not searched.
fn any_term(term: &Term<'_>, is: &dyn Fn(&Term<'_>) -> bool) -> bool {
    is(term)
        || match term {
            Term::Quantifier(quantifier) => any_term(&quantifier.body, is),
            Term::CapturingGroup(group) => any_term_in(&group.body, is),
            Term::IgnoreGroup(group) => any_term_in(&group.body, is),
            _ => false,
        }
}

fn any_term_in(pattern: &Disjunction<'_>, is: &dyn Fn(&Term<'_>) -> bool) -> bool {
    pattern.body.iter().flat_map(|alternative| &alternative.body).any(|term| any_term(term, is))
}
