//! Parsing a pattern within bounds: the parser is recursive.

use oxc_allocator::Allocator;
use oxc_regular_expression::ast::Pattern;
use oxc_regular_expression::{LiteralParser, Options};

use super::PatternError;

/// The length of the longest pattern, in bytes.
pub(super) const MAX_PATTERN_BYTES: usize = 16 * 1024;
/// The largest nesting depth of groups and classes.
pub(super) const MAX_NESTING: usize = 200;

/// The flags of a pattern in JSON Schema (Core, section 6.4).
pub(super) const UNICODE: &str = "u";

/// Parses a pattern with these flags and passes its tree on.
pub(super) fn with_parsed<T>(
    pattern: &str,
    flags: &str,
    compile: impl FnOnce(&Pattern<'_>) -> Result<T, PatternError>,
) -> Result<T, PatternError> {
    if pattern.len() > MAX_PATTERN_BYTES || max_nesting(pattern) > MAX_NESTING {
        return Err(PatternError::TooLarge);
    }
    if flags == UNICODE
        && let Some(escape) = invalid_escape(pattern)
    {
        return Err(PatternError::Syntax(format!("Invalid escape `{escape}`")));
    }
    let allocator = Allocator::default();
    let parsed = LiteralParser::new(&allocator, pattern, Some(flags), Options::default()).parse();
    let reason = |message: &str| message.strip_prefix("Invalid regular expression: ").unwrap_or(message).to_owned();
    compile(&parsed.map_err(|error| PatternError::Syntax(reason(&error.to_string())))?)
}

/// The first escape that the flag `u` forbids and the parser accepts: a `\\` at the end, `\\c` without a letter, and `\\0`
/// before a digit (ECMAScript 22.2.1).
fn invalid_escape(pattern: &str) -> Option<&str> {
    let mut rest = pattern;
    while let Some((_, from_backslash)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        let mut after = from_backslash.chars().skip(1);
        let (escaped, next) = (after.next(), after.next());
        let is_invalid = match escaped {
            None => true,
            Some('c') => !next.is_some_and(|letter| letter.is_ascii_alphabetic()),
            Some('0') => next.is_some_and(|digit| digit.is_ascii_digit()),
            Some(_) => false,
        };
        let end = 1 + escaped.map_or(0, char::len_utf8);
        let (escape, following) = from_backslash.split_at_checked(end)?;
        if is_invalid {
            return Some(escape);
        }
        rest = following;
    }
    None
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
