//! Objects: every property required, nothing else allowed.
//!
//! Source: OpenAI's guide "Structured model outputs": "all fields must be required", "`additionalProperties: false` must
//! always be set in objects", and "Key ordering": a model writes the properties in the order of the schema.

use serde_json::{Map, Value, json};

use super::{Lowered, Lowering, Unsayable};
use crate::source::pointer;

/// Whether an object takes properties that it does not name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Openness {
    Closed,
    /// Nothing is said, which allows them.
    Unsaid,
    /// They are spoken of.
    Open,
}

impl Lowering<'_> {
    /// Lowers the arguments as a whole.
    pub(super) fn root(&mut self, root: &Map<String, Value>) -> Lowered {
        let properties = root.get("properties").and_then(Value::as_object);
        if properties.is_none_or(Map::is_empty) && required(root).is_empty() && openness(root) != Openness::Open {
            let mut lowered = Map::from_iter([("type".to_owned(), json!("object"))]);
            lowered.extend(self.words(root, Vec::new(), ""));
            close(&mut lowered, Map::new());
            return Ok(lowered);
        }
        self.typed(super::kind::Kind::Object, root, "", 0)
    }

    /// Adds what is said about the properties of an object.
    pub(super) fn object(
        &mut self,
        own: &mut Map<String, Value>,
        flat: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<(), Unsayable> {
        let openness = openness(flat);
        let mut properties = Map::new();
        let named = flat.get("properties").and_then(Value::as_object);
        let required = required(flat);
        for (name, schema) in named.into_iter().flatten() {
            let at = format!("{at}{}", pointer(&["properties", name]));
            if required.contains(&name.as_str()) {
                let lowered = self.schema(schema, &at, depth + 1)?;
                properties.insert(name.clone(), Value::Object(lowered));
            } else if let Some(lowered) = self.optional(schema, &at, depth + 1) {
                properties.insert(name.clone(), Value::Object(lowered));
            }
        }
        self.unnamed(&mut properties, flat, openness, at, depth)?;
        if properties.is_empty() && openness != Openness::Closed {
            return Err(Unsayable::new(at, "a strict object can't have members that it does not name"));
        }
        if properties.is_empty() && named.is_some_and(|named| !named.is_empty()) {
            return Err(Unsayable::new(at, "none of its members has a strict form"));
        }
        self.closed(flat, openness, at);
        close(own, fixed_first(properties));
        Ok(())
    }

    /// A property that may be absent: required, and `null` where it is. `None` where it can't be told of at all.
    fn optional(&mut self, schema: &Value, at: &str, depth: usize) -> Option<Map<String, Value>> {
        let before = self.receipt.0.len();
        let lowered = match self.schema(schema, at, depth) {
            Ok(lowered) => lowered,
            Err(why) => {
                // What was found below it says nothing any more.
                self.receipt.0.truncate(before);
                let place = if why.at == at { String::new() } else { format!(" (`{}`)", why.at) };
                self.left_out(at, format!("an optional argument is left out: {}{place}", why.reason), &why);
                return None;
            }
        };
        if !self.accepts_null(schema) {
            self.receipt.changed(at, "it is optional, so it is told as required, and `null` stands for absent");
        } else if schema.get("default").is_some_and(|default| !default.is_null()) {
            let change = "it is optional and takes `null`, so it is told as required, and its default is out of reach";
            self.receipt.lost(at, change);
        } else {
            self.receipt.changed(at, "it is optional and takes `null`, so it is told as required");
        }
        Some(self.nullable(lowered))
    }

    /// Members that are required although no property names them.
    fn unnamed(
        &mut self,
        properties: &mut Map<String, Value>,
        flat: &Map<String, Value>,
        openness: Openness,
        at: &str,
        depth: usize,
    ) -> Result<(), Unsayable> {
        let named = flat.get("properties").and_then(Value::as_object);
        for name in required(flat).into_iter().filter(|name| named.is_none_or(|named| !named.contains_key(*name))) {
            if openness == Openness::Closed {
                return Err(Unsayable::no_value(at));
            }
            let schema = flat.get("additionalProperties").filter(|schema| schema.is_object());
            let schema = schema.cloned().unwrap_or_else(|| json!({}));
            let lowered = self.schema(&schema, &format!("{at}{}", pointer(&["properties", name])), depth + 1)?;
            properties.insert(name.to_owned(), Value::Object(lowered));
        }
        Ok(())
    }

    fn closed(&mut self, flat: &Map<String, Value>, openness: Openness, at: &str) {
        match openness {
            Openness::Closed => {}
            Openness::Unsaid => {
                self.receipt.changed(format!("{at}/additionalProperties"), "told as `false`, which every object needs");
            }
            Openness::Open => {
                let keyword = OPEN.iter().find(|keyword| flat.contains_key(**keyword)).unwrap_or(&OPEN[0]);
                let change = "members without a name of their own can't be given";
                self.receipt.lost(format!("{at}/{keyword}"), change);
            }
        }
    }
}

/// Keywords about members that `properties` does not name.
const OPEN: [&str; 3] = ["additionalProperties", "patternProperties", "unevaluatedProperties"];

fn openness(flat: &Map<String, Value>) -> Openness {
    let closes = |keyword: &str| flat.get(keyword) == Some(&Value::Bool(false));
    let has_patterns = flat.get("patternProperties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    if closes("additionalProperties") || closes("unevaluatedProperties") {
        return if has_patterns { Openness::Open } else { Openness::Closed };
    }
    let is_spoken_of = OPEN.iter().any(|keyword| flat.contains_key(*keyword));
    if is_spoken_of { Openness::Open } else { Openness::Unsaid }
}

fn required(flat: &Map<String, Value>) -> Vec<&str> {
    let names = flat.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

fn close(own: &mut Map<String, Value>, properties: Map<String, Value>) {
    let names: Vec<&String> = properties.keys().collect();
    let required = json!(names);
    own.insert("properties".to_owned(), Value::Object(properties));
    own.insert("required".to_owned(), required);
    own.insert("additionalProperties".to_owned(), json!(false));
}

/// A property with one fixed value comes before the others: it tells alternatives apart, and what a model writes first
/// decides which one it writes.
fn fixed_first(properties: Map<String, Value>) -> Map<String, Value> {
    let (fixed, other): (Vec<_>, Vec<_>) = properties.into_iter().partition(|(_, property)| is_fixed(property));
    fixed.into_iter().chain(other).collect()
}

pub(super) fn is_fixed(property: &Value) -> bool {
    let one_value = property.get("enum").and_then(Value::as_array).is_some_and(|values| values.len() == 1);
    one_value || property.get("const").is_some()
}
