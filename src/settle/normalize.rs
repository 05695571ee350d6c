//! Normalization of a handler's return value. Nothing about the value is trusted: each invalid form has its defined
//! answer.

use serde_json::json;

use super::NormalizedOutcome;
use super::result_members::ResultMembers;
use super::returned_failure::{self, ResultForm};
use crate::json::{Kind, Limits, LoneSurrogates, Node, NumberRange, Tape};
use crate::registry::CompiledTool;
use crate::response::Outcome;
use crate::session::intent::Intent;
use crate::session::state::Farewell;
use crate::view::{self, LongTexts};

/// The largest nesting depth of a result.
const MAX_DEPTH: u32 = 512;
/// The size of an intent that is read whatever the limit of data is, in bytes of JSON text.
const MIN_INTENT_BYTES: u64 = 1024;
/// The number of intents that are read.
const MAX_INTENTS: usize = 16;
/// The number of a handler's own warnings.
const MAX_OWN_WARNINGS: usize = 10;
/// The length of a warning that quotes the result, and of a handler's own.
const MAX_WARNING_CHARS: usize = 200;
/// An empty list of intents as text.
const NO_INTENTS: &str = "[]";

/// Reads a result's JSON text.
///
/// # Errors
/// The problem, as a clause for the middle of a sentence.
pub(super) fn parse_result(tool: &CompiledTool, text: String, limit_bytes: u64) -> Result<NormalizedOutcome, String> {
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
    let members = ResultMembers::read(root);
    let (intents, mut warnings) = read_intents(members.intents, limit_bytes);
    // Most results have no intents.
    let intents_text = if intents.is_empty() { NO_INTENTS.to_owned() } else { json!(intents).to_string() };
    let (ok, form) = form_of(&members).ok_or("its result has no boolean `ok`")?;
    warnings.extend(members.unknown_warning());
    warnings.extend(own_warnings(members.meta));
    if ok {
        if members.error.is_some() {
            warnings.push("an `error` beside `ok: true` was dropped".to_owned());
        }
        return success(tool, members.data, limit_bytes, intents, &intents_text, warnings);
    }
    if members.data.is_some_and(|data| !data.is_null()) {
        warnings.push("`data` beside a failure was dropped; use `error.details`".to_owned());
    }
    let (error, passing) = returned_failure::read(tool, members.error, members.is_of_the_gate(), form)?;
    Ok(NormalizedOutcome {
        intents,
        transient_failure: passing,
        ..NormalizedOutcome::failed(error, &intents_text, limit_bytes, warnings)
    })
}

/// Whether a result is a success, and its form. `ok` decides if both forms are there.
fn form_of(members: &ResultMembers<'_>) -> Option<(bool, ResultForm)> {
    match members.ok {
        Some(ok) => Some((ok.as_bool()?, ResultForm::ToolResponse)),
        None => Some((members.success?.as_bool()?, ResultForm::ToolResult)),
    }
}

fn success(
    tool: &CompiledTool,
    data: Option<Node<'_>>,
    limit_bytes: u64,
    intents: Vec<Intent>,
    intents_text: &str,
    warnings: Vec<String>,
) -> Result<NormalizedOutcome, String> {
    if let Some(schema) = &tool.result_schema {
        check_data(schema, data)?;
    }
    let needs_words = intents.iter().any(|intent| matches!(intent, Intent::EndVoiceSession { .. }));
    let farewell = if needs_words {
        Farewell::from_result_data(data.map(|data| data.to_value()).as_ref())
    } else {
        Farewell::default()
    };
    let texts = if tool.definition.source.is_some() { LongTexts::Cut } else { LongTexts::Whole };
    let (capped, truncated) = data.and_then(|data| view::shorten(data, limit_bytes, texts)).unzip();
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

/// Reads the handler's own warnings, `meta.warnings`. The rest of `meta` is the gate's to say.
fn own_warnings(meta: Option<Node<'_>>) -> Vec<String> {
    let Some(listed) = meta.and_then(|meta| meta.get("warnings")) else { return Vec::new() };
    let texts = listed.elements().take(MAX_OWN_WARNINGS).filter_map(|one| one.as_str());
    texts.map(|text| text.chars().take(MAX_WARNING_CHARS).collect()).collect()
}

/// Reads the intents. One that is larger than the data may be is dropped: it reaches the model as data does.
fn read_intents(listed: Option<Node<'_>>, limit_bytes: u64) -> (Vec<Intent>, Vec<String>) {
    let Some(listed) = listed else { return (Vec::new(), Vec::new()) };
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
