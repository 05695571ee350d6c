//! The key under which a call's result is recorded. Two calls with equal keys are the same call.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::call::{CallId, SessionId};
use crate::json::{CanonicalJson, write_string};

/// A record's key within its session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordKey(Arc<str>);

impl RecordKey {
    /// The key of a call with a stable provider id.
    #[must_use]
    pub fn from_provider_id(id: &CallId) -> Self {
        Self(["provider:", id.as_str()].concat().into())
    }

    /// The key of a call whose stable id is reused for another call in a later turn.
    #[must_use]
    pub fn from_provider_id_in_turn(id: &CallId, turn: u32) -> Self {
        Self(format!("provider:{id}@{turn}").into())
    }

    /// The key of a call without a stable id: equal arguments in one turn are one call.
    #[must_use]
    pub fn from_content(turn: u32, tool: &str, args: &CanonicalJson<'_>) -> Self {
        // The members are in RFC 8785's order, and each is canonical.
        let mut rest = ",\"tool\":".to_owned();
        write_string(&mut rest, tool);
        rest.push_str(",\"turn\":");
        rest.push_str(&turn.to_string());
        rest.push('}');
        let hash = sha256_of_parts(["{\"args\":", args.as_str(), &rest]);
        Self(format!("hash:{turn}:{}", hex(hash.as_ref().get(..8).unwrap_or_default())).into())
    }

    /// The key of the `nth` (from 1) equal call that another call's handler makes.
    #[must_use]
    pub fn for_nested_call(parent: &Self, tool: &str, args: &CanonicalJson<'_>, nth: u32) -> Self {
        let mut before = "[".to_owned();
        write_string(&mut before, &parent.0);
        before.push(',');
        write_string(&mut before, tool);
        before.push(',');
        let hash = sha256_of_parts([&before, args.as_str(), &format!(",{nth}]")]);
        Self(format!("within:{}", hex(hash.as_ref().get(..16).unwrap_or_default())).into())
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// SHA-256 of the concatenated parts, without allocating the concatenation: arguments may be long.
fn sha256_of_parts(parts: [&str; 3]) -> impl AsRef<[u8]> + use<> {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

/// The idempotency key that a handler may pass downstream: unique across sessions, stable over attempts and restarts.
#[must_use]
pub fn idempotency_key(session: &SessionId, tool: &str, key: &RecordKey) -> Arc<str> {
    let mut canonical = String::with_capacity(session.as_str().len() + tool.len() + key.as_str().len() + 12);
    for (before, part) in [('[', session.as_str()), (',', tool), (',', key.as_str())] {
        canonical.push(before);
        write_string(&mut canonical, part);
    }
    canonical.push(']');
    let hash = Sha256::digest(canonical);
    ["tg_", &hex(hash.get(..16).unwrap_or_default())].concat().into()
}

/// Encodes bytes as lower-case hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digits: Vec<[u8; 2]> = bytes.iter().map(|byte| [hex_digit(byte >> 4), hex_digit(byte & 15)]).collect();
    // Digits are ASCII.
    String::from_utf8(digits.into_flattened()).unwrap_or_default()
}

const fn hex_digit(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, Tape};

    #[test]
    fn equal_content_in_one_turn_is_one_key() {
        let key = |turn, tool, args: &str| {
            RecordKey::from_content(
                turn,
                tool,
                &CanonicalJson::from_node(Tape::parse(args, &Limits::widest()).unwrap().root()),
            )
        };
        let one = key(3, "kb_search", r#"{"b":1,"a":"x"}"#);
        assert_eq!(one, key(3, "kb_search", r#"{ "a": "x", "b": 1.0 }"#));
        assert_ne!(one, key(4, "kb_search", r#"{"b":1,"a":"x"}"#));
        assert_ne!(one, key(3, "kb_get", r#"{"b":1,"a":"x"}"#));
        assert!(one.as_str().starts_with("hash:3:"));
        assert_eq!(one.as_str().len(), "hash:3:".len() + 16);
    }

    #[test]
    fn hex_is_two_digits_a_byte() {
        for byte in 0..=255 {
            assert_eq!(hex(&[byte, 0xa0]), format!("{byte:02x}a0"));
        }
        assert_eq!(hex(&[]), "");
    }

    #[test]
    fn an_idempotency_key_does_not_mix_its_parts() {
        let key = RecordKey::from_provider_id(&"call_123456".into());
        let one = idempotency_key(&"a".into(), "b_c", &key);
        assert!(one.starts_with("tg_") && one.len() == 35);
        assert_ne!(one, idempotency_key(&"a\",\"b".into(), "c", &key));
    }
}
