//! The metadata of a definition: everything except its schemas and examples.

use serde_json::{Map, Value};

use super::findings::ToolFindings;
use super::raw_definition::{DefinitionField, RawDefinition};
use crate::findings::code::Code;
use crate::findings::suggest::suggestion;
use toolgate_definition::{Category, SideEffects};

/// Defaults are conservative: a tool without metadata writes.
pub(super) struct ImportedMetadata {
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) category: Category,
    pub(super) side_effects: SideEffects,
    pub(super) idempotent: bool,
    /// The definition's own MCP hints.
    pub(super) hints: Map<String, Value>,
}

/// Hints of the Model Context Protocol.
const MCP_HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

impl ImportedMetadata {
    pub(super) fn from_definition(given: &RawDefinition<'_>, found: &mut ToolFindings) -> Self {
        let hints = read_hints(given, found);
        let hint = |name: &str| hints.get(name).and_then(Value::as_bool);
        let reads = hint("readOnlyHint") == Some(true);
        let side_effects = enum_field(
            given,
            "sideEffects",
            &[("none", SideEffects::None), ("read_only", SideEffects::ReadOnly), ("writes", SideEffects::Writes)],
            found,
        );
        let side_effects = side_effects.unwrap_or(if reads { SideEffects::ReadOnly } else { SideEffects::Writes });
        let categories =
            [("retrieval", Category::Retrieval), ("action", Category::Action), ("utility", Category::Utility)];
        let idempotent = given.field("idempotent").and_then(|field| boolean_value(&field, "`idempotent`", found));
        Self {
            title: read_title(given, found),
            description: read_description(given, found),
            category: enum_field(given, "category", &categories, found).unwrap_or(Category::Action),
            side_effects,
            idempotent: idempotent.or(hint("idempotentHint")).unwrap_or(side_effects != SideEffects::Writes),
            hints,
        }
    }
}

fn read_title(given: &RawDefinition<'_>, found: &mut ToolFindings) -> Option<String> {
    let own = given.field("title").and_then(|field| string_value(&field, "`title`", found));
    let annotated = || given.field("annotations")?.value.get("title")?.as_str().map(str::to_owned);
    own.or_else(annotated).filter(|title| !title.trim().is_empty())
}

fn read_description(given: &RawDefinition<'_>, found: &mut ToolFindings) -> String {
    let field = given.field("description");
    let wrong = field.as_ref().is_some_and(|field| !field.value.is_string());
    let description = field.and_then(|field| string_value(&field, "`description`", found)).unwrap_or_default();
    if description.trim().is_empty() && !wrong {
        let help = "describe what the tool does and when to use it: models choose tools by it";
        found.warning(Code::MissingField, given.pointer("description"), "the tool has no description", help);
    }
    description
}

fn read_hints(given: &RawDefinition<'_>, found: &mut ToolFindings) -> Map<String, Value> {
    let Some(annotations) = given.field("annotations") else { return Map::new() };
    let Value::Object(members) = annotations.value else {
        found.error(Code::WrongType, annotations.at, "`annotations` is not an object", "write an object with hints");
        return Map::new();
    };
    let mut hints = Map::new();
    for name in MCP_HINTS {
        let Some(value) = members.get(name).filter(|value| !value.is_null()) else { continue };
        let field = DefinitionField { at: format!("{}/{name}", annotations.at), value };
        if let Some(hint) = boolean_value(&field, &format!("`{name}`"), found) {
            hints.insert(name.to_owned(), Value::Bool(hint));
        }
    }
    hints
}

fn string_value(field: &DefinitionField<'_>, name: &str, found: &mut ToolFindings) -> Option<String> {
    let text = field.value.as_str();
    if text.is_none() {
        found.error(Code::WrongType, field.at.clone(), format!("{name} is not a string"), "write a string");
    }
    text.map(str::to_owned)
}

fn boolean_value(field: &DefinitionField<'_>, name: &str, found: &mut ToolFindings) -> Option<bool> {
    let flag = field.value.as_bool();
    if flag.is_none() {
        found.error(Code::WrongType, field.at.clone(), format!("{name} is not true or false"), "write true or false");
    }
    flag
}

/// Reads an enum field. An invalid value is an error, never a guess: the tool's permissions depend on it.
fn enum_field<T: Copy>(
    given: &RawDefinition<'_>,
    name: &str,
    known: &[(&str, T)],
    found: &mut ToolFindings,
) -> Option<T> {
    let field = given.field(name)?;
    let written = string_value(&field, &format!("`{name}`"), found)?;
    let chosen = known.iter().find(|(word, _)| *word == written).map(|(_, value)| *value);
    if chosen.is_none() {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        found.error(Code::BadEnum, field.at, format!("`{name}` is `{written}`"), suggestion(&written, &words));
    }
    chosen
}
