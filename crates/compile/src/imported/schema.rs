//! A schema of a definition: upgraded from its declared draft, checked, and cleaned of parts without effect.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::adopted_definitions::adopt_reference_targets;
use super::findings::{ToolFindings, is_removed};
use super::openapi_form::{sort_properties, to_json_schema};
use super::patterns::adopt_patterns;
use super::raw_definition::DefinitionField;
use crate::draft_upgrade::{Draft, PointerMap, UpgradeNote, UpgradeNoteKind, upgrade_schema};
use crate::findings::code::Code;
use crate::findings::report::{Diagnostic, Findings};
use crate::lint;
use crate::schema::dialect;
use crate::schema::object_root::make_object_root;
use crate::schema::reference_encoding::encode_references;
use crate::schema::refs;
use crate::text::source::SourceFile;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};
use toolgate_schema::CompiledSchema;

/// The pointer of the schema in the document that the build rules check.
const PARAMETERS_POINTER: &str = "/parameters";

/// A schema in draft 2020-12.
pub(super) struct ImportedSchema {
    pub(super) schema: Value,
    /// JSON Pointer of the schema in the definition.
    at: String,
    pointer_map: PointerMap,
}

impl ImportedSchema {
    /// The pointer into the definition for a pointer into the schema.
    pub(super) fn definition_pointer(&self, pointer: &str) -> String {
        format!("{}{}", self.at, self.pointer_map.old_pointer(pointer))
    }
}

/// The schema of a field; `None` if it is invalid, with an error in `found`.
pub(super) fn import_schema(field: &DefinitionField<'_>, found: &mut ToolFindings) -> Option<ImportedSchema> {
    let Value::Object(_) = field.value else {
        found.error(
            Code::WrongType,
            field.at.clone(),
            "the schema is not an object",
            "write a JSON Schema as an object",
        );
        return None;
    };
    let mut given = to_json_schema(field.value, &field.at, found);
    encode_references(given.to_mut());
    let declared = Draft::declared(&given).unwrap_or(Draft::Year2020);
    let faults = lint::draft_faults(&given, declared);
    for fault in &faults {
        let pointer = format!("{}{}", field.at, fault.pointer);
        found.error(Code::SchemaInvalid, pointer, fault.message.clone(), fault.help.clone());
    }
    if !faults.is_empty() {
        return None;
    }
    let mut rewritten = upgrade_schema(&given);
    for note in &rewritten.notes {
        report_note(note, rewritten.draft, &field.at, found);
    }
    adopt_reference_targets(&mut rewritten.schema, &mut rewritten.pointer_map);
    adopt_patterns(&mut rewritten.schema, &mut rewritten.pointer_map, &field.at, found);
    let schema = &mut rewritten.schema;
    let mut clean = schema.clone();
    let mut useless = Vec::new();
    for finding in rule_findings(schema, None) {
        let pointer = finding.pointer.clone().unwrap_or_default();
        if let Some(inner) = pointer.strip_prefix(PARAMETERS_POINTER) {
            if is_removed(finding.code) {
                useless.push(inner.to_owned());
            }
            let pointer = format!("{}{}", field.at, rewritten.pointer_map.old_pointer(inner));
            found.add_rule_finding(finding, pointer);
        }
    }
    for pointer in useless.iter().filter(|pointer| pointer.ends_with("/propertyOrdering")) {
        let around = pointer.strip_suffix("/propertyOrdering").and_then(|around| clean.pointer_mut(around));
        if let Some(Value::Object(members)) = around
            && let Some(ordering) = members.get("propertyOrdering").cloned()
        {
            sort_properties(members, &ordering);
        }
    }
    remove_pointers(&mut clean, &useless);
    if !found.has_errors()
        && let Err(error) = CompiledSchema::compile(&clean)
    {
        let help = "remove the part that the message names";
        found.error(Code::SchemaInvalid, field.at.clone(), format!("the schema does not compile: {error}"), help);
    }
    let moved = rewritten.pointer_map;
    (!found.has_errors()).then_some(ImportedSchema { schema: clean, at: field.at.clone(), pointer_map: moved })
}

/// The findings of the build rules.
fn rule_findings(schema: &Value, examples: Option<&Value>) -> Vec<Diagnostic> {
    let mut members = Map::from_iter([("parameters".to_owned(), schema.clone())]);
    if let Some(examples) = examples {
        members.insert("examples".to_owned(), examples.clone());
    }
    let document = ToolDocument::new(SourceFile::new(String::new(), ""), members);
    let (folder, label) = (String::new(), String::new());
    let tool =
        ToolSource { folder, label, schema: Some(document), module: None, guide: None, handler: None, declared: None };
    let mut findings = Findings::default();
    lint::check_schemas(&tool, &mut findings);
    findings.into_sorted().0
}

