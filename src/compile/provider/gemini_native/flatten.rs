//! `$ref` inlined and `allOf` merged, one level at a time. What lies below is reached when the lowering gets there.

use serde_json::{Map, Value};

use super::super::merge::merge;
use super::Lowering;
use crate::compile::refs;

/// How often one target may be open at once: a tree is told to this depth.
const MAX_OPEN: usize = 2;
/// Parts that one schema may be merged from.
const MAX_PARTS: usize = 64;

impl Lowering<'_> {
    /// The schema without references and `allOf` at its top. Opens the references that it inlines; the caller closes
    /// them once the schema's children are done.
    pub(super) fn flatten(&mut self, schema: Map<String, Value>, at: &str) -> Map<String, Value> {
        let mut merged = Map::new();
        let mut open = vec![schema];
        let mut seen = 0;
        while let Some(mut part) = open.pop() {
            seen += 1;
            if seen > MAX_PARTS {
                self.receipt.lost(at, "`allOf` or references are too many and are cut");
                break;
            }
            let all = part.shift_remove("allOf");
            let reference = ["$ref", "$dynamicRef"].iter().find_map(|keyword| part.shift_remove(*keyword));
            merge(&mut merged, part, at, self.receipt);
            if let Some(Value::Array(all)) = all {
                self.receipt.changed(format!("{at}/allOf"), "`allOf` is merged");
                open.extend(all.into_iter().rev().filter_map(|part| match part {
                    Value::Object(members) => Some(members),
                    _ => None,
                }));
            }
            if let Some(Value::String(reference)) = reference {
                open.extend(self.inlined(&reference, at));
            }
        }
        merged
    }

    fn inlined(&mut self, reference: &str, at: &str) -> Option<Map<String, Value>> {
        let at = format!("{at}/$ref");
        let Some((target, schema)) = refs::resolve(self.root, reference) else {
            self.receipt.lost(at, format!("`{reference}` leads nowhere and is left out"));
            return None;
        };
        let Value::Object(members) = schema else { return None };
        if self.open_refs.iter().filter(|open| **open == target).count() < MAX_OPEN {
            self.receipt.changed(at, format!("`{reference}` is inlined"));
            self.open_refs.push(target);
            return Some(members.clone());
        }
        self.receipt.lost(at, format!("`{reference}` is recursive and is cut here"));
        let mut outline = members.clone();
        outline.retain(|keyword, _| matches!(keyword.as_str(), "type" | "title" | "description"));
        Some(outline)
    }
}
