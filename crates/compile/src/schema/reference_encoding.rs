//! References as URIs. Generators write the names of definitions as they are: `#/$defs/Postal Address`. The validator takes the
//! characters of a URI only.

use serde_json::{Value, json};

use super::{dialect, refs};

/// Encodes what no URI has in the fragments of references. Nothing else changes, and no reference gets another target.
pub(crate) fn encode_references(root: &mut Value) {
    let mut found = Vec::new();
    dialect::walk(root, "", &mut |pointer, schema| {
        if let Some((keyword, reference)) = refs::reference(schema)
            && let Some(encoded) = encoded(reference)
        {
            found.push((pointer.to_owned(), keyword, encoded));
        }
    });
    for (pointer, keyword, reference) in found {
        if let Some(Value::Object(schema)) = root.pointer_mut(&pointer) {
            schema.insert(keyword.to_owned(), json!(reference));
        }
    }
}

/// `None` if the reference is as a URI has it.
fn encoded(reference: &str) -> Option<String> {
    use std::fmt::Write as _;
    let (address, fragment) = reference.split_once('#')?;
    let mut text = format!("{address}#");
    let bytes = fragment.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let is_escape = || bytes.get(at + 1..at + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
        if is_of_fragment(byte) || (byte == b'%' && is_escape()) {
            text.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    (text != reference).then_some(text)
}

/// RFC 3986, 3.5.
fn is_of_fragment(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_characters_are_found_as_before() {
        for name in [
            "My Id",
            "Record<string,string>",
            "Page[Item]",
            "Dto«X»",
            "A|B",
            "Größe",
            "日本",
            "x^y",
            "{x}",
            "a\"b",
            "100%",
        ] {
            let mut schema = json!({
                "properties": { "v": { "$ref": format!("#/$defs/{name}") }, "data": { "enum": [{ "$ref": "#/a b" }] } },
                "$defs": { name: { "type": "string" } },
            });
            let data = schema.pointer("/properties/data").cloned();
            encode_references(&mut schema);
            let reference = schema.pointer("/properties/v/$ref").and_then(Value::as_str).unwrap().to_owned();
            assert!(reference.bytes().all(|byte| is_of_fragment(byte) || byte == b'#' || byte == b'%'), "{reference}");
            assert_eq!(
                refs::resolve(&schema, &reference).map(|(_, target)| target),
                Some(&json!({ "type": "string" })),
                "{name}"
            );
            assert_eq!(schema.pointer("/properties/data").cloned(), data);
        }
    }

    #[test]
    fn what_a_uri_has_stays() {
        for reference in ["#", "#/$defs/a_b~1c", "#/$defs/a%20b", "other.json", "#/$defs/a'(b)*+,;=:@!&?", "a#b"] {
            assert_eq!(encoded(reference), None, "{reference}");
        }
        assert_eq!(encoded("A#/$defs/a b"), Some("A#/$defs/a%20b".to_owned()));
    }
}
