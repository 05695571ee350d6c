//! Whether two calls ask for the same thing: same tool, same arguments, whatever their order or spelling.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::json::{Canonical, Limits, Sketch, SketchKey, Tape};

/// A tool and its arguments, for comparing within one installation: whoever shares a store shares the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    tool: Arc<str>,
    args: Sketch,
}

impl Fingerprint {
    /// Of a call's arguments as parsed.
    #[must_use]
    pub fn of(key: SketchKey, tool: impl Into<Arc<str>>, args: &Canonical<'_>) -> Self {
        Self { tool: tool.into(), args: Sketch::of(key, args) }
    }

    /// Of arguments as text; where it is no JSON, as it stands.
    #[must_use]
    pub fn new(key: SketchKey, tool: impl Into<Arc<str>>, args: &str) -> Self {
        match Tape::parse(args, &Limits::widest()) {
            Ok(tape) => Self::of(key, tool, &Canonical::of(tape.root())),
            Err(_) => Self { tool: tool.into(), args: Sketch::of_text(key, args) },
        }
    }

    /// True where both ask for the same.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self == other
    }

    /// What the arguments are, for hashing on.
    #[must_use]
    pub const fn args(&self) -> [u8; 16] {
        self.args.to_bytes()
    }
}

/// SHA-256 over the canonical form (RFC 8785) of arguments: what a confirmation binds.
#[must_use]
pub fn canonical_digest(args: &Canonical<'_>) -> [u8; 32] {
    Sha256::digest(args.as_str()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(tool: &str, args: &str) -> Fingerprint {
        Fingerprint::new(SketchKey::new([1; 16]), tool, args)
    }

    #[test]
    fn order_and_spelling_do_not_matter() {
        let a = print("t", r#"{"a":1.0,"b":"\u0041"}"#);
        assert!(a.same(&print("t", r#"{ "b": "A", "a": 1 }"#)));
        assert!(!a.same(&print("u", r#"{"a":1.0,"b":"\u0041"}"#)));
        assert!(!a.same(&print("t", r#"{"a":2,"b":"A"}"#)));
        assert!(!a.same(&print("t", "{\"a\":1.0,\"b\":")));
    }

    #[test]
    fn long_and_short_text_of_one_meaning_are_the_same() {
        let short = format!(r#"{{"a":"{}"}}"#, "x".repeat(4000));
        let long = format!("{}{}", " ".repeat(1000), short);
        assert!(print("t", &short).same(&print("t", &long)));
        let digest =
            |text: &str| canonical_digest(&Canonical::of(Tape::parse(text, &Limits::widest()).unwrap().root()));
        assert_eq!(digest(&short), digest(&long));
    }
}