/// The examples that the schema accepts.
pub(super) fn valid_examples(schema: &Value, examples: &DefinitionField<'_>, found: &mut ToolFindings) -> Vec<Value> {
    let Value::Array(list) = examples.value else {
        let help = "write an array of arguments";
        found.error(Code::WrongType, examples.at.clone(), "the examples are not an array", help);
        return Vec::new();
    };
    let rejected = rule_findings(schema, Some(examples.value)).into_iter().filter_map(|finding| {
        let index: usize = finding.pointer.as_deref()?.strip_prefix("/examples/")?.parse().ok()?;
        Some((index, finding))
    });
    let rejected: Vec<(usize, Diagnostic)> = rejected.collect();
    let unfit: HashSet<usize> = rejected.iter().map(|(index, _)| *index).collect();
    let fits = |index: usize| !unfit.contains(&index);
    let fitting =
        list.iter().enumerate().filter(|(index, _)| fits(*index)).map(|(_, example)| example.clone()).collect();
    for (index, finding) in rejected {
        found.add_rule_finding(finding, format!("{}/{index}", examples.at));
    }
    fitting
}

fn report_note(note: &UpgradeNote, draft: Draft, at: &str, found: &mut ToolFindings) {
    let pointer = format!("{at}{}", note.pointer);
    let named = "https://json-schema.org/draft/2020-12/schema";
    let (code, message, help) = match &note.kind {
        UpgradeNoteKind::UnknownDraft { named } => {
            let help = "the schema is read as draft 2020-12; remove `$schema`, or name the draft of the schema";
            (Code::UnknownDialect, format!("unknown draft `{named}`"), help.to_owned())
        }
        UpgradeNoteKind::NestedDraft => {
            let help = format!("it is read as {}, the draft of the root; write it in that draft", draft.name());
            (Code::UnknownDialect, "a subschema names another draft".to_owned(), help)
        }
        UpgradeNoteKind::NewerKeyword { keyword } => {
            let help = format!("declare `\"$schema\": \"{named}\"` if that draft is meant");
            (Code::IgnoredKeyword, format!("{} has no `{keyword}`; it is left out", draft.name()), help)
        }
        UpgradeNoteKind::UncheckedContent { keyword } => {
            let help = "check the content in the handler, or describe it with a `pattern`".to_owned();
            (Code::IgnoredKeyword, format!("`{keyword}` is an annotation: the content of texts is not checked"), help)
        }
        UpgradeNoteKind::RefSibling { keyword } => {
            let help = format!("put both into `allOf`, or declare `\"$schema\": \"{named}\"` if that draft is meant");
            let message = format!("{} ignores `{keyword}` beside `$ref`; it is left out", draft.name());
            (Code::IgnoredKeyword, message, help)
        }
    };
    found.warning(code, pointer, message, help);
}

/// The schema without its defaults.
pub(super) fn without_defaults(mut schema: Value) -> Value {
    let mut defaults = Vec::new();
    dialect::walk(&schema, "", &mut |at, inner| {
        if inner.get("default").is_some() {
            defaults.push(format!("{at}/default"));
        }
    });
    remove_pointers(&mut schema, &defaults);
    schema
}

/// Removes members and items. Targets of references stay.
fn remove_pointers(schema: &mut Value, pointers: &[String]) {
    if pointers.is_empty() {
        return;
    }
    let mut targets = BTreeSet::new();
    dialect::walk(schema, "", &mut |_, inner| {
        let target = refs::reference(inner).and_then(|(_, reference)| refs::resolve(schema, reference));
        targets.extend(target.map(|(pointer, _)| pointer));
    });
    let is_target = |pointer: &String| {
        let below = format!("{pointer}/");
        targets.contains(pointer) || targets.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below))
    };
    let mut removed: BTreeMap<String, HashSet<String>> = BTreeMap::new();
    for pointer in pointers.iter().filter(|pointer| !is_target(pointer)) {
        let Some((parent, _)) = pointer.rsplit_once('/') else { continue };
        let Some(last) = toolgate_json::pointer::tokens(pointer).last() else { continue };
        removed.entry(parent.to_owned()).or_default().insert(last.into_owned());
    }
    // What is below a list before its items, so that pointers stay valid.
    for (parent, removed) in removed.into_iter().rev() {
        match schema.pointer_mut(&parent) {
            Some(Value::Object(members)) => members.retain(|name, _| !removed.contains(name)),
            Some(Value::Array(items)) => {
                let mut index = 0_usize;
                items.retain(|_| {
                    index += 1;
                    !removed.contains(&(index - 1).to_string())
                });
            }
            _ => {}
        }
    }
}

/// Requires an object schema. A schema without `type` gets `type: "object"`, because arguments are an object.
pub(super) fn require_object(mut usable: ImportedSchema, found: &mut ToolFindings) -> Option<ImportedSchema> {
    let members = usable.schema.as_object_mut()?;
    if members.is_empty() {
        return Some(ImportedSchema { schema: no_parameters_schema(), ..usable });
    }
    if make_object_root(members).is_err() {
        let help = "arguments are named: write `\"type\": \"object\"` with `properties`";
        found.error(
            Code::SchemaNotObject,
            format!("{}/type", usable.at),
            "the parameters are not an object schema",
            help,
        );
        return None;
    }
    Some(usable)
}

/// The schema of a tool without parameters; `at` is the pointer of the absent field.
pub(super) fn no_parameters(at: String) -> ImportedSchema {
    ImportedSchema { schema: no_parameters_schema(), at, pointer_map: PointerMap::default() }
}

fn no_parameters_schema() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}
