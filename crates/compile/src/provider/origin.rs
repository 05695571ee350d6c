//! Where each schema comes from, written into it: merged and inlined schemas then still know what a receipt names.

use serde_json::{Value, json};

use crate::dialect;

/// The member with the JSON Pointer. Extensions are left out of what is lowered, so no author's member is in its way.
pub(super) const ORIGIN: &str = "x-toolgate-origin";

/// The schema with its pointer in every schema in it.
pub(super) fn marked(schema: &Value) -> Value {
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
