//! A short name for what a value means: equal for texts of one meaning, whatever their order, spelling and white space;
//! different, but for a chance of 2⁻¹²⁸, for others.
//!
//! A hash of the canonical form. It is keyed with random bits, so that nobody can look for values with the same sketch, or
//! for a value that has one: a sketch means something only under its key. That lets a quick hash be enough.

use std::hash::{BuildHasher, Hasher, RandomState};

use serde::{Deserialize, Serialize};
use siphasher::sip128::{Hasher128, SipHasher13};

use super::Canonical;

/// 128 random bits under which values are sketched.
#[derive(Clone, Copy)]
pub struct SketchKey([u8; 16]);

impl SketchKey {
    /// A key from elsewhere.
    #[must_use]
    pub const fn new(bits: [u8; 16]) -> Self {
        Self(bits)
    }

    /// A new one.
    #[must_use]
    pub fn random() -> Self {
        // The standard library's hash maps are keyed with the system's randomness: two of its keyed hashes are 128 bits.
        let random = || u128::from(RandomState::new().build_hasher().finish());
        Self(((random() << 64) | random()).to_le_bytes())
    }

    /// Its bits, for keeping.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    fn hasher(self) -> SipHasher13 {
        SipHasher13::new_with_key(&self.0)
    }
}

impl std::fmt::Debug for SketchKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SketchKey(..)")
    }
}

/// The sketch of a value, or of text that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[u8; 16]", into = "[u8; 16]")]
pub struct Sketch(u128);

impl From<[u8; 16]> for Sketch {
    fn from(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }
}

impl From<Sketch> for [u8; 16] {
    fn from(sketch: Sketch) -> Self {
        sketch.to_bytes()
    }
}

impl Sketch {
    /// Of a value.
    #[must_use]
    pub fn of(key: SketchKey, value: &Canonical<'_>) -> Self {
        Self(hash(key, b'v', value.as_str()))
    }

    /// Of text that is no JSON, as it stands.
    #[must_use]
    pub fn of_text(key: SketchKey, text: &str) -> Self {
        Self(hash(key, b't', text))
    }

    /// For hashing on.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

/// The text comes first, so that it is read in whole words.
fn hash(key: SketchKey, tag: u8, text: &str) -> u128 {
    let mut hasher = key.hasher();
    hasher.write(text.as_bytes());
    hasher.write_u8(tag);
    hasher.finish128().as_u128()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Tape};

    fn key() -> SketchKey {
        SketchKey::new([7; 16])
    }

    fn sketch(text: &str) -> Sketch {
        Sketch::of(key(), &Canonical::of(Tape::parse(text, &Limits::widest()).unwrap().root()))
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
    fn another_key_makes_another_sketch() {
        let other = SketchKey::new([8; 16]);
        assert_ne!(sketch("1"), Sketch::of(other, &Canonical::of(Tape::parse("1", &Limits::widest()).unwrap().root())));
        let kept: Sketch = serde_json::from_str(&serde_json::to_string(&sketch("1")).unwrap()).unwrap();
        assert_eq!(kept, sketch("1"));
        assert_ne!(SketchKey::random().to_bytes(), SketchKey::random().to_bytes());
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
            assert_ne!(sketch(a), Sketch::of_text(key(), a));
        }
    }
}
