//! Alternatives: `anyOf` and `oneOf`, each branch together with what is said beside it.

use serde_json::{Map, Value, json};

use super::super::exclusive::{exclusive, is_null};
use super::joined::{ABOUT, joined};
use super::{Flat, Lowered, Lowering, Type};

impl Lowering<'_> {
    /// Lowers a schema without references and `allOf` at its top.
    pub(super) fn flat(&mut self, flat: &Flat, depth: usize) -> Option<Lowered> {
        for (keyword, other) in [("anyOf", "oneOf"), ("oneOf", "anyOf")] {
            let Some(branches) = flat.list(keyword) else { continue };
            if flat.has(other) {
                self.receipt.lost(flat.pointer(other), format!("`{other}` beside `{keyword}` is left out"));
            }
            if keyword == "oneOf" {
                self.one_of(branches, flat.pointer(keyword));
            }
            return self.branches(&flat.without(&[keyword, other]), branches, &flat.pointer(keyword), depth);
        }
        Some(self.by_types(flat, depth))
    }

    fn one_of(&mut self, branches: &[Value], at: String) {
        if exclusive(branches) {
            self.receipt.changed(at, "`oneOf` is told as `anyOf`; its branches exclude each other");
        } else {
            self.receipt.lost(at, "`oneOf` is told as `anyOf`: that only one branch may fit is not said");
        }
    }

    fn branches(&mut self, around: &Flat, branches: &[Value], at: &str, depth: usize) -> Option<Lowered> {
        let beside = around.without(&ABOUT);
        let beside = Some(&beside).filter(|beside| !beside.is_empty());
        let mut null = false;
        let mut lowered = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if is_null(branch) {
                null = true;
                self.receipt.changed(format!("{at}/{index}"), "`null` is told as `nullable`");
                continue;
            }
            lowered.extend(self.schema_with(branch, beside, &format!("{at}/{index}"), depth + 1));
        }
        null &= allows_null(around);
        if lowered.is_empty() {
            return null.then(|| only_null(around));
        }
        Some(joined(around, lowered, null, self.receipt))
    }
}

fn allows_null(around: &Flat) -> bool {
    let typed = match around.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
        Some(name) => name == "null",
    };
    typed && around.list("enum").is_none_or(|values| values.contains(&Value::Null))
}

fn only_null(around: &Flat) -> Lowered {
    let mut null = Map::new();
    null.insert("type".to_owned(), json!(Type::Null.name()));
    if let Some(text) = around.text("description") {
        null.insert("description".to_owned(), json!(text));
    }
    null
}
