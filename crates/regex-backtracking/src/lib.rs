//! Static detection of exponential backtracking (`ReDoS`) in ECMAScript patterns. The pattern is never run.
//!
//! Toolgate itself matches in linear time or within counted steps. But MCP clients and browsers check a tool's schema with `RegExp`, so a
//! pattern that can block them is reported to the author.
//!
//! The pattern becomes an NFA with one state per character of the pattern (Glushkov's construction), in which every
//! transition has a multiplicity: the number of ways to take it. A backtracking engine takes exponential time if one
//! word leads from a state back to itself on two paths (exponential degree of ambiguity: Weber and Seidl, "On the
//! degree of ambiguity of finite automata", 1991; for patterns: Weideman et al., "Analyzing matching time behavior of
//! backtracking regular expression matchers by using ambiguity of NFA", 2016), and if some continuation of the text
//! makes the match fail. A finding contains such an attack string. Polynomial time is not reported.
//!
//! Patterns with look-around, back-references or modifiers, and patterns beyond the bounds, are not analysed.

mod alphabet;
mod ambiguity;
mod attack_string;
mod automaton;
mod glushkov;
mod pattern_syntax;
mod strong_components;

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_regular_expression::{LiteralParser, Options};
use toolgate_ecma_regex::{MAX_NESTING, MAX_PATTERN_BYTES, max_nesting};

use automaton::Automaton;

/// An attack string: `prefix`, then `pump` any number of times, then `suffix`. The time of a backtracking engine is
/// exponential in the number of pumps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttackString {
    /// The repetition that can match one text in two ways, as bytes of the pattern.
    pub repetition_span: Range<usize>,
    /// The text that leads to the repetition.
    pub prefix: String,
    /// The repeated text; each repetition multiplies the time.
    pub pump: String,
    /// The text that makes the match fail.
    pub suffix: String,
}

/// Returns an attack string for a pattern; `None` if there is none or the pattern is not analysed.
///
/// The pattern is parsed as ECMAScript with the flag `u`, or without flags if it is invalid with `u`.
///
/// ```
/// use toolgate_regex_backtracking::find_attack_string;
///
/// let attack = find_attack_string("^(a+)+$").unwrap();
/// assert_eq!(attack.pump, "a");
/// assert_eq!(find_attack_string("^a+$"), None);
/// ```
pub fn find_attack_string(pattern: &str) -> Option<AttackString> {
    if pattern.len() > MAX_PATTERN_BYTES || !pattern.contains(['*', '+', '{']) || max_nesting(pattern) > MAX_NESTING {
        return None;
    }
    let allocator = Allocator::default();
    let parse = |flags| LiteralParser::new(&allocator, pattern, Some(flags), Options::default()).parse();
    let parsed = parse("u").or_else(|_| parse("")).ok()?;
    let found = glushkov::build_automaton(&parsed.body).as_ref().and_then(find_in_automaton);
    found.filter(|attack| pattern.get(attack.repetition_span.clone()).is_some())
}

fn find_in_automaton(automaton: &Automaton) -> Option<AttackString> {
    ambiguity::find_pump(automaton, |pump| attack_string::build_attack_string(automaton, pump))
}

#[cfg(test)]
mod tests;
