//! The types that a schema allows: one `type` in Gemini's schema, so several become alternatives.

use serde_json::{Value, json};

use super::joined::{ABOUT, joined};
use super::{Flat, Lowered, Lowering, Type};

impl Lowering<'_> {
    /// Lowers a schema without alternatives by what types it allows.
    pub(super) fn by_types(&mut self, flat: &Flat, depth: usize) -> Lowered {
        let mut types = self.types(flat);
        let null = types.contains(&Type::Null) && types.len() > 1;
        if null {
            types.retain(|kind| *kind != Type::Null);
        }
        if flat.list("type").is_some_and(|names| names.len() > 1) {
            let told = if types.len() > 1 { "`anyOf`" } else { "one type and `nullable`" };
            self.receipt.changed(flat.pointer("type"), format!("the list of types is told as {told}"));
        }
        if null && flat.has("enum") {
            self.receipt.changed(flat.pointer("enum"), "`null` is told as `nullable`");
        }
        if let [one] = types.as_slice() {
            let mut schema = self.typed(*one, flat, depth);
            if null {
                schema.insert("nullable".to_owned(), json!(true));
            }
            return schema;
        }
        let bare = flat.without(&ABOUT);
        let lowered = types.iter().map(|kind| self.typed(*kind, &bare, depth + 1)).collect();
        joined(flat, lowered, null, self.receipt)
    }

    /// As the schema says, or as its values or keywords show, or any.
    fn types(&mut self, flat: &Flat) -> Vec<Type> {
        let named: Vec<Type> = match flat.get("type") {
            Some(Value::String(name)) => Type::parse(name).into_iter().collect(),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).filter_map(Type::parse).collect(),
            _ => Vec::new(),
        };
        let values: Vec<Type> = match (flat.get("const"), flat.list("enum")) {
            (Some(value), _) => vec![Type::of(value)],
            (None, Some(values)) => values.iter().map(Type::of).collect(),
            _ => Vec::new(),
        };
        // A list of values is narrower than the types beside it.
        let fits = |kind: &Type| named.is_empty() || named.iter().any(|named| named.covers(*kind));
        let fitting: Vec<Type> = values.into_iter().filter(fits).collect();
        let mut types = match (fitting.is_empty(), named.is_empty()) {
            (false, _) => fitting,
            (true, false) => named,
            (true, true) => by_keywords(flat),
        };
        if types.is_empty() {
            self.receipt.changed(&flat.at, "a value of any type is told as text, number, boolean, object or null");
            types = vec![Type::String, Type::Number, Type::Boolean, Type::Object, Type::Null];
        }
        distinct(types)
    }
}

/// Each type once; `number` covers `integer`.
fn distinct(types: Vec<Type>) -> Vec<Type> {
    let number = types.contains(&Type::Number);
    let mut seen = Vec::new();
    for kind in types {
        let covered = number && kind == Type::Integer;
        if !covered && !seen.contains(&kind) {
            seen.push(kind);
        }
    }
    seen
}

fn by_keywords(flat: &Flat) -> Vec<Type> {
    const SIGNS: [(Type, &[&str]); 4] = [
        (
            Type::Object,
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
        (Type::Array, &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]),
        (Type::String, &["minLength", "maxLength", "pattern", "format"]),
        (Type::Number, &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    ];
    let shown = SIGNS.into_iter().filter(|(_, signs)| signs.iter().any(|sign| flat.has(sign)));
    shown.map(|(kind, _)| kind).collect()
}
