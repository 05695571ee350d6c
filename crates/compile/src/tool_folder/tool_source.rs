//! One tool as its author wrote it: the content of its folder, not validated.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::guide::Guide;
use crate::handler::HandlerModule;
use crate::provider::Declarations;
use crate::schema::dialect;
use crate::text::location::SourceLocation;
use crate::text::source::SourceFile;
use toolgate_json::{Limits, Tape};
use toolgate_schema::{ArgsSchema, SubschemaValidators};

/// A tool's folder. A missing or unreadable file is absent here and was reported by the reader.
pub(crate) struct ToolSource {
    /// The folder's name.
    pub(crate) folder: String,
    /// The folder's name in findings: `tools/kb_search`.
    pub(crate) label: String,
    pub(crate) schema: Option<ToolDocument>,
    /// The schema module, even if it exports nothing.
    pub(crate) module: Option<(PathBuf, SourceFile)>,
    pub(crate) guide: Option<Guide>,
    pub(crate) handler: Option<HandlerFile>,
    /// The declarations for providers; absent until they are computed, and if `schema.json` has errors.
    pub(crate) declared: Option<Declarations>,
}

impl ToolSource {
    /// The required value of `toolId`.
    pub(crate) fn expected_id(&self) -> String {
        self.folder.replace('-', "_")
    }

    /// Whether the tool may be called in a mode.
    pub(crate) fn allows_mode(&self, mode: &str) -> bool {
        let modes = self.schema.as_ref().and_then(|document| document.members.get("allowedModes"));
        modes.and_then(Value::as_array).into_iter().flatten().any(|allowed| allowed == mode)
    }

    /// The codes in `lintAccepted`.
    pub(crate) fn accepted_codes(&self) -> Vec<String> {
        let listed = self.schema.as_ref().and_then(|document| document.members.get("lintAccepted"));
        let codes = listed.and_then(Value::as_array).into_iter().flatten();
        codes.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// A handler's file and the result of parsing it.
pub(crate) struct HandlerFile {
    pub(crate) path: PathBuf,
    /// `handler.js` or `handler.mjs`.
    pub(crate) file_name: &'static str,
    pub(crate) file: SourceFile,
    pub(crate) module: HandlerModule,
}

/// The fields of a tool: a `schema.json` that is a JSON object, a schema module, or both.
pub(crate) struct ToolDocument {
    file: SourceFile,
    /// The schema module beside `file`, with the names of the fields that it exports.
    module: Option<(SourceFile, BTreeSet<String>)>,
    pub(crate) members: Map<String, Value>,
    /// The JSON Schemas among the fields.
    pub(crate) schemas: Vec<EmbeddedSchema>,
}

/// A JSON Schema within `schema.json`.
pub(crate) struct EmbeddedSchema {
    /// JSON Pointer of the schema: `/parameters`.
    pub(crate) pointer: &'static str,
    pub(crate) schema: Value,
    /// Absent if the schema is invalid, which another rule reports.
    subschema_validators: Option<SubschemaValidators>,
    /// The schema as the gate compiles it, to fill in defaults; `None` if it does not compile.
    args_schema: OnceLock<Option<ArgsSchema>>,
}

pub(crate) const PARAMETERS_POINTER: &str = "/parameters";

/// Every JSON Pointer in `schema.json` at which a JSON Schema is expected.
pub(crate) const SCHEMA_POINTERS: [&str; 3] = [PARAMETERS_POINTER, "/resultSchema", "/confirmation/when"];

impl ToolDocument {
    pub(crate) fn new(file: SourceFile, members: Map<String, Value>) -> Self {
        let schemas = SCHEMA_POINTERS
            .iter()
            .filter_map(|pointer| EmbeddedSchema::new(pointer, value_at(&members, pointer)?))
            .collect();
        Self { file, module: None, members, schemas }
    }

    /// Adds the module that exports some of the members.
    pub(crate) fn with_module(self, module: SourceFile, fields: BTreeSet<String>) -> Self {
        Self { module: Some((module, fields)), ..self }
    }

    /// The file that contains the value at a pointer.
    fn file_containing(&self, pointer: &str) -> &SourceFile {
        let field = toolgate_json::pointer::tokens(pointer).next();
        match &self.module {
            Some((module, fields)) if field.is_some_and(|field| fields.contains(&*field)) => module,
            _ => &self.file,
        }
    }

    /// The labels of the files.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &str> {
        let module = self.module.as_ref().map(|(module, _)| module);
        [&self.file].into_iter().chain(module).map(|file| file.label.as_str())
    }

    pub(crate) fn string_field(&self, field: &str) -> Option<&str> {
        self.members.get(field)?.as_str()
    }

    /// The value at a JSON Pointer.
    pub(crate) fn value_at(&self, pointer: &str) -> Option<&Value> {
        value_at(&self.members, pointer)
    }

    pub(crate) fn at_value(&self, pointer: &str) -> SourceLocation {
        self.file_containing(pointer).at_value(pointer)
    }

    pub(crate) fn at_key(&self, pointer: &str) -> SourceLocation {
        self.file_containing(pointer).at_key(pointer)
    }

    /// The location of a byte range of the decoded string at `text`.
    pub(crate) fn at_string_part(&self, text: SourceLocation, part: &Range<usize>) -> SourceLocation {
        let file = self.file_containing(text.pointer.as_deref().unwrap_or_default());
        file.at_string_part(text, part)
    }

    /// The schema of the parameters, if it is an object.
    pub(crate) fn parameters(&self) -> Option<&EmbeddedSchema> {
        self.schemas.iter().find(|site| site.pointer == PARAMETERS_POINTER)
    }
}

fn value_at<'a>(members: &'a Map<String, Value>, pointer: &str) -> Option<&'a Value> {
    let mut names = pointer.split('/').skip(1);
    let first = members.get(names.next()?)?;
    names.try_fold(first, |value, name| value.get(name))
}

