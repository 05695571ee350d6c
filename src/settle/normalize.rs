//! Normalization of a handler's return value. Nothing about the value is trusted: each invalid form has its defined
//! answer.

use serde_json::{Value, json};

use super::{NormalizedOutcome, handler_error};
use crate::error::ErrorType;
use crate::json::{Kind, Limits, LoneSurrogates, Node, Tape};
use crate::registry::CompiledTool;
use crate::response::Outcome;
use crate::run::HandlerError;
use crate::session::intent::Intent;
use crate::session::state::Farewell;
use crate::view;

/// The largest nesting depth of a result.
const MAX_DEPTH: u32 = 512;

/// Reads a result's JSON text.
///
/// # Errors
/// The problem, as a clause for the middle of a sentence.
pub(super) fn result(tool: &CompiledTool, text: String, limit_bytes: u64) -> Result<NormalizedOutcome, String> {
    let limits = Limits { max_depth: MAX_DEPTH, max_bytes: usize::MAX, lone_surrogates: LoneSurrogates::Allow };
    let tape = Tape::parse(text, &limits).map_err(|error| format!("its result can't be read: {}", error.reason()))?;
    let root = tape.root();
    if root.kind() != Kind::Object {
        return Err("its result is not an object with `ok`".to_owned());
    }
    let (intents, mut warnings) = read_intents(root);
    // Most results have no intents.
    let intents_text = if intents.is_empty() { "[]".to_owned() } else { json!(intents).to_string() };
    match root.get("ok").and_then(|ok| ok.as_bool()) {
        None => Err("its result has no boolean `ok`".to_owned()),
        Some(false) => failure(tool, root, intents, &intents_text, warnings),
        Some(true) => {
            if root.get("error").is_some_and(|error| !error.is_null()) {
                warnings.push("an `error` beside `ok: true` was dropped".to_owned());
            }
            success(tool, root, limit_bytes, intents, &intents_text, warnings)
        }
    }
}

fn success(
    tool: &CompiledTool,
    root: Node<'_>,
    limit_bytes: u64,
    intents: Vec<Intent>,
    intents_text: &str,
    warnings: Vec<String>,
) -> Result<NormalizedOutcome, String> {
    let data = root.get("data");
    if let Some(schema) = &tool.result_schema {
        check_data(schema, data)?;
    }
    let needs_words = intents.iter().any(|intent| matches!(intent, Intent::EndVoiceSession { .. }));
    let farewell = if needs_words {
        Farewell::from_result_data(data.map(|data| data.to_value()).as_ref())
    } else {
        Farewell::default()
    };
    let (capped, truncated) = data.and_then(|data| view::shorten(data, limit_bytes)).unzip();
    let full = data.filter(|_| truncated.is_some()).and_then(|data| view::full_data(data.raw()));
    let data_text = capped.as_deref().or_else(|| data.map(|data| data.raw()));
    let outcome = Outcome::success(data_text, intents_text);
    Ok(NormalizedOutcome { outcome, intents, farewell, truncated, full, warnings, passing: None })
}

fn check_data(schema: &crate::schema::CompiledSchema, data: Option<Node<'_>>) -> Result<(), String> {
    let Some(data) = data else {
        return Err("its result has no `data`, which its schema asks for".to_owned());
    };
    schema.validate(data).map_err(|issues| {
        let first = issues.first().map_or("", |issue| issue.message.as_str());
        format!("its data does not fit its own schema: {first}")
    })
}

fn failure(
    tool: &CompiledTool,
    root: Node<'_>,
    intents: Vec<Intent>,
    intents_text: &str,
    warnings: Vec<String>,
) -> Result<NormalizedOutcome, String> {
    let error = root.get("error").filter(|error| error.kind() == Kind::Object);
    let Some(error) = error else { return Err("its result is a failure without an `error`".to_owned()) };
    let text = |key: &str| error.get(key).and_then(|value| value.as_str());
    let (Some(kind), Some(_)) = (text("type"), text("message")) else {
        return Err("its error has no `type` or no `message`".to_owned());
    };
    let known = ErrorType::parse(&kind).is_some_and(ErrorType::may_come_from_a_handler);
    if !known {
        return Err(format!("its error type `{kind}` is not one that a tool may give"));
    }
    let mut returned: HandlerError =
        serde_json::from_value(plain_error(error)).map_err(|problem| format!("its error is malformed: {problem}"))?;
    // A returned error, unlike a thrown one, is retryable only with `retryable: true`.
    returned.retryable.get_or_insert(false);
    let (error, transient_failure) = handler_error::to_tool_error(tool, returned);
    Ok(NormalizedOutcome {
        outcome: Outcome::failure(error, intents_text),
        intents,
        farewell: Farewell::default(),
        truncated: None,
        full: None,
        warnings,
        passing: transient_failure,
    })
}

/// The error's members that belong to the contract; `null` means absent.
fn plain_error(error: Node<'_>) -> Value {
    let mut value = error.to_value();
    if let Some(members) = value.as_object_mut() {
        members.retain(|name, value| !value.is_null() && name != "code" && name != "status");
    }
    value
}

fn read_intents(root: Node<'_>) -> (Vec<Intent>, Vec<String>) {
    let Some(listed) = root.get("intents").filter(|listed| !listed.is_null()) else { return (Vec::new(), Vec::new()) };
    let Value::Array(listed) = listed.to_value() else {
        return (Vec::new(), vec!["`intents` is not a list and was dropped".to_owned()]);
    };
    let (mut intents, mut warnings) = (Vec::new(), Vec::new());
    for one in &listed {
        match Intent::parse(one) {
            Ok(intent) => intents.push(intent),
            Err(problem) => warnings.push(problem),
        }
    }
    (intents, warnings)
}
