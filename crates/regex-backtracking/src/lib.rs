//! Whether a backtracking engine can take exponential time on a pattern, found without running it.
//!
//! Toolgate itself matches in linear time. But a tool's schema is handed to MCP clients and browsers, which check it
//! with `RegExp`, so a pattern that can hang those is the author's to rewrite.
//!
//! The pattern becomes an automaton with one state for each character that it names (Glushkov's construction), in
//! which every transition counts the ways there are to take it. An engine can be made to try exponentially many ways
//! exactly where some state is reached from itself by one word on two ways (exponential degree of ambiguity: Weber and
//! Seidl, "On the degree of ambiguity of finite automata", 1991; for patterns: Weideman et al., "Analyzing matching
//! time behavior of backtracking regular expression matchers by using ambiguity of NFA", 2016), and where the text can
//! go on so that the whole match fails. A finding comes with such a text. Polynomial time is no finding.
//!
//! Patterns with look-around, back-references or modifiers, and patterns beyond the bounds below, give no finding.

mod ambiguity;
mod automaton;
mod classes;
mod components;
mod construct;
mod shape;
mod witness;

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_regular_expression::{LiteralParser, Options};

use automaton::Automaton;

/// Longer patterns, and patterns that nest deeper, are not looked at.
const MAX_PATTERN_BYTES: usize = 16 * 1024;
const MAX_NESTING: usize = 200;

/// A way to make a backtracking engine try exponentially many ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attack {
    /// The repetition that can match one text in two ways, as bytes of the pattern.
    pub part: Range<usize>,
    /// What comes first.
    pub prefix: String,
    /// What is repeated; each repetition multiplies the time.
    pub pump: String,
    /// What makes the match fail.
    pub suffix: String,
}

/// The text that makes an engine with backtracking slow, or `None` where there is none or the pattern is out of bounds.
///
/// The pattern is read as ECMAScript does with the flag `u`, or without flags where it is no pattern with it.
pub fn attack(pattern: &str) -> Option<Attack> {
    if pattern.len() > MAX_PATTERN_BYTES || !pattern.contains(['*', '+', '{']) || nesting(pattern) > MAX_NESTING {
        return None;
    }
    let allocator = Allocator::default();
    let parse = |flags| LiteralParser::new(&allocator, pattern, Some(flags), Options::default()).parse();
    let parsed = parse("u").or_else(|_| parse("")).ok()?;
    let found = construct::automaton(&parsed.body).as_ref().and_then(search);
    found.filter(|attack| pattern.get(attack.part.clone()).is_some())
}

fn search(automaton: &Automaton) -> Option<Attack> {
    ambiguity::find(automaton, |pump| witness::attack(automaton, pump))
}

/// An upper bound of how deep groups nest; escaped ones count too.
fn nesting(pattern: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in pattern.bytes() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests;
