//! A short name for what a value means: equal for texts of one meaning, whatever their order, spelling and white space;
//! different, but for a chance of 2⁻¹²⁸, for others.
//!
//! Made in one walk over the tape, without writing the canonical form. The hash is keyed with random bits of this process,
//! so that nobody can look for values with the same sketch; a sketch means nothing elsewhere and is never stored for
//! another process to read.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use siphasher::sip128::{Hasher128, SipHasher13};

use super::{Kind, Node};

static EMPTY: LazyLock<SipHasher13> = LazyLock::new(|| {
    // The standard library's hash maps are keyed with the system's randomness: two of its keyed hashes are 128 bits.
    let random = || RandomState::new().build_hasher().finish();
    SipHasher13::new_with_keys(random(), random())
});

/// The sketch of a value, or of text that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sketch(u128);

impl Sketch {
    /// Of a value. The walk goes as deep as the tape does, which its limits bound.
    #[must_use]
    pub fn of(node: Node<'_>) -> Self {
        Self(value(node))
    }

    /// Of text that is no JSON, as it stands.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self(hash(b't', &[text.as_bytes()]))
    }

    /// For hashing on.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

fn value(node: Node<'_>) -> u128 {
    match node.kind() {
        Kind::Null => hash(b'n', &[]),
        Kind::Bool => hash(if node.as_bool() == Some(true) { b'1' } else { b'0' }, &[]),
        // Adding 0 makes -0 the 0 that it equals.
        Kind::Number => hash(b'd', &[&(node.as_f64().unwrap_or_default() + 0.0).to_bits().to_le_bytes()]),
        Kind::String => hash(b's', &[node.as_str().unwrap_or_default().as_bytes()]),
        Kind::Array => {
            let mut hasher = *EMPTY;
            hasher.write_u8(b'a');
            for element in node.elements() {
                hasher.write_u128(value(element));
            }
            hasher.finish128().as_u128()
        }
        Kind::Object => {
            // A sum does not know the order of its parts.
            let sum = node.members().fold(0_u128, |sum, (name, member)| {
                sum.wrapping_add(hash(b'm', &[&value(member).to_le_bytes(), name.as_bytes()]))
            });
            hash(b'o', &[&sum.to_le_bytes()])
        }
    }
}

/// The parts before the last are of a fixed length, so no two lists of parts run together.
fn hash(tag: u8, parts: &[&[u8]]) -> u128 {
    let mut hasher = *EMPTY;
    hasher.write_u8(tag);
    for part in parts {
        hasher.write(part);
    }
    hasher.finish128().as_u128()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, Tape};

    fn sketch(text: &str) -> Sketch {
        Sketch::of(Tape::parse(text, &Limits::widest()).unwrap().root())
    }

    #[test]
    fn order_spelling_and_white_space_do_not_matter() {
        let same = [
            (r#"{"a":1,"b":"A"}"#, r#"{ "b": "\u0041", "a": 1.0 }"#),
            ("[0]", "[-0]"),
            ("1e2", "100"),
            (r#"{"a":{"x":1,"y":2}}"#, r#"{"a":{"y":2,"x":1}}"#),
        ];
        for (a, b) in same {
            assert_eq!(sketch(a), sketch(b), "{a} {b}");
        }
    }

    #[test]
    fn other_values_have_other_sketches() {
        let all = [
            "null",
            "true",
            "false",
            "0",
            "1",
            "\"\"",
            "\"0\"",
            "[]",
            "{}",
            "[[]]",
            "[1,2]",
            "[2,1]",
            "[[1],2]",
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"b":1}"#,
            r#"{"a":1,"b":2}"#,
            r#"{"a":2,"b":1}"#,
            r#"{"a":{"b":1}}"#,
            r#"["a",1]"#,
        ];
        for (place, a) in all.iter().enumerate() {
            for b in &all[place + 1..] {
                assert_ne!(sketch(a), sketch(b), "{a} {b}");
            }
            assert_ne!(sketch(a), Sketch::of_text(a));
        }
    }
}
