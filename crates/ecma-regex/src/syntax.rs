//! Parsing a pattern within bounds: the parser is recursive.

use oxc_allocator::Allocator;
use oxc_regular_expression::ast::Pattern;
use oxc_regular_expression::{LiteralParser, Options};

use super::PatternError;

/// The length of the longest pattern, in bytes.
pub(super) const MAX_PATTERN_BYTES: usize = 16 * 1024;
/// The largest nesting depth of groups and classes.
pub(super) const MAX_NESTING: usize = 200;

/// Parses a pattern with these flags and passes its tree on.
pub(super) fn with_parsed<T>(
    pattern: &str,
    flags: &str,
    compile: impl FnOnce(&Pattern<'_>) -> Result<T, PatternError>,
) -> Result<T, PatternError> {
    if pattern.len() > MAX_PATTERN_BYTES || max_nesting(pattern) > MAX_NESTING {
        return Err(PatternError::TooLarge);
    }
    let allocator = Allocator::default();
    let parsed = LiteralParser::new(&allocator, pattern, Some(flags), Options::default()).parse();
    let reason = |message: &str| message.strip_prefix("Invalid regular expression: ").unwrap_or(message).to_owned();
    compile(&parsed.map_err(|error| PatternError::Syntax(reason(&error.to_string())))?)
}

/// An upper bound of the nesting depth of groups; escaped brackets count too.
fn max_nesting(pattern: &str) -> usize {
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
