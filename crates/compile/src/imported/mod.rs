//! Other people's definitions: one value in, declarations for every provider out.
//!
//! Nothing here reads a file, and a bad definition is data: everything that is wrong with it is a finding with a code
//! of the build's and a pointer into the definition. With an error nothing is declared.

mod findings;
mod given;
mod metadata;
mod name;
mod schema;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

pub use findings::ToolFinding;

use super::code::Code;
use super::source::pointer;
use super::written::written;
use super::{Declarations, apart, declare, resolve};
use findings::Found;
use given::Given;
use metadata::Metadata;
use schema::Usable;
use toolgate_definition::{Confirmation, LoweringEntry, Retry, SideEffects, Timeout, ToolDefinition};

/// A definition, ready for a gate and for every provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompiledTool {
    /// True where there is no error.
    pub ok: bool,
    /// The definition's name, or the portable name that is suggested for it; absent where it has none.
    pub tool_id: Option<String>,
    /// The parameters in draft 2020-12: what validates calls. Absent where there are errors.
    pub json_schema: Option<Value>,
    /// What is sent to each provider; empty where there are errors.
    pub provider_schemas: BTreeMap<String, Value>,
    /// What each declaration lost or changed. Pointers are into `json_schema`.
    pub lowering: BTreeMap<String, Vec<LoweringEntry>>,
    /// Errors first, then by place.
    pub diagnostics: Vec<ToolFinding>,
}

/// A place of a definition whose value no JSON text can carry. It is absent from the definition itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct BrokenValue {
    /// JSON Pointer into the definition.
    pub pointer: String,
    /// What it is: `a function`.
    pub what: String,
}

/// Larger and deeper than any definition that a provider takes.
const MAX_BYTES: usize = 1024 * 1024;
const MAX_DEPTH: usize = 100;

/// Compiles a definition. Never panics, whatever it holds.
#[must_use]
pub fn compile_tool(definition: &Value) -> CompiledTool {
    guarded(definition, Found::default())
}

/// As [`compile_tool`], from JSON text whose value is an object; `broken` is what the text could not carry.
#[must_use]
pub fn compile_tool_text(text: &str, broken: &[BrokenValue]) -> CompiledTool {
    let mut found = Found::default();
    for BrokenValue { pointer, what } in broken {
        let help = "a definition is what JSON can say: objects, lists, texts, numbers, true, false and null";
        found.error(Code::WrongType, pointer.clone(), format!("{what} is not JSON"), help);
    }
    guarded(&parsed(text, &mut found), found)
}

/// The definition; a field that is too large or deep is left out, so that the others are still read.
fn parsed(text: &str, found: &mut Found) -> Value {
    let fields: BTreeMap<String, &RawValue> = match serde_json::from_str(text) {
        Ok(fields) => fields,
        Err(error) => {
            found.error(Code::InvalidJson, String::new(), format!("not a JSON object: {error}"), "give an object");
            return json!({});
        }
    };
    let mut definition = Map::new();
    for (name, raw) in fields {
        match serde_json::from_str::<Value>(raw.get()) {
            Ok(value) if raw.get().len() <= MAX_BYTES => {
                definition.insert(name, value);
            }
            Ok(_) => too_large(&pointer(&[&name]), &format!("`{name}` is larger than 1 MiB"), found),
            Err(_) => too_deep(&pointer(&[&name]), found),
        }
    }
    Value::Object(definition)
}

fn too_large(at: &str, message: &str, found: &mut Found) {
    found.error(Code::TooLarge, at.to_owned(), message, "no provider takes a definition of this size; make it smaller");
}

fn too_deep(at: &str, found: &mut Found) {
    let message = format!("it nests deeper than {MAX_DEPTH} levels");
    found.error(Code::TooLarge, at.to_owned(), message, "no provider takes a schema of this depth; make it flatter");
}

fn guarded(definition: &Value, mut found: Found) -> CompiledTool {
    if is_deep(definition) {
        too_deep("", &mut found);
        let diagnostics = found.into_sorted();
        return CompiledTool { diagnostics, ..CompiledTool::default() };
    }
    apart(|| compiled(definition, found)).unwrap_or_else(|| {
        let mut found = Found::default();
        let help = "it is a defect of toolgate; leave out parts of the schema to see which one it is";
        found.error(Code::Internal, String::new(), "compiling broke off", help);
        CompiledTool { diagnostics: found.into_sorted(), ..CompiledTool::default() }
    })
}

/// Without recursion: the value may nest as deep as memory goes.
fn is_deep(value: &Value) -> bool {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    false
}

