//! What a definition may say about the tool besides its schema.

use serde_json::{Map, Value};

use super::findings::Found;
use super::given::{Field, Given};
use crate::code::Code;
use crate::suggest::suggestion;
use toolgate_definition::{Category, SideEffects};

/// Defaults are the cautious ones: a tool of which nothing is known writes.
pub(super) struct Metadata {
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) category: Category,
    pub(super) side_effects: SideEffects,
    pub(super) idempotent: bool,
    /// Hints that the definition gives itself.
    pub(super) hints: Map<String, Value>,
}

/// Hints of the Model Context Protocol.
const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

impl Metadata {
    pub(super) fn read(given: &Given<'_>, found: &mut Found) -> Self {
        let hints = hints(given, found);
        let hint = |name: &str| hints.get(name).and_then(Value::as_bool);
        let reads = hint("readOnlyHint") == Some(true);
        let side_effects = choice(
            given,
            "sideEffects",
            &[("none", SideEffects::None), ("read_only", SideEffects::ReadOnly), ("writes", SideEffects::Writes)],
            found,
        );
        let side_effects = side_effects.unwrap_or(if reads { SideEffects::ReadOnly } else { SideEffects::Writes });
        let categories =
            [("retrieval", Category::Retrieval), ("action", Category::Action), ("utility", Category::Utility)];
        let idempotent = given.field("idempotent").and_then(|field| flag(&field, "`idempotent`", found));
        Self {
            title: title(given, found),
            description: description(given, found),
            category: choice(given, "category", &categories, found).unwrap_or(Category::Action),
            side_effects,
            idempotent: idempotent.or(hint("idempotentHint")).unwrap_or(side_effects != SideEffects::Writes),
            hints,
        }
    }
}

fn title(given: &Given<'_>, found: &mut Found) -> Option<String> {
    let own = given.field("title").and_then(|field| text(&field, "`title`", found));
    let annotated = || given.field("annotations")?.value.get("title")?.as_str().map(str::to_owned);
    own.or_else(annotated).filter(|title| !title.trim().is_empty())
}

fn description(given: &Given<'_>, found: &mut Found) -> String {
    let field = given.field("description");
    let wrong = field.as_ref().is_some_and(|field| !field.value.is_string());
    let description = field.and_then(|field| text(&field, "`description`", found)).unwrap_or_default();
    if description.trim().is_empty() && !wrong {
        let help = "say what the tool does and when to use it: models choose by it";
        found.warning(Code::MissingField, given.pointer("description"), "the tool has no description", help);
    }
    description
}

fn hints(given: &Given<'_>, found: &mut Found) -> Map<String, Value> {
    let Some(annotations) = given.field("annotations") else { return Map::new() };
    let Value::Object(members) = annotations.value else {
        found.error(Code::WrongType, annotations.at, "`annotations` is no object", "write an object with hints");
        return Map::new();
    };
    let mut hints = Map::new();
    for name in HINTS {
        let Some(value) = members.get(name).filter(|value| !value.is_null()) else { continue };
        let field = Field { at: format!("{}/{name}", annotations.at), value };
        if let Some(hint) = flag(&field, &format!("`{name}`"), found) {
            hints.insert(name.to_owned(), Value::Bool(hint));
        }
    }
    hints
}

fn text(field: &Field<'_>, name: &str, found: &mut Found) -> Option<String> {
    let text = field.value.as_str();
    if text.is_none() {
        found.error(Code::WrongType, field.at.clone(), format!("{name} is no text"), "write a text");
    }
    text.map(str::to_owned)
}

fn flag(field: &Field<'_>, name: &str, found: &mut Found) -> Option<bool> {
    let flag = field.value.as_bool();
    if flag.is_none() {
        found.error(Code::WrongType, field.at.clone(), format!("{name} is not true or false"), "write true or false");
    }
    flag
}

/// A wrong one must not be guessed at: what a tool may do hangs on it.
fn choice<T: Copy>(given: &Given<'_>, name: &str, known: &[(&str, T)], found: &mut Found) -> Option<T> {
    let field = given.field(name)?;
    let written = text(&field, &format!("`{name}`"), found)?;
    let chosen = known.iter().find(|(word, _)| *word == written).map(|(_, value)| *value);
    if chosen.is_none() {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        found.error(Code::BadEnum, field.at, format!("`{name}` is `{written}`"), suggestion(&written, &words));
    }
    chosen
}
