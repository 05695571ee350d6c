//! The contract's tables for JavaScript, with the core as their only source.

use std::collections::BTreeMap;

use napi_derive::napi;
use once_cell::sync::OnceCell;
use serde_json::{Value, json};

use crate::error::ErrorType;
use crate::json::{Limits, LoneSurrogates, NumberRange, Tape};
use crate::response::TOOL_RESPONSE_SCHEMA_VERSION;
use crate::schema::CompiledSchema;
use crate::session::policy::Mode;

const RESPONSE_SCHEMA: &str = include_str!("../../schemas/tool-response.schema.json");

/// The error types with their HTTP statuses, the built-in modes, the response schema and its version, as JSON text.
#[napi(catch_unwind)]
#[must_use]
pub fn contract() -> String {
    let status = |kind: ErrorType| format!("\"{}\":{}", kind.as_str(), kind.http_status());
    let statuses = ErrorType::ALL.iter().copied().map(status).collect::<Vec<_>>().join(",");
    let modes: BTreeMap<&str, Mode> = Mode::BUILT_IN.iter().map(|&name| (name, Mode::from_name(name))).collect();
    let modes = json!(modes);
    // Called at the start of every process, so the schema is passed as text without parsing.
    format!(
        "{{\"httpStatus\":{{{statuses}}},\"modes\":{modes},\"responseSchema\":{RESPONSE_SCHEMA},\"responseSchemaVersion\":\"{TOOL_RESPONSE_SCHEMA_VERSION}\"}}"
    )
}

/// The addon's version, for comparison with the package's version.
#[napi(catch_unwind)]
#[must_use]
pub fn addon_version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The schema of what a handler returns: the schema of an answer without what the gate adds.
fn result_schema(mut answer: Value) -> Value {
    for (pointer, relaxed) in [
        ("/required", json!(["ok"])),
        ("/properties/meta", json!({ "type": "object" })),
        ("/$defs/error/required", json!(["type", "message"])),
        ("/$defs/error/properties/retryAfter", json!({ "type": "number", "minimum": 0 })),
    ] {
        let (holder, name) = pointer.rsplit_once('/').unwrap_or_default();
        if let Some(Value::Object(members)) = answer.pointer_mut(holder) {
            members.insert(name.to_owned(), relaxed);
        }
    }
    answer
}

/// Validates a response given as JSON text: what a handler may return or, if `strict`, an answer of the gate. Returns
/// its faults; `None` if it is valid.
#[napi(catch_unwind)]
pub fn check_response(text: String, strict: bool) -> napi::Result<Option<String>> {
    static ANSWER: OnceCell<CompiledSchema> = OnceCell::new();
    static RESULT: OnceCell<CompiledSchema> = OnceCell::new();
    let schema = (if strict { &ANSWER } else { &RESULT }).get_or_try_init(|| {
        let answer: Value = serde_json::from_str(RESPONSE_SCHEMA).map_err(|error| super::misuse(error.to_string()))?;
        let schema = if strict { answer } else { result_schema(answer) };
        CompiledSchema::compile(&schema).map_err(|error| super::misuse(error.to_string()))
    })?;
    let limits = Limits {
        max_depth: 512,
        max_bytes: usize::MAX,
        lone_surrogates: LoneSurrogates::Allow,
        numbers: NumberRange::Finite,
    };
    let tape = match Tape::parse(text, &limits) {
        Ok(tape) => tape,
        Err(error) => return Ok(Some(error.to_string())),
    };
    Ok(schema.validate(tape.root()).err().map(|issues| {
        let messages: Vec<String> = issues.into_iter().map(|issue| issue.message).collect();
        messages.join("; ")
    }))
}
