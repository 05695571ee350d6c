//! The arguments of a call as a table for people: a row for each value, in the order of the schema, however a model
//! ordered them. Each value is shortened by itself, so that no long value hides another one.

mod never_cut;

use std::borrow::Cow;

use serde::Serialize;

use super::annotation_plan::{AnnotationPlan, AppliedSchema};
use super::sensitive::MASK;
use never_cut::is_address;
pub use never_cut::{is_never_cut_format, is_never_cut_name};
use toolgate_json::{Kind, Node, Tape, visible_text};

/// The longest value in a row that may be shortened, in characters.
pub const MAX_VALUE_CHARS: usize = 200;

/// A value of the arguments. All texts have their hidden characters escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArgumentRow {
    /// The names and indexes that lead to the value, joined by `.`.
    pub name: String,
    /// The title that the value's schema has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The value in full; `***` for a sensitive one.
    pub value: String,
    /// The value shortened, with its length; absent if it is short, or must not be cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
}

impl AnnotationPlan {
    /// The rows of arguments.
    pub(super) fn argument_rows(&self, args: &Tape) -> Vec<ArgumentRow> {
        let applied = self.root();
        let mut table = Table { plan: self, rows: Vec::new() };
        if self.is_sensitive_root(args.root(), applied) {
            table.push("arguments".to_owned(), &[], MASK.to_owned(), None);
        } else {
            table.add_members(args.root(), applied, "", false);
        }
        table.rows
    }
}

struct Table<'p> {
    plan: &'p AnnotationPlan,
    rows: Vec<ArgumentRow>,
}

impl Table<'_> {
    fn push(&mut self, name: String, applied: &[AppliedSchema], value: String, short: Option<String>) {
        let title = self.plan.title(applied).map(|title| visible_text(title).into_owned());
        self.rows.push(ArgumentRow { name, title, value, short });
    }

    /// Adds the members of an object: those that the schema declares in its order, then the others.
    fn add_members(&mut self, object: Node<'_>, applied: &[AppliedSchema], path: &str, is_whole: bool) {
        let declared = self.plan.declared_names(applied);
        let mut members: Vec<_> = object.members().collect();
        // Cached: the schema may declare many names, and a stranger may send many members.
        members.sort_by_cached_key(|(name, _)| declared.iter().position(|known| known == name).unwrap_or(usize::MAX));
        for (name, value) in members {
            let below = self.plan.applied_to_member(applied, &name);
            let is_whole = is_whole || is_never_cut_name(&name);
            self.add(value, applied, &below, &join(path, &name), is_whole);
        }
    }

    /// Adds a value. Recurses as deep as the value is nested, which the parser bounds.
    fn add(&mut self, value: Node<'_>, around: &[AppliedSchema], applied: &[AppliedSchema], path: &str, whole: bool) {
        if self.plan.is_sensitive(around, applied) {
            return self.push(path.to_owned(), applied, MASK.to_owned(), None);
        }
        match value.kind() {
            Kind::Object if !value.is_empty() => self.add_members(value, applied, path, whole),
            Kind::Array if value.elements().any(|element| matches!(element.kind(), Kind::Object | Kind::Array)) => {
                for (index, element) in value.elements().enumerate() {
                    let below = self.plan.applied_to_element(applied, index);
                    self.add(element, applied, &below, &join(path, &index.to_string()), whole);
                }
            }
            Kind::Array if !value.is_empty() => self.add_list(value, applied, path, whole),
            _ => {
                let text = scalar_text(value);
                let is_whole = whole || self.is_whole(value, applied);
                let short = (!is_whole).then(|| shortened(&text)).flatten();
                self.push(path.to_owned(), applied, visible_text(&text).into_owned(), short);
            }
        }
    }

    /// Adds a list of scalars: its texts in quotes, so that no text passes for two.
    fn add_list(&mut self, list: Node<'_>, applied: &[AppliedSchema], path: &str, whole: bool) {
        let mut is_whole = whole;
        let mut items = Vec::with_capacity(list.len());
        for (index, element) in list.elements().enumerate() {
            let below = self.plan.applied_to_element(applied, index);
            is_whole |= self.is_whole(element, &below);
            items.push(if self.plan.is_sensitive(applied, &below) {
                MASK.to_owned()
            } else if element.kind() == Kind::String {
                visible_text(&serde_json::Value::from(scalar_text(element)).to_string()).into_owned()
            } else {
                scalar_text(element)
            });
        }
        let value = items.join(", ");
        let short = (!is_whole && value.chars().count() > MAX_VALUE_CHARS).then(|| {
            let head: String = value.chars().take(MAX_VALUE_CHARS).collect();
            format!("{head}… ({} items)", items.len())
        });
        self.push(path.to_owned(), applied, value, short);
    }

    fn is_whole(&self, value: Node<'_>, applied: &[AppliedSchema]) -> bool {
        match value.kind() {
            Kind::String => {
                applied.iter().any(|applied| self.plan.node(applied.node).is_never_cut)
                    || value.as_str().is_some_and(|text| is_address(&text))
            }
            _ => true,
        }
    }
}

fn join(path: &str, name: &str) -> String {
    let name = visible_text(name);
    if path.is_empty() { name.into_owned() } else { format!("{path}.{name}") }
}

/// A scalar as the handler gets it: numbers as their double is written.
fn scalar_text(value: Node<'_>) -> String {
    if value.kind() == Kind::String {
        let text = value.as_str().filter(|text| !text.is_empty());
        return text.map_or_else(|| "\"\"".to_owned(), Cow::into_owned);
    }
    let mut text = String::new();
    value.write_canonical(&mut text);
    text
}

/// The beginning of a long text, with the length of all of it.
fn shortened(text: &str) -> Option<String> {
    let (end, _) = text.char_indices().nth(MAX_VALUE_CHARS)?;
    let head = visible_text(text.get(..end).unwrap_or_default());
    Some(format!("{head}… ({} characters)", text.chars().count()))
}

#[cfg(test)]
mod tests;
