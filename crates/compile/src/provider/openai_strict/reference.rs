//! References. In a strict schema `$ref` has no sibling keywords.

use serde_json::{Map, Value, json};

use super::super::references::definition_name;
use super::{Inexpressible, StrictLowering, StrictResult, limits};

impl StrictLowering<'_> {
    /// Lowers a reference with only annotations beside it.
    pub(super) fn lower_reference(
        &mut self,
        reference: &str,
        beside: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> StrictResult {
        if let Some(name) = definition_name(reference) {
            if let Some(problem) = self.inexpressible.get(name) {
                return Err(Inexpressible { at: at.to_owned(), ..problem.clone() });
            }
            if self.referenced.insert(name.to_owned()) {
                self.pending.push(name.to_owned());
            }
        }
        let alone = Map::from_iter([("$ref".to_owned(), json!(reference))]);
        let mut around = self.lower_annotations(beside, Vec::new(), at);
        if around.is_empty() || depth >= limits::MAX_DEPTH {
            return Ok(alone);
        }
        self.receipt.changed(format!("{at}/$ref"), "the keywords beside `$ref` are declared in a schema around it");
        around.insert("anyOf".to_owned(), json!([alone]));
        Ok(around)
    }
}
