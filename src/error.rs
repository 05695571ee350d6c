//! The table of error types and the error value. Nothing else.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::ObjectWriter;

/// Why a call did not succeed. The variants, their makers and their HTTP statuses are the contract's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorType {
    /// The arguments do not fit the schema, or are not JSON; a call without a name.
    Validation,
    /// Unknown tool or record.
    NotFound,
    /// The tool is not allowed in this mode.
    ModeRestricted,
    /// The turn's calls are used up.
    BudgetExceeded,
    /// The same call with the same outcome, again and again.
    LoopDetected,
    /// A user must agree first.
    ConfirmationRequired,
    /// The token is unknown, used, expired, or for other arguments.
    ConfirmationExpired,
    /// Role or principal wrong; external authentication failed.
    Auth,
    /// Too many calls in the window.
    RateLimit,
    /// The session has ended, or the attachment is superseded.
    SessionInactive,
    /// Voice is already running.
    SessionActive,
    /// One call id with different arguments; outcome unknown; resource conflict.
    Conflict,
    /// Network, timeout, full queue, store failure.
    Transient,
    /// Unrecoverable.
    Permanent,
    /// Cancelled by provider, user or shutdown.
    Cancelled,
    /// Unexpected exception, broken handler result.
    Internal,
}

impl ErrorType {
    /// Every type, in the table's order.
    pub const ALL: [Self; 16] = [
        Self::Validation,
        Self::NotFound,
        Self::ModeRestricted,
        Self::BudgetExceeded,
        Self::LoopDetected,
        Self::ConfirmationRequired,
        Self::ConfirmationExpired,
        Self::Auth,
        Self::RateLimit,
        Self::SessionInactive,
        Self::SessionActive,
        Self::Conflict,
        Self::Transient,
        Self::Permanent,
        Self::Cancelled,
        Self::Internal,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "VALIDATION",
            Self::NotFound => "NOT_FOUND",
            Self::ModeRestricted => "MODE_RESTRICTED",
            Self::BudgetExceeded => "BUDGET_EXCEEDED",
            Self::LoopDetected => "LOOP_DETECTED",
            Self::ConfirmationRequired => "CONFIRMATION_REQUIRED",
            Self::ConfirmationExpired => "CONFIRMATION_EXPIRED",
            Self::Auth => "AUTH",
            Self::RateLimit => "RATE_LIMIT",
            Self::SessionInactive => "SESSION_INACTIVE",
            Self::SessionActive => "SESSION_ACTIVE",
            Self::Conflict => "CONFLICT",
            Self::Transient => "TRANSIENT",
            Self::Permanent => "PERMANENT",
            Self::Cancelled => "CANCELLED",
            Self::Internal => "INTERNAL",
        }
    }

    /// The type with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The HTTP status that fits.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::Validation => 400,
            Self::Auth => 401,
            Self::ModeRestricted => 403,
            Self::NotFound => 404,
            Self::SessionInactive | Self::SessionActive | Self::Conflict => 409,
            Self::ConfirmationExpired => 410,
            Self::Permanent => 422,
            Self::ConfirmationRequired => 428,
            Self::BudgetExceeded | Self::LoopDetected | Self::RateLimit => 429,
            Self::Cancelled => 499,
            Self::Internal => 500,
            Self::Transient => 503,
        }
    }

    /// True where a handler may answer with this type; the others are the gate's alone.
    #[must_use]
    pub const fn may_come_from_a_handler(self) -> bool {
        match self {
            Self::Validation
            | Self::NotFound
            | Self::Auth
            | Self::RateLimit
            | Self::SessionInactive
            | Self::SessionActive
            | Self::Conflict
            | Self::Transient
            | Self::Permanent => true,
            Self::ModeRestricted
            | Self::BudgetExceeded
            | Self::LoopDetected
            | Self::ConfirmationRequired
            | Self::ConfirmationExpired
            | Self::Cancelled
            | Self::Internal => false,
        }
    }
}

impl std::fmt::Display for ErrorType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a user is asked before a call runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfirmationRequest {
    /// Random, single use. For the host alone: provider frames and audit leave it out, and so do answers to handlers,
    /// where it is empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub token: String,
    /// When the question closes, epoch milliseconds.
    pub expires: u64,
    /// The tool.
    pub tool: String,
    /// The final arguments, exactly what a confirmation runs.
    pub args: Value,
    /// What the user reads.
    pub preview: String,
}

/// Machine-readable detail of a failure: JSON text, since it is only ever told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details(String);

