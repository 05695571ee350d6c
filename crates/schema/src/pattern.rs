//! The keyword `pattern`: an expression is compiled once, however many schemas hold it.
//!
//! Tools repeat each other's patterns (a language tag, an order's number), and compiling one takes as long as the rest of
//! a schema. The validator's own keyword keeps what it compiled for one schema only.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use jsonschema::{Keyword, PatternOptions, ValidationError, Validator};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::representation::OnTape;
use toolgate_json::Node;

/// The keyword's name.
pub(super) const PATTERN: &str = "pattern";

/// What strings must match. Matching runs in linear time; look-around and back-references are refused.
#[derive(Clone)]
pub(super) struct Pattern(Arc<Validator<OnTape>>);

/// All that some schema holds, and the number of entries at which those that none holds are let go.
#[derive(Default)]
struct Shared {
    compiled: HashMap<String, Weak<Validator<OnTape>>>,
    tidy_at: usize,
}

static SHARED: Mutex<Option<Shared>> = Mutex::new(None);

impl Shared {
    fn keep(&mut self, pattern: &str, compiled: &Arc<Validator<OnTape>>) {
        if self.compiled.len() >= self.tidy_at {
            self.compiled.retain(|_, known| known.strong_count() > 0);
            self.tidy_at = 2 * self.compiled.len() + 64;
        }
        self.compiled.insert(pattern.to_owned(), Arc::downgrade(compiled));
    }
}

impl Pattern {
    /// Compiles an expression, where no schema holds it yet.
    ///
    /// # Errors
    /// Where it has no form that runs in linear time.
    pub(super) fn of(pattern: &str) -> Result<Self, ValidationError<'static>> {
        let known = SHARED.lock().as_ref().and_then(|shared| shared.compiled.get(pattern)?.upgrade());
        if let Some(known) = known {
            return Ok(Self(known));
        }
        // Two threads may compile the same one at first: waiting for each other would take as long.
        let options = jsonschema::options_for::<OnTape>().with_pattern_options(PatternOptions::regex());
        let compiled = Arc::new(options.build(&json!({ PATTERN: pattern }))?);
        SHARED.lock().get_or_insert_default().keep(pattern, &compiled);
        Ok(Self(compiled))
    }

    /// The keyword, as the validator's builder asks for it. Its errors are those of the validator's own.
    pub(super) fn keyword<'s>(
        _around: &'s Map<String, Value>,
        pattern: &'s Value,
    ) -> Result<Box<dyn for<'i> Keyword<'i, OnTape>>, ValidationError<'s>> {
        let text = pattern.as_str().ok_or_else(|| ValidationError::schema("a pattern is a string"))?;
        Ok(Box::new(Self::of(text)?))
    }

    /// Whether a value is no string, or one that matches.
    pub(super) fn fits(&self, node: Node<'_>) -> bool {
        self.0.is_valid(node)
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pattern").finish_non_exhaustive()
    }
}

impl<'i> Keyword<'i, OnTape> for Pattern {
    fn validate(&self, node: Node<'i>) -> Result<(), ValidationError<'i>> {
        self.0.validate(node)
    }

    fn is_valid(&self, node: Node<'i>) -> bool {
        self.fits(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate_json::{Limits, Tape};

    fn fits(pattern: &Pattern, text: &str) -> bool {
        pattern.fits(Tape::parse(json!(text).to_string(), &Limits::widest()).unwrap().root())
    }

    #[test]
    fn schemas_share_what_one_compiled_and_it_goes_with_the_last() {
        let text = "^shared-[0-9]{3}$";
        let (one, other) = (Pattern::of(text).unwrap(), Pattern::of(text).unwrap());
        assert!(Arc::ptr_eq(&one.0, &other.0));
        assert!(fits(&one, "shared-123") && !fits(&one, "shared-12x"));
        let known = Arc::downgrade(&one.0);
        drop((one, other));
        assert_eq!(known.strong_count(), 0, "the process keeps no pattern of a schema that is gone");
        assert!(fits(&Pattern::of(text).unwrap(), "shared-123"));
    }

    #[test]
    fn patterns_of_schemas_that_are_gone_are_forgotten() {
        for number in 0..1000 {
            Pattern::of(&format!("^forgotten-{number}[a-z]$")).unwrap();
        }
        let forgotten = |pattern: &&String| pattern.starts_with("^forgotten-");
        let held = SHARED.lock().as_ref().map_or(0, |shared| shared.compiled.keys().filter(forgotten).count());
        assert!(held < 500, "{held}");
    }

    #[test]
    fn what_has_no_linear_form_is_refused() {
        assert!(Pattern::of("(?=a)b").is_err());
        assert!(Pattern::of(r"(a)\1").is_err());
    }
}
