//! The keys of a session: three, with one hash tag, so that a cluster keeps them together.

use sha2::{Digest, Sha256};

use crate::call::SessionId;
use crate::session::key::hex;

/// Longest id that stands in a key as it is.
const PLAIN: usize = 128;
/// Where the installation's own key is.
pub(super) const SKETCHES: &str = "tg:installation:sketches";

#[derive(Debug, Clone)]
pub(super) struct Keys {
    pub(super) session: String,
    pub(super) answers: String,
    pub(super) commits: String,
}

impl Keys {
    pub(super) fn of(session: &SessionId) -> Self {
        let tag = tag(session.as_str());
        let key = |what| format!("tg:{{{tag}}}:{what}");
        Self { session: key("session"), answers: key("answers"), commits: key("commits") }
    }
}

/// An id may hold braces, which would end the tag early, or be very long: such a one is hashed. No plain id has a `#`.
fn tag(id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    if !id.is_empty() && id.len() <= PLAIN && id.bytes().all(is_plain) {
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
        let all: std::collections::BTreeSet<String> = ids.iter().map(|id| Keys::of(&(*id).into()).session).collect();
        assert_eq!(all.len(), ids.len());
        for id in ids {
            let keys = Keys::of(&id.into());
            for key in [&keys.session, &keys.answers, &keys.commits] {
                let (_, rest) = key.split_once('{').unwrap();
                let (tag, _) = rest.split_once('}').unwrap();
                assert!(!tag.is_empty() && key.starts_with(&format!("tg:{{{tag}}}:")) && key.len() < 160, "{key}");
            }
        }
    }
}
