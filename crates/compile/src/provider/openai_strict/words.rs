//! The title and the description, which also tell what a strict schema has no keyword for.

use serde_json::{Map, Value, json};

use super::super::references::is_annotation;
use super::Lowering;

/// A longer value is not put into a description.
const MAX_NOTE: usize = 100;

impl Lowering<'_> {
    /// What is said to the reader: title and description, with `notes` and the default at the end of the latter.
    pub(super) fn words(&mut self, flat: &Map<String, Value>, mut notes: Vec<String>, at: &str) -> Map<String, Value> {
        let mut words = Map::new();
        if let Some(Value::String(title)) = flat.get("title") {
            words.insert("title".to_owned(), json!(title));
        }
        let description = flat.get("description").and_then(Value::as_str).unwrap_or_default();
        for (keyword, value) in flat.iter().filter(|(keyword, _)| is_annotation(keyword)) {
            if matches!(keyword.as_str(), "title" | "description") {
                continue;
            }
            let told = is_told(keyword, value, description).then(|| note(keyword, value)).flatten();
            let change = if told.is_some() { "is told in the description" } else { "is left out" };
            self.receipt.changed(format!("{at}/{keyword}"), format!("`{keyword}` {change}"));
            notes.extend(told);
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

/// Whether an annotation helps a model that writes a value, and the description does not seem to say it already.
fn is_told(keyword: &str, value: &Value, description: &str) -> bool {
    match keyword {
        "default" => !value.is_null() && !description.to_lowercase().contains("default"),
        "deprecated" => *value == Value::Bool(true),
        _ => false,
    }
}

/// `keyword: value`, where the value is short.
pub(super) fn note(keyword: &str, value: &Value) -> Option<String> {
    let value = value.to_string();
    (value.len() <= MAX_NOTE).then(|| format!("{keyword}: {value}"))
}