impl EmbeddedSchema {
    fn new(pointer: &'static str, schema: &Value) -> Option<Self> {
        if !schema.is_object() {
            return None;
        }
        let endless = crate::schema::refs::find_cycle(schema).is_some();
        let places = if endless { None } else { SubschemaValidators::compile(schema) };
        Some(Self { pointer, schema: schema.clone(), subschema_validators: places, args_schema: OnceLock::new() })
    }

    /// Why the schema at `pointer` (relative to this schema) rejects a value; `None` if the value is valid or the
    /// schema can't be compiled.
    pub(crate) fn rejection_reason(&self, pointer: &str, value: &Value) -> Option<String> {
        describe_faults(&self.faults(pointer, value))
    }

    /// The faults of a value under the schema at `pointer`; empty if the schema can't be compiled.
    pub(crate) fn faults(&self, pointer: &str, value: &Value) -> Vec<ValueFault> {
        let faults = self.subschema_validators.iter().flat_map(|places| places.errors_at(pointer, value));
        faults.map(|(pointer, message)| ValueFault { pointer, message }).collect()
    }

    /// The faults of arguments as the gate validates them: with defaults filled in.
    pub(crate) fn argument_faults(&self, arguments: &Value) -> Vec<ValueFault> {
        self.faults("", &self.with_defaults(arguments).unwrap_or_else(|| arguments.clone()))
    }

    fn with_defaults(&self, arguments: &Value) -> Option<Value> {
        // Without validators the schema is invalid or endlessly recursive.
        self.subschema_validators.as_ref()?;
        let schema = self.args_schema.get_or_init(|| ArgsSchema::compile(&self.schema).ok()).as_ref()?;
        let tape = Tape::parse(arguments.to_string(), &Limits::widest()).ok()?;
        serde_json::from_str(schema.complete(tape, &[]).tape.text()).ok()
    }

    /// Visits this schema and every subschema, with its pointer relative to this schema.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&str, &'a Value)) {
        dialect::walk(&self.schema, "", visit);
    }
}

/// All faults in one line; `None` if there are none.
pub(crate) fn describe_faults(faults: &[ValueFault]) -> Option<String> {
    let descriptions: Vec<String> = faults.iter().map(ValueFault::describe).collect();
    (!descriptions.is_empty()).then(|| descriptions.join("; "))
}

/// A part of a value that a schema rejects, and the reason.
pub(crate) struct ValueFault {
    /// JSON Pointer within the value.
    pub(crate) pointer: String,
    message: String,
}

impl ValueFault {
    pub(crate) fn describe(&self) -> String {
        match self.pointer.as_str() {
            "" => self.message.clone(),
            pointer => format!("`{pointer}`: {}", self.message),
        }
    }
}
