//! Fixed values: `enum` and `const`.

use indexmap::IndexSet;
use serde_json::{Map, Value, json};

use super::strict_type::StrictType;
use super::{Inexpressible, StrictLowering, limits};

impl StrictLowering<'_> {
    /// Lowers the fixed values of one type. `Err` if no value is of this type, or a strict schema can't list them.
    pub(super) fn lower_fixed_values(
        &mut self,
        lowered: &mut Map<String, Value>,
        kind: StrictType,
        flat: &Map<String, Value>,
        at: &str,
    ) -> Result<(), Inexpressible> {
        if let Some(only) = flat.get("const") {
            return values_of_type(kind, std::slice::from_ref(only), &format!("{at}/const")).map(|_| {
                lowered.insert("const".to_owned(), only.clone());
            });
        }
        let Some(Value::Array(values)) = flat.get("enum") else { return Ok(()) };
        let at = format!("{at}/enum");
        let values = values_of_type(kind, values, &at)?;
        if limits::is_enum_too_long(&values) {
            self.receipt.lost(at, format!("`enum` has too many values: {}", values.len()));
        } else {
            lowered.insert("enum".to_owned(), json!(values));
        }
        Ok(())
    }
}

/// The values of a type, without duplicates.
fn values_of_type(kind: StrictType, values: &[Value], at: &str) -> Result<Vec<Value>, Inexpressible> {
    let own: IndexSet<&Value> = values.iter().filter(|value| kind.accepts(value)).collect();
    match kind {
        _ if own.is_empty() => Err(Inexpressible::no_value(at)),
        StrictType::Array | StrictType::Object => {
            Err(Inexpressible::new(at, "a fixed value can't be an array or an object"))
        }
        StrictType::String | StrictType::Number | StrictType::Integer | StrictType::Boolean => {
            Ok(own.into_iter().cloned().collect())
        }
    }
}