fn compiled(definition: &Value, mut found: Found) -> CompiledTool {
    let Value::Object(members) = definition else {
        let help = "give an object with `name`, `description` and `parameters`";
        found.error(Code::WrongType, String::new(), "the definition is no object", help);
        return CompiledTool { diagnostics: found.into_sorted(), ..CompiledTool::default() };
    };
    let given = Given::new(members);
    given.slips(&mut found);
    let tool_id = tool_id(&given, &mut found);
    let metadata = Metadata::read(&given, &mut found);
    let usable = parameters(&given, &mut found);
    let examples = match (given.examples(), &usable) {
        (Some(examples), Some(usable)) => schema::fitting(&usable.schema, &examples, &mut found),
        _ => Vec::new(),
    };
    let result_schema = result(&given, &mut found);
    let ready = tool_id.clone().zip(usable).filter(|_| !found.has_errors());
    let Some((id, usable)) = ready else {
        return CompiledTool { tool_id, diagnostics: found.into_sorted(), ..CompiledTool::default() };
    };
    let hints = metadata.hints.clone();
    let definition = assembled(id, usable.schema.clone(), metadata, (examples, result_schema));
    let declarations = declare(&definition);
    for missing in declarations.missing() {
        let message = format!("`{}` can't take the tool: {}", missing.target, missing.reason);
        let help = "change the schema at this place where the provider is wanted; the others are declared";
        found.warning(Code::ProviderImpossible, usable.given(&written(&usable.schema, missing.pointer)), message, help);
    }
    let Declarations { mut provider_schemas, lowering } = declarations;
    if let Some(Value::Object(annotations)) =
        provider_schemas.get_mut("mcp").and_then(|tool| tool.get_mut("annotations"))
    {
        annotations.extend(hints);
    }
    CompiledTool {
        ok: true,
        tool_id,
        json_schema: Some(usable.schema),
        provider_schemas,
        lowering,
        diagnostics: found.into_sorted(),
    }
}

fn tool_id(given: &Given<'_>, found: &mut Found) -> Option<String> {
    let Some(field) = given.field("name") else {
        let help = "add it: a lower-case letter, then lower-case letters, digits or `_`, 64 at most";
        found.error(Code::MissingField, given.pointer("name"), "`name` is missing", help);
        return None;
    };
    let Some(name) = field.value.as_str().filter(|name| !name.trim().is_empty()) else {
        found.error(Code::WrongType, field.at, "`name` is no text with something in it", "write the tool's name");
        return None;
    };
    let id = name::portable(name);
    if id != name {
        let message = format!(
            "`{name}` is no name that every provider takes: a lower-case letter, then lower-case \
                               letters, digits or `_`, 64 at most"
        );
        found.warning(Code::BadToolId, field.at, message, format!("it is declared as `{id}`; name it so"));
    }
    Some(id)
}

fn parameters(given: &Given<'_>, found: &mut Found) -> Option<Usable> {
    let Some(field) = given.parameters() else { return Some(schema::no_parameters(given.pointer("parameters"))) };
    let mut own = Found::default();
    let usable = schema::usable(&field, &mut own);
    let usable = usable.and_then(|usable| schema::of_an_object(usable, &mut own));
    found.absorb(own);
    usable
}

/// A result's schema that can't be used is left out: what goes in is checked all the same.
fn result(given: &Given<'_>, found: &mut Found) -> Option<Value> {
    let field = given.result()?;
    let mut own = Found::default();
    let usable = schema::usable(&field, &mut own);
    found.soften(own);
    usable.map(|usable| usable.schema)
}

fn assembled(
    tool_id: String,
    json_schema: Value,
    metadata: Metadata,
    (examples, result_schema): (Vec<Value>, Option<Value>),
) -> ToolDefinition {
    ToolDefinition {
        title: metadata.title.unwrap_or_else(|| resolve::title(&tool_id)),
        version: "0.0.0".to_owned(),
        summary: metadata.description.clone(),
        documentation: metadata.description.clone(),
        description: metadata.description,
        category: metadata.category,
        side_effects: metadata.side_effects,
        idempotent: metadata.idempotent,
        requires_confirmation: false,
        allowed_modes: Vec::new(),
        latency_budget_ms: 1000,
        timeout_ms: Timeout::default(),
        retry: Retry::default(),
        cache: None,
        rate_limit: None,
        required_roles: Vec::new(),
        requires: Vec::new(),
        confirmation: Confirmation::default(),
        clamp: BTreeMap::new(),
        result_schema: result_schema.map(Into::into),
        result_limit_bytes: None,
        examples,
        parallel: metadata.side_effects != SideEffects::Writes,
        json_schema: json_schema.into(),
        handler_path: String::new(),
        tool_id,
    }
}
