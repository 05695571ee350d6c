//! Alternatives: `anyOf` and `oneOf`, each branch together with the constraints beside it.

use serde_json::{Map, Value, json};

use super::super::exclusive_branches::{are_exclusive, is_null_branch};
use super::any_of::{SHARED_ANNOTATIONS, join_alternatives};
use super::{FlatSchema, GeminiLowering, GeminiSchema, GeminiType};

impl GeminiLowering<'_> {
    /// Lowers a schema without `$ref` and `allOf` at its top level.
    pub(super) fn lower_flat(&mut self, flat: &FlatSchema, depth: usize) -> Option<GeminiSchema> {
        for (keyword, other) in [("anyOf", "oneOf"), ("oneOf", "anyOf")] {
            let Some(branches) = flat.array(keyword) else { continue };
            if flat.has(other) {
                self.receipt.lost(flat.pointer(other), format!("`{other}` beside `{keyword}` is left out"));
            }
            if keyword == "oneOf" {
                self.report_one_of(branches, flat.pointer(keyword));
            }
            return self.lower_branches(&flat.without(&[keyword, other]), branches, &flat.pointer(keyword), depth);
        }
        Some(self.lower_by_types(flat, depth))
    }

    fn report_one_of(&mut self, branches: &[Value], at: String) {
        if are_exclusive(branches.iter()) {
            self.receipt.changed(at, "`oneOf` is declared as `anyOf`; its branches exclude each other");
        } else {
            self.receipt.lost(at, "`oneOf` is declared as `anyOf`; several branches may then match");
        }
    }

    fn lower_branches(
        &mut self,
        around: &FlatSchema,
        branches: &[Value],
        at: &str,
        depth: usize,
    ) -> Option<GeminiSchema> {
        let beside = around.without(&SHARED_ANNOTATIONS);
        let beside = Some(&beside).filter(|beside| !beside.is_empty());
        let mut null = false;
        let mut lowered = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if is_null_branch(branch) {
                null = true;
                self.receipt.changed(format!("{at}/{index}"), "`null` is declared as `nullable`");
                continue;
            }
            lowered.extend(self.lower_schema_with(branch, beside, &format!("{at}/{index}"), depth + 1));
        }
        null &= allows_null(around);
        if lowered.is_empty() {
            return null.then(|| null_schema(around));
        }
        Some(join_alternatives(around, lowered, null, self.receipt))
    }
}

fn allows_null(around: &FlatSchema) -> bool {
    let typed = match around.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
        Some(name) => name == "null",
    };
    typed && around.array("enum").is_none_or(|values| values.contains(&Value::Null))
}

fn null_schema(around: &FlatSchema) -> GeminiSchema {
    let mut null = Map::new();
    null.insert("type".to_owned(), json!(GeminiType::Null.name()));
    if let Some(text) = around.string("description") {
        null.insert("description".to_owned(), json!(text));
    }
    null
}
