//! ECMAScript patterns with the flag `u`, matched by backtracking within a given number of steps.
//!
//! A linear-time engine has no look-around and no back-references. A backtracking engine has them, but may take
//! exponential time. This one counts its steps, and stops with [`OutOfSteps`] if the caller's number is spent. Time and
//! memory of a match are proportional to the steps: each step is one instruction or one compared character, and adds at
//! most a few entries to the stack.
//!
//! [`to_ecmascript`] writes patterns of other languages in ECMAScript. [`find_ambiguous_repetition`] finds patterns that block engines without such a limit.

mod ambiguity;
mod character_classes;
mod character_set;
mod compile;
mod foreign;
mod machine;
mod program;
mod syntax;

pub use ambiguity::find_ambiguous_repetition;
pub use foreign::to_ecmascript;
pub use machine::OutOfSteps;

use program::Program;
use syntax::{MAX_NESTING, MAX_PATTERN_BYTES};

/// A compiled pattern.
///
/// ```
/// use toolgate_ecma_regex::{EcmaPattern, OutOfSteps};
///
/// let pattern = EcmaPattern::compile("^(?!0)\\d+$").unwrap();
/// let is_match = |text: &str| pattern.is_match(text, &mut 10_000);
/// assert_eq!((is_match("42"), is_match("042")), (Ok(true), Ok(false)));
///
/// let slow = EcmaPattern::compile("^(a+)+$").unwrap();
/// let text = "a".repeat(40) + "!";
/// assert_eq!(slow.is_match(&text, &mut 10_000), Err(OutOfSteps));
/// ```
#[derive(Debug)]
pub struct EcmaPattern(Program);

/// Why a pattern cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// It is no pattern of ECMAScript with the flag `u`.
    #[error("it is not a pattern of ECMAScript with the flag `u`: {0}")]
    Syntax(String),
    /// A property of characters that is not known.
    #[error("the Unicode property `{0}` is not supported")]
    UnicodeProperty(String),
    /// A group that changes flags, such as `(?i:…)`.
    #[error("groups that change flags, such as `(?i:…)`, are not supported: not every JavaScript engine has them")]
    Modifiers,
    /// Two groups with one name, which engines before ECMAScript 2025 refuse.
    #[error("two groups have the name `{0}`, which not every JavaScript engine supports")]
    DuplicateName(String),
    /// A pattern that is too long or too deep.
    #[error("it is longer than {MAX_PATTERN_BYTES} bytes or has more than {MAX_NESTING} nested groups")]
    TooLarge,
}

impl EcmaPattern {
    /// Compiles a pattern. Size and time are proportional to its length.
    ///
    /// # Errors
    /// If the pattern is invalid with the flag `u`, or uses what is not supported.
    pub fn compile(pattern: &str) -> Result<Self, PatternError> {
        syntax::with_parsed(pattern, syntax::UNICODE, compile::compile).map(Self)
    }

    /// Whether some part of the text matches. Takes the steps of the match from `steps`.
    ///
    /// # Errors
    /// If `steps` reaches zero before the result is known.
    pub fn is_match(&self, text: &str, steps: &mut u64) -> Result<bool, OutOfSteps> {
        machine::is_match(&self.0, text, steps)
    }
}

#[cfg(test)]
mod tests;
