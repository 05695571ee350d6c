//! The value that flows out: one [`ToolResponse`] per call, built as text once.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::CallId;
pub use crate::definition::TOOL_RESPONSE_SCHEMA_VERSION;
use crate::error::{ErrorType, ToolError};
use crate::json::ObjectWriter;
use crate::schema::Clamped;

/// Bytes that a usual meta takes as text.
const META: usize = 512;

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

/// What is told about a call beside its outcome. [`write`](Self::write) is the one place that gives it its form.
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
    #[serde(default)]
    pub call_id: Option<CallId>,
    /// The mode's name.
    #[serde(default)]
    pub mode: Option<Arc<str>>,
    /// The turn, from 1.
    #[serde(default)]
    pub turn: Option<u32>,
    /// How often the handler was started.
    #[serde(default)]
    pub attempts: Option<u32>,
    /// What the handler may pass downstream.
    #[serde(default)]
    pub idempotency_key: Option<Arc<str>>,
    /// The provider's id of the call whose handler made this one, or of the nearest one above that has an id.
    #[serde(default)]
    pub parent_call_id: Option<CallId>,
    /// Set where a kept result of an equal call was the answer: no handler ran.
    #[serde(default)]
    pub cached: bool,
    /// Set on a replay or a join: nothing ran for this call.
    #[serde(rename = "_idempotent_cache_hit", default)]
    pub idempotent_cache_hit: bool,
    /// The turn in which it ran.
    #[serde(rename = "_original_turn", default)]
    pub original_turn: Option<u32>,
    /// Arguments lowered to the mode's largest value.
    #[serde(default)]
    pub clamped: Vec<Clamped>,
    /// Arguments filled with their defaults.
    #[serde(default)]
    pub defaulted: Vec<String>,
    /// What was left out.
    #[serde(default)]
    pub truncated: Option<Truncated>,
    /// Codes and sentences for whoever operates the agent.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Meta {
    /// Appends it as a JSON object.
    fn write(&self, text: &mut String) {
        let mut members = ObjectWriter(text);
        members.text("{\"toolId\":", &self.tool_id);
        match &self.tool_version {
            Some(version) => members.text(",\"toolVersion\":", version),
            None => members.value(",\"toolVersion\":", &()),
        };
        members
            .text(",\"registryVersion\":", &self.registry_version)
            .float(",\"duration\":", self.duration)
            .text(",\"timestamp\":", &self.timestamp)
            .word(",\"responseSchemaVersion\":", self.response_schema_version)
            .some_text(",\"callId\":", self.call_id.as_ref().map(CallId::as_str))
            .some_text(",\"mode\":", self.mode.as_deref())
            .some_number(",\"turn\":", self.turn)
            .some_number(",\"attempts\":", self.attempts)
            .some_text(",\"idempotencyKey\":", self.idempotency_key.as_deref())
            .some_text(",\"parentCallId\":", self.parent_call_id.as_ref().map(CallId::as_str))
            .if_so(",\"cached\":", self.cached)
            .if_so(",\"_idempotent_cache_hit\":", self.idempotent_cache_hit)
            .some_number(",\"_original_turn\":", self.original_turn)
            .some_list(",\"clamped\":", &self.clamped)
            .some_list(",\"defaulted\":", &self.defaulted);
        if let Some(truncated) = &self.truncated {
            members.value(",\"truncated\":", truncated);
        }
        members.some_list(",\"warnings\":", &self.warnings);
        text.push('}');
    }
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
        let mut head = String::with_capacity(META);
        head.push_str("{\"ok\":false,\"error\":");
        error.write(&mut head);
        head.push_str(",\"intents\":");
        head.push_str(intents);
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
        let mut text = String::with_capacity(self.outcome.head.len() + META);
        text.push_str(&self.outcome.head);
        text.push_str(",\"meta\":");
        self.meta.write(&mut text);
        text.push('}');
        text
    }

    /// The answer as text for keeping, from which [`from_kept`](Self::from_kept) makes it again: the outcome as it stands,
    /// and the meta on a line of its own.
    #[must_use]
    pub fn to_kept(&self) -> String {
        let mut text = String::with_capacity(self.outcome.head.len() + META);
        text.push_str(&self.outcome.head);
        // The meta is JSON without a line break.
        text.push('\n');
        self.meta.write(&mut text);
        text
    }

    /// The answer that was kept as this text. `None` where it is none.
    #[must_use]
    pub fn from_kept(text: &str) -> Option<Self> {
        let (head, meta) = text.rsplit_once('\n')?;
        Some(Self { outcome: Outcome::from_identity(head)?, meta: serde_json::from_str(meta).ok()? })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn bare() -> Meta {
        Meta {
            tool_id: "a \"b\"".into(),
            tool_version: None,
            registry_version: "1.0.0".into(),
            duration: 3.0,
            timestamp: "2026-11-21T13:24:56.789Z".to_owned(),
            response_schema_version: TOOL_RESPONSE_SCHEMA_VERSION,
            call_id: None,
            mode: None,
            turn: None,
            attempts: None,
            idempotency_key: None,
            parent_call_id: None,
            cached: false,
            idempotent_cache_hit: false,
            original_turn: None,
            clamped: Vec::new(),
            defaulted: Vec::new(),
            truncated: None,
            warnings: Vec::new(),
        }
    }

    fn full() -> Meta {
        let shortened = vec![Shortened { path: "/list".to_owned(), kept: 2, of: 9 }];
        Meta {
            tool_version: Some("2.0.0".into()),
            duration: 0.033,
            call_id: Some("call_é".into()),
            mode: Some("voice".into()),
            turn: Some(2),
            attempts: Some(3),
            idempotency_key: Some("tg_0123".into()),
            parent_call_id: Some("above".into()),
            cached: true,
            idempotent_cache_hit: true,
            original_turn: Some(1),
            clamped: vec![Clamped { path: "/top_k".to_owned(), from: 9.into(), to: 5.into() }],
            defaulted: vec!["/language".to_owned()],
            truncated: Some(Truncated {
                limit_bytes: 100,
                original_bytes: 200,
                dropped: vec!["/x".to_owned()],
                shortened,
                more: 0,
            }),
            warnings: vec!["a\nb".to_owned()],
            ..bare()
        }
    }

    /// What each meta is as JSON, built apart from it.
    fn metas() -> [(Meta, Value); 2] {
        let bare_value = json!({
            "toolId": "a \"b\"", "toolVersion": null, "registryVersion": "1.0.0", "duration": 3.0,
            "timestamp": "2026-11-21T13:24:56.789Z", "responseSchemaVersion": "1.0.0",
        });
        let full_value = json!({
            "toolId": "a \"b\"", "toolVersion": "2.0.0", "registryVersion": "1.0.0", "duration": 0.033,
            "timestamp": "2026-11-21T13:24:56.789Z", "responseSchemaVersion": "1.0.0", "callId": "call_é",
            "mode": "voice", "turn": 2, "attempts": 3, "idempotencyKey": "tg_0123", "parentCallId": "above",
            "cached": true, "_idempotent_cache_hit": true, "_original_turn": 1,
            "clamped": [{ "path": "/top_k", "from": 9, "to": 5 }], "defaulted": ["/language"],
            "truncated": {
                "limitBytes": 100, "originalBytes": 200, "dropped": ["/x"],
                "shortened": [{ "path": "/list", "kept": 2, "of": 9 }],
            },
            "warnings": ["a\nb"],
        });
        [(bare(), bare_value), (full(), full_value)]
    }

    #[test]
    fn an_answer_stands_as_its_members_do() {
        for (meta, value) in metas() {
            let response = ToolResponse { outcome: Outcome::success(Some("[1]"), "[]"), meta };
            let expected = json!({ "ok": true, "data": [1], "intents": [], "meta": value });
            assert_eq!(response.to_text(), expected.to_string());
        }
    }

    #[test]
    fn what_is_kept_is_the_answer_again() {
        let error = ToolError::new(ErrorType::Permanent, "no\nmore").with_details(json!({ "a": 1 }));
        for (meta, _) in metas() {
            for outcome in [Outcome::success(Some("{\"a\":1}"), "[]"), Outcome::from(error.clone())] {
                let response = ToolResponse { outcome, meta: meta.clone() };
                assert_eq!(ToolResponse::from_kept(&response.to_kept()), Some(response));
            }
        }
        assert_eq!(ToolResponse::from_kept("{\"ok\":true,\"intents\":[]"), None);
    }
}
