//! Lists. Each has one schema for all of its elements.

use serde_json::{Map, Value, json};

use super::{Lowering, Unsayable};

impl Lowering<'_> {
    /// Adds what is said about the elements of a list.
    pub(super) fn array(
        &mut self,
        own: &mut Map<String, Value>,
        flat: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<(), Unsayable> {
        let most = flat.get("maxItems");
        let items = match (flat.get("prefixItems"), flat.get("items")) {
            // Older drafts wrote the list under `items`.
            (None, Some(Value::Array(by_position))) => {
                let rest = flat.get("additionalItems");
                self.positions(own, by_position, (rest, most), &format!("{at}/items"))
            }
            (Some(Value::Array(by_position)), rest) => {
                self.positions(own, by_position, (rest, most), &format!("{at}/prefixItems"))
            }
            (_, Some(items)) => items.clone(),
            (_, None) => json!({}),
        };
        let items = self.schema(&items, &format!("{at}/items"), depth + 1)?;
        own.insert("items".to_owned(), Value::Object(items));
        Ok(())
    }

    /// One schema for all positions; without one for the rest, the list ends with them.
    fn positions(
        &mut self,
        own: &mut Map<String, Value>,
        by_position: &[Value],
        (rest, most): (Option<&Value>, Option<&Value>),
        at: &str,
    ) -> Value {
        self.receipt.lost(at, "a strict schema knows none by position; each element may be any of them");
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
