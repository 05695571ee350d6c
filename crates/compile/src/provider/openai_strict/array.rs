//! Arrays. A strict array has one schema for all of its items.

use serde_json::{Map, Value, json};

use super::{Inexpressible, StrictLowering};

impl StrictLowering<'_> {
    /// Adds the schema of the items.
    pub(super) fn lower_array(
        &mut self,
        own: &mut Map<String, Value>,
        flat: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<(), Inexpressible> {
        let most = flat.get("maxItems");
        let items = match (flat.get("prefixItems"), flat.get("items")) {
            // Older drafts have schemas by position in `items`.
            (None, Some(Value::Array(by_position))) => {
                let rest = flat.get("additionalItems");
                self.merge_prefix_items(own, by_position, (rest, most), &format!("{at}/items"))
            }
            (Some(Value::Array(by_position)), rest) => {
                self.merge_prefix_items(own, by_position, (rest, most), &format!("{at}/prefixItems"))
            }
            (_, Some(items)) => items.clone(),
            (_, None) => json!({}),
        };
        let items = self.lower_schema(&items, &format!("{at}/items"), depth + 1)?;
        own.insert("items".to_owned(), Value::Object(items));
        Ok(())
    }

    /// One schema for all positions; without a schema for further items, the array ends with these.
    fn merge_prefix_items(
        &mut self,
        own: &mut Map<String, Value>,
        by_position: &[Value],
        (rest, most): (Option<&Value>, Option<&Value>),
        at: &str,
    ) -> Value {
        self.receipt.lost(at, "a strict schema has no schemas by position; each element may be any of them");
        let rest = rest.filter(|rest| rest.is_object());
        if rest.is_none() {
            let most = most
                .and_then(Value::as_u64)
                .map_or(by_position.len() as u64, |most| most.min(by_position.len() as u64));
            own.insert("maxItems".to_owned(), json!(most));
        }
        json!({ "anyOf": by_position.iter().chain(rest).collect::<Vec<_>>() })
    }
}
