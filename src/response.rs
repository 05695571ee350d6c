//! The value that flows out: one [`ToolResponse`] per call, built as text once.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::CallId;
use crate::error::{ErrorType, ToolError};
use crate::schema::Clamped;

/// The contract's version; a handler module that names another major is refused.
pub const TOOL_RESPONSE_SCHEMA_VERSION: &str = "1.0.0";

/// An array that was shortened to fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortened {
    /// JSON Pointer into `data`.
    pub path: String,
    /// Elements kept.
    pub kept: usize,
    /// Elements there were.
    pub of: usize,
}

/// What was left out of `data` to keep it under a size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncated {
    /// The cap, in bytes of JSON text.
    pub limit_bytes: u64,
    /// What the handler returned.
    pub original_bytes: u64,
    /// JSON Pointers of values that were left out whole.
    pub dropped: Vec<String>,
    /// Arrays that lost their last elements.
    pub shortened: Vec<Shortened>,
    /// How many more were left out or shortened than are named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

const fn schema_version() -> &'static str {
    TOOL_RESPONSE_SCHEMA_VERSION
}

/// What is told about a call beside its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The tool as called.
    pub tool_id: Arc<str>,
    /// `None` where there is no such tool.
    pub tool_version: Option<Arc<str>>,
    /// The tool set.
    pub registry_version: Arc<str>,
    /// Milliseconds from arrival to answer.
    pub duration: f64,
    /// When it was answered.
    pub timestamp: String,
    /// Always [`TOOL_RESPONSE_SCHEMA_VERSION`].
    #[serde(skip_deserializing, default = "schema_version")]
    pub response_schema_version: &'static str,
    /// The provider's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The mode's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Arc<str>>,
    /// The turn, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// How often the handler was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// What the handler may pass downstream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<Arc<str>>,
    /// The provider's id of the call whose handler made this one, or of the nearest one above that has an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call_id: Option<CallId>,
    /// Set where a kept result of an equal call was the answer: no handler ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// Set on a replay or a join: nothing ran for this call.
    #[serde(rename = "_idempotent_cache_hit", default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent_cache_hit: bool,
    /// The turn in which it ran.
    #[serde(rename = "_original_turn", default, skip_serializing_if = "Option::is_none")]
    pub original_turn: Option<u32>,
    /// Arguments lowered to the mode's largest value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clamped: Vec<Clamped>,
    /// Arguments filled with their defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defaulted: Vec<String>,
    /// What was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
    /// Codes and sentences for whoever operates the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What came of the call, without its meta: shared by everyone it is told to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// `{"ok":…,"data" or "error":…,"intents":[…]`, without the closing brace.
    head: Arc<str>,
    error: Option<Arc<ToolError>>,
}

impl Outcome {
    /// Success. `data` and `intents` are JSON text; absent data is left out.
    #[must_use]
    pub fn success(data: Option<&str>, intents: &str) -> Self {
        let head = match data {
            Some(data) => ["{\"ok\":true,\"data\":", data, ",\"intents\":", intents].concat(),
            None => ["{\"ok\":true,\"intents\":", intents].concat(),
        };
        Self { head: head.into(), error: None }
    }

    /// Failure, with the intents it carries as JSON text.
    #[must_use]
    pub fn failure(error: ToolError, intents: &str) -> Self {
        // An error is plain strings, numbers and `Value`s: it always serializes.
        let text = serde_json::to_string(&error).unwrap_or_else(|_| "{}".to_owned());
        let head = ["{\"ok\":false,\"error\":", &text, ",\"intents\":", intents].concat();
        Self { head: head.into(), error: Some(Arc::new(error)) }
    }

    /// From its [`identity`](Self::identity). `None` where the text is none.
    fn from_identity(head: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Head {
            ok: bool,
            #[serde(default)]
            error: Option<ToolError>,
        }
        let Head { ok, error } = serde_json::from_str(&[head, "}"].concat()).ok()?;
        (ok == error.is_none()).then(|| Self { head: head.into(), error: error.map(Arc::new) })
    }

    /// The failure, where it is one.
    #[must_use]
    pub fn error(&self) -> Option<&ToolError> {
        self.error.as_deref()
    }

    /// The failure's type, where it is one.
    #[must_use]
    pub fn error_type(&self) -> Option<ErrorType> {
        self.error().map(|error| error.kind)
    }

    /// The outcome as a handler may hear it: a question's token is the host's alone.
    #[must_use]
    pub fn without_token(self) -> Self {
        match self.error() {
            Some(error) if error.confirmation_request.is_some() => {
                let mut error = error.clone();
                if let Some(request) = &mut error.confirmation_request {
                    request.token.clear();
                }
                // What asks has not run: it carries no intents.
                Self::from(error)
            }
            _ => self,
        }
    }

    /// Bytes that tell one outcome from another: never the meta.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.head
    }
}

impl From<ToolError> for Outcome {
    fn from(error: ToolError) -> Self {
        Self::failure(error, "[]")
    }
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResponse {
    /// What came of it.
    pub outcome: Outcome,
    /// Beside it.
    pub meta: Meta,
}

impl ToolResponse {
    /// True on success.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.outcome.error.is_none()
    }

    /// The answer as JSON text, as it goes onto a wire.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = Vec::with_capacity(self.outcome.head.len() + 384);
        text.extend_from_slice(self.outcome.head.as_bytes());
        text.extend_from_slice(b",\"meta\":");
        // Writing plain data into memory cannot fail.
        let _ = serde_json::to_writer(&mut text, &self.meta);
        text.push(b'}');
        String::from_utf8(text).unwrap_or_default()
    }

    /// The answer as text for keeping, from which [`from_kept`](Self::from_kept) makes it again: the outcome as it stands,
    /// and the meta on a line of its own.
    #[must_use]
    pub fn to_kept(&self) -> String {
        // The meta is plain data, written without a line break: it always serializes.
        let meta = serde_json::to_string(&self.meta).unwrap_or_default();
        [&*self.outcome.head, "\n", &meta].concat()
    }

    /// The answer that was kept as this text. `None` where it is none.
    #[must_use]
    pub fn from_kept(text: &str) -> Option<Self> {
        let (head, meta) = text.rsplit_once('\n')?;
        Some(Self { outcome: Outcome::from_identity(head)?, meta: serde_json::from_str(meta).ok()? })
    }
}
