//! A schema of one type: the fields of every type, and the keywords that Gemini lacks.

use serde_json::{Map, Value, json};

use super::{FlatSchema, GeminiLowering, GeminiSchema, GeminiType};

/// Constraints without a field in Gemini's schema, by the type that they apply to.
const UNSUPPORTED_BY_TYPE: &[(GeminiType, &[&str])] = &[
    (GeminiType::Number, &["multipleOf"]),
    (GeminiType::Integer, &["multipleOf"]),
    (GeminiType::Array, &["uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"]),
    (
        GeminiType::Object,
        &["patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "unevaluatedProperties"],
    ),
];

/// Constraints without a field, for every type.
const UNSUPPORTED_ANYWHERE: &[&str] = &["not", "if", "then", "else"];

/// Annotations without a field.
const UNSUPPORTED_ANNOTATIONS: &[&str] =
    &["contentEncoding", "contentMediaType", "contentSchema", "deprecated", "readOnly", "writeOnly"];

impl GeminiLowering<'_> {
    /// Lowers the part of a schema that applies to values of one type.
    pub(super) fn lower_type(&mut self, kind: GeminiType, flat: &FlatSchema, depth: usize) -> GeminiSchema {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!(kind.name()));
        for name in ["title", "description"] {
            if let Some(text) = flat.string(name) {
                schema.insert(name.to_owned(), json!(text));
            }
        }
        match kind {
            GeminiType::String => self.lower_string(&mut schema, flat),
            GeminiType::Number | GeminiType::Integer => self.lower_number(&mut schema, kind, flat),
            GeminiType::Array => self.lower_array(&mut schema, flat, depth),
            GeminiType::Object => self.lower_object(&mut schema, flat, depth),
            GeminiType::Boolean | GeminiType::Null => {}
        }
        self.lower_fixed_values(&mut schema, kind, flat);
        if let Some(default) = flat.get("default") {
            schema.insert("default".to_owned(), default.clone());
        }
        if let Some(example) = flat.array("examples").and_then(|examples| examples.first()) {
            schema.insert("example".to_owned(), example.clone());
        }
        self.report_unsupported_keywords(kind, flat);
        schema
    }

    fn report_unsupported_keywords(&mut self, kind: GeminiType, flat: &FlatSchema) {
        let for_type =
            UNSUPPORTED_BY_TYPE.iter().filter(|(of, _)| *of == kind).flat_map(|(_, keywords)| keywords.iter());
        for keyword in for_type.chain(UNSUPPORTED_ANYWHERE) {
            match flat.get(keyword) {
                Some(value) if constrains(keyword, value) => self.report_lost_keyword(keyword, flat),
                _ => {}
            }
        }
        for keyword in UNSUPPORTED_ANNOTATIONS.iter().filter(|keyword| flat.has(keyword)) {
            self.receipt.changed(flat.pointer(keyword), format!("Gemini does not support the annotation `{keyword}`"));
        }
        if flat.array("examples").is_some_and(|examples| examples.len() > 1) {
            self.receipt.changed(flat.pointer("examples"), "only the first example is declared");
        }
    }

    pub(super) fn report_lost_keyword(&mut self, keyword: &str, flat: &FlatSchema) {
        self.receipt.lost(flat.pointer(keyword), format!("Gemini does not support `{keyword}`"));
    }

    /// Lowers bounds that are int64 in Gemini's schema; JSON carries int64 as strings.
    pub(super) fn lower_int64_bounds(&mut self, schema: &mut GeminiSchema, flat: &FlatSchema, names: &[&str]) {
        for name in names {
            let Some(bound) = flat.get(name).and_then(Value::as_f64) else { continue };
            if bound >= 0.0 && bound.fract() == 0.0 && bound < 9e15 {
                schema.insert((*name).to_owned(), json!(format!("{bound:.0}")));
            } else {
                self.receipt.lost(flat.pointer(name), format!("`{name}` is not an int64"));
            }
        }
    }
}

/// Whether a keyword with this value can reject a value.
fn constrains(keyword: &str, value: &Value) -> bool {
    match keyword {
        "uniqueItems" | "not" => *value != Value::Bool(false),
        _ => *value != Value::Bool(true),
    }
}
