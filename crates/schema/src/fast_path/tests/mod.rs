//! Compares the fast path with the validator and completion.

mod generator;
mod real_schemas;
mod wrong_arguments;

use proptest::prelude::*;
use serde_json::{Value, json};

use self::generator::SchemaGenerator;
use super::FastPath;
use crate::complete::{self, Clamp, Completed};
use crate::{CompiledSchema, Formats, SchemaError};
use toolgate_json::{Limits, Tape};

fn tape(text: &str) -> Tape {
    Tape::parse(text, &Limits::widest()).unwrap()
}

fn compile(schema: &Value) -> Option<FastPath> {
    FastPath::compile(&tape(&schema.to_string()), &Formats::Assert)
}

/// A schema compiled for the fast path, and without it.
struct FastAndFull {
    fast_path: FastPath,
    full: CompiledSchema,
}

#[derive(Debug, PartialEq)]
enum CheckOutcome {
    /// Valid by the fast path.
    FastPath,
    /// Valid by the validator only.
    ValidatorOnly,
    Invalid,
}

impl FastAndFull {
    /// `None` if the schema is not supported. Asserts that completely supported schemas compile.
    fn compile(schema: &Value) -> Option<Self> {
        let full: Result<_, SchemaError> = CompiledSchema::compile(schema).map(CompiledSchema::without_fast_path);
        let quick = compile(schema)?;
        assert!(full.is_ok() || !quick.is_whole(), "{schema}: {full:?}");
        Some(Self { fast_path: quick, full: full.ok()? })
    }

    fn check(&self, text: &str) -> CheckOutcome {
        let tape = tape(text);
        let is_valid = self.full.is_valid(tape.root());
        let is_told = self.fast_path.check(tape.root()).is_some();
        assert!(is_valid || !is_told, "{:?}: {text}", self.full);
        match (is_told, is_valid) {
            (true, _) => CheckOutcome::FastPath,
            (false, true) => CheckOutcome::ValidatorOnly,
            (false, false) => CheckOutcome::Invalid,
        }
    }

    fn complete(&self, text: &str, clamps: &[Clamp]) -> CheckOutcome {
        let validate = |tape: &Tape| self.full.validate(tape.root());
        let expected =
            complete::complete(self.full.plan(), &tape(text), clamps, complete::NullReading::StrictAsAbsent, &validate);
        let expected = expected.unwrap_or_else(|| Completed::unchanged(tape(text)));
        let is_valid = self.full.is_valid(expected.tape.root());
        let Ok(done) = self.fast_path.complete(tape(text), clamps) else {
            return if is_valid { CheckOutcome::ValidatorOnly } else { CheckOutcome::Invalid };
        };
        let parts = |done: &Completed| {
            (done.tape.text().to_owned(), done.changed, done.defaulted.clone(), done.clamped.clone())
        };
        assert_eq!(parts(&done), parts(&expected), "{:?}: {text}", self.full);
        assert!(is_valid, "{:?}: {text}", self.full);
        CheckOutcome::FastPath
    }
}

fn clamps(max: f64) -> Vec<Clamp> {
    ["a", "b"].map(|property| Clamp { property: property.to_owned(), max }).into()
}

/// How often an outcome occurred.
fn count(told: &[CheckOutcome], which: &CheckOutcome) -> usize {
    told.iter().filter(|told| *told == which).count()
}

#[test]
fn fast_path_results_agree_with_validator_and_completion() {
    let config = ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let told = std::cell::RefCell::new((Vec::new(), Vec::new()));
    let numbers = proptest::collection::vec(any::<u16>(), 400);
    let outcome = runner.run(&numbers, |numbers| {
        let mut dice = SchemaGenerator(numbers.iter());
        let schema = dice.document();
        let Some(both) = FastAndFull::compile(&schema) else { return Ok(()) };
        for round in 0..6 {
            let text = dice.value(&schema, &schema, 5);
            let clamps = if round % 2 == 0 { Vec::new() } else { clamps(dice.choose(&[0.0, 1.0, 2.5])) };
            let (checks, completions) = &mut *told.borrow_mut();
            checks.push(both.check(&text));
            completions.push(both.complete(&text, &clamps));
        }
        Ok(())
    });
    outcome.unwrap();
    // Without enough values of each outcome, the test would prove nothing.
    let (checks, completions) = told.into_inner();
    for told in [checks, completions] {
        let [quickly, slowly, invalid] = [CheckOutcome::FastPath, CheckOutcome::ValidatorOnly, CheckOutcome::Invalid]
            .map(|which| count(&told, &which));
        println!("{quickly} quickly, {slowly} slowly, {invalid} invalid");
        assert!(quickly > 500 && invalid > 500 && quickly > slowly, "{quickly} {slowly} {invalid}");
    }
}

