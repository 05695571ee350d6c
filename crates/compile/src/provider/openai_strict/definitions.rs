//! Lowering of the root with its definitions. Definitions may reference each other and themselves, so the set of
//! definitions with a strict form is found by iteration.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::references::{Localized, definition_name};
use super::super::{Receipt, Undeclarable};
use super::{Inexpressible, StrictLowering};
use crate::schema::dialect;

/// The maximum number of iterations. Each link of a chain of failing definitions costs one iteration.
const MAX_ROUNDS: usize = 64;

/// Lowers the root and every definition that it needs. A definition counts as expressible until its lowering fails;
/// then everything is lowered again without it, until no further definition fails.
pub(super) fn lower_with_definitions(
    root: &Map<String, Value>,
    local: &Localized,
    receipt: &mut Receipt,
) -> Result<Map<String, Value>, Undeclarable> {
    let mut hopeless: BTreeMap<String, Inexpressible> = BTreeMap::new();
    for _ in 0..MAX_ROUNDS {
        let mut lowering = StrictLowering {
            local,
            inexpressible: &hopeless,
            receipt: receipt.continued(),
            referenced: BTreeSet::new(),
            pending: Vec::new(),
            schema_count: 0,
        };
        let parameters = lowering.lower_root(root);
        let (definitions, unsayable) = lowering.lower_definitions();
        if lowering.receipt.is_spent() {
            receipt.append(lowering.receipt);
            return Err(Undeclarable::too_large());
        }
        let mut parameters = parameters?;
        if unsayable.is_empty() {
            let definitions = reachable_definitions(&parameters, definitions);
            if !definitions.is_empty() {
                parameters.insert("$defs".to_owned(), Value::Object(definitions));
            }
            receipt.append(lowering.receipt);
            return Ok(parameters);
        }
        receipt.take_work_of(&lowering.receipt);
        hopeless.extend(unsayable);
    }
    Err(Undeclarable {
        pointer: "/$defs".to_owned(),
        reason: "its definitions depend on each other too deeply".to_owned(),
    })
}

impl StrictLowering<'_> {
    /// Lowers the referenced definitions, transitively. Returns the lowered and the failed ones.
    fn lower_definitions(&mut self) -> (Map<String, Value>, BTreeMap<String, Inexpressible>) {
        let (mut definitions, mut unsayable) = (Map::new(), BTreeMap::new());
        while let Some(name) = self.pending.pop() {
            let Some(schema) = self.definition(&name) else { continue };
            let at = self.local.origins.get(&name).map_or("", String::as_str);
            match self.lower_schema(schema, at, 1) {
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

/// The definitions reachable from the parameters; others were referenced only by parts that were left out.
fn reachable_definitions(parameters: &Map<String, Value>, mut definitions: Map<String, Value>) -> Map<String, Value> {
    let mut open = referenced_names(&Value::Object(parameters.clone()));
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if let Some(definition) = definitions.get(&name).filter(|_| seen.insert(name.clone())) {
            open.extend(referenced_names(definition));
        }
    }
    definitions.retain(|name, _| seen.contains(name));
    definitions
}

fn referenced_names(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    dialect::walk(schema, "", &mut |_, schema| {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(definition_name);
        found.extend(name.map(str::to_owned));
    });
    found
}

impl<'a> StrictLowering<'a> {
    /// A definition before lowering.
    pub(super) fn definition(&self, name: &str) -> Option<&'a Value> {
        self.local.schema.get("$defs")?.get(name)
    }
}
