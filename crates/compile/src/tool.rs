//! One tool as its author wrote it: what was read from a folder, before anything says that it is right.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::dialect;
use super::guide::Guide;
use super::handler::Module;
use super::place::Place;
use super::provider::Declarations;
use super::source::SourceFile;
use toolgate_json::{Limits, Tape};
use toolgate_schema::{ArgsSchema, Places};

/// A tool's folder. A file that is missing or unreadable is absent here and was reported by the reader.
pub(super) struct Tool {
    /// The folder's name.
    pub(super) folder: String,
    /// The folder as findings show it: `tools/kb_search`.
    pub(super) label: String,
    pub(super) schema: Option<Document>,
    /// The schema module, also where it gives nothing.
    pub(super) module: Option<(PathBuf, SourceFile)>,
    pub(super) guide: Option<Guide>,
    pub(super) handler: Option<Handler>,
    /// What providers are told of it; absent while that is not known, and where `schema.json` has errors.
    pub(super) declared: Option<Declarations>,
}

impl Tool {
    /// What `toolId` must be.
    pub(super) fn expected_id(&self) -> String {
        self.folder.replace('-', "_")
    }

    /// Whether it may be called in a mode.
    pub(super) fn allows(&self, mode: &str) -> bool {
        let modes = self.schema.as_ref().and_then(|document| document.members.get("allowedModes"));
        modes.and_then(Value::as_array).into_iter().flatten().any(|allowed| allowed == mode)
    }

    /// Codes of warnings that the author says are intended.
    pub(super) fn accepted(&self) -> Vec<String> {
        let listed = self.schema.as_ref().and_then(|document| document.members.get("lintAccepted"));
        let codes = listed.and_then(Value::as_array).into_iter().flatten();
        codes.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// A handler module's file and what parsing it showed.
pub(super) struct Handler {
    pub(super) path: PathBuf,
    /// `handler.js` or `handler.mjs`.
    pub(super) file_name: &'static str,
    pub(super) file: SourceFile,
    pub(super) module: Module,
}

/// The fields of a tool: a `schema.json` that is a JSON object, a schema module, or both.
pub(super) struct Document {
    file: SourceFile,
    /// The module beside `file`, with the names of the fields that it gives.
    beside: Option<(SourceFile, BTreeSet<String>)>,
    pub(super) members: Map<String, Value>,
    /// The JSON Schemas in it.
    pub(super) schemas: Vec<Site>,
}

/// A JSON Schema within `schema.json`.
pub(super) struct Site {
    /// Where it stands: `/parameters`.
    pub(super) pointer: &'static str,
    pub(super) schema: Value,
    /// Absent where the schema is broken; the rule that says how it is broken is another one.
    places: Option<Places>,
    /// The schema as the gate has it, once arguments were completed with it; absent where it does not compile.
    arguments: OnceLock<Option<ArgsSchema>>,
}

/// Every place of a JSON Schema in `schema.json`.
const SITES: [&str; 3] = ["/parameters", "/resultSchema", "/confirmation/when"];

impl Document {
    pub(super) fn new(file: SourceFile, members: Map<String, Value>) -> Self {
        let schemas = SITES.iter().filter_map(|pointer| Site::new(pointer, follow(&members, pointer)?)).collect();
        Self { file, beside: None, members, schemas }
    }

    /// With the module that some of the members come from.
    pub(super) fn beside(self, module: SourceFile, fields: BTreeSet<String>) -> Self {
        Self { beside: Some((module, fields)), ..self }
    }

    /// The file that the value at a pointer stands in.
    fn file_of(&self, pointer: &str) -> &SourceFile {
        let field = toolgate_json::pointer::tokens(pointer).next();
        match &self.beside {
            Some((module, fields)) if field.is_some_and(|field| fields.contains(&*field)) => module,
            _ => &self.file,
        }
    }

    /// The names of its files.
    pub(super) fn labels(&self) -> impl Iterator<Item = &str> {
        let module = self.beside.as_ref().map(|(module, _)| module);
        [&self.file].into_iter().chain(module).map(|file| file.label.as_str())
    }

    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.members.get(field)?.as_str()
    }

    /// The value at a JSON Pointer.
    pub(super) fn at(&self, pointer: &str) -> Option<&Value> {
        follow(&self.members, pointer)
    }

    pub(super) fn at_value(&self, pointer: &str) -> Place {
        self.file_of(pointer).at_value(pointer)
    }

    pub(super) fn at_key(&self, pointer: &str) -> Place {
        self.file_of(pointer).at_key(pointer)
    }

    /// The place of a part of the text at a place, in bytes of that text.
    pub(super) fn at_part(&self, text: Place, part: &Range<usize>) -> Place {
        let file = self.file_of(text.pointer.as_deref().unwrap_or_default());
        file.at_part(text, part)
    }

    /// The parameters, where they are an object.
    pub(super) fn parameters(&self) -> Option<&Site> {
        self.schemas.iter().find(|site| site.pointer == "/parameters")
    }
}

fn follow<'a>(members: &'a Map<String, Value>, pointer: &str) -> Option<&'a Value> {
    let mut names = pointer.split('/').skip(1);
    let first = members.get(names.next()?)?;
    names.try_fold(first, |value, name| value.get(name))
}

impl Site {
    fn new(pointer: &'static str, schema: &Value) -> Option<Self> {
        if !schema.is_object() {
            return None;
        }
        let endless = super::refs::endless(schema).is_some();
        let places = if endless { None } else { Places::compile(schema) };
        Some(Self { pointer, schema: schema.clone(), places, arguments: OnceLock::new() })
    }

    /// What is wrong with a value under the schema at `pointer` (relative to this site), or `None` where it is right
    /// or the schema can't be asked.
    pub(super) fn rejects(&self, pointer: &str, value: &Value) -> Option<String> {
        told(&self.faults(pointer, value))
    }

    /// The same, fault by fault.
    pub(super) fn faults(&self, pointer: &str, value: &Value) -> Vec<Fault> {
        let faults = self.places.iter().flat_map(|places| places.faults(pointer, value));
        faults.map(|(pointer, message)| Fault { pointer, message }).collect()
    }

    /// What is wrong with arguments as the gate would validate them: with the defaults of what they leave out.
    pub(super) fn argument_faults(&self, arguments: &Value) -> Vec<Fault> {
        self.faults("", &self.completed(arguments).unwrap_or_else(|| arguments.clone()))
    }

    fn completed(&self, arguments: &Value) -> Option<Value> {
        // A schema whose places can't be asked is broken, or leads round without end.
        self.places.as_ref()?;
        let schema = self.arguments.get_or_init(|| ArgsSchema::compile(&self.schema).ok()).as_ref()?;
        let tape = Tape::parse(arguments.to_string(), &Limits::widest()).ok()?;
        serde_json::from_str(schema.complete(tape, &[]).tape.text()).ok()
    }

    /// Visits every schema in this one with its pointer relative to this site.
    pub(super) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&str, &'a Value)) {
        dialect::walk(&self.schema, "", visit);
    }
}

/// All faults in one sentence; `None` where there are none.
pub(super) fn told(faults: &[Fault]) -> Option<String> {
    let told: Vec<String> = faults.iter().map(Fault::told).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Something in a value that a schema rejects.
pub(super) struct Fault {
    /// JSON Pointer within the value.
    pub(super) pointer: String,
    message: String,
}

impl Fault {
    pub(super) fn told(&self) -> String {
        match self.pointer.as_str() {
            "" => self.message.clone(),
            pointer => format!("`{pointer}`: {}", self.message),
        }
    }
}
