//! The keyword `pattern`, with a cache of compiled expressions that all schemas share.
//!
//! Tools often use the same patterns (a language tag, an order number), and compiling a pattern takes as long as the
//! rest of a schema. The validator's own keyword compiles patterns again for each schema.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use jsonschema::{Keyword, PatternOptions, ValidationError, Validator};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::tape_json::TapeJson;
use toolgate_json::Node;

/// The keyword's name.
pub(super) const PATTERN: &str = "pattern";

/// A compiled expression. Matching runs in linear time; look-around and back-references are refused.
#[derive(Clone)]
pub(super) struct Pattern(Arc<Validator<TapeJson>>);

/// The compiled expressions in use, and the number of entries at which unused entries are removed.
#[derive(Default)]
struct PatternCache {
    compiled: HashMap<String, Weak<Validator<TapeJson>>>,
    prune_at: usize,
}

static PATTERN_CACHE: Mutex<Option<PatternCache>> = Mutex::new(None);

impl PatternCache {
    fn insert(&mut self, pattern: &str, compiled: &Arc<Validator<TapeJson>>) {
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
    /// If it has no form that runs in linear time.
    pub(super) fn compile(pattern: &str) -> Result<Self, ValidationError<'static>> {
        let known = PATTERN_CACHE.lock().as_ref().and_then(|shared| shared.compiled.get(pattern)?.upgrade());
        if let Some(known) = known {
            return Ok(Self(known));
        }
        // Two threads may compile the same expression: waiting for each other would take as long.
        let options = jsonschema::options_for::<TapeJson>().with_pattern_options(PatternOptions::regex());
        let compiled = Arc::new(options.build(&json!({ PATTERN: pattern }))?);
        PATTERN_CACHE.lock().get_or_insert_default().insert(pattern, &compiled);
        Ok(Self(compiled))
    }

    /// The keyword's factory for the validator's builder. Its errors are those of the validator's own keyword.
    pub(super) fn build_keyword<'s>(
        _around: &'s Map<String, Value>,
        pattern: &'s Value,
    ) -> Result<Box<dyn for<'i> Keyword<'i, TapeJson>>, ValidationError<'s>> {
        let text = pattern.as_str().ok_or_else(|| ValidationError::schema("a pattern is a string"))?;
        Ok(Box::new(Self::compile(text)?))
    }

    /// Whether a value is not a string, or a string that matches.
    pub(super) fn accepts(&self, node: Node<'_>) -> bool {
        self.0.is_valid(node)
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pattern").finish_non_exhaustive()
    }
}

impl<'i> Keyword<'i, TapeJson> for Pattern {
    fn validate(&self, node: Node<'i>) -> Result<(), ValidationError<'i>> {
        self.0.validate(node)
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
    fn patterns_without_linear_form_are_refused() {
        assert!(Pattern::compile("(?=a)b").is_err());
        assert!(Pattern::compile(r"(a)\1").is_err());
    }
}
