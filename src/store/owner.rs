//! Who may use a session.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::session::key::hex;

/// The owner of a session: a principal, and the holder of the resume token that the session was begun with, if there was one.
/// An attachment must match both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    principal: Option<String>,
    /// A digest: no store holds the token itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl Owner {
    /// An owner with a resume token, if there is one.
    #[must_use]
    pub fn new(principal: Option<String>, resume_token: Option<&str>) -> Self {
        Self { principal, token: resume_token.map(|token| hex(&Sha256::digest(token))) }
    }

    /// The principal. Sessions are listed and erased by it, whatever their tokens.
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        self.principal.as_deref()
    }

    /// Whether the session's id is all that is needed to use it.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.principal.is_none() && self.token.is_none()
    }

    /// The memory of the texts, in bytes.
    pub(super) fn bytes(&self) -> usize {
        [&self.principal, &self.token].into_iter().flatten().map(String::len).sum()
    }
}

impl From<Option<String>> for Owner {
    fn from(principal: Option<String>) -> Self {
        Self::new(principal, None)
    }
}
