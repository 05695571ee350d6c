//! Fixed values: `enum` and `const`.
//!
//! `enum` is a list of strings in both published types. The Gemini API refuses it for any type but `STRING` ("enum:
//! only allowed for STRING type") and refuses an empty string in it. Other values are declared as bounds if these are
//! equivalent, else in the description, because the model can't guess them.

use indexmap::IndexSet;
use serde_json::{Value, json};

use super::{FlatSchema, GeminiLowering, GeminiSchema, GeminiType};

/// The maximum size of the values in a description, in bytes; longer lists are left out.
const MAX_DESCRIBED_BYTES: usize = 400;

impl GeminiLowering<'_> {
    pub(super) fn lower_fixed_values(&mut self, schema: &mut GeminiSchema, kind: GeminiType, flat: &FlatSchema) {
        let (keyword, values) = match (flat.get("const"), flat.array("enum")) {
            (Some(only), _) => ("const", vec![only]),
            (None, Some(values)) => ("enum", values.iter().collect()),
            _ => return,
        };
        let is_of_kind = |value: &&Value| kind.covers(GeminiType::from_value(value)) && is_within_bounds(schema, value);
        let of_kind: IndexSet<&Value> = values.into_iter().filter(is_of_kind).collect();
        let of_kind: Vec<&Value> = of_kind.into_iter().collect();
        match kind {
            GeminiType::String => self.lower_string_enum(schema, flat, keyword, &of_kind),
            GeminiType::Null if of_kind.is_empty() => {
                self.receipt.lost(flat.pointer(keyword), format!("`{keyword}` does not list `null` and is left out"));
            }
            GeminiType::Null => {}
            GeminiType::Boolean if of_kind.len() == 2 => {}
            GeminiType::Integer if declare_as_bounds(schema, &of_kind) => {
                self.receipt
                    .changed(flat.pointer(keyword), format!("`{keyword}` is declared as `minimum` and `maximum`"));
            }
            GeminiType::Boolean | GeminiType::Integer | GeminiType::Number | GeminiType::Array | GeminiType::Object => {
                self.describe_values(schema, flat, keyword, &of_kind);
            }
        }
    }

    fn lower_string_enum(&mut self, schema: &mut GeminiSchema, flat: &FlatSchema, keyword: &str, values: &[&Value]) {
        let declared: Vec<&str> =
            values.iter().filter_map(|value| value.as_str()).filter(|text| !text.is_empty()).collect();
        let at = flat.pointer(keyword);
        if values.is_empty() {
            self.receipt.lost(at, format!("`{keyword}` has no value of this type and is left out"));
            return;
        }
        if declared.is_empty() {
            schema.insert("maxLength".to_owned(), json!("0"));
            self.receipt.changed(at, "the empty string is declared as `maxLength` 0: Gemini refuses it in `enum`");
            return;
        }
        if declared.len() < values.len() {
            self.receipt.changed(at, "Gemini accepts no empty string in `enum`, so it is left out");
        } else if keyword == "const" {
            self.receipt.changed(at, "`const` is declared as an `enum` of one value");
        }
        schema.insert("enum".to_owned(), json!(declared));
        // The listed values make `format` redundant.
        schema.shift_remove("format");
    }

    fn describe_values(&mut self, schema: &mut GeminiSchema, flat: &FlatSchema, keyword: &str, values: &[&Value]) {
        let list = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let at = flat.pointer(keyword);
        if values.is_empty() || list.len() > MAX_DESCRIBED_BYTES {
            self.receipt.lost(at, format!("Gemini accepts only strings in `enum`, so `{keyword}` is left out"));
            return;
        }
        let declared = if values.len() == 1 { format!("Always {list}.") } else { format!("One of {list}.") };
        let whole = match schema.get("description").and_then(Value::as_str) {
            Some(text) if !text.trim().is_empty() => format!("{text}\n{declared}"),
            _ => declared,
        };
        schema.insert("description".to_owned(), json!(whole));
        self.receipt
            .changed(at, format!("Gemini accepts only strings in `enum`, so `{keyword}` is stated in the description"));
    }
}

/// Whether a value is within the bounds beside its list.
fn is_within_bounds(schema: &GeminiSchema, value: &Value) -> bool {
    let bound = |name| schema.get(name).and_then(Value::as_f64);
    let inside = |number| {
        bound("minimum").is_none_or(|least| number >= least) && bound("maximum").is_none_or(|most| number <= most)
    };
    value.as_f64().is_none_or(inside)
}

/// Declares consecutive integers as a range; false if they are not consecutive.
fn declare_as_bounds(schema: &mut GeminiSchema, values: &[&Value]) -> bool {
    let integers: Option<Vec<i64>> = values.iter().map(|value| value.as_i64()).collect();
    let Some(mut integers) = integers else { return false };
    integers.sort_unstable();
    let consecutive = integers.windows(2).all(|pair| matches!(pair, [a, b] if a.checked_add(1) == Some(*b)));
    let (Some(least), Some(most)) = (integers.first(), integers.last()) else { return false };
    if consecutive {
        schema.insert("minimum".to_owned(), json!(least));
        schema.insert("maximum".to_owned(), json!(most));
    }
    consecutive
}
