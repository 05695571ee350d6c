//! The declaration with its definitions: which of them have a strict form is found together, since they may need one
//! another and themselves.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::references::{Localized, definition_of};
use super::super::{Impossible, Receipt};
use super::{Lowering, Unsayable};
use crate::dialect;

/// A definition that needs one that needs one and so on costs a round each; nothing that a person wrote needs so many.
const MAX_ROUNDS: usize = 64;

/// Lowers the root and every definition that it needs. A definition counts as sayable until it is shown that it is not;
/// then all is lowered again without it, until nothing new shows.
pub(super) fn lowered(
    root: &Map<String, Value>,
    local: &Localized,
    receipt: &mut Receipt,
) -> Result<Map<String, Value>, Impossible> {
    let mut hopeless: BTreeMap<String, Unsayable> = BTreeMap::new();
    for _ in 0..MAX_ROUNDS {
        let mut lowering = Lowering {
            local,
            hopeless: &hopeless,
            receipt: Receipt::default(),
            wanted: BTreeSet::new(),
            pending: Vec::new(),
            count: 0,
        };
        let mut parameters = lowering.root(root)?;
        let (definitions, unsayable) = lowering.definitions();
        if unsayable.is_empty() {
            let definitions = needed(&parameters, definitions);
            if !definitions.is_empty() {
                parameters.insert("$defs".to_owned(), Value::Object(definitions));
            }
            for entry in lowering.receipt.0 {
                receipt.push(entry.pointer, entry.change, entry.lost);
            }
            return Ok(parameters);
        }
        hopeless.extend(unsayable);
    }
    Err(Impossible { pointer: "/$defs".to_owned(), reason: "its definitions are too entangled".to_owned() })
}

impl Lowering<'_> {
    /// Lowers what is referred to, and what that refers to.
    fn definitions(&mut self) -> (Map<String, Value>, BTreeMap<String, Unsayable>) {
        let (mut definitions, mut unsayable) = (Map::new(), BTreeMap::new());
        while let Some(name) = self.pending.pop() {
            let Some(schema) = self.definition(&name) else { continue };
            let at = self.local.origins.get(&name).map_or("", String::as_str);
            match self.schema(schema, at, 1) {
                Ok(lowered) => {
                    definitions.insert(name, Value::Object(lowered));
                }
                Err(problem) => {
                    unsayable.insert(name, problem);
                }
            }
        }
        definitions.sort_keys();
        (definitions, unsayable)
    }
}

/// The definitions that the parameters lead to: some were needed only by what was left out.
fn needed(parameters: &Map<String, Value>, mut definitions: Map<String, Value>) -> Map<String, Value> {
    let mut open = references(&Value::Object(parameters.clone()));
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if let Some(definition) = definitions.get(&name).filter(|_| seen.insert(name.clone())) {
            open.extend(references(definition));
        }
    }
    definitions.retain(|name, _| seen.contains(name));
    definitions
}

fn references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    dialect::walk(schema, "", &mut |_, schema| {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(definition_of);
        found.extend(name.map(str::to_owned));
    });
    found
}

impl<'a> Lowering<'a> {
    /// A definition as it was before.
    pub(super) fn definition(&self, name: &str) -> Option<&'a Value> {
        self.local.schema.get("$defs")?.get(name)
    }
}
