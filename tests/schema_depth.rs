//! Deeply nested values, on the small stacks that worker threads have.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use toolgate::json::{DEPTH_CEILING, Limits, LoneSurrogates, Tape};
use toolgate::schema::{ArgsSchema, CompiledSchema};

/// Rust's default for threads; Tokio's workers have as much.
const STACK: usize = 2 << 20;

fn on_a_worker<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap()
}

fn nested(open: &str, core: &str, close: &str, depth: u32) -> Tape {
    let depth = depth as usize;
    Tape::parse(format!("{}{core}{}", open.repeat(depth), close.repeat(depth)), &Limits::widest()).unwrap()
}

/// Schemas that go down with the value, and what they take there.
fn recursive_schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("a reference", json!({ "properties": { "a": { "$ref": "#" } }, "not": { "type": "string" } })),
        ("allOf", json!({ "allOf": [{ "properties": { "a": { "$ref": "#" } } }], "not": { "type": "string" } })),
        (
            "anyOf",
            json!({ "anyOf": [{ "type": "number" }, { "type": "object", "properties": { "a": { "$ref": "#" } } }] }),
        ),
        (
            "oneOf",
            json!({ "oneOf": [{ "type": "number" }, { "type": "object", "properties": { "a": { "$ref": "#" } } }] }),
        ),
        (
            "a dynamic reference",
            json!({
                "$dynamicAnchor": "node",
                "anyOf": [{ "type": "number" }, { "type": "object", "properties": { "a": { "$dynamicRef": "#node" } } }]
            }),
        ),
        (
            "unevaluatedProperties",
            json!({
                "type": ["object", "number"],
                "allOf": [{ "properties": { "a": { "$ref": "#" } } }],
                "unevaluatedProperties": false
            }),
        ),
    ]
}

#[test]
fn the_deepest_values_are_validated() {
    for (name, schema) in recursive_schemas() {
        on_a_worker(move || {
            let compiled = CompiledSchema::compile(&schema).unwrap();
            let good = nested(r#"{"a":"#, "1", "}", DEPTH_CEILING);
            assert_eq!(compiled.validate(good.root()), Ok(()), "{name}");
            let bad = nested(r#"{"a":"#, "\"x\"", "}", DEPTH_CEILING);
            let issues = compiled.validate(bad.root()).expect_err(name);
            assert!(!issues.is_empty(), "{name}");
        });
    }
}

/// A hostile schema: long chains in place at each level of the value.
#[test]
fn chains_of_schemas_multiply_with_the_depth() {
    let mut schema = json!({ "properties": { "a": { "$ref": "#" } }, "not": { "type": "string" } });
    for _ in 0..100 {
        schema = json!({ "allOf": [schema] });
    }
    on_a_worker(move || {
        let compiled = CompiledSchema::compile(&schema).unwrap();
        let good = nested(r#"{"a":"#, "1", "}", 64);
        assert!(compiled.is_valid(good.root()));
        let bad = nested(r#"{"a":"#, "\"x\"", "}", 64);
        let issues = compiled.validate(bad.root()).unwrap_err();
        assert_eq!(issues[0].instance_path, "/a".repeat(64));
    });
}

#[test]
fn the_deepest_values_are_read_written_completed_and_masked() {
    on_a_worker(|| {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": { "$ref": "#" },
                "d": { "default": 1 },
                "n": { "type": "string" },
                "s": { "x-sensitive": true }
            }
        });
        let args = ArgsSchema::compile(&schema).unwrap();
        let tape = nested(r#"{"s":1,"n":null,"a":"#, "{}", "}", DEPTH_CEILING - 1);
        let mut canonical = String::new();
        tape.root().write_canonical(&mut canonical);
        assert!(args.mask(&tape).contains("***"));
        let done = args.complete(tape, &[]);
        assert_eq!(done.defaulted.len(), DEPTH_CEILING as usize);
        assert!(!done.tape.text().contains("null"));
        let value = done.tape.root().to_value();
        assert_eq!(value["a"]["d"], 1);
    });
}

#[test]
fn limits_above_the_ceiling_do_not_apply() {
    let limits = Limits { max_depth: 10_000, lone_surrogates: LoneSurrogates::Allow, ..Limits::widest() };
    let depth = DEPTH_CEILING as usize + 1;
    assert!(Tape::parse(format!("{}{}", "[".repeat(depth), "]".repeat(depth)), &limits).is_err());
}
