//! The input of the gate: a tool call with its ids.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<T: Into<Arc<str>>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

/// What the ids of the gate's own sessions begin with.
const OF_GATE: &str = "toolgate:";
/// What the ids of the sessions with acts began with before. A host can take none of them over.
const EARLIER_ACTS: &str = "acts-of-principal:";

/// The id of a session. Not a credential.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId {
    text: Arc<str>,
    /// Whether it is the key of a stored session: a store keeps a hash in place of a long id.
    #[serde(skip)]
    is_key: bool,
}

impl SessionId {
    /// Names a stored session by its key, as a list of the store shows it. No host's text is read as one.
    pub(crate) fn of_stored(key: &str) -> Self {
        Self { text: key.into(), is_key: true }
    }

    /// A session that the gate keeps for itself.
    #[must_use]
    pub(crate) fn of_gate(name: &str) -> Self {
        [OF_GATE, name].concat().into()
    }

    /// Whether the gate keeps the session for itself: no host and no page can use it.
    #[must_use]
    pub fn is_of_gate(&self) -> bool {
        [OF_GATE, EARLIER_ACTS].iter().any(|reserved| self.text.starts_with(reserved))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The key, if it is one.
    pub(crate) fn stored_key(&self) -> Option<&str> {
        self.is_key.then_some(&*self.text)
    }
}

impl<T: Into<Arc<str>>> From<T> for SessionId {
    fn from(text: T) -> Self {
        Self { text: text.into(), is_key: false }
    }
}

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

name_type! {
    /// The provider's id of a call.
    CallId
}

/// What a tool has found out about a call of uncertain outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReconcileOutcome {
    /// The call has taken effect.
    Happened,
    /// The call has had no effect.
    NotHappened,
    /// Nothing.
    Unknown,
}

impl ReconcileOutcome {
    /// The name in `meta.reconciled`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Happened => "happened",
            Self::NotHappened => "not_happened",
            Self::Unknown => "unknown",
        }
    }
}

impl CallId {
    /// Whether the id identifies one call for the whole session.
    ///
    /// Some models number their calls anew in each round (`functions.search:0`, `search_1`), and hosts make short or
    /// `temp` ids for one round only: with such ids, equal ids do not mean equal calls.
    #[must_use]
    pub fn is_stable(&self, tool: &str) -> bool {
        let id = self.as_str();
        id.chars().nth(8).is_some() && !id.contains("temp") && !is_numbered(id, tool)
    }
}

/// Whether the id is `<tool>:<n>`, `<tool>_<n>` or `functions.<tool>:<n>`.
fn is_numbered(id: &str, tool: &str) -> bool {
    let id = id.strip_prefix("functions.").unwrap_or(id);
    let Some(number) = id.strip_prefix(tool).and_then(|rest| rest.strip_prefix([':', '_'])) else { return false };
    !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// A call as received from a provider, not validated.
#[derive(Debug, Clone)]
pub struct RawCall {
    /// The provider's id, if any.
    pub id: Option<CallId>,
    /// The tool's name.
    pub name: String,
    /// The arguments' JSON text, as received.
    pub args: RawArgs,
    /// Whether it is a handler's call that waits while its user is asked: its question ends with the handler.
    pub waits: bool,
    /// The user's message that the call belongs to, if the caller knows it.
    pub message: Option<UserMessage>,
}

/// The longest name of a tool in an answer or a log, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// A tool's name as answers and logs have it: a model can send a name of any length.
#[must_use]
pub fn shown_tool_name(name: &str) -> &str {
    name.get(..name.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or_default()
}

/// A user's message, or another cause of calls, such as a run of an agent. Its calls share a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessage {
    /// Equal for all calls of the message.
    pub id: Box<str>,
    /// Whether the id is made of the message's content: the user may send another message with the same content.
    pub is_by_content: bool,
}

/// Arguments as received.
#[derive(Debug, Clone)]
pub enum RawArgs {
    /// JSON text, not validated; empty means `{}`.
    Text(String),
    /// Not expressible as JSON, with the reason as a sentence (a cycle, a `BigInt`, an id that is not Unicode text).
    NotJson(String),
}

impl RawArgs {
    /// The length of the text.
    pub(crate) const fn text_bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::NotJson(text) => text.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_some_models_number_afresh_are_unstable() {
        let stable = |id: &str| CallId::from(id).is_stable("kb_search");
        assert!(stable("call_abcdefgh"));
        assert!(stable("functions.kb_get:0"));
        assert!(stable("123456789"));
        for id in ["", "call_1", "12345678", "temp-1234567890", "kb_search:0", "kb_search_12", "functions.kb_search:3"]
        {
            assert!(!stable(id), "{id}");
        }
        assert!(stable("kb_search_x1"));
    }
}
