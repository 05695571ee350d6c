//! The types that a schema allows. Gemini's schema has one `type`, so several types become alternatives.

use serde_json::{Value, json};

use super::any_of::{SHARED_ANNOTATIONS, join_alternatives};
use super::{FlatSchema, GeminiLowering, GeminiSchema, GeminiType};

/// The keywords that show what a schema without `type` describes.
const SIGNS: [(GeminiType, &[&str]); 4] = [
    (
        GeminiType::Object,
        &[
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
        ],
    ),
    (GeminiType::Array, &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]),
    (GeminiType::String, &["minLength", "maxLength", "pattern", "format"]),
    (GeminiType::Number, &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

impl GeminiLowering<'_> {
    /// Lowers a schema without alternatives by its allowed types.
    pub(super) fn lower_by_types(&mut self, flat: &FlatSchema, depth: usize) -> GeminiSchema {
        let mut types = self.allowed_types(flat);
        let null = types.contains(&GeminiType::Null) && types.len() > 1;
        if null {
            types.retain(|kind| *kind != GeminiType::Null);
        }
        if flat.array("type").is_some_and(|names| names.len() > 1) {
            let form = if types.len() > 1 { "`anyOf`" } else { "one type and `nullable`" };
            self.receipt.changed(flat.pointer("type"), format!("the list of types is declared as {form}"));
        }
        if null && flat.has("enum") {
            self.receipt.changed(flat.pointer("enum"), "`null` is declared as `nullable`");
        }
        if let [one] = types.as_slice() {
            let mut schema = self.lower_type(*one, flat, depth);
            if null {
                schema.insert("nullable".to_owned(), json!(true));
            }
            return schema;
        }
        let bare = flat.without(&SHARED_ANNOTATIONS);
        let lowered = types.iter().map(|kind| self.lower_type(*kind, &bare, depth + 1)).collect();
        join_alternatives(flat, lowered, null, self.receipt)
    }

    /// The allowed types: from `type`, `enum` and `const`, else from the other keywords, else all types.
    fn allowed_types(&mut self, flat: &FlatSchema) -> Vec<GeminiType> {
        let named: Vec<GeminiType> = match flat.get("type") {
            Some(Value::String(name)) => GeminiType::parse(name).into_iter().collect(),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).filter_map(GeminiType::parse).collect(),
            _ => Vec::new(),
        };
        let values: Vec<GeminiType> = match (flat.get("const"), flat.array("enum")) {
            (Some(value), _) => vec![GeminiType::from_value(value)],
            (None, Some(values)) => values.iter().map(GeminiType::from_value).collect(),
            _ => Vec::new(),
        };
        // `enum` and `const` are narrower than `type`.
        let fits = |kind: &GeminiType| named.is_empty() || named.iter().any(|named| named.covers(*kind));
        let fitting: Vec<GeminiType> = values.into_iter().filter(fits).collect();
        let mut types = match (fitting.is_empty(), named.is_empty()) {
            (false, _) => fitting,
            (true, false) => named,
            (true, true) => self.types_from_keywords(flat),
        };
        if types.is_empty() {
            self.receipt
                .changed(&flat.at, "a value of any type is declared as string, number, boolean, array, object or null");
            types = vec![
                GeminiType::String,
                GeminiType::Number,
                GeminiType::Boolean,
                GeminiType::Array,
                GeminiType::Object,
                GeminiType::Null,
            ];
        }
        distinct_types(types)
    }

    /// The types that the keywords constrain: a schema without `type` accepts every value of the others.
    fn types_from_keywords(&mut self, flat: &FlatSchema) -> Vec<GeminiType> {
        let shown = SIGNS.into_iter().filter(|(_, signs)| signs.iter().any(|sign| flat.has(sign)));
        let types: Vec<GeminiType> = shown.map(|(kind, _)| kind).collect();
        if !types.is_empty() {
            let change = "without a `type`, it is declared as the types that its keywords constrain";
            self.receipt.changed(&flat.at, change);
        }
        types
    }
}

/// Removes duplicates; `number` covers `integer`.
fn distinct_types(types: Vec<GeminiType>) -> Vec<GeminiType> {
    let number = types.contains(&GeminiType::Number);
    let mut seen = Vec::new();
    for kind in types {
        let covered = number && kind == GeminiType::Integer;
        if !covered && !seen.contains(&kind) {
            seen.push(kind);
        }
    }
    seen
}
