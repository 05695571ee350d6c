//! Where something that a receipt names is written: a receipt counts from the schema with its references inlined.

use serde_json::Value;

use super::refs;
use toolgate_json::pointer;

/// Longer chains of references are not followed.
const MAX_STEPS: usize = 16;

/// The pointer of what stands at `inlined` once references are inlined and `allOf` is merged, or of the nearest above.
pub(super) fn written(root: &Value, inlined: &str) -> String {
    let mut here = (String::new(), root);
    for token in pointer::tokens(inlined) {
        match member(root, &here, &token, 0) {
            Some(next) => here = next,
            None => break,
        }
    }
    here.0
}

type Spot<'a> = (String, &'a Value);

/// A member of a schema, or of one that it refers to or is merged with.
fn member<'a>(root: &'a Value, (at, schema): &Spot<'a>, token: &str, steps: usize) -> Option<Spot<'a>> {
    let own = match schema {
        Value::Array(items) => pointer::index(token).and_then(|index| items.get(index)),
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
    target.into_iter().chain(merged).find_map(|part| member(root, &part, token, steps + 1))
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
        assert_eq!(written(&schema, inlined), "/$defs/node/properties/x~1y/format");
        assert_eq!(written(&schema, "/properties/a/$ref"), "/properties/a/$ref");
        assert_eq!(written(&schema, "/properties/b/pattern"), "/properties/b/allOf/1/pattern");
        assert_eq!(written(&schema, "/properties/c/items"), "/properties/c");
        assert_eq!(written(&schema, ""), "");
    }
}
