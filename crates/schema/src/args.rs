//! The schema of a tool's parameters: completion, then validation.

use std::sync::Arc;

use serde_json::Value;

use super::argument_table::ArgumentRow;
use super::complete::{self, Clamp, Completed, NullReading};
use super::invalid_args::InvalidArgs;
use super::{CompiledSchema, Issue, SchemaError, SensitiveTerms};
use toolgate_json::Tape;

/// The compiled schema of a tool's parameters.
///
/// ```
/// use serde_json::json;
/// use toolgate_json::{Limits, Tape};
/// use toolgate_schema::{ArgsSchema, NullReading};
///
/// let schema = ArgsSchema::compile(&json!({
///     "type": "object",
///     "required": ["query"],
///     "properties": { "query": { "type": "string" }, "top_k": { "type": "integer", "default": 5 } },
/// }))
/// .unwrap();
/// let complete = |text: &str| {
///     let tape = Tape::parse(text, &Limits::for_arguments(1 << 20)).unwrap();
///     schema.complete_and_validate(tape, &[], NullReading::AsSent)
/// };
/// let completed = complete(r#"{"query":"tea"}"#).unwrap();
/// assert_eq!(completed.tape.text(), r#"{"query":"tea","top_k":5}"#);
/// assert_eq!(completed.defaulted, ["/top_k"]);
/// let issues = complete(r#"{"query":7}"#).unwrap_err();
/// assert_eq!(issues[0].instance_path, "/query");
/// ```
#[derive(Debug)]
pub struct ArgsSchema {
    compiled: CompiledSchema,
}

impl ArgsSchema {
    /// Compiles the schema of a tool's parameters.
    ///
    /// # Errors
    /// As [`CompiledSchema::compile`].
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        Ok(Self { compiled: CompiledSchema::compile(schema)? })
    }

    /// As [`CompiledSchema::compile_text`].
    ///
    /// # Errors
    /// As [`CompiledSchema::compile_text`].
    pub fn compile_text(text: Arc<str>) -> Result<Self, SchemaError> {
        Ok(Self { compiled: CompiledSchema::compile_text(text)? })
    }

    /// Completes arguments and validates them: [`ArgsSchema::complete`], then [`ArgsSchema::validate`].
    ///
    /// # Errors
    /// As [`ArgsSchema::validate`].
    pub fn complete_and_validate(
        &self,
        tape: Tape,
        clamps: &[Clamp],
        nulls: NullReading,
    ) -> Result<Completed, Vec<Issue>> {
        self.check(tape, clamps, nulls).map_err(|invalid| invalid.issues)
    }

    /// As [`Self::complete_and_validate`]. The error has the arguments as well, so that they can be
    /// [repaired](Self::repair).
    ///
    /// # Errors
    /// As [`ArgsSchema::validate`].
    pub fn check(&self, tape: Tape, clamps: &[Clamp], nulls: NullReading) -> Result<Completed, InvalidArgs> {
        complete::complete_and_validate(&self.compiled, tape, clamps, nulls)
    }

    /// Completes arguments, in this order: strict nulls become absent, defaults are filled, numbers (including those of
    /// defaults) are clamped.
    ///
    /// - A strict null is a `null` for a property that is not required and whose own schema rejects `null`. If
    ///   alternatives (`anyOf`, `oneOf`, `if`, …) disagree about a property, the reading that makes the arguments valid
    ///   and drops the fewest nulls is used; arguments that are valid before completion keep such a `null`.
    /// - Defaults are those of Ajv's `useDefaults`: through `properties`, `patternProperties`, `additionalProperties`,
    ///   `items`, local `$ref` and `allOf`; never `anyOf`, `oneOf`, `if`, `then`, `else`, `not`. A default that its own
    ///   schema rejects is skipped, and no default is filled inside itself.
    ///
    /// Text that needs no change is returned unchanged.
    #[must_use]
    pub fn complete(&self, tape: Tape, clamps: &[Clamp]) -> Completed {
        let completed = complete::complete(&self.compiled, &tape, clamps, NullReading::StrictAsAbsent);
        completed.unwrap_or_else(|| Completed::unchanged(tape))
    }

    /// Validates arguments.
    ///
    /// # Errors
    /// All errors of the arguments; see [`CompiledSchema::validate`].
    pub fn validate(&self, tape: &Tape) -> Result<(), Vec<Issue>> {
        self.compiled.validate(tape.root())
    }

    /// The arguments as JSON text with `"***"` in place of every value under `"x-sensitive": true`, and of undeclared
    /// members beside such a value: they may be its misspelt name.
    #[must_use]
    pub fn mask(&self, tape: &Tape) -> String {
        self.compiled.plan().mask(tape)
    }

    /// The arguments as a table for people: a row for each value, in the schema's order, sensitive values masked.
    #[must_use]
    pub fn rows(&self, tape: &Tape) -> Vec<ArgumentRow> {
        self.compiled.plan().argument_rows(tape)
    }

    /// The part of a pointer into unreadable arguments that may be shown: where the schema has sensitive values, a name
    /// that it does not declare may be one.
    #[must_use]
    pub fn visible_pointer<'p>(&self, pointer: &'p str) -> &'p str {
        self.compiled.plan().visible_pointer(pointer)
    }

    /// The sensitive names of the schema, and the sensitive values of the arguments if they are given.
    #[must_use]
    pub fn sensitive_terms(&self, args: Option<&Tape>) -> SensitiveTerms {
        SensitiveTerms::collect(self.compiled.plan(), args)
    }

    /// Whether any parameter is sensitive.
    #[must_use]
    pub fn has_sensitive(&self) -> bool {
        self.compiled.plan().has_sensitive()
    }

    /// The declared parameters that are sensitive or have sensitive parts, in their order. `None` if no value can be sensitive.
    #[must_use]
    pub fn sensitive_parameters(&self) -> Option<Vec<&str>> {
        self.compiled.plan().sensitive_parameters()
    }
}

impl ArgsSchema {
    pub(super) const fn compiled(&self) -> &CompiledSchema {
        &self.compiled
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use toolgate_json::Limits;

    fn tape(text: &str) -> Tape {
        Tape::parse(text, &Limits::for_arguments(1 << 20)).unwrap()
    }

    fn completed(schema: &Value, text: &str, clamps: &[Clamp]) -> Completed {
        ArgsSchema::compile(schema).unwrap().complete(tape(text), clamps)
    }

    /// Schemas are compiled once and shared by every session and worker.
    #[test]
    fn schemas_are_shared_between_threads() {
        fn shared<T: Send + Sync + 'static>() {}
        shared::<ArgsSchema>();
        shared::<CompiledSchema>();
        shared::<Tape>();
    }

    #[test]
    fn nulls_then_defaults_then_clamps() {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "top_k": { "type": "integer", "default": 10 },
                "lang": { "type": ["string", "null"] },
                "limit": { "type": "number", "default": 2.5 }
            },
            "required": ["query"]
        });
        let clamps = [Clamp { property: "top_k".into(), max: 3.0 }];
        let done = completed(&schema, r#"{"query":"a", "top_k":null,"lang":null}"#, &clamps);
        assert_eq!(done.tape.text(), r#"{"query":"a","lang":null,"top_k":3,"limit":2.5}"#);
        assert!(done.changed);
        assert_eq!(done.defaulted, ["/top_k", "/limit"]);
        assert_eq!(serde_json::to_value(&done.clamped).unwrap(), json!([{ "path": "/top_k", "from": 10, "to": 3 }]));
    }
}
