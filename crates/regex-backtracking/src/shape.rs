//! What a pattern has in it, seen without building anything.

use oxc_regular_expression::ast::{BoundaryAssertionKind, Disjunction, Quantifier, Term};

/// Upper bounds from which on a repetition is as slow as one without.
///
/// `(a+){10}` tries all ways to cut a text of fifty characters into ten parts, which are more than 10^9. Where each
/// time can match only a few texts, it takes more times to come as far: 2^32 ways for `(a|a){32}`.
const MANY_OF_ENDLESS: u64 = 10;
const MANY_OF_BOUNDED: u64 = 32;

/// Whether a repetition is without an upper bound, or as good as that.
pub(super) fn is_endless(quantifier: &Quantifier<'_>) -> bool {
    quantifier
        .max
        .is_none_or(|max| max >= MANY_OF_BOUNDED || (max >= MANY_OF_ENDLESS && any(&quantifier.body, &is_endless_term)))
}

fn is_endless_term(term: &Term<'_>) -> bool {
    matches!(term, Term::Quantifier(quantifier) if quantifier.max.is_none_or(|max| max >= MANY_OF_BOUNDED))
}

/// Whether `\b` or `\B` is in a pattern.
pub(super) fn has_boundaries(pattern: &Disjunction<'_>) -> bool {
    any_in(pattern, &|term| {
        matches!(term, Term::BoundaryAssertion(assertion) if matches!(
            assertion.kind,
            BoundaryAssertionKind::Boundary | BoundaryAssertionKind::NegativeBoundary
        ))
    })
}

/// Whether a term, or one in it, is as asked. What stands in look-around is not looked at.
fn any(term: &Term<'_>, is: &dyn Fn(&Term<'_>) -> bool) -> bool {
    is(term)
        || match term {
            Term::Quantifier(quantifier) => any(&quantifier.body, is),
            Term::CapturingGroup(group) => any_in(&group.body, is),
            Term::IgnoreGroup(group) => any_in(&group.body, is),
            _ => false,
        }
}

fn any_in(pattern: &Disjunction<'_>, is: &dyn Fn(&Term<'_>) -> bool) -> bool {
    pattern.body.iter().flat_map(|alternative| &alternative.body).any(|term| any(term, is))
}
