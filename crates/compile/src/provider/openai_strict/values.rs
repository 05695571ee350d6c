//! Fixed values: `enum` and `const`.

use serde_json::{Map, Value, json};

use super::kind::Kind;
use super::{Lowering, Unsayable, limits};

impl Lowering<'_> {
    /// The fixed values of one type. `Err` where none of the values is of this type, or a strict schema can't list them.
    pub(super) fn values(
        &mut self,
        lowered: &mut Map<String, Value>,
        kind: Kind,
        flat: &Map<String, Value>,
        at: &str,
    ) -> Result<(), Unsayable> {
        if let Some(only) = flat.get("const") {
            return fixed(kind, std::slice::from_ref(only), &format!("{at}/const")).map(|_| {
                lowered.insert("const".to_owned(), only.clone());
            });
        }
        let Some(Value::Array(values)) = flat.get("enum") else { return Ok(()) };
        let at = format!("{at}/enum");
        let values = fixed(kind, values, &at)?;
        if limits::is_too_long(&values) {
            self.receipt.lost(at, format!("`enum` has too many values: {}", values.len()));
        } else {
            lowered.insert("enum".to_owned(), json!(values));
        }
        Ok(())
    }
}

/// The values that are of a type, each once.
fn fixed(kind: Kind, values: &[Value], at: &str) -> Result<Vec<Value>, Unsayable> {
    let mut own: Vec<Value> = Vec::new();
    for value in values.iter().filter(|value| kind.takes(value)) {
        if !own.contains(value) {
            own.push(value.clone());
        }
    }
    match kind {
        _ if own.is_empty() => Err(Unsayable::no_value(at)),
        Kind::Array | Kind::Object => Err(Unsayable::new(at, "a fixed value can't be a list or an object")),
        Kind::String | Kind::Number | Kind::Integer | Kind::Boolean => Ok(own),
    }
}
