//! Every place of a schema, asked on its own: does a default fit the property that it stands in?
//!
//! For building tools; what runs later is compiled as a whole ([`super::CompiledSchema`]). Values are asked over a tape
//! like those of calls, because a second representation of JSON would put the whole validator into the addon again.

use jsonschema::{Draft, PatternOptions, ValidatorMap};
use serde_json::Value;

use super::representation::OnTape;
use toolgate_json::{Limits, Tape};

/// A schema and every schema in it, each compiled on its own.
pub struct Places(ValidatorMap<OnTape>);

impl Places {
    /// Compiles a schema of draft 2020-12; `None` where it breaks the draft's rules. A place that can't run, such as a
    /// pattern with look-around, is as one that does not exist.
    ///
    /// As for calls, formats are asserted, nothing is fetched, and patterns run in linear time.
    #[must_use]
    pub fn compile(schema: &Value) -> Option<Self> {
        let options = jsonschema::options_for::<OnTape>()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::regex())
            .offline();
        options.build_map(schema).ok().map(Self)
    }

    /// What the schema at a JSON Pointer says against a value: where in the value, and what. Nothing where there is no
    /// such schema.
    #[must_use]
    pub fn faults(&self, pointer: &str, value: &Value) -> Vec<(String, String)> {
        let Some(validator) = self.0.get(&format!("#{pointer}")) else { return Vec::new() };
        match Tape::parse(value.to_string(), &Limits::widest()) {
            Ok(tape) => validator
                .iter_errors(tape.root())
                .map(|error| (error.instance_path().as_str().to_owned(), error.to_string()))
                .collect(),
            // A value that is nested deeper than any call may bring.
            Err(error) => vec![(String::new(), error.to_string())],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_place_is_asked_on_its_own() {
        let places = Places::compile(&json!({
            "properties": {
                "days": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
                "at": { "$ref": "#/$defs/time" },
            },
            "$defs": { "time": { "format": "time" } },
        }));
        let places = places.unwrap();
        let told = |pointer: &str, value: Value| places.faults(pointer, &value);
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
    fn what_breaks_the_draft_has_no_places() {
        assert!(Places::compile(&json!({ "properties": { "a": { "type": "text" } } })).is_none());
    }

    #[test]
    fn a_place_that_cannot_run_says_nothing() {
        let places =
            Places::compile(&json!({ "properties": { "a": { "pattern": "(?=a)b" }, "b": { "type": "string" } } }));
        let places = places.unwrap();
        assert_eq!(places.faults("/properties/a", &json!("c")), []);
        assert_eq!(places.faults("/properties/b", &json!(1)).len(), 1);
    }

    #[test]
    fn a_value_that_no_tape_holds_does_not_fit() {
        let deep = (0..600).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(Places::compile(&json!(true)).unwrap().faults("", &deep).len(), 1);
    }
}
