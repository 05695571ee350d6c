//! A failure that a handler returned: `{ ok: false, error }`, or the older `{ success: false, error }`.

use serde_json::{Map, Value};

use super::handler_error;
use crate::error::{ErrorType, ToolError};
use crate::json::{Kind, Node};
use crate::registry::CompiledTool;
use crate::run::HandlerError;
use crate::run::retry::TransientFailure;

/// The form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultForm {
    /// `{ ok, data?, error? }`.
    ToolResponse,
    /// `{ success, data?, error? }`, as handlers of older layers return it.
    ToolResult,
}

/// Reads the error of a failure. Returns a [`TransientFailure`] too if another attempt may succeed. A result `is_of_the_gate` if
/// the handler passes on the answer to a call of its own.
///
/// # Errors
/// The problem, as a clause for the middle of a sentence.
pub(super) fn read(
    tool: &CompiledTool,
    error: Option<Node<'_>>,
    is_of_the_gate: bool,
    form: ResultForm,
) -> Result<(ToolError, Option<TransientFailure>), String> {
    let members = match form {
        ResultForm::ToolResponse if !error.is_some_and(|error| is_message(error)) => {
            response_error(error, is_of_the_gate)?
        }
        ResultForm::ToolResponse | ResultForm::ToolResult => tool_result_error(tool, error),
    };
    let mut returned: HandlerError = serde_json::from_value(Value::Object(members))
        .map_err(|problem| format!("its error is malformed: {problem}"))?;
    // A returned error, unlike a thrown one, is retryable only with `retryable: true`.
    returned.retryable.get_or_insert(false);
    Ok(handler_error::to_tool_error(tool, returned))
}

/// Whether the error is its message alone, as older handlers have it under `ok` too.
fn is_message(error: Node<'_>) -> bool {
    error.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// The error of a `ToolResponse`: an object with a type that a handler may return, and a message. What the gate has said of a call of
/// the handler is PERMANENT for the call that the handler is for: neither its user nor its budget was meant.
fn response_error(error: Option<Node<'_>>, is_of_the_gate: bool) -> Result<Map<String, Value>, String> {
    let mut members = error.and_then(known_members).ok_or("its result is a failure without an `error`")?;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let (Some(kind), Some(_)) = (text("type"), text("message")) else {
        return Err("its error has no `type` or no `message`".to_owned());
    };
    if is_for_handlers(kind) {
        return Ok(members);
    }
    if !is_of_the_gate || ErrorType::parse(kind).is_none() {
        return Err(format!("its error type `{kind}` is not one that a tool may give"));
    }
    make_permanent(&mut members);
    Ok(members)
}

/// What the gate said of one call is no reason to make another one again.
fn make_permanent(members: &mut Map<String, Value>) {
    members.insert("type".to_owned(), ErrorType::Permanent.as_str().into());
    members.retain(|name, _| !matches!(&**name, "retryable" | "retryAfterMs" | "retryAfter" | "confirmation_request"));
}

/// The error of `{ success: false, error }`: a text, an object, or nothing. Without a known type it is PERMANENT.
fn tool_result_error(tool: &CompiledTool, error: Option<Node<'_>>) -> Map<String, Value> {
    let mut members = error.and_then(known_members).unwrap_or_default();
    if let Some(text) = error.and_then(|error| error.as_str()) {
        members.insert("message".to_owned(), text.into_owned().into());
    }
    match members.get("type").and_then(Value::as_str).and_then(ErrorType::parse) {
        Some(kind) if kind.may_come_from_a_handler() => {}
        Some(_) => make_permanent(&mut members),
        None => drop(members.insert("type".to_owned(), ErrorType::Permanent.as_str().into())),
    }
    if !members.get("message").is_some_and(Value::is_string) {
        members.insert("message".to_owned(), format!("`{}` failed without an error message", tool.id).into());
    }
    members
}

fn is_for_handlers(kind: &str) -> bool {
    ErrorType::parse(kind).is_some_and(ErrorType::may_come_from_a_handler)
}

/// The error's members that belong to the contract; `null` means absent. `None` if the error is not an object.
fn known_members(error: Node<'_>) -> Option<Map<String, Value>> {
    if error.kind() != Kind::Object {
        return None;
    }
    let Value::Object(mut members) = error.to_value() else { return None };
    members.retain(|name, value| !value.is_null() && name != "code" && name != "status");
    Some(members)
}
