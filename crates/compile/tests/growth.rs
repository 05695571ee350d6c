//! A definition of another party takes work in proportion to its size, of whatever kind its many parts are.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect, and says where")]

use std::sync::Mutex;

use serde_json::{Map, Value, json};
use toolgate_compile::compile_tool_text;

/// One test at a time: the processor time is the process's.
static ALONE: Mutex<()> = Mutex::new(());

fn list(count: usize, make: impl Fn(usize) -> Value) -> Value {
    (0..count).map(make).collect()
}

fn named(count: usize, make: impl Fn(usize) -> (String, Value)) -> Value {
    Value::Object((0..count).map(make).collect::<Map<_, _>>())
}

fn argument(schema: &Value) -> Value {
    json!({ "type": "object", "properties": { "x": schema } })
}

/// An object that requires a text of a name of its own.
fn object(index: usize) -> Value {
    let name = format!("k{index}");
    json!({ "type": "object", "properties": { name.clone(): { "type": "string" } }, "required": [name] })
}

/// The branch of a discriminated union.
fn variant(index: usize) -> Value {
    let kind = json!({ "const": format!("k{index}") });
    json!({ "type": "object", "properties": { "kind": kind, "a": { "type": "integer" } }, "required": ["kind"] })
}

fn reference(index: usize) -> Value {
    json!({ "$ref": format!("#/$defs/d{index}") })
}

fn property(index: usize, schema: Value) -> (String, Value) {
    (format!("p{index}"), schema)
}

fn name(index: usize) -> Value {
    json!(format!("p{index}"))
}

type Kind = (&'static str, fn(usize) -> Value);

/// Parameters with many parts of one kind.
const KINDS: &[Kind] = &[
    ("anyOf of constants", |count| argument(&json!({ "anyOf": list(count, |index| json!({ "const": index })) }))),
    ("oneOf of objects", |count| argument(&json!({ "oneOf": list(count, object) }))),
    ("oneOf with a discriminator", |count| argument(&json!({ "oneOf": list(count, variant) }))),
    ("allOf of objects", |count| argument(&json!({ "allOf": list(count, object) }))),
    ("alternatives at the root", |count| json!({ "type": "object", "oneOf": list(count, variant) })),
    ("enum", |count| argument(&json!({ "enum": list(2 * count, name) }))),
    ("two enums", |count| {
        let values = list(count, name);
        argument(&json!({ "enum": values, "allOf": [{ "enum": values }] }))
    }),
    ("required properties", |count| {
        let properties = named(count, |index| property(index, json!({ "type": "string" })));
        json!({ "type": "object", "properties": properties, "required": list(count, name) })
    }),
    ("required names", |count| json!({ "type": "object", "required": list(2 * count, name) })),
    ("unknown keywords", |count| argument(&named(count, |index| property(index, json!(index))))),
    ("definitions", |count| {
        let definitions = named(count, |index| (format!("d{index}"), object(index)));
        let properties = named(count, |index| property(index, reference(index)));
        json!({ "type": "object", "properties": properties, "$defs": definitions })
    }),
    ("patternProperties", |count| {
        let patterns = named(count, |index| (format!("^p{index}$"), json!({ "type": "string" })));
        argument(&json!({ "type": "object", "patternProperties": patterns }))
    }),
    ("dependentRequired", |count| {
        let dependent = named(count, |index| property(index, json!([format!("q{index}")])));
        argument(&json!({ "type": "object", "dependentRequired": dependent }))
    }),
];

/// The seconds of processor time that this process has used: others on the machine do not count.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    // proc_pid_stat(5): `utime` and `stime`, in ticks of 1/100 s.
    fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<f64>().unwrap() / 100.0).sum()
}

/// The processor time of compiling a definition several times.
fn seconds_for((name, parameters): Kind, count: usize, times: usize) -> f64 {
    let text = json!({ "name": "a", "description": "d", "parameters": parameters(count) }).to_string();
    let before = processor_seconds();
    for _ in 0..times {
        let compiled = compile_tool_text(&text, &[]);
        assert!(compiled.ok, "{name}: {:?}", compiled.diagnostics);
    }
    processor_seconds() - before
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "reads the processor time from /proc")]
fn the_work_of_a_definition_grows_as_its_size() {
    let _alone = ALONE.lock().unwrap();
    for kind in KINDS {
        let (parts, whole) = (seconds_for(*kind, 1000, 4), seconds_for(*kind, 4000, 1));
        assert!(whole < 3.0 * parts + 0.2, "{}: {parts} s for four times 1000, {whole} s for 4000", kind.0);
    }
}

/// References that lead from each schema to all others apply more schemas than the document has.
#[test]
fn a_chain_of_references_without_end_is_refused() {
    let _alone = ALONE.lock().unwrap();
    let last = 1500;
    let definitions = named(last + 1, |index| {
        (format!("d{index}"), if index == last { json!({ "type": "string" }) } else { reference(index + 1) })
    });
    let parameters = json!({ "type": "object", "properties": { "x": reference(0) }, "$defs": definitions });
    let text = json!({ "name": "a", "description": "d", "parameters": parameters }).to_string();
    let compiled = compile_tool_text(&text, &[]);
    let messages: Vec<&str> = compiled.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert!(!compiled.ok && messages.iter().any(|message| message.contains("too many schemas")), "{messages:?}");
}
