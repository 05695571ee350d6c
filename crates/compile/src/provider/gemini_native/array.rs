//! Arrays. Gemini refuses an array without `items`.

use serde_json::{Map, Value, json};

use super::{FlatSchema, GeminiLowering, GeminiSchema, GeminiType, outline};

impl GeminiLowering<'_> {
    pub(super) fn lower_array(&mut self, schema: &mut GeminiSchema, flat: &FlatSchema, depth: usize) {
        self.lower_int64_bounds(schema, flat, &["minItems", "maxItems"]);
        let by_position = flat.array("prefixItems").filter(|schemas| !schemas.is_empty());
        let rest = flat.get("items");
        let items = match (by_position, rest) {
            (Some(by_position), rest) => {
                Some((self.merge_prefix_items(flat, by_position, rest), flat.pointer("prefixItems")))
            }
            (None, Some(items)) => Some((items.clone(), flat.pointer("items"))),
            (None, None) => None,
        };
        if rest == Some(&Value::Bool(false)) {
            let most = by_position.map_or(0, Vec::len);
            limit_max_items(schema, most);
            self.receipt.changed(flat.pointer("items"), format!("`items: false` is declared as `maxItems` {most}"));
        }
        let lowered = if let Some((items, at)) = items {
            let lowered = self.lower_schema(&items, &at, depth + 1);
            Value::Object(lowered.unwrap_or_else(|| outline(&json!({ "type": "string" }))))
        } else {
            let change = "items of any type are declared as string, number, boolean, object or null";
            self.receipt.changed(&flat.at, change);
            any_item()
        };
        schema.insert("items".to_owned(), lowered);
    }

    fn merge_prefix_items(&mut self, flat: &FlatSchema, by_position: &[Value], rest: Option<&Value>) -> Value {
        let change = "Gemini has no schemas by position; each item may be any of them";
        self.receipt.lost(flat.pointer("prefixItems"), change);
        let rest = rest.filter(|rest| **rest != Value::Bool(false));
        json!({ "anyOf": by_position.iter().chain(rest).collect::<Vec<_>>() })
    }
}

/// An item of any type but array: arrays of arrays without end have no form.
fn any_item() -> Value {
    let of = |kind: GeminiType| json!({ "type": kind.name(), "nullable": true });
    let kinds = [GeminiType::String, GeminiType::Number, GeminiType::Boolean, GeminiType::Object];
    json!({ "anyOf": kinds.map(of) })
}

fn limit_max_items(schema: &mut Map<String, Value>, most: usize) {
    let known = schema.get("maxItems").and_then(Value::as_str).and_then(|bound| bound.parse::<usize>().ok());
    let tighter = known.map_or(most, |known| known.min(most));
    schema.insert("maxItems".to_owned(), json!(tighter.to_string()));
}
