//! Canonical JSON (RFC 8785, JCS): equal values have equal texts, so that they can be hashed and compared.

use super::entry::Tag;
use super::limits::Limits;
use super::{DEPTH_CEILING, LoneSurrogates, Node, ParseError, TEXT_CEILING, Tape, number, string};

/// The canonical form of a JSON text.
///
/// # Errors
/// Where the text is not JSON, is nested deeper than [`DEPTH_CEILING`], or holds half a surrogate pair (which the RFC
/// forbids) or a number that no double can hold.
pub fn canonical(text: &str) -> Result<String, ParseError> {
    let limits = Limits { max_depth: DEPTH_CEILING, lone_surrogates: LoneSurrogates::Refuse, max_bytes: TEXT_CEILING };
    let tape = Tape::parse(text, &limits)?;
    let mut out = String::with_capacity(text.len());
    tape.root().canonical(&mut out);
    Ok(out)
}

impl Node<'_> {
    /// Appends the canonical form of this value.
    ///
    /// Recurses as deep as the value is nested, which [`DEPTH_CEILING`] bounds.
    pub fn canonical(&self, out: &mut String) {
        let entry = self.entry();
        match entry.tag() {
            tag @ (Tag::Integer | Tag::Float) => number::write_canonical(out, self.text_of(entry), tag == Tag::Integer),
            Tag::Escaped => string::write_canonical(out, self.text_of(entry)),
            Tag::Array => {
                out.push('[');
                for (index, element) in self.elements().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    element.canonical(out);
                }
                out.push(']');
            }
            Tag::Object => self.canonical_object(out),
            Tag::Null | Tag::False | Tag::True | Tag::Plain => out.push_str(self.raw()),
        }
    }

    fn canonical_object(&self, out: &mut String) {
        let mut keys: Vec<Node<'_>> = self.member_nodes().map(|(key, _)| key).collect();
        sort_keys(&mut keys);
        out.push('{');
        for (index, key) in keys.into_iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            key.canonical(out);
            out.push(':');
            key.following().canonical(out);
        }
        out.push('}');
    }
}

/// Sorts by UTF-16 code units. Bytes sort alike as long as all is ASCII and nothing is escaped.
fn sort_keys(keys: &mut [Node<'_>]) {
    fn text<'t>(key: &Node<'t>) -> &'t str {
        key.text_of(key.entry())
    }
    if keys.iter().all(|key| key.entry().tag() == Tag::Plain && text(key).is_ascii()) {
        keys.sort_unstable_by(|left, right| text(left).cmp(text(right)));
    } else {
        keys.sort_by_cached_key(|key| string::units(text(key)).collect::<Vec<u16>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_utf16_code_units() {
        // U+FB33 is below U+1F602 by code point, above it by code unit.
        let text = r#"{"\ufb33":1,"\ud83d\ude02":2,"b":3,"B":4,"\r":5,"":6}"#;
        assert_eq!(canonical(text).unwrap(), "{\"\":6,\"\\r\":5,\"B\":4,\"b\":3,\"😂\":2,\"\u{fb33}\":1}");
        assert_eq!(canonical(r#"{ "b" : [ 1.0 , { } ] , "a" : "\u0041" }"#).unwrap(), r#"{"a":"A","b":[1,{}]}"#);
    }

    #[test]
    fn a_prefix_comes_first() {
        // The quote that ends a key is above a space: comparing raw text with quotes would turn this around.
        assert_eq!(canonical(r#"{"a b":1,"a":2,"a!":3}"#).unwrap(), r#"{"a":2,"a b":1,"a!":3}"#);
    }
}
