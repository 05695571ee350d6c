//! The title and the description, which also state keywords that a strict schema lacks.

use serde_json::{Map, Value, json};

use super::super::references::is_annotation;
use super::StrictLowering;

/// The maximum size of a value in a description, in bytes.
const MAX_NOTE_BYTES: usize = 100;

impl StrictLowering<'_> {
    /// The annotations: title, and description with `notes` and the default at its end.
    pub(super) fn lower_annotations(
        &mut self,
        flat: &Map<String, Value>,
        mut notes: Vec<String>,
        at: &str,
    ) -> Map<String, Value> {
        let mut words = Map::new();
        if let Some(Value::String(title)) = flat.get("title") {
            words.insert("title".to_owned(), json!(title));
        }
        let description = flat.get("description").and_then(Value::as_str).unwrap_or_default();
        for (keyword, value) in flat.iter().filter(|(keyword, _)| is_annotation(keyword)) {
            if matches!(keyword.as_str(), "title" | "description") {
                continue;
            }
            let stated = is_worth_noting(keyword, value, description).then(|| note(keyword, value)).flatten();
            let change = if stated.is_some() { "is stated in the description" } else { "is left out" };
            self.receipt.changed(format!("{at}/{keyword}"), format!("`{keyword}` {change}"));
            notes.extend(stated);
        }
        let notes = notes.join(", ");
        let text = match (description, notes.as_str()) {
            ("", notes) => notes.to_owned(),
            (description, "") => description.to_owned(),
            (description, notes) => format!("{description} ({notes})"),
        };
        if !text.is_empty() {
            words.insert("description".to_owned(), json!(text));
        }
        words
    }
}

/// Whether an annotation helps a model to write a value, and the description does not seem to contain it already.
fn is_worth_noting(keyword: &str, value: &Value, description: &str) -> bool {
    match keyword {
        "default" => !value.is_null() && !description.to_lowercase().contains("default"),
        "deprecated" => *value == Value::Bool(true),
        _ => false,
    }
}

/// `keyword: value`; `None` if the value is too long.
pub(super) fn note(keyword: &str, value: &Value) -> Option<String> {
    let value = value.to_string();
    (value.len() <= MAX_NOTE_BYTES).then(|| format!("{keyword}: {value}"))
}
