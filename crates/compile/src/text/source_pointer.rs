//! Maps the pointers of a lowering receipt, which refer to the schema with inlined references, to the schema as
//! written.

use serde_json::Value;

use crate::schema::refs;
use toolgate_json::pointer;

/// The longest chain of references that is followed.
const MAX_STEPS: usize = 16;

/// Maps the pointer `inlined` (references inlined, `allOf` merged) to a pointer in `root`, or to that of the nearest
/// existing ancestor.
pub(crate) fn source_pointer(root: &Value, inlined: &str) -> String {
    let mut here = (String::new(), root);
    for token in pointer::tokens(inlined) {
        match find_member(root, &here, &token, 0) {
            Some(next) => here = next,
            None => break,
        }
    }
    here.0
}

type PointedSchema<'a> = (String, &'a Value);

/// A member of a schema, of its reference target, or of its `allOf` parts.
fn find_member<'a>(
    root: &'a Value,
    (at, schema): &PointedSchema<'a>,
    token: &str,
    steps: usize,
) -> Option<PointedSchema<'a>> {
    let own = match schema {
        Value::Array(items) => pointer::parse_index(token).and_then(|index| items.get(index)),
        _ => schema.get(token),
    };
    if let Some(own) = own {
        let mut below = at.clone();
        pointer::push(&mut below, token);
        return Some((below, own));
    }
    if steps == MAX_STEPS {
        return None;
    }
    let target = refs::reference(schema).and_then(|(_, reference)| refs::resolve(root, reference));
    let merged = schema.get("allOf").and_then(Value::as_array).into_iter().flatten().enumerate();
    let merged = merged.map(|(index, part)| (format!("{at}/allOf/{index}"), part));
    target.into_iter().chain(merged).find_map(|part| find_member(root, &part, token, steps + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inlined_keywords_are_found_where_they_are_written() {
        let schema = json!({
            "properties": {
                "a": { "$ref": "#/$defs/node" },
                "b": { "allOf": [{}, { "pattern": "x" }] },
                "c": { "$ref": "#/properties/c" }
            },
            "$defs": { "node": { "properties": { "next": { "$ref": "#/$defs/node" }, "x/y": { "format": "uuid" } } } }
        });
        let inlined = "/properties/a/properties/next/properties/next/properties/x~1y/format";
        assert_eq!(source_pointer(&schema, inlined), "/$defs/node/properties/x~1y/format");
        assert_eq!(source_pointer(&schema, "/properties/a/$ref"), "/properties/a/$ref");
        assert_eq!(source_pointer(&schema, "/properties/b/pattern"), "/properties/b/allOf/1/pattern");
        assert_eq!(source_pointer(&schema, "/properties/c/items"), "/properties/c");
        assert_eq!(source_pointer(&schema, ""), "");
    }
}