/// `SupportedKeywords` with valid and invalid values: completely supported schemas compile.
#[test]
fn fully_supported_schemas_compile() {
    let keywords = [
        "$schema",
        "$defs",
        "definitions",
        "$ref",
        "allOf",
        "anyOf",
        "type",
        "enum",
        "const",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "properties",
        "required",
        "additionalProperties",
        "minProperties",
        "maxProperties",
        "prefixItems",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "title",
        "description",
        "$comment",
        "deprecated",
        "readOnly",
        "writeOnly",
        "examples",
        "default",
        "x-sensitive",
        "not",
        "oneOf",
        "if",
        "contains",
        "unevaluatedProperties",
        "$id",
        "$anchor",
        "$dynamicRef",
        "dependentRequired",
        "patternProperties",
        "propertyNames",
        "const2",
        "contentEncoding",
    ];
    let values = json!([
        null, true, false, 0, -1, 1, 2.5, 1.0, "a", "", "(", "(?=a)", "#", "#/$defs/s", "#/$defs/none", "string", "object",
        "email", "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", [], ["a"],
        ["a", "a"], ["string", "null"], ["string", "string"], [true], [{}], [1], {}, { "a": true }, { "a": 1 },
        { "type": "strin" }, { "type": 1 }, { "pattern": "(" }, { "$ref": "#/x" }, { "a": { "minimum": "1" } }
    ]);
    let [mut whole, mut refused] = [0, 0];
    for keyword in keywords {
        for value in values.as_array().unwrap() {
            let root = json!({ keyword: value });
            let below = json!({ "$defs": { "s": {} }, "properties": { "p": { keyword: value } } });
            let listed = json!({ "items": { keyword: value, "type": "string" } });
            for schema in [root, below, listed] {
                let compiles = CompiledSchema::compile(&schema).is_ok();
                let is_whole = compile(&schema).is_some_and(|quick| quick.is_whole());
                assert!(compiles || !is_whole, "{schema}");
                whole += usize::from(is_whole);
                refused += usize::from(!compiles);
            }
        }
    }
    assert!(whole > 700 && refused > 1500, "{whole} {refused}");
}

