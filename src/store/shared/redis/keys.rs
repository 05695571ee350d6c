//! The Redis keys of a session, with one hash tag, so that a cluster keeps them on one node.

use sha2::{Digest, Sha256};

use crate::call::SessionId;
use crate::session::key::hex;

/// The longest session id that is used in a key unchanged, in bytes.
const MAX_PLAIN_ID: usize = 128;
/// The Redis key of the installation's fingerprint key.
pub(super) const FINGERPRINT_KEY: &str = "tg:installation:sketches";
/// The Redis key of the sessions that owe a result: their tags, sorted by the time since when.
pub(super) const OWED_KEY: &str = "tg:owed";

#[derive(Debug, Clone)]
pub(super) struct SessionKeys {
    tag: String,
    pub(super) session: String,
    pub(super) rows: String,
    pub(super) expiries: String,
    pub(super) commits: String,
}

impl SessionKeys {
    pub(super) fn for_session(session: &SessionId) -> Self {
        session.stored_key().map_or_else(|| Self::for_tag(&hash_tag(session.as_str())), Self::for_tag)
    }

    pub(super) fn tag(&self) -> &str {
        &self.tag
    }

    /// All keys of the session.
    pub(super) const fn all(&self) -> [&String; 4] {
        [&self.session, &self.rows, &self.expiries, &self.commits]
    }

    pub(super) fn for_tag(tag: &str) -> Self {
        let key = |what| format!("tg:{{{tag}}}:{what}");
        Self {
            tag: tag.to_owned(),
            session: key("session"),
            rows: key("rows"),
            expiries: key("expiries"),
            commits: key("commits"),
        }
    }
}

/// The tag that a list shows for an id that is hashed.
pub(super) fn plain_tag(id: &str) -> Option<&str> {
    let digits = id.strip_prefix('#')?;
    (digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(id)
}

/// The pattern of the keys of all sessions, for `SCAN`.
pub(super) const SESSION_PATTERN: &str = "tg:{*}:session";

/// The hash tag in a key of a session: its id, or a hash of it.
pub(super) fn tag_of(session_key: &str) -> Option<&str> {
    session_key.strip_prefix("tg:{")?.strip_suffix("}:session")
}

/// The hash tag of a session id. An id with braces, which would end the tag early, or a very long id is hashed. No
/// unchanged id contains a `#`.
fn hash_tag(id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    if !id.is_empty() && id.len() <= MAX_PLAIN_ID && id.bytes().all(is_plain) {
        return id.to_owned();
    }
    format!("#{}", hex(&Sha256::digest(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_keys_of_its_own_under_one_tag() {
        let ids = ["a", "A", "}", "{}", "a}b", "a{b", "#a", "", "ü", &"x".repeat(300)];
        let all: std::collections::BTreeSet<String> =
            ids.iter().map(|id| SessionKeys::for_session(&(*id).into()).session).collect();
        assert_eq!(all.len(), ids.len());
        for id in ids {
            let keys = SessionKeys::for_session(&id.into());
            for key in keys.all() {
                let (_, rest) = key.split_once('{').unwrap();
                let (tag, _) = rest.split_once('}').unwrap();
                assert!(!tag.is_empty() && key.starts_with(&format!("tg:{{{tag}}}:")) && key.len() < 160, "{key}");
            }
        }
    }

    #[test]
    fn the_tag_of_a_key_is_found_again() {
        for id in ["a", "a.b:c_d-e", "}", "", &"x".repeat(300)] {
            let keys = SessionKeys::for_session(&id.into());
            assert_eq!(tag_of(&keys.session), Some(keys.tag()));
            assert_eq!(tag_of(&keys.rows), None, "of the session's own key only");
            assert_eq!(SessionKeys::for_tag(keys.tag()).all(), keys.all());
        }
        assert_eq!(SessionKeys::for_session(&"a".into()).tag(), "a");
    }

    #[test]
    fn a_hash_differs_from_an_id() {
        let hash = hash_tag("}");
        assert_eq!(plain_tag(&hash), Some(hash.as_str()));
        let digits = hash.trim_start_matches('#');
        let long = "0".repeat(63);
        for id in ["a", "#", "#a", digits, &format!("#{long}"), &format!("#{long}00"), &format!("#{long}g")] {
            assert_eq!(plain_tag(id), None, "{id}");
        }
    }
}
