//! What events report of a question to a user, and of its answer.

use std::sync::Arc;

use serde::{Serialize, Serializer};

/// What a question showed its user, without the texts: hashes, with which a text that the host kept can be compared.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownFacts {
    /// The idempotency key of the call that runs once it is confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<Arc<str>>,
    /// Keyed hash of the final arguments; `None` without a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_args_hash: Option<String>,
    /// Keyed hash of the preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview_hash: Option<String>,
    /// The places of the arguments that the user changed: what is shown is then what they made of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<String>,
}

impl ShownFacts {
    /// Serializes what was shown, for an event in which the user has changed nothing yet.
    pub(super) fn serialize_unedited<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self { edited: Vec::new(), ..self.clone() }.serialize(serializer)
    }
}

/// What a user granted with a confirmation.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantFacts<'a> {
    /// The grant's name.
    pub id: &'a str,
    /// Which later calls it lets run.
    pub scope: &'a str,
    /// How many.
    pub calls: u32,
    /// For how long, in milliseconds.
    pub ttl_ms: u64,
}

/// How a question was answered, and by whom.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct AnswerFacts<'a> {
    /// The way, as the host names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<&'a str>,
    /// The principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<&'a str>,
}
