//! Compilation of definitions written for other systems into declarations for every provider.
//!
//! Nothing here reads a file. An invalid definition is not a failure: each problem is a finding with a build code and a
//! pointer into the definition. A definition with an error is not declared.

mod adopted_definitions;
mod findings;
mod metadata;
mod openapi_form;
mod patterns;
pub(crate) mod portable_name;
mod raw_definition;
mod schema;
mod wrapped;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

pub use findings::ToolFinding;

use crate::Declarations;
use crate::declare;
use crate::findings::code::Code;
use crate::run_on_build_thread;
use crate::text::source::pointer_from_names;
use crate::text::source_pointer::source_pointer;
use crate::tool_folder::tool_definition;
use findings::ToolFindings;
use metadata::ImportedMetadata;
use raw_definition::RawDefinition;
use schema::ImportedSchema;
use toolgate_definition::{
    Confirmation, LoweringEntry, RepairRules, Retry, SideEffects, TimeRules, Timeout, ToolDefinition,
};

/// The result of compiling an imported definition.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCompilation {
    /// True if there is no error.
    pub ok: bool,
    /// The definition's name, or the portable name suggested for it; absent if it has no name.
    pub tool_id: Option<String>,
    /// The parameters in draft 2020-12, which validate calls. Absent if there are errors.
    pub json_schema: Option<Value>,
    /// The declaration sent to each provider; empty if there are errors.
    pub provider_schemas: BTreeMap<String, Value>,
    /// The losses and changes of each declaration. Pointers are into `json_schema`.
    pub lowering: BTreeMap<String, Vec<LoweringEntry>>,
    /// Errors first, then by pointer.
    pub diagnostics: Vec<ToolFinding>,
}

/// A value in a definition that JSON can't represent. It is absent from the definition itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NonJsonValue {
    /// JSON Pointer into the definition.
    pub pointer: String,
    /// The kind of value: `a function`.
    pub what: String,
}

/// Limits of a definition; providers accept less.
const MAX_BYTES: usize = 1024 * 1024;
const MAX_DEPTH: usize = 100;

/// Compiles a definition. Never panics.
#[must_use]
pub fn compile_tool(definition: &Value) -> ToolCompilation {
    compile_guarded(definition, ToolFindings::default())
}

/// As [`compile_tool`], from the JSON text of an object; `broken` are the values that JSON can't represent.
#[must_use]
pub fn compile_tool_text(text: &str, broken: &[NonJsonValue]) -> ToolCompilation {
    let mut found = ToolFindings::default();
    for NonJsonValue { pointer, what } in broken {
        let help = "use only JSON values: objects, arrays, strings, numbers, true, false and null";
        found.error(Code::WrongType, pointer.clone(), format!("{what} is not JSON"), help);
    }
    compile_guarded(&parse_fields(text, &mut found), found)
}

/// Parses the definition. A field that is too large or deep is left out, so that the others are still read.
fn parse_fields(text: &str, found: &mut ToolFindings) -> Value {
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
            Ok(_) => report_too_large(&pointer_from_names(&[&name]), &format!("`{name}` is larger than 1 MiB"), found),
            Err(_) => report_too_deep(&pointer_from_names(&[&name]), found),
        }
    }
    Value::Object(definition)
}

fn report_too_large(at: &str, message: &str, found: &mut ToolFindings) {
    found.error(
        Code::TooLarge,
        at.to_owned(),
        message,
        "no provider accepts a definition of this size; make it smaller",
    );
}

fn report_too_deep(at: &str, found: &mut ToolFindings) {
    let message = format!("it nests deeper than {MAX_DEPTH} levels");
    found.error(Code::TooLarge, at.to_owned(), message, "no provider accepts a schema of this depth; make it flatter");
}

fn compile_guarded(definition: &Value, mut found: ToolFindings) -> ToolCompilation {
    if exceeds_max_depth(definition) {
        report_too_deep("", &mut found);
        let diagnostics = found.into_sorted();
        return ToolCompilation { diagnostics, ..ToolCompilation::default() };
    }
    run_on_build_thread(|| compile_definition(definition, found)).unwrap_or_else(|| {
        let mut found = ToolFindings::default();
        let help = "this is a defect of toolgate; remove parts of the schema to find the cause";
        found.error(Code::Internal, String::new(), "the compiler failed", help);
        ToolCompilation { diagnostics: found.into_sorted(), ..ToolCompilation::default() }
    })
}

