//! Patterns of other languages (Python, PCRE, Java, Ruby, Rust, JavaScript without the flag `u`) written in ECMAScript.
//!
//! A pattern is read once from left to right, and each part is written in its ECMAScript form: `(?P<n>a)` as `(?<n>a)`,
//! `\A` as `^`. A part that has no form of the same meaning, or whose meaning depends on the language, ends the
//! translation: a pattern that is nearly right would refuse or accept the wrong texts.

mod class;
mod escape;
mod flags;
mod group;

use std::collections::HashSet;

use super::EcmaPattern;
use super::syntax::MAX_PATTERN_BYTES;
use flags::Flags;
use group::OpenGroup;

/// Why a pattern has no ECMAScript form: what to write instead.
pub(crate) type NoForm = &'static str;

const UNKNOWN: NoForm = "use JavaScript syntax with the `u` flag; in JSON each backslash is written twice";

/// The ECMAScript form of a pattern that another language wrote.
///
/// # Errors
/// If the pattern has no form of the same meaning: the text says what to do.
///
/// ```
/// use toolgate_ecma_regex::to_ecmascript;
///
/// assert_eq!(to_ecmascript(r"\A(?P<year>[[:digit:]]{4})\-\d\d\z").as_deref(), Ok(r"^(?<year>[0-9]{4})-\d\d$"));
/// assert!(to_ecmascript("(?R)").is_err());
/// ```
pub fn to_ecmascript(pattern: &str) -> Result<String, &'static str> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(UNKNOWN);
    }
    let mut translator = Translator::new(pattern);
    translator.run()?;
    let form = translator.written;
    if EcmaPattern::compile(&form).is_ok() { Ok(form) } else { Err(UNKNOWN) }
}

struct Translator<'p> {
    /// What is still to be read.
    rest: &'p str,
    written: String,
    /// Where the last term that can be repeated begins in `written`.
    term: Option<usize>,
    flags: Flags,
    open: Vec<OpenGroup>,
    names: HashSet<&'p str>,
    /// Whether the pattern refers to groups by name.
    has_named_references: bool,
    /// Whether the pattern refers to groups by number.
    has_numbered_references: bool,
    /// The number of groups that only the translation has.
    added_groups: usize,
}

impl<'p> Translator<'p> {
    fn new(pattern: &'p str) -> Self {
        Self {
            rest: pattern,
            written: String::new(),
            term: None,
            flags: Flags::default(),
            open: Vec::new(),
            names: HashSet::new(),
            has_named_references: ["\\k", "\\g", "(?P="].iter().any(|form| pattern.contains(form)),
            has_numbered_references: false,
            added_groups: 0,
        }
    }

    fn run(&mut self) -> Result<(), NoForm> {
        while let Some(character) = self.next() {
            match character {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.open_group()?,
                ')' => self.close_group()?,
                '*' | '+' | '?' => self.quantifier(&character.to_string())?,
                '{' => self.braces()?,
                '}' | ']' => self.term(&format!("\\{character}")),
                '.' => self.term(self.flags.dot()),
                '^' => self.assertion(self.flags.line_start()),
                '$' => self.assertion(self.flags.line_end()),
                '|' => self.assertion("|"),
                _ => self.literal(character),
            }
        }
        if self.has_numbered_references && self.added_groups > 0 {
            return Err(group::NOT_ATOMIC);
        }
        Ok(())
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    /// Reads a text if it comes next.
    fn eat(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Reads up to a text, which is read too.
    fn until(&mut self, end: &str) -> Result<&'p str, NoForm> {
        let (before, after) = self.rest.split_once(end).ok_or(UNKNOWN)?;
        self.rest = after;
        Ok(before)
    }

    /// Writes a term that can be repeated.
    fn term(&mut self, text: &str) {
        self.term = Some(self.written.len());
        self.written.push_str(text);
    }

    /// Writes what can't be repeated.
    fn assertion(&mut self, text: &str) {
        self.term = None;
        self.written.push_str(text);
    }

    /// Writes a character that stands for itself.
    fn literal(&mut self, character: char) {
        let text = self.flags.literal(character);
        self.term(&text);
    }

    /// `{2}`, `{2,}`, `{2,3}`, `{,3}`, or a brace that stands for itself.
    fn braces(&mut self) -> Result<(), NoForm> {
        let bounds = self.rest.split_once('}').map(|(bounds, _)| bounds).filter(|bounds| is_bounds(bounds));
        let Some(bounds) = bounds else {
            self.term("\\{");
            return Ok(());
        };
        self.until("}")?;
        let from = if bounds.starts_with(',') { "0" } else { "" };
        self.quantifier(&format!("{{{from}{bounds}}}"))
    }

    /// A quantifier with its `?`, or with the `+` that makes it possessive.
    fn quantifier(&mut self, quantifier: &str) -> Result<(), NoForm> {
        let start = self.term.take().ok_or(UNKNOWN)?;
        self.written.push_str(quantifier);
        if self.eat("?") {
            self.written.push('?');
        } else if self.eat("+") {
            let (before, after) = self.atomic_group();
            self.written.insert_str(start, &before);
            self.written.push_str(&after);
        }
        Ok(())
    }
}

/// Whether a text between braces bounds a repetition.
fn is_bounds(text: &str) -> bool {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once(',') {
        None => !text.is_empty() && is_number(text),
        Some((min, max)) => !(min.is_empty() && max.is_empty()) && is_number(min) && is_number(max),
    }
}

#[cfg(test)]
mod tests;
