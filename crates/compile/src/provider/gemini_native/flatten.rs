//! `$ref` inlined and `allOf` merged, one level at a time. What lies below is reached when the lowering gets there.

use serde_json::{Map, Value};

use super::super::origin::origin;
use super::{Flat, Lowering};
use crate::refs;

/// How often one target may be open at once: a tree is told to this depth.
const MAX_OPEN: usize = 2;
/// Parts that one schema may be merged from.
const MAX_PARTS: usize = 64;

impl Lowering<'_> {
    /// The schema without references and `allOf` at its top; `None` where one of its parts takes no value. Opens the
    /// references that it inlines; the caller closes them once the schema's children are done.
    pub(super) fn flatten(&mut self, schema: &Value, beside: Option<&Flat>, at: &str) -> Option<Flat> {
        let mut flat = Flat::at(origin(schema).unwrap_or(at));
        let mut open = vec![(schema.clone(), at.to_owned())];
        let mut seen = 0;
        while let Some((part, at)) = open.pop() {
            seen += 1;
            if seen > MAX_PARTS {
                self.receipt.lost(&flat.at, "`allOf` or references are too many and are cut");
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
                open.extend(self.inlined(&reference, format!("{at}/{keyword}")));
            }
        }
        if let Some(beside) = beside {
            flat.add_beside(beside, self.receipt);
        }
        Some(flat)
    }

    /// The target of a reference and where it stands; of one that is open often enough, only its outline.
    fn inlined(&mut self, reference: &str, at: String) -> Option<(Value, String)> {
        let Some((target, schema)) = refs::resolve(self.root, reference) else {
            self.receipt.lost(at, format!("`{reference}` leads nowhere and is left out"));
            return None;
        };
        if self.open_refs.iter().filter(|open| **open == target).count() < MAX_OPEN {
            self.receipt.changed(at, format!("`{reference}` is inlined"));
            self.open_refs.push(target.clone());
            return Some((schema.clone(), target));
        }
        self.receipt.lost(at, format!("`{reference}` is recursive and is cut here"));
        let mut outline = schema.as_object().cloned().unwrap_or_else(Map::new);
        outline.retain(|keyword, _| matches!(keyword.as_str(), "type" | "title" | "description"));
        Some((Value::Object(outline), target))
    }
}
