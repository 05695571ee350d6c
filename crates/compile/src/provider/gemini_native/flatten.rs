//! Inlines `$ref` and merges `allOf`, one level at a time; deeper levels are flattened when the lowering reaches them.

use serde_json::{Map, Value};

use super::super::origin::origin;
use super::{FlatSchema, GeminiLowering};
use crate::schema::refs;

/// How often one target may be nested in itself: a recursive schema is declared to this depth.
const MAX_OPEN: usize = 2;
/// The maximum number of parts merged into one schema.
const MAX_PARTS: usize = 64;

impl GeminiLowering<'_> {
    /// The schema without `$ref` and `allOf` at its top level; `None` if one of its parts accepts no value. Adds the
    /// inlined targets to `open_refs`; the caller removes them after lowering the schema's children.
    pub(super) fn flatten(&mut self, schema: &Value, beside: Option<&FlatSchema>, at: &str) -> Option<FlatSchema> {
        let mut flat = FlatSchema::empty_at(origin(schema).unwrap_or(at));
        self.receipt.spend_on(schema);
        if self.receipt.is_spent() {
            return None;
        }
        let mut open = vec![(schema.clone(), at.to_owned())];
        let mut seen = 0;
        while let Some((part, at)) = open.pop() {
            seen += 1;
            if seen > MAX_PARTS {
                self.receipt.lost(&flat.at, "`allOf` has too many branches or references, and the rest is cut");
                break;
            }
            let at = origin(&part).map_or(at, str::to_owned);
            let mut part = match part {
                Value::Object(members) => members,
                Value::Bool(false) => return None,
                _ => continue,
            };
            let all = part.shift_remove("allOf");
            let reference = ["$ref", "$dynamicRef"].into_iter().find_map(|word| Some((word, part.shift_remove(word)?)));
            flat.add(part, &at, self.receipt);
            if let Some(Value::Array(all)) = all {
                let at = format!("{at}/allOf");
                self.receipt.changed(&at, "`allOf` is merged");
                open.extend(all.into_iter().enumerate().rev().map(|(index, part)| (part, format!("{at}/{index}"))));
            }
            if let Some((keyword, Value::String(reference))) = reference {
                open.extend(self.inline_reference(&reference, format!("{at}/{keyword}")));
            }
        }
        if let Some(beside) = beside {
            flat.add_beside(beside, self.receipt);
        }
        Some(flat)
    }

    /// The target of a reference and its pointer; only the outline of a target that is open [`MAX_OPEN`] times.
    fn inline_reference(&mut self, reference: &str, at: String) -> Option<(Value, String)> {
        let Some((target, schema)) = refs::resolve(self.root, reference) else {
            self.receipt.lost(at, format!("`{reference}` does not resolve to a schema and is left out"));
            return None;
        };
        if self.open_refs.iter().filter(|open| **open == target).count() < MAX_OPEN {
            self.receipt.changed(at, format!("`{reference}` is inlined"));
            self.open_refs.push(target.clone());
            self.receipt.spend_on(schema);
            return (!self.receipt.is_spent()).then(|| (schema.clone(), target));
        }
        self.receipt.lost(at, format!("`{reference}` is recursive and is cut here"));
        let mut outline = Map::new();
        for keyword in ["type", "title", "description"] {
            if let Some(value) = schema.get(keyword) {
                outline.insert(keyword.to_owned(), value.clone());
            }
        }
        Some((Value::Object(outline), target))
    }
}
