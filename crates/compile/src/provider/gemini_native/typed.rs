//! A schema of one type: what every type has, and which keywords Gemini does not know.

use serde_json::{Map, Value, json};

use super::{Flat, Lowered, Lowering, Type};

/// Constraints that Gemini's schema has no field for, by the type that they bear on.
const UNKNOWN: &[(Type, &[&str])] = &[
    (Type::Number, &["multipleOf"]),
    (Type::Integer, &["multipleOf"]),
    (Type::Array, &["uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"]),
    (
        Type::Object,
        &["patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "unevaluatedProperties"],
    ),
];

/// The same for every type.
const UNKNOWN_ANYWHERE: &[&str] = &["not", "if", "then", "else"];

/// What says something and constrains nothing.
const ANNOTATIONS: &[&str] =
    &["contentEncoding", "contentMediaType", "contentSchema", "deprecated", "readOnly", "writeOnly"];

impl Lowering<'_> {
    /// Lowers the part of a schema that bears on values of one type.
    pub(super) fn typed(&mut self, kind: Type, flat: &Flat, depth: usize) -> Lowered {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!(kind.name()));
        for name in ["title", "description"] {
            if let Some(text) = flat.text(name) {
                schema.insert(name.to_owned(), json!(text));
            }
        }
        match kind {
            Type::String => self.text(&mut schema, flat),
            Type::Number | Type::Integer => self.number(&mut schema, kind, flat),
            Type::Array => self.array(&mut schema, flat, depth),
            Type::Object => self.object(&mut schema, flat, depth),
            Type::Boolean | Type::Null => {}
        }
        self.values(&mut schema, kind, flat);
        if let Some(default) = flat.get("default") {
            schema.insert("default".to_owned(), default.clone());
        }
        if let Some(example) = flat.list("examples").and_then(|examples| examples.first()) {
            schema.insert("example".to_owned(), example.clone());
        }
        self.unknown(kind, flat);
        schema
    }

    fn unknown(&mut self, kind: Type, flat: &Flat) {
        let for_type = UNKNOWN.iter().filter(|(of, _)| *of == kind).flat_map(|(_, keywords)| keywords.iter());
        for keyword in for_type.chain(UNKNOWN_ANYWHERE) {
            match flat.get(keyword) {
                Some(value) if constrains(keyword, value) => self.left_out(keyword, flat),
                _ => {}
            }
        }
        for keyword in ANNOTATIONS.iter().filter(|keyword| flat.has(keyword)) {
            self.receipt.changed(flat.pointer(keyword), format!("Gemini does not know the note `{keyword}`"));
        }
        if flat.list("examples").is_some_and(|examples| examples.len() > 1) {
            self.receipt.changed(flat.pointer("examples"), "only the first example is told");
        }
    }

    pub(super) fn left_out(&mut self, keyword: &str, flat: &Flat) {
        self.receipt.lost(flat.pointer(keyword), format!("Gemini does not know `{keyword}`"));
    }

    /// Bounds that are int64 in Gemini's schema, which JSON carries as strings.
    pub(super) fn lengths(&mut self, schema: &mut Lowered, flat: &Flat, names: &[&str]) {
        for name in names {
            let Some(bound) = flat.get(name).and_then(Value::as_f64) else { continue };
            if bound >= 0.0 && bound.fract() == 0.0 && bound < 9e15 {
                schema.insert((*name).to_owned(), json!(format!("{bound:.0}")));
            } else {
                self.receipt.lost(flat.pointer(name), format!("`{name}` is no int64"));
            }
        }
    }
}

/// Whether a keyword with this value can refuse anything.
fn constrains(keyword: &str, value: &Value) -> bool {
    match keyword {
        "uniqueItems" | "not" => *value != Value::Bool(false),
        _ => *value != Value::Bool(true),
    }
}
