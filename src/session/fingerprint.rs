//! The identity of a call: its tool and its arguments, independent of member order and spelling.
//!
//! The arguments are those as received, before completion. So a call with a forced `null` and an equal one without it are
//! two calls.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::key::hex;
use crate::json::{CanonicalJson, HashKey, KeyedHash, Limits, Tape};

/// The longest name of an unknown tool that is kept unchanged, in bytes.
const MAX_PLAIN_NAME: usize = 128;
/// The bytes of a text that can't be read that its fingerprint covers.
const MAX_RAW_BYTES: usize = 1024 * 1024;

/// A tool and a keyed hash of its arguments. Comparable within one installation: all processes that share a store share
/// the key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprint {
    tool: Arc<str>,
    args: KeyedHash,
}

impl Fingerprint {
    /// The fingerprint of a call with parsed arguments.
    #[must_use]
    pub fn from_canonical(key: HashKey, tool: impl Into<Arc<str>>, args: &CanonicalJson<'_>) -> Self {
        Self { tool: tool.into(), args: KeyedHash::from_canonical(key, args) }
    }

    /// The fingerprint of a call with arguments as text; text that is not JSON is hashed as it is.
    #[must_use]
    pub fn from_text(key: HashKey, tool: impl Into<Arc<str>>, args: &str) -> Self {
        match Tape::parse(args, &Limits::widest()) {
            Ok(tape) => Self::from_canonical(key, tool, &CanonicalJson::from_node(tape.root())),
            Err(_) => Self { tool: tool.into(), args: KeyedHash::from_text(key, args) },
        }
    }

    /// The fingerprint of a call that can't be read: its tool's name and its text, byte for byte. Text beyond the first
    /// mebibyte is left out.
    #[must_use]
    pub fn from_raw(key: HashKey, tool: &str, text: &str) -> Self {
        let tool = if tool.len() <= MAX_PLAIN_NAME { tool.into() } else { hex(&Sha256::digest(tool)).into() };
        let beginning = text.get(..text.floor_char_boundary(MAX_RAW_BYTES)).unwrap_or_default();
        Self { tool, args: KeyedHash::from_text(key, beginning) }
    }

    /// The tool as called; a hash of a long name of an unknown tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether both have the same tool and arguments.
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        // Calls of one tool are compared mostly, so the arguments come first.
        self.args == other.args && self.tool == other.tool
    }

    /// The hash of the arguments, as input for another hash.
    #[must_use]
    pub const fn args_hash(&self) -> [u8; 16] {
        self.args.to_bytes()
    }
}

/// SHA-256 over the canonical form (RFC 8785) of arguments: a confirmation is bound to it.
#[must_use]
pub fn canonical_digest(args: &CanonicalJson<'_>) -> [u8; 32] {
    Sha256::digest(args.as_str()).into()
}

/// SHA-256 over a preview, as the audit names it.
#[must_use]
pub fn preview_digest(preview: &str) -> [u8; 32] {
    Sha256::digest(preview).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(tool: &str, args: &str) -> Fingerprint {
        Fingerprint::from_text(HashKey::new([1; 16]), tool, args)
    }

    #[test]
    fn order_and_spelling_do_not_matter() {
        let a = print("t", r#"{"a":1.0,"b":"\u0041"}"#);
        assert!(a.matches(&print("t", r#"{ "b": "A", "a": 1 }"#)));
        assert!(!a.matches(&print("u", r#"{"a":1.0,"b":"\u0041"}"#)));
        assert!(!a.matches(&print("t", r#"{"a":2,"b":"A"}"#)));
        assert!(!a.matches(&print("t", "{\"a\":1.0,\"b\":")));
    }

    #[test]
    fn long_and_short_text_of_one_meaning_are_the_same() {
        let short = format!(r#"{{"a":"{}"}}"#, "x".repeat(4000));
        let long = format!("{}{}", " ".repeat(1000), short);
        assert!(print("t", &short).matches(&print("t", &long)));
        let digest = |text: &str| {
            canonical_digest(&CanonicalJson::from_node(Tape::parse(text, &Limits::widest()).unwrap().root()))
        };
        assert_eq!(digest(&short), digest(&long));
    }
}
