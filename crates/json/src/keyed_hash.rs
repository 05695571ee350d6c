//! A keyed 128-bit hash of a JSON value's canonical form: equal for equal values, whatever the order of members, the
//! spelling and the white space; different values collide with a probability of 2⁻¹²⁸.
//!
//! The random key prevents a search for collisions or preimages, so a fast hash (SipHash-1-3) suffices. Hashes under
//! different keys are not comparable.

use std::hash::{BuildHasher, Hasher, RandomState};

use serde::{Deserialize, Serialize};
use siphasher::sip128::{Hasher128, SipHasher13};

use super::CanonicalJson;

/// A random 128-bit hash key.
#[derive(Clone, Copy)]
pub struct HashKey([u8; 16]);

impl HashKey {
    /// Creates a key from stored bits.
    #[must_use]
    pub const fn new(bits: [u8; 16]) -> Self {
        Self(bits)
    }

    /// Generates a random key.
    #[must_use]
    pub fn random() -> Self {
        // The standard library keys its hash maps with the system's randomness: two such hashes give 128 bits.
        let random = || u128::from(RandomState::new().build_hasher().finish());
        Self(((random() << 64) | random()).to_le_bytes())
    }

    /// The bits of the key, for storage.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    fn hasher(self) -> SipHasher13 {
        SipHasher13::new_with_key(&self.0)
    }
}

impl std::fmt::Debug for HashKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SketchKey(..)")
    }
}

/// The keyed hash of a value, or of text that is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "[u8; 16]", into = "[u8; 16]")]
pub struct KeyedHash(u128);

impl From<[u8; 16]> for KeyedHash {
    fn from(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }
}

impl From<KeyedHash> for [u8; 16] {
    fn from(hash: KeyedHash) -> Self {
        hash.to_bytes()
    }
}

impl KeyedHash {
    /// Hashes a value.
    #[must_use]
    pub fn from_canonical(key: HashKey, value: &CanonicalJson<'_>) -> Self {
        Self(sip_hash(key, b'v', value.as_str()))
    }

    /// Hashes text that is not JSON, byte for byte.
    #[must_use]
    pub fn from_text(key: HashKey, text: &str) -> Self {
        Self(sip_hash(key, b't', text))
    }

    /// The bytes of the hash.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

/// Hashes the text before the tag, so that the text is read in whole words.
fn sip_hash(key: HashKey, tag: u8, text: &str) -> u128 {
    let mut hasher = key.hasher();
    hasher.write(text.as_bytes());
    hasher.write_u8(tag);
    hasher.finish128().as_u128()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Tape};

    fn key() -> HashKey {
        HashKey::new([7; 16])
    }

    fn hash_text(text: &str) -> KeyedHash {
        KeyedHash::from_canonical(
            key(),
            &CanonicalJson::from_node(Tape::parse(text, &Limits::widest()).unwrap().root()),
        )
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
            assert_eq!(hash_text(a), hash_text(b), "{a} {b}");
        }
    }

    #[test]
    fn another_key_gives_another_hash() {
        let other = HashKey::new([8; 16]);
        assert_ne!(
            hash_text("1"),
            KeyedHash::from_canonical(
                other,
                &CanonicalJson::from_node(Tape::parse("1", &Limits::widest()).unwrap().root())
            )
        );
        let kept: KeyedHash = serde_json::from_str(&serde_json::to_string(&hash_text("1")).unwrap()).unwrap();
        assert_eq!(kept, hash_text("1"));
        assert_ne!(HashKey::random().to_bytes(), HashKey::random().to_bytes());
    }

    #[test]
    fn other_values_have_other_hashes() {
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
                assert_ne!(hash_text(a), hash_text(b), "{a} {b}");
            }
            assert_ne!(hash_text(a), KeyedHash::from_text(key(), a));
        }
    }
}
