//! What Gemini takes for arrays. It refuses one without `items`.

use serde_json::{Map, Value, json};

use super::{Flat, Lowered, Lowering, cut};

impl Lowering<'_> {
    pub(super) fn array(&mut self, schema: &mut Lowered, flat: &Flat, depth: usize) {
        self.lengths(schema, flat, &["minItems", "maxItems"]);
        let by_position = flat.list("prefixItems").filter(|schemas| !schemas.is_empty());
        let rest = flat.get("items");
        let (items, at) = match (by_position, rest) {
            (Some(by_position), rest) => (self.positions(flat, by_position, rest), flat.pointer("prefixItems")),
            (None, Some(items)) => (items.clone(), flat.pointer("items")),
            (None, None) => (json!({}), format!("{}/items", flat.at)),
        };
        if rest == Some(&Value::Bool(false)) {
            let most = by_position.map_or(0, Vec::len);
            at_most(schema, most);
            self.receipt.changed(flat.pointer("items"), format!("`items: false` is told as `maxItems` {most}"));
        }
        let lowered = self.schema(&items, &at, depth + 1);
        let lowered = lowered.unwrap_or_else(|| cut(&json!({ "type": "string" })));
        schema.insert("items".to_owned(), Value::Object(lowered));
    }

    fn positions(&mut self, flat: &Flat, by_position: &[Value], rest: Option<&Value>) -> Value {
        let change = "Gemini knows no schemas by position; each item may be any of them";
        self.receipt.lost(flat.pointer("prefixItems"), change);
        let rest = rest.filter(|rest| **rest != Value::Bool(false));
        json!({ "anyOf": by_position.iter().chain(rest).collect::<Vec<_>>() })
    }
}

fn at_most(schema: &mut Map<String, Value>, most: usize) {
    let known = schema.get("maxItems").and_then(Value::as_str).and_then(|bound| bound.parse::<usize>().ok());
    let tighter = known.map_or(most, |known| known.min(most));
    schema.insert("maxItems".to_owned(), json!(tighter.to_string()));
}
