//! The key of a session in tables.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::call::SessionId;
use crate::session::key::hex;

/// The longest session id that is stored unchanged, in bytes.
pub(super) const MAX_PLAIN_ID: usize = 512;
/// The beginning of the key of a session whose id is not stored unchanged.
pub(super) const HASH_PREFIX: &str = "sha256:";

/// The session's key in the tables: its id, or a hash of an id that is long or that looks like such a hash.
pub(super) fn row_key(id: &SessionId) -> Cow<'_, str> {
    if let Some(key) = id.stored_key() {
        return Cow::Borrowed(key);
    }
    let id = id.as_str();
    if id.len() <= MAX_PLAIN_ID && !id.starts_with(HASH_PREFIX) {
        return Cow::Borrowed(id);
    }
    Cow::Owned(hashed(id))
}

/// A hash in place of a text.
pub(super) fn hashed(text: &str) -> String {
    [HASH_PREFIX, &hex(&Sha256::digest(text))].concat()
}
