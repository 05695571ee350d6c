//! The JSON Pointer of each schema, written into the schema, so that merged and inlined schemas keep the pointer that
//! receipts use.

use serde_json::{Value, json};

use crate::schema::dialect;

/// The keyword with the JSON Pointer. It can't collide: authored extensions are removed before lowering.
pub(super) const ORIGIN: &str = "x-toolgate-origin";

/// The schema with each subschema's pointer in it.
pub(super) fn mark_origins(schema: &Value) -> Value {
    let mut marked = schema.clone();
    let mut pointers = Vec::new();
    dialect::walk(schema, "", &mut |pointer, _| pointers.push(pointer.to_owned()));
    for pointer in pointers {
        if let Some(Value::Object(members)) = marked.pointer_mut(&pointer) {
            members.insert(ORIGIN.to_owned(), json!(pointer));
        }
    }
    marked
}

/// The pointer of a marked schema.
pub(super) fn origin(schema: &Value) -> Option<&str> {
    schema.get(ORIGIN)?.as_str()
}
