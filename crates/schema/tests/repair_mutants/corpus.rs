//! Real calls: tools with the arguments that were expected of a model.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use toolgate_json::{Limits, Tape};
use toolgate_schema::{ArgsSchema, NullReading};

/// A call whose arguments are valid.
pub(crate) struct Call {
    pub(crate) schema: Arc<ArgsSchema>,
    pub(crate) parameters: Value,
    pub(crate) args: Value,
}

/// The calls of the corpus; none without it.
pub(crate) fn calls() -> Vec<Call> {
    let named = std::env::var_os("TOOLGATE_CORPUS").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(named).join("tools");
    let files = ["bfcl.jsonl", "tau2.jsonl"].map(|name| fs::read_to_string(folder.join(name)));
    let mut calls = Vec::new();
    for text in files {
        let Ok(text) = text else {
            assert!(std::env::var_os("CI").is_none(), "CI skips no test: there is no corpus (TOOLGATE_CORPUS)");
            println!("ignored: there is no corpus (TOOLGATE_CORPUS)");
            return Vec::new();
        };
        calls.extend(text.lines().flat_map(|line| calls_of(&serde_json::from_str(line).unwrap())));
    }
    assert!(calls.len() > 500, "the corpus has calls");
    calls
}

fn calls_of(tool: &Value) -> Vec<Call> {
    let parameters = closed(&tool["parameters"]);
    let Ok(schema) = ArgsSchema::compile(&parameters).map(Arc::new) else { return Vec::new() };
    let given = tool["args"].as_array().into_iter().flatten();
    let call = |args: &Value| Call { schema: Arc::clone(&schema), parameters: parameters.clone(), args: args.clone() };
    given.map(call).filter(|call| is_valid(&call.schema, &call.args)).collect()
}

/// The schema as the compiler wants it: without other properties than it declares.
fn closed(parameters: &Value) -> Value {
    let mut closed = parameters.clone();
    if let Some(members) = closed.as_object_mut() {
        members.entry("additionalProperties").or_insert(Value::Bool(false));
    }
    closed
}

fn is_valid(schema: &ArgsSchema, args: &Value) -> bool {
    let Ok(tape) = Tape::parse(args.to_string(), &Limits::for_arguments(1 << 20)) else { return false };
    args.is_object() && schema.check(tape, &[], NullReading::AsSent).is_ok()
}
