//! Normalization of a handler's return value. Nothing about the value is trusted: each invalid form has its defined
//! answer.

use serde_json::json;

use super::{NormalizedOutcome, returned_failure, unknown_members};
use crate::json::{Kind, Limits, LoneSurrogates, Node, NumberRange, Tape, skim_object};
use crate::registry::CompiledTool;
use crate::response::Outcome;
use crate::session::intent::Intent;
use crate::session::state::Farewell;
use crate::view;

/// The largest nesting depth of a result.
const MAX_DEPTH: u32 = 512;
/// The size of an intent that is read whatever the limit of data is, in bytes of JSON text.
const MIN_INTENT_BYTES: u64 = 1024;
/// The number of intents that are read.
const MAX_INTENTS: usize = 16;
/// The length of a warning that quotes the result.
const MAX_WARNING_CHARS: usize = 200;
/// An empty list of intents as text.
const NO_INTENTS: &str = "[]";

/// Reads a result's JSON text.
///
/// # Errors
/// The problem, as a clause for the middle of a sentence.
pub(super) fn parse_result(tool: &CompiledTool, text: String, limit_bytes: u64) -> Result<NormalizedOutcome, String> {
    match plain_success(tool, &text, limit_bytes) {
        Some(normalized) => Ok(normalized),
        None => parse_fully(tool, text, limit_bytes),
    }
}

/// Reads a success whose data is taken unchanged: without intents, a schema, warnings, and within the limit. `None` if
/// the result may be another one, valid or not. Most results are such ones, and need no tape.
fn plain_success(tool: &CompiledTool, text: &str, limit_bytes: u64) -> Option<NormalizedOutcome> {
    let is_within_limit = u64::try_from(text.len()).is_ok_and(|bytes| bytes <= limit_bytes);
    if tool.result_schema.is_some() || !is_within_limit {
        return None;
    }
    let (mut is_ok, mut is_plain, mut data) = (false, true, None);
    skim_object(text, |name, value| match (name, value) {
        ("ok", "true") => is_ok = true,
        ("data", value) => data = Some(value),
        ("meta" | "success", _) | ("error", "null") | ("intents", "null" | "[]") => {}
        _ => is_plain = false,
    })?;
    (is_ok && is_plain).then(|| NormalizedOutcome::plain(Outcome::success(data, NO_INTENTS)))
}

fn parse_fully(tool: &CompiledTool, text: String, limit_bytes: u64) -> Result<NormalizedOutcome, String> {
    let limits = Limits {
        max_depth: MAX_DEPTH,
        max_bytes: usize::MAX,
        lone_surrogates: LoneSurrogates::Allow,
        numbers: NumberRange::Finite,
    };
    let tape = Tape::parse(text, &limits).map_err(|error| format!("its result can't be read: {}", error.reason()))?;
    let root = tape.root();
    if root.kind() != Kind::Object {
        return Err("its result is not an object with `ok`".to_owned());
    }
    let (intents, mut warnings) = read_intents(root, limit_bytes);
    // Most results have no intents.
    let intents_text = if intents.is_empty() { NO_INTENTS.to_owned() } else { json!(intents).to_string() };
    let (ok, form) = form_of(root).ok_or("its result has no boolean `ok`")?;
    warnings.extend(unknown_members::warning(root));
    if ok {
        if root.get("error").is_some_and(|error| !error.is_null()) {
            warnings.push("an `error` beside `ok: true` was dropped".to_owned());
        }
        return success(tool, root, limit_bytes, intents, &intents_text, warnings);
    }
    if root.get("data").is_some_and(|data| !data.is_null()) {
        warnings.push("`data` beside a failure was dropped; use `error.details`".to_owned());
    }
    let (error, passing) = returned_failure::read(tool, root, form)?;
    Ok(NormalizedOutcome {
        intents,
        transient_failure: passing,
        ..NormalizedOutcome::failed(error, &intents_text, limit_bytes, warnings)
    })
}

/// The form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultForm {
    /// `{ ok, data?, error? }`.
    ToolResponse,
    /// `{ success, data?, error? }`, as handlers of older layers return it.
    ToolResult,
}

