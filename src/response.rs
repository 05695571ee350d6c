//! The answer to a call: one [`ToolResponse`] per call, serialized once.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::{CallId, ReconcileOutcome};
pub use crate::definition::TOOL_RESPONSE_SCHEMA_VERSION;
use crate::error::{ErrorType, ToolError};
use crate::json::ObjectWriter;
use crate::schema::{Clamped, Repaired};

/// The usual size of a meta as text, in bytes.
const USUAL_META_BYTES: usize = 512;

/// An array or a text that was shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortened {
    /// JSON Pointer into `data`.
    pub path: String,
    /// The number of elements, or of characters, kept.
    pub kept: usize,
    /// The number before.
    #[serde(rename = "of")]
    pub original_len: usize,
}

/// The values removed from `data` to keep it within a size limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncated {
    /// The limit, in bytes of JSON text.
    pub limit_bytes: u64,
    /// The size of the handler's data, in bytes of JSON text.
    pub original_bytes: u64,
    /// The JSON Pointers of values that were removed entirely.
    pub dropped: Vec<String>,
    /// The arrays that lost their last elements.
    pub shortened: Vec<Shortened>,
    /// The number of further values that were removed or shortened.
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

/// The metadata of a response. [`write`](Self::write) is the only serializer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The tool as called.
    pub tool_id: Arc<str>,
    /// The tool's version; `None` if the tool does not exist.
    pub tool_version: Option<Arc<str>>,
    /// The tool set's version.
    pub registry_version: Arc<str>,
    /// Milliseconds from arrival to answer.
    pub duration: f64,
    /// The time of the answer, ISO 8601.
    pub timestamp: String,
    /// Always [`TOOL_RESPONSE_SCHEMA_VERSION`].
    #[serde(skip_deserializing, default = "schema_version")]
    pub response_schema_version: &'static str,
    /// The provider's id.
    #[serde(default)]
    pub call_id: Option<CallId>,
    /// The mode's name.
    #[serde(default)]
    pub mode: Option<Arc<str>>,
    /// The turn, from 1.
    #[serde(default)]
    pub turn: Option<u32>,
    /// The number of starts of the handler.
    #[serde(default)]
    pub attempts: Option<u32>,
    /// The idempotency key that the handler may pass downstream.
    #[serde(default)]
    pub idempotency_key: Option<Arc<str>>,
    /// The provider's id of the call whose handler made this call, or of the nearest call above with an id.
    #[serde(default)]
    pub parent_call_id: Option<CallId>,
    /// Whether the call still runs: its result is delivered later.
    #[serde(default)]
    pub pending: bool,
    /// Whether the answer is the cached result of an equal call: no handler ran.
    #[serde(default)]
    pub cached: bool,
    /// Whether the answer is a replay or a join: nothing ran for this call.
    #[serde(rename = "_idempotent_cache_hit", default)]
    pub idempotent_cache_hit: bool,
    /// The turn in which the call ran.
    #[serde(rename = "_original_turn", default)]
    pub original_turn: Option<u32>,
    /// The arguments lowered to the mode's largest value.
    #[serde(default)]
    pub clamped: Vec<Clamped>,
    /// The arguments filled with their defaults.
    #[serde(default)]
    pub defaulted: Vec<String>,
    /// The values that were read in another way than they were sent.
    #[serde(default)]
    pub repaired: Vec<Repaired>,
    /// The arguments that the user changed before confirming the call.
    #[serde(default)]
    pub edited: Vec<Edited>,
    /// The grant by which the call ran without a question.
    #[serde(default)]
    pub grant: Option<Arc<str>>,
    /// What was found out about an earlier call of uncertain outcome: the one that this is the answer of, or that the call met.
    #[serde(default)]
    pub reconciled: Option<ReconcileOutcome>,
    /// The values removed from the data, if it was shortened.
    #[serde(default)]
    pub truncated: Option<Truncated>,
    /// Codes and sentences for the operator of the agent.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// A changed argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edited {
    /// Its place in the arguments, a JSON Pointer; that of all arguments if too many are changed.
    pub path: String,
    /// The value that ran, masked if it is sensitive; `None` for a removed or a long one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl Meta {
    /// Appends the meta as a JSON object.
    fn write_json(&self, text: &mut String) {
        let mut members = ObjectWriter(text);
        members.string("{\"toolId\":", &self.tool_id);
        match &self.tool_version {
            Some(version) => members.string(",\"toolVersion\":", version),
            None => members.serialized(",\"toolVersion\":", &()),
        };
        members
            .string(",\"registryVersion\":", &self.registry_version)
            .float(",\"duration\":", self.duration)
            .string(",\"timestamp\":", &self.timestamp)
            .unescaped_string(",\"responseSchemaVersion\":", self.response_schema_version)
            .optional_string(",\"callId\":", self.call_id.as_ref().map(CallId::as_str))
            .optional_string(",\"mode\":", self.mode.as_deref())
            .optional_integer(",\"turn\":", self.turn)
            .optional_integer(",\"attempts\":", self.attempts)
            .optional_string(",\"idempotencyKey\":", self.idempotency_key.as_deref())
            .optional_string(",\"parentCallId\":", self.parent_call_id.as_ref().map(CallId::as_str))
            .true_if(",\"pending\":", self.pending)
            .true_if(",\"cached\":", self.cached)
            .true_if(",\"_idempotent_cache_hit\":", self.idempotent_cache_hit)
            .optional_integer(",\"_original_turn\":", self.original_turn)
            .nonempty_list(",\"clamped\":", &self.clamped)
            .nonempty_list(",\"defaulted\":", &self.defaulted)
            .nonempty_list(",\"repaired\":", &self.repaired)
            .nonempty_list(",\"edited\":", &self.edited)
            .optional_string(",\"grant\":", self.grant.as_deref())
            .optional_string(",\"reconciled\":", self.reconciled.map(ReconcileOutcome::as_str));
        if let Some(truncated) = &self.truncated {
            members.serialized(",\"truncated\":", truncated);
        }
        members.nonempty_list(",\"warnings\":", &self.warnings);
        text.push('}');
    }
}

