//! Validation of a schema against the meta-schema of its draft, with all errors. Used by the build only.
//!
//! The `jsonschema` crate also has compiled meta-schemas, but listing errors with them pulls in functions that nothing
//! else uses: 80 KB of the addon. Validation over the tape reuses the validator that is linked anyway.

use std::sync::{Arc, OnceLock};

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use super::stack::with_stack_for;
use super::tape_json::TapeJson;
use toolgate_json::{Limits, ParseError, Tape};

/// The largest number of nested in-place schemas that a meta-schema applies to one value.
const MAX_SCHEMAS_PER_LEVEL: usize = 8;

/// The meta-schema of a draft.
pub struct MetaSchema {
    draft: Draft,
    document: fn() -> Arc<Value>,
    validator: OnceLock<Option<Validator<TapeJson>>>,
}

/// The meta-schema of draft-04.
pub static DRAFT_4: MetaSchema = MetaSchema::new(Draft::Draft4, || referencing::meta::DRAFT4.clone());
/// The meta-schema of draft-06.
pub static DRAFT_6: MetaSchema = MetaSchema::new(Draft::Draft6, || referencing::meta::DRAFT6.clone());
/// The meta-schema of draft-07.
pub static DRAFT_7: MetaSchema = MetaSchema::new(Draft::Draft7, || referencing::meta::DRAFT7.clone());
/// The meta-schema of draft 2019-09.
pub static DRAFT_2019_09: MetaSchema = MetaSchema::new(Draft::Draft201909, || referencing::meta::DRAFT201909.clone());
/// The meta-schema of draft 2020-12.
pub static DRAFT_2020_12: MetaSchema = MetaSchema::new(Draft::Draft202012, || referencing::meta::DRAFT202012.clone());

impl MetaSchema {
    const fn new(draft: Draft, published: fn() -> Arc<Value>) -> Self {
        Self { draft, document: published, validator: OnceLock::new() }
    }

    /// All errors of a schema except those of `format`, each converted by `convert`.
    ///
    /// # Errors
    /// If the schema is nested deeper than any value may be.
    pub fn errors<T: Send>(
        &self,
        schema: &Value,
        convert: impl Fn(&ValidationError<'_>) -> T + Sync,
    ) -> Result<Vec<T>, ParseError> {
        let tape = Tape::parse(schema.to_string(), &Limits::widest())?;
        let levels = (tape.depth() as usize + 1) * MAX_SCHEMAS_PER_LEVEL;
        // The published meta-schemas compile.
        let Some(validator) = self.validator.get_or_init(|| self.compile_validator()) else { return Ok(Vec::new()) };
        let faults =
            with_stack_for(levels, || validator.iter_errors(tape.root()).map(|error| convert(&error)).collect());
        Ok(faults.unwrap_or_default())
    }

    fn compile_validator(&self) -> Option<Validator<TapeJson>> {
        let options = jsonschema::options_for::<TapeJson>()
            .with_draft(self.draft)
            .should_validate_formats(false)
            .with_pattern_options(PatternOptions::regex())
            .offline();
        options.build(&(self.document)()).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointers(meta: &MetaSchema, schema: &Value) -> Vec<String> {
        meta.errors(schema, |error| error.instance_path().as_str().to_owned()).unwrap()
    }

    #[test]
    fn every_meta_schema_reports_all_errors() {
        let wrong = json!({ "type": "text", "properties": { "a": { "minLength": -1 }, "b": { "required": true } } });
        for meta in [&DRAFT_4, &DRAFT_6, &DRAFT_7, &DRAFT_2019_09, &DRAFT_2020_12] {
            let mut told = pointers(meta, &wrong);
            told.sort_unstable();
            told.dedup();
            assert_eq!(told, ["/properties/a/minLength", "/properties/b/required", "/type"], "{:?}", meta.draft);
            assert_eq!(pointers(meta, &json!({ "properties": { "a": { "minLength": 1 } } })), [""; 0]);
        }
    }

    #[test]
    fn drafts_differ() {
        let schema = json!({ "properties": { "a": { "minimum": 1, "exclusiveMinimum": true } } });
        assert_eq!(pointers(&DRAFT_4, &schema), [""; 0]);
        assert_eq!(pointers(&DRAFT_6, &schema), ["/properties/a/exclusiveMinimum"]);
    }

    #[test]
    fn a_schema_deeper_than_any_tape_is_an_error() {
        let deep = (0..600).fold(json!(true), |inner, _| json!({ "not": inner }));
        assert!(DRAFT_2020_12.errors(&deep, |_| ()).is_err());
    }
}