/// Whether a result is a success, and its form. `ok` decides if both forms are there.
fn form_of(root: Node<'_>) -> Option<(bool, ResultForm)> {
    match root.get("ok") {
        Some(ok) => Some((ok.as_bool()?, ResultForm::ToolResponse)),
        None => Some((root.get("success")?.as_bool()?, ResultForm::ToolResult)),
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
    Ok(NormalizedOutcome { outcome, intents, farewell, truncated, full, warnings, transient_failure: None })
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

/// Reads the intents. One that is larger than the data may be is dropped: it reaches the model as data does.
fn read_intents(root: Node<'_>, limit_bytes: u64) -> (Vec<Intent>, Vec<String>) {
    let Some(listed) = root.get("intents").filter(|listed| !listed.is_null()) else { return (Vec::new(), Vec::new()) };
    if listed.kind() != Kind::Array {
        return (Vec::new(), vec!["`intents` is not a list and was dropped".to_owned()]);
    }
    let (mut intents, mut warnings) = (Vec::new(), Vec::new());
    for one in listed.elements().take(MAX_INTENTS) {
        let bytes = one.raw().len();
        if u64::try_from(bytes).is_ok_and(|bytes| bytes > limit_bytes.max(MIN_INTENT_BYTES)) {
            warnings.push(format!("an intent of {bytes} bytes was dropped: it is larger than a result may be"));
            continue;
        }
        match Intent::parse(&one.to_value()) {
            Ok(intent) => intents.push(intent),
            Err(problem) => warnings.push(problem.chars().take(MAX_WARNING_CHARS).collect()),
        }
    }
    let more = listed.elements().skip(MAX_INTENTS).count();
    if more > 0 {
        warnings.push(format!("{more} intents after the first {MAX_INTENTS} were dropped"));
    }
    (intents, warnings)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    use super::super::tests::reading;
    use super::*;

    const LIMIT_BYTES: u64 = 100;

    /// The members of results, in the forms that handlers return, and other members.
    fn member() -> impl Strategy<Value = (&'static str, Value)> {
        let data = prop_oneof![
            Just(json!(null)),
            Just(json!({ "text": "a \"quoted\" text", "list": [1, -2.5, true, null, { "a": {} }] })),
            "[a-z\u{e9}\n]{0,120}".prop_map(Value::from),
        ];
        let intents = prop_oneof![Just(json!(null)), Just(json!([])), Just(json!([{ "type": "SUPPRESS_AUDIO" }]))];
        let error = prop_oneof![Just(json!(null)), Just(json!({ "type": "PERMANENT", "message": "m" }))];
        prop_oneof![
            4 => prop_oneof![9 => Just(json!(true)), 1 => Just(json!(false)), 1 => Just(json!(1))].prop_map(|ok| ("ok", ok)),
            4 => data.prop_map(|data| ("data", data)),
            1 => intents.prop_map(|intents| ("intents", intents)),
            1 => error.prop_map(|error| ("error", error)),
            1 => any::<bool>().prop_map(|success| ("success", json!(success))),
            1 => Just(("meta", json!({ "cached": true }))),
            1 => Just(("stream", json!(1))),
        ]
    }

    /// What differs between two outcomes, `farewell` aside, which only an intent needs.
    fn parts(normalized: Result<NormalizedOutcome, String>) -> Result<(String, usize, bool, Vec<String>), String> {
        normalized.map(|normalized| {
            let is_cut = normalized.truncated.is_some() || normalized.full.is_some();
            (normalized.outcome.identity().to_owned(), normalized.intents.len(), is_cut, normalized.warnings)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_plain_success_is_what_a_full_parse_says(members in prop::collection::vec(member(), 0..5), cut in 0..40_usize) {
            let value: Map<String, Value> = members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            let mut text = Value::Object(value).to_string();
            // Some texts are not JSON.
            if cut == 0 {
                text.pop();
            }
            if let Some(plain) = plain_success(&reading(), &text, LIMIT_BYTES) {
                prop_assert_eq!(parts(Ok(plain)), parts(parse_fully(&reading(), text, LIMIT_BYTES)));
            }
        }
    }

    #[test]
    fn only_a_success_that_is_taken_unchanged_is_plain() {
        let tool = reading();
        let is_plain = |text: &str| plain_success(&tool, text, LIMIT_BYTES).is_some();
        assert!(
            is_plain(r#"{"ok":true,"data":{"a":1},"intents":[],"meta":{},"error":null}"#) && is_plain(r#"{"ok":true}"#)
        );
        for text in [
            r#"{"ok":false}"#,
            r#"{"success":true}"#,
            r#"{"ok":true,"stream":1}"#,
            r#"{"ok":true,"error":{}}"#,
            r#"{"ok":true,"intents":[{}]}"#,
            r#"{"ok":true,"ok":true}"#,
            r#"{"ok":true"#,
        ] {
            assert!(!is_plain(text), "{text}");
        }
        assert!(!is_plain(&format!("{{\"ok\":true,\"data\":\"{}\"}}", "x".repeat(100))));
    }
}
