//! A schema of a definition: read as the draft that it declares, checked, and cleaned of what says nothing.

use serde_json::{Map, Value, json};

use super::findings::{Found, is_left_out};
use super::given::Field;
use crate::code::Code;
use crate::drafts::{Draft, Moved, Note, NoteKind, modern};
use crate::refs;
use crate::report::{Diagnostic, Findings};
use crate::source::SourceFile;
use crate::tool::{Document, Tool};
use crate::{dialect, lint};
use toolgate_schema::CompiledSchema;

/// The name of the schema in the document that the rules are shown.
const SITE: &str = "/parameters";

/// A schema in draft 2020-12.
pub(super) struct Usable {
    pub(super) schema: Value,
    /// JSON Pointer of the schema in the definition.
    at: String,
    moved: Moved,
}

impl Usable {
    /// Where something of the schema stands in the definition.
    pub(super) fn given(&self, pointer: &str) -> String {
        format!("{}{}", self.at, self.moved.old_of(pointer))
    }
}

/// The schema as it is used; `None` where it can't be, which `found` says.
pub(super) fn usable(field: &Field<'_>, found: &mut Found) -> Option<Usable> {
    let Value::Object(_) = field.value else {
        found.error(Code::WrongType, field.at.clone(), "the schema is no object", "write a JSON Schema as an object");
        return None;
    };
    let declared = Draft::declared(field.value).unwrap_or(Draft::Year2020);
    let faults = lint::draft_faults(field.value, declared);
    for fault in &faults {
        let pointer = format!("{}{}", field.at, fault.pointer);
        found.error(Code::SchemaInvalid, pointer, fault.message.clone(), fault.help.clone());
    }
    if !faults.is_empty() {
        return None;
    }
    let mut rewritten = modern(field.value);
    for note in &rewritten.notes {
        tell(note, rewritten.draft, &field.at, found);
    }
    let schema = &mut rewritten.schema;
    let mut clean = schema.clone();
    let mut useless = Vec::new();
    for finding in by_rules(schema, None) {
        let pointer = finding.pointer.clone().unwrap_or_default();
        if let Some(inner) = pointer.strip_prefix(SITE) {
            if is_left_out(finding.code) {
                useless.push(inner.to_owned());
            }
            found.rule(finding, format!("{}{}", field.at, rewritten.moved.old_of(inner)));
        }
    }
    for pointer in useless.iter().filter(|pointer| pointer.ends_with("/propertyOrdering")) {
        reorder(&mut clean, pointer);
    }
    remove(&mut clean, useless);
    if !found.has_errors()
        && let Err(error) = CompiledSchema::compile(&clean)
    {
        let help = "take out the part that the message names";
        found.error(Code::SchemaInvalid, field.at.clone(), format!("the schema does not compile: {error}"), help);
    }
    let moved = rewritten.moved;
    (!found.has_errors()).then_some(Usable { schema: clean, at: field.at.clone(), moved })
}

/// What the rules of a build say.
fn by_rules(schema: &Value, examples: Option<&Value>) -> Vec<Diagnostic> {
    let mut members = Map::from_iter([("parameters".to_owned(), schema.clone())]);
    if let Some(examples) = examples {
        members.insert("examples".to_owned(), examples.clone());
    }
    let document = Document::new(SourceFile::new(String::new(), ""), members);
    let (folder, label) = (String::new(), String::new());
    let tool = Tool { folder, label, schema: Some(document), module: None, guide: None, handler: None, declared: None };
    let mut findings = Findings::default();
    lint::check_schemas(&tool, &mut findings);
    findings.into_sorted().0
}

/// The examples that the schema takes.
pub(super) fn fitting(schema: &Value, examples: &Field<'_>, found: &mut Found) -> Vec<Value> {
    let Value::Array(list) = examples.value else {
        let help = "write a list of arguments";
        found.error(Code::WrongType, examples.at.clone(), "the examples are no list", help);
        return Vec::new();
    };
    let rejected = by_rules(schema, Some(examples.value)).into_iter().filter_map(|finding| {
        let index: usize = finding.pointer.as_deref()?.strip_prefix("/examples/")?.parse().ok()?;
        Some((index, finding))
    });
    let rejected: Vec<(usize, Diagnostic)> = rejected.collect();
    let fits = |index: usize| rejected.iter().all(|(other, _)| *other != index);
    let fitting =
        list.iter().enumerate().filter(|(index, _)| fits(*index)).map(|(_, example)| example.clone()).collect();
    for (index, finding) in rejected {
        found.rule(finding, format!("{}/{index}", examples.at));
    }
    fitting
}

