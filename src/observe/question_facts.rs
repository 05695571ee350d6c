//! What events report of a question to a user, and of its answer.

use std::sync::Arc;

use serde::Serialize;

/// What a question showed its user, without the texts: hashes, with which a text that the host kept can be compared.
#[derive(Debug, Clone, Default)]
pub struct ShownFacts {
    /// The idempotency key of the call that runs once it is confirmed.
    pub idempotency_key: Option<Arc<str>>,
    /// Keyed hash of the final arguments; `None` without a key.
    pub final_args_hash: Option<String>,
    /// Keyed hash of the preview.
    pub preview_hash: Option<String>,
    /// The places of the arguments that the user changed: what is shown is then what they made of it.
    pub edited: Vec<String>,
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
#[derive(Debug, Clone, Copy, Default)]
pub struct AnswerFacts<'a> {
    /// The way, as the host names it.
    pub via: Option<&'a str>,
    /// The principal.
    pub principal: Option<&'a str>,
}