/// Whether a value exceeds [`MAX_DEPTH`]. Not recursive, because the depth is unbounded.
fn exceeds_max_depth(value: &Value) -> bool {
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

fn compile_definition(definition: &Value, mut found: ToolFindings) -> ToolCompilation {
    let Value::Object(members) = definition else {
        let help = "give an object with `name`, `description` and `parameters`";
        found.error(Code::WrongType, String::new(), "the definition is not an object", help);
        return ToolCompilation { diagnostics: found.into_sorted(), ..ToolCompilation::default() };
    };
    let given = RawDefinition::new(members);
    given.report_misspelled_fields(&mut found);
    let tool_id = read_tool_id(&given, members, &mut found);
    let metadata = ImportedMetadata::from_definition(&given, &mut found);
    let usable = read_parameters(&given, &mut found);
    let examples = match (given.examples(), &usable) {
        (Some(examples), Some(usable)) => schema::valid_examples(&usable.schema, &examples, &mut found),
        _ => Vec::new(),
    };
    let result_schema = read_result_schema(&given, &mut found);
    let ready = tool_id.clone().zip(usable).filter(|_| !found.has_errors());
    let Some((id, usable)) = ready else {
        return ToolCompilation { tool_id, diagnostics: found.into_sorted(), ..ToolCompilation::default() };
    };
    let hints = metadata.hints.clone();
    let definition = assemble_definition(id, usable.schema.clone(), metadata, (examples, result_schema));
    let declarations = declare(&definition);
    for missing in declarations.missing() {
        let message = format!("the tool can't be declared to `{}`: {}", missing.target, missing.reason);
        let help = "change the schema here if you need this provider; the tool is declared to the others";
        found.warning(
            missing.code(),
            usable.definition_pointer(&source_pointer(&usable.schema, missing.pointer)),
            message,
            help,
        );
    }
    let Declarations { mut provider_schemas, lowering, .. } = declarations;
    if let Some(Value::Object(annotations)) =
        provider_schemas.get_mut("mcp").and_then(|tool| tool.get_mut("annotations"))
    {
        annotations.extend(hints);
    }
    ToolCompilation {
        ok: true,
        tool_id,
        json_schema: Some(usable.schema),
        provider_schemas,
        lowering,
        diagnostics: found.into_sorted(),
    }
}

/// The schemas of a definition as published, which another program runs.
pub(crate) struct PublishedSchemas {
    /// The parameters as they are declared; absent if they can't be used.
    pub(crate) declared: Option<Value>,
    /// The parameters that calls are checked by: without defaults, which are filled in by whoever runs the tool.
    pub(crate) checked: Option<Value>,
    /// The schema of results, if it can be used.
    pub(crate) result: Option<Value>,
    /// What is wrong, with pointers into the definition.
    pub(crate) findings: Vec<ToolFinding>,
}

/// The schemas of a definition in MCP's form.
pub(crate) fn published_schemas(definition: &Value) -> PublishedSchemas {
    let mut found = ToolFindings::default();
    let Some(members) = definition.as_object().filter(|_| !exceeds_max_depth(definition)) else {
        report_too_deep("", &mut found);
        return PublishedSchemas { declared: None, checked: None, result: None, findings: found.into_sorted() };
    };
    let given = RawDefinition::new(members);
    let declared = read_parameters(&given, &mut found).map(|usable| usable.schema);
    let checked = declared.clone().map(schema::without_defaults);
    let result = read_result_schema(&given, &mut found);
    PublishedSchemas { declared, checked, result, findings: found.into_sorted() }
}

fn read_tool_id(given: &RawDefinition<'_>, members: &Map<String, Value>, found: &mut ToolFindings) -> Option<String> {
    let Some(field) = given.field("name") else {
        let add = "add it: a lower-case letter, then lower-case letters, digits or `_`, 64 at most";
        let help = wrapped::help_for_wrapped(members).unwrap_or_else(|| add.to_owned());
        found.error(Code::MissingField, given.pointer("name"), "`name` is missing", help);
        return None;
    };
    let Some(name) = field.value.as_str().filter(|name| !name.trim().is_empty()) else {
        found.error(Code::WrongType, field.at, "`name` is not a non-empty string", "write the tool's name");
        return None;
    };
    let id = portable_name::portable_name(name);
    if id != name {
        let message = format!(
            "not every provider accepts the name `{name}`: use a lower-case letter, then lower-case \
                               letters, digits or `_`, 64 at most"
        );
        found.warning(Code::BadToolId, field.at, message, format!("it is declared as `{id}`; use that name"));
    }
    Some(id)
}

fn read_parameters(given: &RawDefinition<'_>, found: &mut ToolFindings) -> Option<ImportedSchema> {
    let Some(field) = given.parameters() else { return Some(schema::no_parameters(given.pointer("parameters"))) };
    let mut own = ToolFindings::default();
    let usable = schema::import_schema(&field, &mut own);
    let usable = usable.and_then(|usable| schema::require_object(usable, &mut own));
    found.append(own);
    usable
}

/// The result schema. An invalid one is left out: arguments are still validated.
fn read_result_schema(given: &RawDefinition<'_>, found: &mut ToolFindings) -> Option<Value> {
    let field = given.result_schema()?;
    let mut own = ToolFindings::default();
    let usable = schema::import_schema(&field, &mut own);
    found.add_as_warnings(own);
    usable.map(|usable| usable.schema)
}

fn assemble_definition(
    tool_id: String,
    json_schema: Value,
    metadata: ImportedMetadata,
    (examples, result_schema): (Vec<Value>, Option<Value>),
) -> ToolDefinition {
    ToolDefinition {
        title: metadata.title.unwrap_or_else(|| tool_definition::default_title(&tool_id)),
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
        background: None,
        duplicate: None,
        retry: Retry::default(),
        cache: None,
        rate_limit: None,
        required_roles: Vec::new(),
        requires: Vec::new(),
        confirmation: Confirmation::default(),
        clamp: BTreeMap::new(),
        time_rules: TimeRules::default(),
        result_schema: result_schema.map(Into::into),
        result_limit_bytes: None,
        examples,
        parallel: metadata.side_effects != SideEffects::Writes,
        repeatable: false,
        repair: RepairRules::ALL,
        always_declared: false,
        nested_only: false,
        json_schema: json_schema.into(),
        handler_path: String::new(),
        source: None,
        tool_id,
    }
}
