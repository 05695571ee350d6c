//! A schema of one type: which keywords Gemini takes, how they are written, and which it does not know.

use serde_json::{Map, Value, json};

use super::{Lowering, Type};
use crate::compile::source::pointer;

/// Constraints that Gemini's schema has no field for, by the type that they bear on.
const UNKNOWN: &[(Type, &[&str])] = &[
    (Type::String, &["contentEncoding", "contentMediaType", "contentSchema"]),
    (Type::Number, &["multipleOf"]),
    (Type::Integer, &["multipleOf"]),
    (Type::Array, &["uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems", "additionalItems"]),
    (
        Type::Object,
        &[
            "patternProperties",
            "propertyNames",
            "dependentRequired",
            "dependentSchemas",
            "dependencies",
            "unevaluatedProperties",
        ],
    ),
];

/// The same for every type.
const UNKNOWN_ANYWHERE: &[&str] = &["not", "if", "then", "else"];

impl Lowering<'_> {
    /// Lowers the part of a schema that bears on values of one type.
    pub(super) fn typed(
        &mut self,
        kind: Type,
        flat: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!(kind.name()));
        for name in ["title", "description"] {
            if let Some(Value::String(text)) = flat.get(name) {
                schema.insert(name.to_owned(), json!(text));
            }
        }
        match kind {
            Type::String => self.string(&mut schema, flat, at),
            Type::Number | Type::Integer => self.number(&mut schema, kind, flat, at),
            Type::Boolean => self.values(kind, flat, at),
            Type::Array => self.array(&mut schema, flat, at, depth),
            Type::Object => self.object(&mut schema, flat, at, depth),
            Type::Null => {}
        }
        if let Some(default) = flat.get("default") {
            schema.insert("default".to_owned(), default.clone());
        }
        if let Some(example) = flat.get("examples").and_then(Value::as_array).and_then(|examples| examples.first()) {
            schema.insert("example".to_owned(), example.clone());
        }
        self.unknown(kind, flat, at);
        schema
    }

    fn unknown(&mut self, kind: Type, flat: &Map<String, Value>, at: &str) {
        let for_type = UNKNOWN.iter().filter(|(of, _)| *of == kind).flat_map(|(_, keywords)| keywords.iter());
        for keyword in for_type.chain(UNKNOWN_ANYWHERE) {
            if flat
                .get(*keyword)
                .is_some_and(|value| *value != Value::Bool(false) || *keyword == "unevaluatedProperties")
            {
                self.left_out(keyword, at);
            }
        }
    }

    fn left_out(&mut self, keyword: &str, at: &str) {
        self.receipt.lost(format!("{at}/{keyword}"), format!("Gemini does not know `{keyword}`"));
    }

    fn string(&mut self, schema: &mut Map<String, Value>, flat: &Map<String, Value>, at: &str) {
        self.lengths(schema, flat, &["minLength", "maxLength"], at);
        if let Some(Value::String(pattern)) = flat.get("pattern") {
            schema.insert("pattern".to_owned(), json!(pattern));
        }
        match flat.get("format").and_then(Value::as_str) {
            Some("date-time") => {
                schema.insert("format".to_owned(), json!("date-time"));
            }
            Some(format) => {
                let change = format!("for text Gemini takes no `format` but `date-time`, so not `{format}`");
                self.receipt.lost(format!("{at}/format"), change);
            }
            None => {}
        }
        self.texts(schema, flat, at);
    }

    /// `enum` and `const` of texts.
    fn texts(&mut self, schema: &mut Map<String, Value>, flat: &Map<String, Value>, at: &str) {
        let (keyword, values) = match (flat.get("const"), flat.get("enum")) {
            (Some(Value::String(only)), _) => ("const", vec![only.as_str()]),
            (None, Some(Value::Array(values))) => ("enum", values.iter().filter_map(Value::as_str).collect()),
            _ => return,
        };
        if keyword == "const" {
            self.receipt.changed(format!("{at}/const"), "`const` is told as an `enum` of one value");
        }
        let told: Vec<&str> = values.iter().copied().filter(|text| !text.is_empty()).collect();
        if told.is_empty() {
            self.receipt.lost(format!("{at}/{keyword}"), "Gemini takes no empty text as a fixed value");
        } else if told.len() < values.len() {
            self.receipt.changed(format!("{at}/{keyword}"), "Gemini takes no empty text in `enum`");
        }
        if !told.is_empty() {
            schema.insert("enum".to_owned(), json!(told));
            // A value of the list needs no other form.
            schema.shift_remove("format");
        }
    }

    fn number(&mut self, schema: &mut Map<String, Value>, kind: Type, flat: &Map<String, Value>, at: &str) {
        let bounds = [("minimum", "exclusiveMinimum", 1), ("maximum", "exclusiveMaximum", -1)];
        for (inclusive, exclusive, step) in bounds {
            let own = flat.get(inclusive).filter(|bound| bound.is_number());
            if let Some(own) = own {
                schema.insert(inclusive.to_owned(), own.clone());
            }
            let Some(beyond) = flat.get(exclusive) else { continue };
            let at = format!("{at}/{exclusive}");
            match (beyond.as_i64().and_then(|bound| bound.checked_add(step)), kind) {
                (Some(bound), Type::Integer) if own.is_none() => {
                    schema.insert(inclusive.to_owned(), json!(bound));
                    self.receipt.changed(at, format!("`{exclusive}` is told as `{inclusive}`, one further"));
                }
                _ if own.is_none() && beyond.is_number() => {
                    schema.insert(inclusive.to_owned(), beyond.clone());
                    self.receipt
                        .lost(at, format!("`{exclusive}` is told as `{inclusive}`: the bound itself seems allowed"));
                }
                _ => self.receipt.lost(at, format!("Gemini does not know `{exclusive}`")),
            }
        }
        if let Some(format @ ("int32" | "int64" | "float" | "double")) = flat.get("format").and_then(Value::as_str) {
            schema.insert("format".to_owned(), json!(format));
        }
        self.values(kind, flat, at);
    }

    /// `enum` and `const` of values that are no texts.
    fn values(&mut self, kind: Type, flat: &Map<String, Value>, at: &str) {
        if flat.contains_key("const") {
            self.receipt.lost(format!("{at}/const"), "Gemini takes only texts as fixed values");
        } else if let Some(Value::Array(values)) = flat.get("enum") {
            let both = [true, false].iter().all(|value| values.contains(&Value::Bool(*value)));
            if kind != Type::Boolean || !both {
                self.receipt.lost(format!("{at}/enum"), "Gemini takes only texts in `enum`");
            }
        }
    }

    fn array(&mut self, schema: &mut Map<String, Value>, flat: &Map<String, Value>, at: &str, depth: usize) {
        self.lengths(schema, flat, &["minItems", "maxItems"], at);
        self.values(Type::Array, flat, at);
        let items = match (flat.get("prefixItems"), flat.get("items")) {
            // Older drafts wrote the list under `items`.
            (Some(Value::Array(by_position)), _) => self.positions("prefixItems", by_position, flat.get("items"), at),
            (None, Some(Value::Array(by_position))) => self.positions("items", by_position, None, at),
            (_, Some(items)) => items.clone(),
            (_, None) => json!({}),
        };
        let lowered = self.schema(&items, &format!("{at}/items"), depth + 1);
        let lowered = lowered.unwrap_or_else(|| super::cut(&Map::from_iter([("type".to_owned(), json!("string"))])));
        schema.insert("items".to_owned(), Value::Object(lowered));
    }

    fn positions(&mut self, keyword: &str, by_position: &[Value], rest: Option<&Value>, at: &str) -> Value {
        self.receipt
            .lost(format!("{at}/{keyword}"), "Gemini knows no schemas by position; each item may be any of them");
        let rest = rest.filter(|rest| rest.is_object());
        json!({ "anyOf": by_position.iter().chain(rest).collect::<Vec<_>>() })
    }

    fn object(&mut self, schema: &mut Map<String, Value>, flat: &Map<String, Value>, at: &str, depth: usize) {
        self.lengths(schema, flat, &["minProperties", "maxProperties"], at);
        self.values(Type::Object, flat, at);
        match flat.get("additionalProperties") {
            Some(Value::Bool(false)) => {
                let change = "`additionalProperties: false` is left out: Gemini knows only the properties it is told";
                self.receipt.changed(format!("{at}/additionalProperties"), change);
            }
            Some(Value::Object(_)) => self.left_out("additionalProperties", at),
            _ => {}
        }
        let mut properties = Map::new();
        for (name, property) in flat.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let at = format!("{at}{}", pointer(&["properties", name]));
            match self.schema(property, &at, depth + 1) {
                Some(lowered) => {
                    properties.insert(name.clone(), Value::Object(lowered));
                }
                None => self.receipt.changed(at, "a property that no value fits is left out"),
            }
        }
        if properties.is_empty() {
            return;
        }
        let ordering: Vec<&String> = properties.keys().collect();
        let ordering = json!(ordering);
        let required = self.required(flat, &properties, at);
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema.insert("propertyOrdering".to_owned(), ordering);
    }

    /// Gemini refuses a required name that is no property.
    fn required(&mut self, flat: &Map<String, Value>, properties: &Map<String, Value>, at: &str) -> Vec<String> {
        let mut required = Vec::new();
        let names = flat.get("required").and_then(Value::as_array);
        for name in names.into_iter().flatten().filter_map(Value::as_str) {
            if properties.contains_key(name) {
                required.push(name.to_owned());
            } else {
                self.receipt.lost(format!("{at}/required"), format!("`{name}` is required, but no property"));
            }
        }
        required
    }

    /// Bounds that are int64 in Gemini's schema, which JSON carries as strings.
    fn lengths(&mut self, schema: &mut Map<String, Value>, flat: &Map<String, Value>, names: &[&str], at: &str) {
        for name in names {
            let Some(bound) = flat.get(*name).and_then(Value::as_f64) else { continue };
            if bound >= 0.0 && bound.fract() == 0.0 && bound < 9e15 {
                schema.insert((*name).to_owned(), json!(format!("{bound:.0}")));
            } else {
                self.receipt.lost(format!("{at}/{name}"), format!("`{name}` is no int64"));
            }
        }
    }
}
