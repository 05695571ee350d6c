//! Fixed values: `enum` and `const`.
//!
//! `enum` is a list of texts in both published types, and the Gemini API refuses it for any type but `STRING` ("enum:
//! only allowed for STRING type") and refuses an empty text in it. Other values are told as bounds where that says the
//! same, else in the description: what a model can't guess it must read.

use serde_json::{Value, json};

use super::{Flat, Lowered, Lowering, Type};

/// Bytes of the values in a description; longer lists are left out.
const MOST_TOLD: usize = 400;

impl Lowering<'_> {
    pub(super) fn values(&mut self, schema: &mut Lowered, kind: Type, flat: &Flat) {
        let (keyword, values) = match (flat.get("const"), flat.list("enum")) {
            (Some(only), _) => ("const", vec![only]),
            (None, Some(values)) => ("enum", values.iter().collect()),
            _ => return,
        };
        let mut of_kind: Vec<&Value> = Vec::new();
        for value in values {
            if kind.covers(Type::of(value)) && within(schema, value) && !of_kind.contains(&value) {
                of_kind.push(value);
            }
        }
        match kind {
            Type::String => self.texts(schema, flat, keyword, &of_kind),
            Type::Null => {}
            Type::Boolean if of_kind.len() == 2 => {}
            Type::Integer if told_as_bounds(schema, &of_kind) => {
                self.receipt.changed(flat.pointer(keyword), format!("`{keyword}` is told as `minimum` and `maximum`"));
            }
            Type::Boolean | Type::Integer | Type::Number | Type::Array | Type::Object => {
                self.described(schema, flat, keyword, &of_kind);
            }
        }
    }

    fn texts(&mut self, schema: &mut Lowered, flat: &Flat, keyword: &str, values: &[&Value]) {
        let told: Vec<&str> =
            values.iter().filter_map(|value| value.as_str()).filter(|text| !text.is_empty()).collect();
        let at = flat.pointer(keyword);
        if values.is_empty() {
            self.receipt.lost(at, format!("`{keyword}` has no value of this type and is left out"));
            return;
        }
        if told.is_empty() {
            schema.insert("maxLength".to_owned(), json!("0"));
            self.receipt.changed(at, "the empty text is told as `maxLength` 0: Gemini refuses it in `enum`");
            return;
        }
        if told.len() < values.len() {
            self.receipt.changed(at, "Gemini takes no empty text in `enum`, so it is not told");
        } else if keyword == "const" {
            self.receipt.changed(at, "`const` is told as an `enum` of one value");
        }
        schema.insert("enum".to_owned(), json!(told));
        // A value of the list needs no other form.
        schema.shift_remove("format");
    }

    fn described(&mut self, schema: &mut Lowered, flat: &Flat, keyword: &str, values: &[&Value]) {
        let list = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let at = flat.pointer(keyword);
        if values.is_empty() || list.len() > MOST_TOLD {
            self.receipt.lost(at, format!("Gemini takes only texts in `enum`, so `{keyword}` is left out"));
            return;
        }
        let told = if values.len() == 1 { format!("Always {list}.") } else { format!("One of {list}.") };
        let whole = match schema.get("description").and_then(Value::as_str) {
            Some(text) if !text.trim().is_empty() => format!("{text}\n{told}"),
            _ => told,
        };
        schema.insert("description".to_owned(), json!(whole));
        self.receipt
            .changed(at, format!("Gemini takes only texts in `enum`, so `{keyword}` is told in the description"));
    }
}

/// Bounds beside a list of numbers may leave out some of it.
fn within(schema: &Lowered, value: &Value) -> bool {
    let bound = |name| schema.get(name).and_then(Value::as_f64);
    let inside = |number| {
        bound("minimum").is_none_or(|least| number >= least) && bound("maximum").is_none_or(|most| number <= most)
    };
    value.as_f64().is_none_or(inside)
}

/// Consecutive integers are a range.
fn told_as_bounds(schema: &mut Lowered, values: &[&Value]) -> bool {
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
