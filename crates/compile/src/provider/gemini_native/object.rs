//! Objects: properties with their order. Gemini refuses a required name without a property.

use indexmap::IndexSet;
use serde_json::{Map, Value, json};

use super::super::origin::ORIGIN;
use super::{FlatSchema, GeminiLowering, GeminiSchema};
use crate::text::source::pointer_from_names;

/// Keywords that constrain no value.
const NON_CONSTRAINING: [&str; 4] = [ORIGIN, "title", "description", "$comment"];

impl GeminiLowering<'_> {
    pub(super) fn lower_object(&mut self, schema: &mut GeminiSchema, flat: &FlatSchema, depth: usize) {
        self.lower_int64_bounds(schema, flat, &["minProperties", "maxProperties"]);
        self.report_additional_properties(flat);
        let mut properties = self.lower_properties(flat, depth);
        let required = self.lower_required(flat, &mut properties, depth);
        if properties.is_empty() {
            return;
        }
        let ordering: Vec<&String> = properties.keys().collect();
        let ordering = json!(ordering);
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into_iter().collect());
        }
        schema.insert("propertyOrdering".to_owned(), ordering);
    }

    fn report_additional_properties(&mut self, flat: &FlatSchema) {
        match flat.get("additionalProperties") {
            Some(Value::Bool(false)) => {
                let change = "`additionalProperties: false` is left out: Gemini uses only the declared properties";
                self.receipt.changed(flat.pointer("additionalProperties"), change);
            }
            Some(Value::Object(members))
                if members.keys().any(|keyword| !NON_CONSTRAINING.contains(&keyword.as_str())) =>
            {
                self.report_lost_keyword("additionalProperties", flat);
            }
            _ => {}
        }
    }

    fn lower_properties(&mut self, flat: &FlatSchema, depth: usize) -> Map<String, Value> {
        let mut properties = Map::new();
        let at = flat.pointer("properties");
        for (name, property) in flat.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let at = format!("{at}{}", pointer_from_names(&[name]));
            match self.lower_schema(property, &at, depth + 1) {
                Some(lowered) => {
                    self.check_property_name(name, &at);
                    properties.insert(name.clone(), Value::Object(lowered));
                }
                None => self.receipt.changed(at, "a property that no value matches is left out"),
            }
        }
        properties
    }

    /// Reports a name outside the published rule of Vertex AI. No refusal of such a name was observed.
    fn check_property_name(&mut self, name: &str, at: &str) {
        let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let portable =
            begins && name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !portable {
            let change = "the name is kept, though Vertex AI asks for a letter or `_`, then letters, digits and `_`, \
                          64 at most";
            self.receipt.changed(at, change);
        }
    }

    /// The required names that are declared. A required name without a property becomes a property, so that the model
    /// sees it.
    fn lower_required(
        &mut self,
        flat: &FlatSchema,
        properties: &mut Map<String, Value>,
        depth: usize,
    ) -> IndexSet<String> {
        let mut required = IndexSet::new();
        let own = flat.get("properties");
        for name in flat.array("required").into_iter().flatten().filter_map(Value::as_str) {
            let named = own.and_then(|own| own.get(name)).is_some();
            if !named && !properties.is_empty() && !properties.contains_key(name) {
                self.add_undeclared_property(flat, name, properties, depth);
            }
            if properties.contains_key(name) {
                required.insert(name.to_owned());
            } else {
                self.receipt.lost(flat.pointer("required"), format!("`{name}` is required, but no property"));
            }
        }
        required
    }

    fn add_undeclared_property(
        &mut self,
        flat: &FlatSchema,
        name: &str,
        properties: &mut Map<String, Value>,
        depth: usize,
    ) {
        let any = json!({});
        let additional = flat.get("additionalProperties").unwrap_or(&any);
        if let Some(lowered) = self.lower_schema(additional, &flat.pointer("additionalProperties"), depth + 1) {
            self.receipt.changed(flat.pointer("required"), format!("`{name}` is required and declared as a property"));
            properties.insert(name.to_owned(), Value::Object(lowered));
        }
    }
}
