//! What the meta-schema of a draft says against a schema, all of it.
//!
//! For building tools. The `jsonschema` crate carries the meta-schemas as code, too, and would list errors with functions
//! of which most are asked for by nothing else: 80 KB of the addon. Over the tape the validator does it that is there
//! anyway.

use std::sync::{Arc, OnceLock};

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use super::representation::OnTape;
use super::room::with_room;
use toolgate_json::{Limits, ParseError, Tape};

/// How many schemas of a meta-schema apply in place, each within the other, to one value.
const LONGEST_CHAIN: usize = 8;

/// A draft's meta-schema.
pub struct MetaSchema {
    draft: Draft,
    published: fn() -> Arc<Value>,
    validator: OnceLock<Option<Validator<OnTape>>>,
}

/// That of draft-04.
pub static DRAFT_4: MetaSchema = MetaSchema::of(Draft::Draft4, || referencing::meta::DRAFT4.clone());
/// That of draft-06.
pub static DRAFT_6: MetaSchema = MetaSchema::of(Draft::Draft6, || referencing::meta::DRAFT6.clone());
/// That of draft-07.
pub static DRAFT_7: MetaSchema = MetaSchema::of(Draft::Draft7, || referencing::meta::DRAFT7.clone());
/// That of draft 2019-09.
pub static DRAFT_2019_09: MetaSchema = MetaSchema::of(Draft::Draft201909, || referencing::meta::DRAFT201909.clone());
/// That of draft 2020-12.
pub static DRAFT_2020_12: MetaSchema = MetaSchema::of(Draft::Draft202012, || referencing::meta::DRAFT202012.clone());

impl MetaSchema {
    const fn of(draft: Draft, published: fn() -> Arc<Value>) -> Self {
        Self { draft, published, validator: OnceLock::new() }
    }

    /// Every error of a schema but those of `format`, as `told` tells it.
    ///
    /// # Errors
    /// Where the schema is nested deeper than any value may be.
    pub fn faults<T: Send>(
        &self,
        schema: &Value,
        told: impl Fn(&ValidationError<'_>) -> T + Sync,
    ) -> Result<Vec<T>, ParseError> {
        let tape = Tape::parse(schema.to_string(), &Limits::widest())?;
        let levels = (tape.depth() as usize + 1) * LONGEST_CHAIN;
        // The published ones compile.
        let Some(validator) = self.validator.get_or_init(|| self.compiled()) else { return Ok(Vec::new()) };
        let faults = with_room(levels, || validator.iter_errors(tape.root()).map(|error| told(&error)).collect());
        Ok(faults.unwrap_or_default())
    }

    fn compiled(&self) -> Option<Validator<OnTape>> {
        let options = jsonschema::options_for::<OnTape>()
            .with_draft(self.draft)
            .should_validate_formats(false)
            .with_pattern_options(PatternOptions::regex())
            .offline();
        options.build(&(self.published)()).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointers(meta: &MetaSchema, schema: &Value) -> Vec<String> {
        meta.faults(schema, |error| error.instance_path().as_str().to_owned()).unwrap()
    }

    #[test]
    fn every_meta_schema_tells_all_that_is_wrong() {
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
    fn what_no_tape_holds_is_an_error() {
        let deep = (0..600).fold(json!(true), |inner, _| json!({ "not": inner }));
        assert!(DRAFT_2020_12.faults(&deep, |_| ()).is_err());
    }
}
