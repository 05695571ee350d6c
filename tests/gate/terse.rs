//! A whole answer in a terse form: every member that has its usual value is left out, and a member that should be there
//! and is not is written as `(absent)`. So nothing is left unchecked, and what matters in a case is what stands in it.
//!
//! Usual is: no intents, no time passed, answered just now, and a meta that repeats the call, its attachment and its
//! tool set. A finding of the schema is written as `keyword at pointer`: its words and parameters are the schema's own
//! affair and are tested there; here they must be there, and the message must begin with the first of them.

use serde_json::{Map, Value, json};

use super::names::Names;

/// What is usual for an answer: members of its meta.
#[derive(Debug, Clone)]
pub struct Usual {
    /// `None` where the caller does not know the call: then it is written.
    pub call: Option<Value>,
    pub registry_version: String,
    pub now: String,
}

/// An answer's text in the terse form.
pub fn response(text: &str, usual: &Usual, names: &mut Names) -> Value {
    let mut whole: Value = serde_json::from_str(text).expect("an answer is JSON");
    if whole.is_null() {
        // A call that asks no question.
        return whole;
    }
    check_shape(&whole);
    let Value::Object(answer) = &mut whole else { panic!("an answer is an object") };
    if answer.get("intents") == Some(&json!([])) {
        answer.remove("intents");
    }
    if let Some(Value::Object(error)) = answer.get_mut("error") {
        tell_error(error, names);
    }
    if let Some(Value::Object(meta)) = answer.get_mut("meta") {
        tell_meta(meta, usual, names);
        if meta.is_empty() {
            answer.remove("meta");
        }
    }
    names.rename(&mut whole);
    whole
}

/// What the contract says of every answer.
fn check_shape(answer: &Value) {
    let ok = answer["ok"].as_bool().expect("`ok` is a boolean");
    assert_eq!(answer.get("error").is_some(), !ok, "`error` exactly when `ok` is false: {answer}");
    assert!(ok || answer.get("data").is_none(), "`data` only when `ok` is true: {answer}");
    assert!(answer["intents"].is_array(), "`intents` is always a list: {answer}");
    if !ok {
        let error = &answer["error"];
        assert!(error["type"].is_string() && error["message"].is_string(), "{error}");
        assert!(error["retryable"].is_boolean() && error["partialSideEffects"].is_boolean(), "{error}");
        let message = error["message"].as_str().expect("a string");
        assert!(!message.is_empty() && !message.ends_with('.'), "how messages are written: {message}");
    }
}

/// An error in the terse form.
pub fn tell_error(error: &mut Map<String, Value>, names: &mut Names) {
    if error["type"] == "VALIDATION"
        && let Some(Value::Array(issues)) = error.get("details").cloned()
    {
        let first = issues.first().and_then(|issue| issue["message"].as_str()).unwrap_or_default();
        let message = error["message"].as_str().expect("a string").to_owned();
        assert!(!first.is_empty() && message.contains(first), "`{message}` tells `{first}`");
        if issues.iter().all(|issue| issue["keyword"] != "json") {
            let (begin, _) = message.split_once(first).expect("seen above");
            error.insert("message".to_owned(), json!(format!("{begin}…")));
        }
        error.insert("details".to_owned(), Value::Array(issues.iter().map(tell_issue).collect()));
    }
    if let Some(request) = error.get_mut("confirmation_request") {
        let expires = request["expires"].as_u64().expect("epoch milliseconds");
        request["expires"] = json!(names.instant(expires));
    }
}

fn tell_issue(issue: &Value) -> Value {
    let member = |name: &str| issue[name].as_str().unwrap_or_else(|| panic!("`{name}` of {issue} is a string"));
    assert!(issue.get("params").is_some(), "{issue}");
    let _ = member("schemaPath");
    json!(format!("{} at `{}`", member("keyword"), member("instancePath")))
}

fn tell_meta(meta: &mut Map<String, Value>, usual: &Usual, names: &mut Names) {
    let timestamp = meta.get("timestamp").and_then(Value::as_str).expect("a timestamp").to_owned();
    meta.insert("timestamp".to_owned(), json!(names.iso_instant(&timestamp)));
    let duration = meta.get("duration").and_then(Value::as_f64).expect("a duration");
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds of a paused clock")]
    meta.insert("duration".to_owned(), json!(duration.round() as i64));
    leave_out(meta, "duration", &json!(0));
    leave_out(meta, "timestamp", &json!(usual.now));
    leave_out(meta, "responseSchemaVersion", &json!("1.0.0"));
    leave_out(meta, "registryVersion", &json!(usual.registry_version));
    let attempts = if meta.contains_key("idempotencyKey") { json!(1) } else { json!("(none)") };
    leave_out(meta, "attempts", &attempts);
    if let Some(Value::Object(call)) = &usual.call {
        for (name, value) in call {
            leave_out(meta, name, value);
        }
    }
}

/// Leaves a member out that has its usual value. A usual value of `(none)` means that it is usually not there.
pub fn leave_out(members: &mut Map<String, Value>, name: &str, usual: &Value) {
    match members.get(name) {
        Some(value) if value == usual => {
            members.shift_remove(name);
        }
        None if *usual != json!("(none)") => {
            members.insert(name.to_owned(), json!("(absent)"));
        }
        _ => {}
    }
}