/// The outcome of a call: a response without its meta. Shared by all callers of the call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// `{"ok":…,"data" or "error":…,"intents":[…]`, without the closing brace.
    head: Arc<str>,
    error: Option<Arc<ToolError>>,
}

impl Outcome {
    /// A success. `data` and `intents` are JSON text; absent data is omitted.
    #[must_use]
    pub fn success(data: Option<&str>, intents: &str) -> Self {
        let head = match data {
            Some(data) => ["{\"ok\":true,\"data\":", data, ",\"intents\":", intents].concat(),
            None => ["{\"ok\":true,\"intents\":", intents].concat(),
        };
        Self { head: head.into(), error: None }
    }

    /// A failure, with its intents as JSON text.
    #[must_use]
    pub fn failure(error: ToolError, intents: &str) -> Self {
        let mut head = String::with_capacity(USUAL_META_BYTES);
        head.push_str("{\"ok\":false,\"error\":");
        error.write_json(&mut head);
        head.push_str(",\"intents\":");
        head.push_str(intents);
        Self { head: head.into(), error: Some(Arc::new(error)) }
    }

    /// Parses an [`identity`](Self::identity). `None` if the text is not valid.
    fn from_identity(head: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct OutcomeHead {
            ok: bool,
            #[serde(default)]
            error: Option<ToolError>,
        }
        let OutcomeHead { ok, error } = serde_json::from_str(&[head, "}"].concat()).ok()?;
        (ok == error.is_none()).then(|| Self { head: head.into(), error: error.map(Arc::new) })
    }

    /// The failure, if it is one.
    #[must_use]
    pub fn error(&self) -> Option<&ToolError> {
        self.error.as_deref()
    }

    /// The failure's type, if it is one.
    #[must_use]
    pub fn error_type(&self) -> Option<ErrorType> {
        self.error().map(|error| error.kind)
    }

    /// The outcome for a handler: without a question's token, which is for the host only.
    #[must_use]
    fn without_token(self) -> Self {
        match self.error() {
            Some(error) if error.confirmation_request.is_some() => {
                let mut error = error.clone();
                if let Some(request) = &mut error.confirmation_request {
                    request.token.clear();
                }
                // A call that asks has not run, so it has no intents.
                Self::from(error)
            }
            _ => self,
        }
    }

    /// The outcome as text, for comparison: without the meta.
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
    /// The outcome.
    pub outcome: Outcome,
    /// The metadata.
    pub meta: Meta,
}

impl ToolResponse {
    /// The answer for a handler: without a question's token, which is for the host only.
    #[must_use]
    pub fn without_token(self) -> Self {
        Self { outcome: self.outcome.without_token(), meta: self.meta }
    }

    /// True on success.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.outcome.error.is_none()
    }

    /// The response as JSON text, as it is sent.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.outcome.head.len() + USUAL_META_BYTES);
        text.push_str(&self.outcome.head);
        text.push_str(",\"meta\":");
        self.meta.write_json(&mut text);
        text.push('}');
        text
    }

    /// The response as text for a store, readable by [`from_kept`](Self::from_kept): the outcome, and the meta on a
    /// line of its own.
    #[must_use]
    pub fn to_stored_text(&self) -> String {
        let mut text = String::with_capacity(self.outcome.head.len() + USUAL_META_BYTES);
        text.push_str(&self.outcome.head);
        // The meta is JSON without a line break.
        text.push('\n');
        self.meta.write_json(&mut text);
        text
    }

    /// Parses a stored response. `None` if the text is not valid.
    #[must_use]
    pub fn from_stored_text(text: &str) -> Option<Self> {
        let (head, meta) = text.rsplit_once('\n')?;
        Some(Self { outcome: Outcome::from_identity(head)?, meta: serde_json::from_str(meta).ok()? })
    }
}

#[cfg(test)]
mod tests;
