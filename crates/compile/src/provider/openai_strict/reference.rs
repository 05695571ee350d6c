//! A reference, which in a strict schema stands alone.

use serde_json::{Map, Value, json};

use super::super::references::definition_of;
use super::{Lowered, Lowering, Unsayable, limits};

impl Lowering<'_> {
    /// Lowers a reference with nothing but annotations beside it.
    pub(super) fn reference(
        &mut self,
        reference: &str,
        beside: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Lowered {
        if let Some(name) = definition_of(reference) {
            if let Some(problem) = self.hopeless.get(name) {
                return Err(Unsayable { at: at.to_owned(), ..problem.clone() });
            }
            if self.wanted.insert(name.to_owned()) {
                self.pending.push(name.to_owned());
            }
        }
        let alone = Map::from_iter([("$ref".to_owned(), json!(reference))]);
        let mut around = self.words(beside, Vec::new(), at);
        if around.is_empty() || depth >= limits::MAX_DEPTH {
            return Ok(alone);
        }
        self.receipt.changed(format!("{at}/$ref"), "what stands beside `$ref` is told around it");
        around.insert("anyOf".to_owned(), json!([alone]));
        Ok(around)
    }
}
