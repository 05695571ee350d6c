//! What a draft's meta-schema says against a schema.

use std::sync::OnceLock;

use jsonschema::{Draft, ValidationError, Validator};
use referencing::meta;
use serde_json::Value;

use super::representation::OnTape;
use crate::json::{Limits, Tape};

/// Everything that breaks the rules of a draft, as `tell` puts it.
///
/// The validators that are compiled into the `jsonschema` crate only say whether there is something: their other half,
/// which lists it, would add to the addon as much as SQLite's query planner does, and few schemas are wrong.
pub(crate) fn faults<T>(schema: &Value, draft: Draft, tell: impl Fn(&ValidationError<'_>) -> T) -> Vec<T> {
    if keeps_to(schema, draft) {
        return Vec::new();
    }
    let told = match (validator(draft), Tape::parse(schema.to_string(), &Limits::widest())) {
        (Some(validator), Ok(tape)) => validator.iter_errors(tape.root()).map(|error| tell(&error)).collect(),
        (_, Err(error)) => vec![tell(&ValidationError::custom(error.to_string()))],
        (None, _) => Vec::new(),
    };
    told
}

fn keeps_to(schema: &Value, draft: Draft) -> bool {
    let outcome = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validate(schema),
        Draft::Draft6 => jsonschema::draft6::meta::validate(schema),
        Draft::Draft7 => jsonschema::draft7::meta::validate(schema),
        Draft::Draft201909 => jsonschema::draft201909::meta::validate(schema),
        _ => jsonschema::draft202012::meta::validate(schema),
    };
    outcome.is_ok()
}

/// A draft's meta-schema over the tape; `None` where it can't be built, which never happens.
fn validator(draft: Draft) -> Option<&'static Validator<OnTape>> {
    type Kept = OnceLock<Option<Validator<OnTape>>>;
    static KEPT: [Kept; 5] = [const { Kept::new() }; 5];
    let [four, six, seven, year_2019, year_2020] = &KEPT;
    let (kept, document) = match draft {
        Draft::Draft4 => (four, &meta::DRAFT4),
        Draft::Draft6 => (six, &meta::DRAFT6),
        Draft::Draft7 => (seven, &meta::DRAFT7),
        Draft::Draft201909 => (year_2019, &meta::DRAFT201909),
        _ => (year_2020, &meta::DRAFT202012),
    };
    kept.get_or_init(|| jsonschema::options_for::<OnTape>().offline().build(document).ok()).as_ref()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DRAFTS: [Draft; 5] = [Draft::Draft4, Draft::Draft6, Draft::Draft7, Draft::Draft201909, Draft::Draft202012];

    fn told(schema: &Value, draft: Draft) -> Vec<String> {
        faults(schema, draft, |error| format!("{} {error}", error.instance_path().as_str()))
    }

    #[test]
    fn each_fault_is_told_in_every_draft() {
        let wrong = json!({ "title": 1, "properties": { "a": { "minLength": "2" } } });
        for draft in DRAFTS {
            let mut told = told(&wrong, draft);
            told.sort();
            assert_eq!(told[0], "/properties/a/minLength \"2\" is not of type \"integer\"", "{draft:?}");
            assert_eq!(told.last().unwrap(), "/title 1 is not of type \"string\"", "{draft:?}");
        }
    }

    #[test]
    fn the_lister_finds_fault_with_what_the_quick_check_refuses() {
        let schemas = [
            json!({}),
            json!({ "type": "text" }),
            json!({ "required": true }),
            json!({ "items": [{}] }),
            json!({ "exclusiveMinimum": true, "minimum": 1 }),
            json!({ "exclusiveMinimum": 1 }),
            json!({ "$defs": { "a": { "enum": 1 } } }),
            json!({ "prefixItems": {} }),
            json!({ "allOf": [] }),
            json!({ "dependentRequired": { "a": [1] } }),
            json!({ "uniqueItems": 1, "if": 3 }),
            json!(7),
        ];
        for (draft, schema) in DRAFTS.into_iter().flat_map(|draft| schemas.iter().map(move |schema| (draft, schema))) {
            let tape = Tape::parse(schema.to_string(), &Limits::widest()).unwrap();
            let listed = validator(draft).unwrap().iter_errors(tape.root()).count();
            assert_eq!(keeps_to(schema, draft), listed == 0, "{draft:?} {schema}");
        }
    }

    #[test]
    fn a_schema_that_no_tape_holds_has_a_fault() {
        let deep = (0..600).fold(json!(1), |inner, _| json!({ "not": inner }));
        assert_eq!(told(&deep, Draft::Draft202012).len(), 1);
    }
}
