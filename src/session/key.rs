//! The key under which a call's result is recorded. Two calls with equal keys are the same call.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::call::{CallId, SessionId};
use crate::json::{CanonicalJson, write_string};

/// A record's key within its session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordKey(Arc<str>);

/// The longest id that is kept unchanged, in bytes. A longer id is replaced by its SHA-256.
const MAX_PLAIN_ID: usize = 512;

/// The id as it is kept with a record: a long id is replaced by its hash.
#[must_use]
pub fn kept_call_id(id: &CallId) -> CallId {
    if is_plain_id(id) { id.clone() } else { kept_id(id.as_str()).as_ref().into() }
}

/// An id as it is written to logs: a long id is replaced by its hash.
#[must_use]
pub fn kept_id(id: &str) -> Cow<'_, str> {
    if id.len() <= MAX_PLAIN_ID {
        return Cow::Borrowed(id);
    }
    Cow::Owned(["sha256:", &hex(&Sha256::digest(id))].concat())
}

fn is_plain_id(id: &CallId) -> bool {
    id.as_str().len() <= MAX_PLAIN_ID
}

fn sha256_hex(id: &CallId) -> String {
    hex(&Sha256::digest(id.as_str()))
}

impl RecordKey {
    /// The key of a call with a stable provider id.
    #[must_use]
    pub fn from_provider_id(id: &CallId) -> Self {
        let key = if is_plain_id(id) {
            ["provider:", id.as_str()].concat()
        } else {
            ["provider-sha256:", &sha256_hex(id)].concat()
        };
        Self(key.into())
    }

    /// The key of a call whose stable id is reused for another call in a later turn. The turn comes before the id,
    /// which may contain any text: no key equals another call's.
    #[must_use]
    pub fn from_provider_id_in_turn(id: &CallId, turn: u32) -> Self {
        let key = if is_plain_id(id) {
            format!("provider@{turn}:{id}")
        } else {
            format!("provider-sha256@{turn}:{}", sha256_hex(id))
        };
        Self(key.into())
    }

    /// The key of a call without a stable id: equal arguments in one turn are one call. Of a repeatable read they are one while it
    /// runs: admission lets an equal call run again once the first has answered.
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

    /// Whether the key is that of a call without a stable id.
    #[must_use]
    pub fn is_of_content(&self) -> bool {
        self.0.starts_with("hash:")
    }

    /// Whether the key is that of a call with a stable id.
    #[must_use]
    pub fn is_of_id(&self) -> bool {
        self.0.starts_with("provider")
    }

    /// Whether it is of a call that another call's handler makes.
    #[must_use]
    pub fn is_of_handler(&self) -> bool {
        self.0.starts_with("within:")
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

    /// The key in the name of a stored row.
    #[must_use]
    pub fn from_stored(key: &str) -> Self {
        Self(key.into())
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
    let hash = Sha256::digest(&canonical);
    // The text is not needed any more, and its memory is.
    canonical.clear();
    canonical.push_str("tg_");
    canonical.push_str(&hex(hash.get(..16).unwrap_or_default()));
    canonical.into()
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
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Limits, Tape};

    fn id_key(turn: Option<u32>, id: &CallId) -> RecordKey {
        turn.map_or_else(|| RecordKey::from_provider_id(id), |turn| RecordKey::from_provider_id_in_turn(id, turn))
    }

    /// Ids that look like parts of keys, some of them too long to be kept, and hashes of those.
    fn call_id() -> impl Strategy<Value = CallId> {
        let text = prop_oneof![
            "[a@:12]{0,5}",
            "(provider|-sha256|@|:|[0-9]){0,4}",
            (510..515_usize, "[a-c]").prop_map(|(length, letter)| letter.repeat(length)),
            (510..515_usize).prop_map(|length| sha256_hex(&"a".repeat(length).into())),
        ];
        text.prop_map(CallId::from)
    }

    proptest! {
        #[test]
        fn different_calls_have_different_keys(
            a in (prop::option::of(0..30_u32), call_id()),
            b in (prop::option::of(0..30_u32), call_id()),
        ) {
            let keys = [id_key(a.0, &a.1), id_key(b.0, &b.1)];
            prop_assert_eq!(a == b, keys[0] == keys[1], "{:?}", keys);
            prop_assert!(keys.iter().all(|key| key.as_str().len() <= 530), "{keys:?}");
        }
    }

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
