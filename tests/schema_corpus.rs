//! Real tool definitions: each compiles, or is refused for a reason that its author can act on.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod corpus;

use std::collections::BTreeMap;

use serde_json::Value;
use toolgate::json::{Limits, Tape};
use toolgate::schema::{ArgsSchema, SchemaError};

fn definitions() -> Vec<Value> {
    let Some(folder) = corpus::corpus("tools") else { return Vec::new() };
    let files = corpus::files(&folder);
    assert!(!files.is_empty());
    files.iter().flat_map(|(_, path)| corpus::json_lines(path)).collect()
}

#[test]
fn real_parameters_compile_or_say_why_not() {
    let definitions = definitions();
    let mut refused: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for tool in &definitions {
        if let Err(error) = ArgsSchema::compile(&tool["parameters"]) {
            let reason = match &error {
                SchemaError::Invalid { .. } => "invalid",
                SchemaError::Pattern { .. } => "pattern",
                SchemaError::UnknownDialect { .. } => "dialect",
                SchemaError::Reference { .. } => "reference",
                _ => "other",
            };
            refused.entry(reason).or_default().push(format!("{}: {error}", tool["name"]));
        }
    }
    println!("{} of {} refused: {refused:#?}", refused.values().map(Vec::len).sum::<usize>(), definitions.len());
    assert!(!refused.contains_key("other") && !refused.contains_key("dialect"), "{refused:#?}");
}

/// Completing never makes what was valid invalid, and completing twice is completing once.
#[test]
fn completion_keeps_real_arguments_valid() {
    let mut checked = 0;
    for tool in definitions() {
        let (Ok(schema), Some(args)) = (ArgsSchema::compile(&tool["parameters"]), tool.get("args")) else { continue };
        for args in args.as_array().map_or(std::slice::from_ref(args), Vec::as_slice) {
            let tape = Tape::parse(args.to_string(), &Limits::for_arguments(1 << 20)).unwrap();
            let was_valid = schema.validate(&tape).is_ok();
            let done = schema.complete(tape, &[]);
            if was_valid {
                assert_eq!(schema.validate(&done.tape), Ok(()), "{}: {}", tool["name"], done.tape.text());
                checked += 1;
            }
            assert!(!schema.complete(done.tape, &[]).changed, "{}", tool["name"]);
        }
    }
    println!("{checked} arguments checked");
}
