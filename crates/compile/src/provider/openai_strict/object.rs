//! Objects: every property required, no additional properties.
//!
//! Source: OpenAI's guide "Structured model outputs": "all fields must be required", "`additionalProperties: false`
//! must always be set in objects", and "Key ordering": a model writes the properties in the order of the schema.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::strict_type::StrictType;
use super::{Inexpressible, StrictLowering, StrictResult};
use crate::text::source::pointer_from_names;

/// Whether an object accepts additional properties.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Openness {
    Closed,
    /// No keyword mentions them, so they are allowed.
    Unspecified,
    /// A keyword allows them.
    Open,
}

impl StrictLowering<'_> {
    /// Lowers the root schema.
    pub(super) fn lower_root(&mut self, root: &Map<String, Value>) -> StrictResult {
        let properties = root.get("properties").and_then(Value::as_object);
        if properties.is_none_or(Map::is_empty) && required_names(root).is_empty() && openness(root) != Openness::Open {
            let mut lowered = Map::from_iter([("type".to_owned(), json!("object"))]);
            let notes = self.lower_keywords(root, StrictType::Object, &mut lowered, "");
            lowered.extend(self.lower_annotations(root, notes, ""));
            self.report_closing(root, openness(root), "");
            close_object(&mut lowered, Map::new());
            return Ok(lowered);
        }
        self.lower_type(StrictType::Object, root, "", 0)
    }

    /// Adds the properties of an object.
    pub(super) fn lower_object(
        &mut self,
        own: &mut Map<String, Value>,
        flat: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<(), Inexpressible> {
        let openness = openness(flat);
        let mut properties = Map::new();
        let named = flat.get("properties").and_then(Value::as_object);
        let required: HashSet<&str> = required_names(flat).into_iter().collect();
        for (name, schema) in named.into_iter().flatten() {
            let at = format!("{at}{}", pointer_from_names(&["properties", name]));
            if required.contains(name.as_str()) {
                let lowered = self.lower_schema(schema, &at, depth + 1)?;
                properties.insert(name.clone(), Value::Object(lowered));
            } else if let Some(lowered) = self.lower_optional(schema, &at, depth + 1) {
                properties.insert(name.clone(), Value::Object(lowered));
            }
        }
        self.add_undeclared_members(&mut properties, flat, openness, at, depth)?;
        if properties.is_empty() && openness != Openness::Closed {
            return Err(Inexpressible::new(at, "a strict object can't have members that it does not declare"));
        }
        if properties.is_empty() && named.is_some_and(|named| !named.is_empty()) {
            return Err(Inexpressible::new(at, "none of its members has a strict form"));
        }
        self.report_closing(flat, openness, at);
        close_object(own, fixed_first(properties));
        Ok(())
    }

    /// Lowers an optional property to a required, nullable one; `None` if it has no strict form.
    fn lower_optional(&mut self, schema: &Value, at: &str, depth: usize) -> Option<Map<String, Value>> {
        let before = self.receipt.len();
        let lowered = self.lower_schema(schema, at, depth).and_then(|lowered| self.make_nullable(lowered, at, depth));
        let lowered = match lowered {
            Ok(lowered) => lowered,
            Err(why) => {
                // Entries about parts of it are irrelevant.
                self.receipt.truncate(before);
                let place = if why.at == at { String::new() } else { format!(" (`{}`)", why.at) };
                self.report_left_out(at, format!("an optional argument is left out: {}{place}", why.reason), &why);
                return None;
            }
        };
        if !self.accepts_null(schema) {
            self.receipt.changed(at, "it is optional, so it is declared as required, and `null` stands for absent");
        } else if schema.get("default").is_some_and(|default| !default.is_null()) {
            let change =
                "it is optional and accepts `null`, so it is declared as required, and its default never applies";
            self.receipt.lost(at, change);
        } else {
            self.receipt.changed(at, "it is optional and accepts `null`, so it is declared as required");
        }
        Some(lowered)
    }

    /// Adds the members that are required without a declared property.
    fn add_undeclared_members(
        &mut self,
        properties: &mut Map<String, Value>,
        flat: &Map<String, Value>,
        openness: Openness,
        at: &str,
        depth: usize,
    ) -> Result<(), Inexpressible> {
        let named = flat.get("properties").and_then(Value::as_object);
        for name in required_names(flat).into_iter().filter(|name| named.is_none_or(|named| !named.contains_key(*name)))
        {
            if openness == Openness::Closed {
                return Err(Inexpressible::no_value(at));
            }
            let schema = flat.get("additionalProperties").filter(|schema| schema.is_object());
            let schema = schema.cloned().unwrap_or_else(|| json!({}));
            let lowered =
                self.lower_schema(&schema, &format!("{at}{}", pointer_from_names(&["properties", name])), depth + 1)?;
            properties.insert(name.to_owned(), Value::Object(lowered));
        }
        Ok(())
    }

    fn report_closing(&mut self, flat: &Map<String, Value>, openness: Openness, at: &str) {
        match openness {
            Openness::Closed => {}
            Openness::Unspecified => {
                self.receipt
                    .changed(format!("{at}/additionalProperties"), "declared as `false`, which every object needs");
            }
            Openness::Open => {
                let keyword = OPENNESS_KEYWORDS
                    .iter()
                    .find(|keyword| flat.contains_key(**keyword))
                    .unwrap_or(&OPENNESS_KEYWORDS[0]);
                let change = "members that the schema does not declare can't be given";
                self.receipt.lost(format!("{at}/{keyword}"), change);
            }
        }
    }
}

/// Keywords about additional properties.
const OPENNESS_KEYWORDS: [&str; 3] = ["additionalProperties", "patternProperties", "unevaluatedProperties"];

fn openness(flat: &Map<String, Value>) -> Openness {
    let closes = |keyword: &str| flat.get(keyword) == Some(&Value::Bool(false));
    let has_patterns = flat.get("patternProperties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    if closes("additionalProperties") || closes("unevaluatedProperties") {
        return if has_patterns { Openness::Open } else { Openness::Closed };
    }
    let is_spoken_of = OPENNESS_KEYWORDS.iter().any(|keyword| flat.contains_key(*keyword));
    if is_spoken_of { Openness::Open } else { Openness::Unspecified }
}

fn required_names(flat: &Map<String, Value>) -> Vec<&str> {
    let names = flat.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

fn close_object(own: &mut Map<String, Value>, properties: Map<String, Value>) {
    let names: Vec<&String> = properties.keys().collect();
    let required = json!(names);
    own.insert("properties".to_owned(), Value::Object(properties));
    own.insert("required".to_owned(), required);
    own.insert("additionalProperties".to_owned(), json!(false));
}

/// Moves properties with one fixed value to the front: they discriminate alternatives, and the first member that a
/// model writes selects the alternative.
fn fixed_first(properties: Map<String, Value>) -> Map<String, Value> {
    let (fixed, other): (Vec<_>, Vec<_>) = properties.into_iter().partition(|(_, property)| is_fixed(property));
    fixed.into_iter().chain(other).collect()
}

pub(super) fn is_fixed(property: &Value) -> bool {
    let one_value = property.get("enum").and_then(Value::as_array).is_some_and(|values| values.len() == 1);
    one_value || property.get("const").is_some()
}
