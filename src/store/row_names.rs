//! The names of a session's rows, and the ids of questions, which are made of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::session::key::{RecordKey, hex};

/// The name of a row within its session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::store) enum RowKey {
    Call(RecordKey),
    /// By the epoch of the claim.
    Answer(u64),
    Question(QuestionName),
    QuestionText(QuestionName),
    Equality(EqualityHash),
    /// By a hash of the call id.
    Given(HashName),
    /// By the epoch of the claim.
    Owed(u64),
    /// The result that is owed, by the epoch of the claim.
    Result(u64),
    Act(HashName),
    /// By a hash of what the limit counts.
    Limit(HashName),
}

impl RowKey {
    /// The name in a file or on a server.
    pub(in crate::store) fn to_text(&self) -> String {
        match self {
            Self::Call(key) => ["call:", key.as_str()].concat(),
            Self::Answer(epoch) => format!("answer:{epoch}"),
            Self::Question(name) => ["question:", name.as_str()].concat(),
            Self::QuestionText(name) => ["text:", name.as_str()].concat(),
            Self::Equality(hash) => ["equal:", hash.as_str()].concat(),
            Self::Given(name) => ["given:", name.as_str()].concat(),
            Self::Owed(epoch) => format!("owed:{epoch}"),
            Self::Result(epoch) => format!("result:{epoch}"),
            Self::Act(name) => ["act:", name.as_str()].concat(),
            Self::Limit(name) => ["limit:", name.as_str()].concat(),
        }
    }

    /// Whether a name in a file or on a server is that of a question's arguments.
    pub(in crate::store) fn is_question_text(name: &str) -> bool {
        name.starts_with("text:")
    }
}

/// The name of a question: a hash of its token.
pub(in crate::store) type QuestionName = HashName;
/// A hash of what makes two questions equal: the tool, its version, the arguments.
pub(in crate::store) type EqualityHash = HashName;

pub(in crate::store) fn question_name(token: &str) -> QuestionName {
    HashName::from_content(token.as_bytes())
}

/// The beginning of an id; the question's name follows.
const PREFIX: &str = "tgq_";

/// The id of the question with this token.
#[must_use]
pub fn question_id(token: &str) -> String {
    [PREFIX, question_name(token).as_str()].concat()
}

/// The rows of the question with this token.
pub(in crate::store) fn question_rows(token: &str) -> [RowKey; 2] {
    let name = question_name(token);
    [RowKey::Question(name.clone()), RowKey::QuestionText(name)]
}

pub(in crate::store) fn name_in(id: &str) -> Option<QuestionName> {
    QuestionName::parse(id.strip_prefix(PREFIX)?)
}

/// A name that is a hash: 32 hex digits of a SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::store) struct HashName(Arc<str>);

impl HashName {
    pub(in crate::store) fn from_content(content: &[u8]) -> Self {
        let hash = Sha256::digest(content);
        Self(hex(hash.get(..16).unwrap_or_default()).into())
    }

    /// Reads a name; `None` if the text is none.
    pub(in crate::store) fn parse(text: &str) -> Option<Self> {
        let is_name = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_name.then(|| Self(text.into()))
    }

    pub(in crate::store) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_one_question_and_is_no_token() {
        let id = question_id("tgc_0123456789abcdef0123456789abcdef");
        assert_eq!((id.len(), id.starts_with("tgq_")), (36, true));
        assert_eq!(name_in(&id), Some(question_name("tgc_0123456789abcdef0123456789abcdef")));
        let hash = id.trim_start_matches("tgq_");
        for none in ["", "tgq_", "tgc_0123456789abcdef0123456789abcdef", hash, &format!("{id}0"), &id.to_uppercase()] {
            assert_eq!(name_in(none), None, "{none}");
        }
    }

    #[test]
    fn only_the_name_of_a_text_is_that_of_arguments() {
        let keys = [RowKey::QuestionText(question_name("q")), RowKey::Question(question_name("q")), RowKey::Answer(1)];
        assert_eq!(keys.map(|key| RowKey::is_question_text(&key.to_text())), [true, false, false]);
    }
}
