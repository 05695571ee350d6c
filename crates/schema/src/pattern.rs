//! The keyword `pattern`, with a cache of compiled expressions that all schemas share.
//!
//! Tools often use the same patterns (a language tag, an order number), and compiling a pattern takes as long as the
//! rest of a schema. The validator's own keyword compiles patterns again for each schema.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use jsonschema::{Keyword, PatternOptions, ValidationError, Validator};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::pattern_steps::matches_within_steps;
use super::tape_json::TapeJson;
use toolgate_ecma_regex::{EcmaPattern, PatternError};
use toolgate_json::Node;

/// The keyword's name.
pub(super) const PATTERN: &str = "pattern";

/// A compiled expression. It matches in linear time if it has such a form, otherwise within a number of steps.
#[derive(Clone)]
pub(super) struct Pattern(Arc<Matcher>);

enum Matcher {
    Linear {
        validator: Validator<TapeJson>,
        text: String,
    },
    /// Look-around, back-references, or a number of repetitions too large for an automaton.
    Bounded {
        compiled: EcmaPattern,
        text: String,
    },
}

/// Whether a pattern is supported and has a form that matches in linear time.
#[must_use]
pub fn is_linear_pattern(pattern: &str) -> bool {
    pattern_refusal(pattern).is_none() && linear_validator(pattern).is_ok()
}

/// Why a pattern is refused as the value of `pattern`; `None` if it is supported.
#[must_use]
pub fn pattern_refusal(pattern: &str) -> Option<String> {
    match EcmaPattern::compile(pattern) {
        Ok(_) => None,
        // The linear-time engine has no such limit.
        Err(PatternError::TooLarge) if linear_validator(pattern).is_ok() => None,
        Err(error) => Some(error.to_string()),
    }
}

/// Why a pattern is refused as a name in `patternProperties`; `None` if it is supported.
#[must_use]
pub fn name_pattern_refusal(pattern: &str) -> Option<String> {
    let not_linear = || linear_validator(pattern).is_err().then(|| NAMES_ARE_LINEAR.to_owned());
    pattern_refusal(pattern).or_else(not_linear)
}

const NAMES_ARE_LINEAR: &str = "names of properties are matched in linear time, which look-around, back-references and \
                                very large numbers of repetitions do not allow";

fn linear_validator(pattern: &str) -> Result<Validator<TapeJson>, ValidationError<'static>> {
    let options = jsonschema::options_for::<TapeJson>().with_pattern_options(PatternOptions::regex());
    options.build(&json!({ PATTERN: pattern }))
}

impl Matcher {
    fn compile(pattern: &str) -> Result<Self, ValidationError<'static>> {
        let linear = || linear_form(pattern).and_then(|form| linear_validator(&form).ok());
        let text = pattern.to_owned();
        match (EcmaPattern::compile(pattern), linear()) {
            (Ok(_) | Err(PatternError::TooLarge), Some(validator)) => Ok(Self::Linear { validator, text }),
            (Ok(compiled), None) => Ok(Self::Bounded { compiled, text }),
            (Err(refusal), _) => {
                Err(ValidationError::custom(format!("`{pattern}` is not a supported regular expression: {refusal}")))
            }
        }
    }

    fn text(&self) -> &str {
        let (Self::Linear { text, .. } | Self::Bounded { text, .. }) = self;
        text
    }
}

/// The pattern with each `.` as the class that ECMAScript defines: the linear-time engine excludes only `\n`. `None` if
/// the pattern has `\b` or `\B`, whose words are ASCII in ECMAScript and Unicode there.
fn linear_form(pattern: &str) -> Option<Cow<'_, str>> {
    const DOT: &str = "[^\\n\\r\u{2028}\u{2029}]";
    let mut form = String::new();
    let (mut is_in_class, mut copied) = (false, 0);
    let mut characters = pattern.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                let is_boundary = matches!(characters.next(), Some((_, 'b' | 'B')));
                if is_boundary && !is_in_class {
                    return None;
                }
            }
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            '.' if !is_in_class => {
                form.push_str(pattern.get(copied..at)?);
                form.push_str(DOT);
                copied = at + 1;
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Some(Cow::Borrowed(pattern));
    }
    form.push_str(pattern.get(copied..)?);
    Some(Cow::Owned(form))
}

/// The compiled expressions in use, and the number of entries at which unused entries are removed.
#[derive(Default)]
struct PatternCache {
    compiled: HashMap<String, Weak<Matcher>>,
    prune_at: usize,
}

static PATTERN_CACHE: Mutex<Option<PatternCache>> = Mutex::new(None);

impl PatternCache {
    fn insert(&mut self, pattern: &str, compiled: &Arc<Matcher>) {
        if self.compiled.len() >= self.prune_at {
            self.compiled.retain(|_, known| known.strong_count() > 0);
            self.prune_at = 2 * self.compiled.len() + 64;
        }
        self.compiled.insert(pattern.to_owned(), Arc::downgrade(compiled));
    }
}