impl Details {
    /// What a value is as JSON.
    #[must_use]
    pub fn of(value: &impl Serialize) -> Self {
        // Plain data always serializes.
        Self(serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Value> for Details {
    fn from(value: Value) -> Self {
        Self::of(&value)
    }
}

impl<'de> Deserialize<'de> for Details {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(from).map(|raw| Self(Box::<str>::from(raw).into()))
    }
}

/// A failure, as it stands in a response. [`write`](Self::write) is the one place that gives it its form.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolError {
    /// What kind.
    #[serde(rename = "type")]
    pub kind: ErrorType,
    /// For the model: what is wrong, where, what would be right.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Whether something may have been changed all the same.
    pub partial_side_effects: bool,
    /// Machine-readable detail.
    #[serde(default)]
    pub details: Option<Details>,
    /// What to do instead.
    #[serde(default)]
    pub suggestion: Option<String>,
    /// When to try again.
    #[serde(default)]
    pub retry_after_ms: Option<u64>,
    /// Whether a repeat needs the same idempotency key.
    #[serde(default)]
    pub idempotency_required: Option<bool>,
    /// On CONFIRMATION_REQUIRED.
    #[serde(rename = "confirmation_request", default)]
    pub confirmation_request: Option<Box<ConfirmationRequest>>,
}

impl ToolError {
    /// A failure that is neither retryable nor has side effects.
    #[must_use]
    pub fn new(kind: ErrorType, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retryable: false,
            partial_side_effects: false,
            details: None,
            suggestion: None,
            retry_after_ms: None,
            idempotency_required: None,
            confirmation_request: None,
        }
    }

    /// With machine-readable detail.
    #[must_use]
    pub fn with_details(mut self, details: impl Into<Details>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// With what to do instead.
    #[must_use]
    pub fn with_suggestion(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Worth trying again, after a while where one is given.
    #[must_use]
    pub fn retryable_after(mut self, after_ms: Option<u64>) -> Self {
        self.retryable = true;
        self.retry_after_ms = after_ms;
        self
    }

    /// Something may have been changed.
    #[must_use]
    pub fn with_side_effects(mut self) -> Self {
        self.partial_side_effects = true;
        self
    }

    /// Appends it as a JSON object.
    pub(crate) fn write(&self, text: &mut String) {
        let mut members = ObjectWriter(text);
        members
            .word("{\"type\":", self.kind.as_str())
            .text(",\"message\":", &self.message)
            .flag(",\"retryable\":", self.retryable)
            .flag(",\"partialSideEffects\":", self.partial_side_effects)
            .some_json(",\"details\":", self.details.as_ref().map(Details::as_str))
            .some_text(",\"suggestion\":", self.suggestion.as_deref())
            .some_number(",\"retryAfterMs\":", self.retry_after_ms)
            .some_flag(",\"idempotencyRequired\":", self.idempotency_required);
        if let Some(request) = &self.confirmation_request {
            members.value(",\"confirmation_request\":", request);
        }
        text.push('}');
    }
}

impl Serialize for ToolError {
    fn serialize<S: Serializer>(&self, into: S) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        self.write(&mut text);
        RawValue::from_string(text).map_err(serde::ser::Error::custom)?.serialize(into)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failure_stands_as_its_members_do() {
        let bare = ToolError::new(ErrorType::NotFound, "no \"a\"");
        let mut full = bare.clone().with_details(json!({ "a": [1.0, null] })).with_suggestion("try \n b");
        full = full.retryable_after(Some(7)).with_side_effects();
        full.idempotency_required = Some(false);
        let args = json!({ "b": 1 });
        let (token, tool, preview) = ("t".to_owned(), "tool".to_owned(), "do".to_owned());
        full.confirmation_request = Some(Box::new(ConfirmationRequest { token, expires: 9, tool, args, preview }));
        let bare_value =
            json!({ "type": "NOT_FOUND", "message": "no \"a\"", "retryable": false, "partialSideEffects": false });
        let full_value = json!({
            "type": "NOT_FOUND", "message": "no \"a\"", "retryable": true, "partialSideEffects": true,
            "details": { "a": [1.0, null] }, "suggestion": "try \n b", "retryAfterMs": 7, "idempotencyRequired": false,
            "confirmation_request": { "token": "t", "expires": 9, "tool": "tool", "args": { "b": 1 }, "preview": "do" },
        });
        for (error, value) in [(bare, bare_value), (full, full_value)] {
            let mut text = String::new();
            error.write(&mut text);
            assert_eq!(text, value.to_string());
            assert_eq!(serde_json::to_value(&error).unwrap(), value);
            assert_eq!(serde_json::from_str::<ToolError>(&text).unwrap(), error);
        }
    }

    #[test]
    fn every_type_is_found_by_its_name() {
        for kind in ErrorType::ALL {
            assert_eq!(ErrorType::parse(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!(ErrorType::parse("validation"), None);
        assert_eq!(ErrorType::parse("__proto__"), None);
    }
}