fn tell(note: &Note, draft: Draft, at: &str, found: &mut Found) {
    let pointer = format!("{at}{}", note.pointer);
    let named = "https://json-schema.org/draft/2020-12/schema";
    let (code, message, help) = match &note.kind {
        NoteKind::UnknownDraft { named } => {
            let help = "the schema is read as draft 2020-12; remove `$schema`, or name the draft that it is written in";
            (Code::UnknownDialect, format!("`{named}` is no known draft"), help.to_owned())
        }
        NoteKind::OtherDraft => {
            let help = format!("it is read as {}, as the whole is; write it in that draft", draft.name());
            (Code::UnknownDialect, "a schema inside names another draft".to_owned(), help)
        }
        NoteKind::CameLater { keyword } => {
            let help = format!("declare `\"$schema\": \"{named}\"` if it is meant");
            (Code::IgnoredKeyword, format!("{} does not know `{keyword}`; it is left out", draft.name()), help)
        }
        NoteKind::BesideRef { keyword } => {
            let help = format!("put both into `allOf`, or declare `\"$schema\": \"{named}\"` if it is meant");
            let message = format!("{} does not look at `{keyword}` beside `$ref`; it is left out", draft.name());
            (Code::IgnoredKeyword, message, help)
        }
    };
    found.warning(code, pointer, message, help);
}

/// Gemini's word for what others read from the properties themselves.
fn reorder(schema: &mut Value, pointer: &str) {
    let around = pointer.strip_suffix("/propertyOrdering").and_then(|around| schema.pointer_mut(around));
    let Some(Value::Object(members)) = around else { return };
    let ordering = members.get("propertyOrdering").cloned();
    let names = ordering.as_ref().and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        let mut ordered: Map<String, Value> = Map::new();
        for name in names {
            ordered.extend(properties.shift_remove(name).map(|property| (name.to_owned(), property)));
        }
        ordered.append(properties);
        *properties = ordered;
    }
}

/// Takes members and items out, from the last to the first. What something refers to stays.
fn remove(schema: &mut Value, mut pointers: Vec<String>) {
    let mut targets = Vec::new();
    dialect::walk(schema, "", &mut |_, inner| {
        let target = refs::reference(inner).and_then(|(_, reference)| refs::resolve(schema, reference));
        targets.extend(target.map(|(pointer, _)| pointer));
    });
    pointers.retain(|pointer| !targets.iter().any(|target| target.starts_with(&format!("{pointer}/"))));
    // Of two items of a list the later goes first, and an item goes before what it is in.
    pointers
        .sort_by_key(|pointer| (std::cmp::Reverse(pointer.matches('/').count()), std::cmp::Reverse(index(pointer))));
    for pointer in pointers {
        let Some((parent, _)) = pointer.rsplit_once('/') else { continue };
        let Some(last) = toolgate_json::pointer::tokens(&pointer).last() else { continue };
        match schema.pointer_mut(parent) {
            Some(Value::Object(members)) => {
                members.shift_remove(&*last);
            }
            Some(Value::Array(items)) => {
                if let Some(index) = toolgate_json::pointer::index(&last).filter(|index| *index < items.len()) {
                    items.remove(index);
                }
            }
            _ => {}
        }
    }
}

fn index(pointer: &str) -> Option<usize> {
    pointer.rsplit_once('/').and_then(|(_, last)| toolgate_json::pointer::index(last))
}

/// A schema of arguments: an object's. One that does not say so is taken at its word that arguments are one.
pub(super) fn of_an_object(mut usable: Usable, found: &mut Found) -> Option<Usable> {
    let members = usable.schema.as_object_mut()?;
    if members.is_empty() {
        return Some(Usable { schema: none(), ..usable });
    }
    let is_object = match members.get("type") {
        None => {
            members.shift_insert(0, "type".to_owned(), json!("object"));
            true
        }
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        Some(name) => name == "object",
    };
    if !is_object {
        let help = "arguments are named: write `\"type\": \"object\"` with `properties`";
        found.error(Code::SchemaNotObject, format!("{}/type", usable.at), "the parameters are no object schema", help);
        return None;
    }
    if let Some(kind) = members.get_mut("type") {
        *kind = json!("object");
    }
    Some(usable)
}

/// What a tool without parameters takes, which would stand at `at`.
pub(super) fn no_parameters(at: String) -> Usable {
    Usable { schema: none(), at, moved: Moved::default() }
}

fn none() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}
