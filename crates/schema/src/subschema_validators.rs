//! Validation under the subschemas of a schema, for example of a default under its own property.
//!
//! Used by the build only; calls use [`super::CompiledSchema`]. Values are validated over a tape, as arguments are: a
//! second representation of JSON would add a second copy of the validator to the addon.

use std::sync::atomic::{AtomicUsize, Ordering};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::Issue;
use super::document::{CompileOptions, Document};
use super::pattern_steps::{StepsExceeded, run_with_steps};
use super::tape_json::TapeJson;
use toolgate_json::{Limits, Tape};

/// The bytes of schemas that are compiled for one definition: each subschema is compiled with all that its references
/// reach, at most the whole schema. Subschemas beyond it are not checked.
const MAX_COMPILED_BYTES: usize = 16 << 20;

/// The subschemas of a schema, each compiled on its own when it is needed.
pub struct SubschemaValidators {
    schema: Value,
    bytes: usize,
    remaining_bytes: AtomicUsize,
}

impl SubschemaValidators {
    /// Takes a schema of draft 2020-12; `None` if it breaks the draft's rules. A subschema that does not compile (for
    /// example, a pattern with a syntax error) is treated as absent.
    ///
    /// As for arguments, formats are asserted, nothing is fetched, and the steps of patterns are bounded.
    #[must_use]
    pub fn compile(schema: &Value) -> Option<Self> {
        if !jsonschema::draft202012::meta::is_valid(schema) {
            return None;
        }
        let bytes = schema.to_string().len();
        Some(Self { schema: schema.clone(), bytes, remaining_bytes: AtomicUsize::new(MAX_COMPILED_BYTES) })
    }

    /// The errors of a value under the subschema at a JSON Pointer, as pairs of location (a JSON Pointer in the value)
    /// and message. Empty if there is no such subschema, or if it is beyond the bound of all work.
    #[must_use]
    pub fn errors_at(&self, pointer: &str, value: &Value) -> Vec<(String, String)> {
        let Some(validator) = self.validator_at(pointer) else { return Vec::new() };
        match Tape::parse(value.to_string(), &Limits::widest()) {
            Ok(tape) => run_with_steps(tape.text().len(), || located_messages(&validator, &tape))
                .unwrap_or_else(|StepsExceeded| vec![(String::new(), Issue::too_many_steps().message)]),
            // The value is nested deeper than any tape allows.
            Err(error) => vec![(String::new(), error.to_string())],
        }
    }

    fn validator_at(&self, pointer: &str) -> Option<Validator<TapeJson>> {
        let spend = |remaining: usize| remaining.checked_sub(self.bytes);
        self.remaining_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend).ok()?;
        let document = Document::new(&self.schema, &CompileOptions::default()).ok()?;
        document.subschema_validator(pointer).ok()
    }
}

fn located_messages(validator: &Validator<TapeJson>, tape: &Tape) -> Vec<(String, String)> {
    let errors = validator.iter_errors(tape.root());
    errors.map(|error| (error.instance_path().as_str().to_owned(), message(&error))).collect()
}

fn message(error: &ValidationError<'_>) -> String {
    match error.kind() {
        // The error of `Pattern`: the message is the pattern.
        ValidationErrorKind::Custom { message, .. } => format!("{} does not match \"{message}\"", error.instance()),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_subschema_validates_on_its_own() {
        let places = SubschemaValidators::compile(&json!({
            "properties": {
                "days": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
                "at": { "$ref": "#/$defs/time" },
            },
            "$defs": { "time": { "format": "time" } },
        }));
        let places = places.unwrap();
        let told = |pointer: &str, value: Value| places.errors_at(pointer, &value);
        let fault = |at: &str, message: &str| (at.to_owned(), message.to_owned());
        assert_eq!(told("/properties/days", json!([1, 2])), []);
        assert_eq!(
            told("/properties/days", json!([0, 1, "a", 2.50])),
            [
                fault("/0", "0 is less than the minimum of 1"),
                fault("/2", "\"a\" is not of type \"integer\""),
                fault("/3", "2.5 is not of type \"integer\""),
            ]
        );
        assert_eq!(told("/properties/days", json!({ "b": 1, "a": [] })).len(), 1);
        assert_eq!(told("", json!({ "at": "noon" })), [fault("/at", "\"noon\" is not a \"time\"")]);
        assert_eq!(told("/properties/none", json!(1)), []);
    }

    #[test]
    fn an_invalid_schema_has_no_validators() {
        assert!(SubschemaValidators::compile(&json!({ "properties": { "a": { "type": "text" } } })).is_none());
    }

    #[test]
    fn a_subschema_that_does_not_compile_reports_no_errors() {
        let places = SubschemaValidators::compile(
            &json!({ "properties": { "a": { "pattern": "(?=a" }, "b": { "type": "string" } } }),
        );
        let places = places.unwrap();
        assert_eq!(places.errors_at("/properties/a", &json!("c")), []);
        assert_eq!(places.errors_at("/properties/b", &json!(1)).len(), 1);
    }

    #[test]
    fn a_bounded_pattern_is_checked() {
        let places = SubschemaValidators::compile(&json!({ "pattern": "^(?=a)[ab]+$" })).unwrap();
        assert_eq!(places.errors_at("", &json!("ab")), []);
        let expected = (String::new(), "\"ba\" does not match \"^(?=a)[ab]+$\"".to_owned());
        assert_eq!(places.errors_at("", &json!("ba")), [expected]);
    }

    #[test]
    fn a_value_deeper_than_any_tape_is_invalid() {
        let deep = (0..600).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(SubschemaValidators::compile(&json!(true)).unwrap().errors_at("", &deep).len(), 1);
    }
}