#[test]
fn common_tool_schemas_are_supported() {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["query", "people"],
        "properties": {
            "query": { "type": "string", "minLength": 3, "maxLength": 12, "description": "d" },
            "language": { "type": "string", "pattern": "^[a-z]{2}$", "default": "en" },
            "top_k": { "type": "integer", "minimum": 1, "maximum": 10, "default": 5 },
            "unit": { "enum": ["c", "f"] },
            "people": { "type": "array", "maxItems": 3, "items": { "$ref": "#/$defs/person" } },
            "note": { "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null },
        },
        "$defs": { "person": {
            "type": "object",
            "required": ["email"],
            "properties": { "email": { "type": "string", "format": "email" }, "is_host": { "type": "boolean", "default": false } },
        } },
    });
    let both = FastAndFull::compile(&schema).unwrap();
    assert!(both.fast_path.is_whole());
    for (text, defaulted) in [
        (r#"{"query":"abc","people":[],"language":"de","top_k":1,"note":null}"#, ""),
        (r#"{"query":"abc","people":[],"language":"de","top_k":1.0,"note":"x","unit":"c"}"#, ""),
        (
            r#"{"people":[{"email":"a@b.co"},{"email":"b@b.co","is_host":true}],"query":"\u0061bc"}"#,
            "/language /top_k /note /people/0/is_host",
        ),
    ] {
        assert_eq!(both.complete(text, &[]), CheckOutcome::FastPath, "{text}");
        let done = both.fast_path.complete(tape(text), &[]).unwrap();
        assert_eq!(done.defaulted.join(" "), defaulted);
    }
    let clamps = [Clamp { property: "top_k".to_owned(), max: 3.0 }];
    for text in [r#"{"query":"abc","people":[]}"#, r#"{"query":"abc","people":[],"top_k":9}"#] {
        assert_eq!(both.complete(text, &clamps), CheckOutcome::FastPath, "{text}");
        assert_eq!(both.fast_path.complete(tape(text), &clamps).unwrap().clamped.len(), 1);
    }
    for text in [r#"{"query":"ab","people":[]}"#, r#"{"query":"abc"}"#, r#"{"query":"abc","people":[{}]}"#, "[]"] {
        assert_eq!(
            (both.check(text), both.complete(text, &[])),
            (CheckOutcome::Invalid, CheckOutcome::Invalid),
            "{text}"
        );
    }
}

/// Numbers that no double represents exactly, or with another notation than in the schema.
#[test]
fn numbers_are_compared_exactly() {
    let limits = ["9007199254740992", "9007199254740991", "-9007199254740992", "1", "1.0", "1e300", "0.5"];
    let numbers =
        ["9007199254740993", "9007199254740992", "9007199254740991", "-9007199254740993", "1", "1.0", "10e-1", "0.5"];
    for keyword in ["const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        for limit in limits {
            let schema = serde_json::from_str(&format!("{{\"{keyword}\":{limit}}}")).unwrap();
            let both = FastAndFull::compile(&schema).unwrap();
            let told: Vec<_> = numbers.iter().map(|number| both.check(number)).collect();
            assert!(count(&told, &CheckOutcome::ValidatorOnly) < 5, "{schema}");
        }
    }
}

/// The walk ends soon for recursive alternatives, endless references, and values nested deeper than the limit.
#[test]
fn every_walk_ends() {
    let endless = json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }], "$defs": { "a": { "$ref": "#/$defs/a" } } });
    let nested = json!({
        "type": ["array", "string"],
        "items": { "anyOf": [{ "allOf": [{ "$ref": "#" }, { "type": "array" }] }, { "allOf": [{ "$ref": "#" }, {}] }] },
    });
    for schema in [endless, json!({ "$ref": "#" })] {
        assert_eq!(compile(&schema).unwrap().check(tape("1").root()), None, "{schema}");
    }
    let quick = compile(&nested).unwrap();
    assert!(quick.check(tape("[[[\"a\"]]]").root()).is_some());
    for depth in [20, 60, 200, 500] {
        let _ = quick.check(tape(&format!("{}{}", "[".repeat(depth), "]".repeat(depth))).root());
        let wrong = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(quick.check(tape(&wrong).root()), None);
    }
}

/// A schema compiled from text builds its validator for the first value that needs it.
#[test]
fn the_validator_is_compiled_on_demand() {
    let load = |schema: &Value| CompiledSchema::compile_text(schema.to_string().into());
    let plain = load(&json!({ "type": "object", "properties": { "a": { "type": "integer" } } })).unwrap();
    assert!(!plain.has_validator() && plain.is_valid(tape(r#"{"a":1}"#).root()) && !plain.has_validator());
    let issues = plain.validate(tape(r#"{"a":"1"}"#).root()).unwrap_err();
    assert_eq!(
        (issues[0].instance_path.as_str(), issues[0].keyword.as_str(), plain.has_validator()),
        ("/a", "type", true)
    );
    assert!(load(&json!({ "oneOf": [true] })).unwrap().has_validator());
    for wrong in [json!({ "properties": { "a": { "pattern": "(" } } }), json!({ "type": "strin" }), json!(1)] {
        let (loaded, compiled) = (load(&wrong).unwrap_err(), CompiledSchema::compile(&wrong).unwrap_err());
        assert_eq!(loaded, compiled);
    }
    assert!(CompiledSchema::compile_text("{\"minimum\":1e999}".into()).is_err());
}
