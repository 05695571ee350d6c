//! What Gemini takes for objects: properties in order. It refuses a required name that is no property.

use serde_json::{Map, Value, json};

use super::super::origin::ORIGIN;
use super::{Flat, Lowered, Lowering};
use crate::source::pointer;

/// What a schema may hold and still take every value.
const SAYS_NOTHING: [&str; 4] = [ORIGIN, "title", "description", "$comment"];

impl Lowering<'_> {
    pub(super) fn object(&mut self, schema: &mut Lowered, flat: &Flat, depth: usize) {
        self.lengths(schema, flat, &["minProperties", "maxProperties"]);
        self.additional(flat);
        let mut properties = self.properties(flat, depth);
        let required = self.required(flat, &mut properties, depth);
        if properties.is_empty() {
            return;
        }
        let ordering: Vec<&String> = properties.keys().collect();
        let ordering = json!(ordering);
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema.insert("propertyOrdering".to_owned(), ordering);
    }

    fn additional(&mut self, flat: &Flat) {
        match flat.get("additionalProperties") {
            Some(Value::Bool(false)) => {
                let change = "`additionalProperties: false` is left out: Gemini knows only the properties it is told";
                self.receipt.changed(flat.pointer("additionalProperties"), change);
            }
            Some(Value::Object(members)) if members.keys().any(|keyword| !SAYS_NOTHING.contains(&keyword.as_str())) => {
                self.left_out("additionalProperties", flat);
            }
            _ => {}
        }
    }

    fn properties(&mut self, flat: &Flat, depth: usize) -> Map<String, Value> {
        let mut properties = Map::new();
        let at = flat.pointer("properties");
        for (name, property) in flat.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let at = format!("{at}{}", pointer(&[name]));
            match self.schema(property, &at, depth + 1) {
                Some(lowered) => {
                    self.name(name, &at);
                    properties.insert(name.clone(), Value::Object(lowered));
                }
                None => self.receipt.changed(at, "a property that no value fits is left out"),
            }
        }
        properties
    }

    /// Vertex AI publishes what names of parameters may be; nobody was seen to be refused one.
    fn name(&mut self, name: &str, at: &str) {
        let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let portable =
            begins && name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !portable {
            let change = "the name is kept, though Vertex AI asks for a letter or `_`, then letters, digits and `_`, 64 \
                          at most";
            self.receipt.changed(at, change);
        }
    }

    /// The required names that are told. One that no property has becomes a property, so that the model hears of it.
    fn required(&mut self, flat: &Flat, properties: &mut Map<String, Value>, depth: usize) -> Vec<String> {
        let mut required = Vec::new();
        let own = flat.get("properties");
        for name in flat.list("required").into_iter().flatten().filter_map(Value::as_str) {
            let named = own.and_then(|own| own.get(name)).is_some();
            if !named && !properties.is_empty() && !properties.contains_key(name) {
                self.unnamed(flat, name, properties, depth);
            }
            if !properties.contains_key(name) {
                self.receipt.lost(flat.pointer("required"), format!("`{name}` is required, but no property"));
            } else if !required.iter().any(|known| known == name) {
                required.push(name.to_owned());
            }
        }
        required
    }

    fn unnamed(&mut self, flat: &Flat, name: &str, properties: &mut Map<String, Value>, depth: usize) {
        let any = json!({});
        let additional = flat.get("additionalProperties").unwrap_or(&any);
        if let Some(lowered) = self.schema(additional, &flat.pointer("additionalProperties"), depth + 1) {
            self.receipt.changed(flat.pointer("required"), format!("`{name}` is required and told as a property"));
            properties.insert(name.to_owned(), Value::Object(lowered));
        }
    }
}
