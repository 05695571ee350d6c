//! Audit sinks. A sink accepts a line without waiting until it is written.

pub mod audit_file;
mod chain;
pub mod installation_key;
mod line_files;
mod line_output;
pub mod reading;
pub mod rotated_files;
pub mod selection;
pub mod verification;
pub mod writer;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;

use crate::json::HashKey;
use crate::session::key::hex;

/// A destination of audit lines.
pub trait AuditSink: Send + Sync + 'static {
    /// Accepts one line, without its line break. Never waits.
    fn write(&self, line: String);
    /// Waits until every line accepted so far is written, and is on the disk if the sink is a file.
    fn flush(&self);
    /// How writing goes. A sink without an own destination never fails.
    fn health(&self) -> AuditHealth {
        AuditHealth::default()
    }
}

/// The health of the audit sink.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct AuditHealth {
    /// Whether the last line could not be written.
    pub failing: bool,
    /// Lines that could not be written so far.
    pub lost: u64,
}

/// A secret key that hashes arguments for audit lines, and chains the lines of a file: equal arguments have equal hashes,
/// and without the key values can't be tested against a hash.
#[derive(Clone)]
pub struct AuditKey(Hmac<Sha256>);

impl AuditKey {
    /// Creates a key from a secret.
    #[must_use]
    pub fn new(secret: &[u8]) -> Option<Self> {
        Hmac::new_from_slice(secret).ok().map(Self)
    }

    /// The key of an installation: the processes that share a store have the same.
    #[must_use]
    pub fn of_installation(key: HashKey) -> Option<Self> {
        let mut mac = Self::new(&key.to_bytes())?.0;
        mac.update(b"toolgate audit");
        Self::new(&mac.finalize().into_bytes())
    }

    /// The key of fingerprints in an installation without a shared store.
    #[must_use]
    pub fn fingerprint_key(&self) -> HashKey {
        let mut mac = self.0.clone();
        mac.update(b"toolgate fingerprints");
        let mut bits = [0; 16];
        bits.iter_mut().zip(mac.finalize().into_bytes()).for_each(|(bit, byte)| *bit = byte);
        HashKey::new(bits)
    }

    /// Returns the hash, 32 hex digits.
    #[must_use]
    pub fn hash(&self, bytes: &[u8]) -> String {
        self.hash_parts(&[bytes])
    }

    /// The hash of several parts in a row.
    fn hash_parts(&self, parts: &[&[u8]]) -> String {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part);
        }
        hex(mac.finalize().into_bytes().get(..16).unwrap_or_default())
    }
}