impl Pattern {
    /// Compiles an expression, or returns the cached one.
    ///
    /// # Errors
    /// If it is not a pattern of ECMAScript with the flag `u`, or is not supported.
    pub(super) fn compile(pattern: &str) -> Result<Self, ValidationError<'static>> {
        let known = PATTERN_CACHE.lock().as_ref().and_then(|shared| shared.compiled.get(pattern)?.upgrade());
        if let Some(known) = known {
            return Ok(Self(known));
        }
        // Two threads may compile the same expression: waiting for each other would take as long.
        let compiled = Arc::new(Matcher::compile(pattern)?);
        PATTERN_CACHE.lock().get_or_insert_default().insert(pattern, &compiled);
        Ok(Self(compiled))
    }

    /// The keyword's factory for the validator's builder. The message of its errors is the pattern.
    pub(super) fn build_keyword<'s>(
        _around: &'s Map<String, Value>,
        pattern: &'s Value,
    ) -> Result<Box<dyn for<'i> Keyword<'i, TapeJson>>, ValidationError<'s>> {
        let text = pattern.as_str().ok_or_else(|| ValidationError::schema("a pattern is a string"))?;
        Ok(Box::new(Self::compile(text)?))
    }

    /// Whether a value is not a string, or a string that matches.
    pub(super) fn accepts(&self, node: Node<'_>) -> bool {
        match &*self.0 {
            Matcher::Linear { validator, .. } => validator.is_valid(node),
            Matcher::Bounded { compiled, .. } => node.as_str().is_none_or(|text| matches_within_steps(compiled, &text)),
        }
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pattern").finish_non_exhaustive()
    }
}

impl<'i> Keyword<'i, TapeJson> for Pattern {
    fn validate(&self, node: Node<'i>) -> Result<(), ValidationError<'i>> {
        if self.accepts(node) { Ok(()) } else { Err(ValidationError::custom(self.0.text())) }
    }

    fn is_valid(&self, node: Node<'i>) -> bool {
        self.accepts(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate_json::{Limits, Tape};

    fn fits(pattern: &Pattern, text: &str) -> bool {
        pattern.accepts(Tape::parse(json!(text).to_string(), &Limits::widest()).unwrap().root())
    }

    fn is_linear(pattern: &Pattern) -> bool {
        matches!(&*pattern.0, Matcher::Linear { .. })
    }

    #[test]
    fn schemas_share_a_pattern_until_the_last_is_dropped() {
        let text = "^shared-[0-9]{3}$";
        let (one, other) = (Pattern::compile(text).unwrap(), Pattern::compile(text).unwrap());
        assert!(Arc::ptr_eq(&one.0, &other.0));
        assert!(fits(&one, "shared-123") && !fits(&one, "shared-12x"));
        let known = Arc::downgrade(&one.0);
        drop((one, other));
        assert_eq!(known.strong_count(), 0, "the cache keeps no pattern of a dropped schema");
        assert!(fits(&Pattern::compile(text).unwrap(), "shared-123"));
    }

    #[test]
    fn patterns_of_dropped_schemas_are_pruned() {
        for number in 0..1000 {
            Pattern::compile(&format!("^forgotten-{number}[a-z]$")).unwrap();
        }
        let forgotten = |pattern: &&String| pattern.starts_with("^forgotten-");
        let held = PATTERN_CACHE.lock().as_ref().map_or(0, |shared| shared.compiled.keys().filter(forgotten).count());
        assert!(held < 500, "{held}");
    }

    #[test]
    fn a_pattern_without_linear_form_is_bounded() {
        for (text, fitting, other) in
            [("^(?=a)[ab]+$", "ab", "ba"), (r"^(a|b)\1$", "bb", "ab"), ("^[^]$", "\n", ""), (r"^[\b]$", "\u{8}", "b")]
        {
            let pattern = Pattern::compile(text).unwrap();
            assert!(!is_linear(&pattern), "{text}");
            assert!(fits(&pattern, fitting) && !fits(&pattern, other), "{text}");
        }
        assert!(is_linear(&Pattern::compile("^[ab]+$").unwrap()));
    }

    #[test]
    fn dots_and_boundaries_are_those_of_ecmascript() {
        for line_end in ["\n", "\r", "\u{2028}", "\u{2029}"] {
            assert!(!fits(&Pattern::compile("^.$").unwrap(), line_end), "{line_end:?}");
            assert!(fits(&Pattern::compile("^[.\\s]$").unwrap(), line_end), "{line_end:?}");
        }
        assert!(fits(&Pattern::compile("^.\\..$").unwrap(), "é.😀"));
        assert!(is_linear(&Pattern::compile("^a.b[.]$").unwrap()));
        assert!(!fits(&Pattern::compile(r"\b").unwrap(), "é"));
        assert!(fits(&Pattern::compile(r"a\bé").unwrap(), "aé"));
    }

    #[test]
    fn a_refused_pattern_has_a_reason() {
        assert!(Pattern::compile("(?=a").is_err());
        assert_eq!(pattern_refusal("(?=a)b"), None);
        assert_eq!(name_pattern_refusal("^a"), None);
        assert_eq!(name_pattern_refusal("(?=a)b").as_deref(), Some(NAMES_ARE_LINEAR));
        assert!(pattern_refusal("(?=a").is_some_and(|reason| reason.contains("flag `u`")));
    }
}
