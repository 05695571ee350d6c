//! The error types of the contract and the error value of a response.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::definition::Approvers;
use crate::json::ObjectWriter;

/// Declares [`ErrorType`] from its table, one row a type: documentation, name, HTTP status, and whether a `handler` may
/// return the type or it is reserved for the `gate`.
macro_rules! error_types {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $status:literal, $maker:ident;)+) => {
        /// The type of a failed call's error. `tests/error_table.rs` holds every other list of these types to this one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ErrorType {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        impl ErrorType {
            /// All types, in the table's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The serialized name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The corresponding HTTP status.
            #[must_use]
            pub const fn http_status(self) -> u16 {
                match self {
                    $(Self::$variant => $status,)+
                }
            }

            /// Whether a handler may return this type; the others are reserved for the gate.
            #[must_use]
            pub const fn may_come_from_a_handler(self) -> bool {
                match self {
                    $(Self::$variant => error_types!(@may $maker),)+
                }
            }
        }
    };
    (@may handler) => { true };
    (@may gate) => { false };
}

error_types! {
    /// The arguments do not match the schema or are not JSON; or the call has no tool name.
    Validation = "VALIDATION", 400, handler;
    /// Unknown tool or record.
    NotFound = "NOT_FOUND", 404, handler;
    /// The tool is not allowed in this mode.
    ModeRestricted = "MODE_RESTRICTED", 403, gate;
    /// The turn's budget is used up.
    BudgetExceeded = "BUDGET_EXCEEDED", 429, gate;
    /// The same call had the same outcome repeatedly.
    LoopDetected = "LOOP_DETECTED", 429, gate;
    /// A user must confirm first.
    ConfirmationRequired = "CONFIRMATION_REQUIRED", 428, gate;
    /// The confirmation is unknown, used, denied, expired or replaced, or for other arguments.
    ConfirmationExpired = "CONFIRMATION_EXPIRED", 410, gate;
    /// A role is missing, the principal is wrong, or an external authentication failed.
    Auth = "AUTH", 401, handler;
    /// The rate limit is exceeded.
    RateLimit = "RATE_LIMIT", 429, handler;
    /// The session has ended, or the attachment is superseded.
    SessionInactive = "SESSION_INACTIVE", 409, handler;
    /// A voice session is already running.
    SessionActive = "SESSION_ACTIVE", 409, handler;
    /// A call id was reused with different arguments, the outcome is unknown, or a resource conflict.
    Conflict = "CONFLICT", 409, handler;
    /// A network failure, a timeout, a full queue or a store failure.
    Transient = "TRANSIENT", 503, handler;
    /// An unrecoverable failure.
    Permanent = "PERMANENT", 422, handler;
    /// Cancelled by provider, user or shutdown.
    Cancelled = "CANCELLED", 499, gate;
    /// An unexpected exception or an invalid handler result.
    Internal = "INTERNAL", 500, gate;
}

impl ErrorType {
    /// Returns the type with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }
}

impl std::fmt::Display for ErrorType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The question to a user before a call runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfirmationRequest {
    /// Random, single use. For the host only: provider frames and audit lines omit it, and in answers to handlers it is
    /// empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub token: String,
    /// The expiry of the question, epoch milliseconds.
    pub expires: u64,
    /// The tool.
    pub tool: String,
    /// The final arguments with sensitive values masked: a confirmation runs exactly these, unmasked.
    pub args: Value,
    /// The text for the user.
    pub preview: String,
    /// Who confirms in place of the session's user; absent: the user does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Approvers>,
}

/// Machine-readable detail of a failure, as JSON text, since it is only forwarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details(String);

impl Details {
    /// Serializes a value as details.
    #[must_use]
    pub fn from_serializable(value: &impl Serialize) -> Self {
        // Plain data always serializes.
        Self(serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
    }

    /// The details as JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Value> for Details {
    fn from(value: Value) -> Self {
        Self::from_serializable(&value)
    }
}

impl<'de> Deserialize<'de> for Details {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(from).map(|raw| Self(Box::<str>::from(raw).into()))
    }
}

/// The error of a response. [`write`](Self::write) is the only serializer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolError {
    /// The error type.
    #[serde(rename = "type")]
    pub kind: ErrorType,
    /// The message for the model: the fault, its place, and what would be right.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Whether there may be side effects despite the failure.
    pub partial_side_effects: bool,
    /// Machine-readable details.
    #[serde(default)]
    pub details: Option<Details>,
    /// An alternative for the model.
    #[serde(default)]
    pub suggestion: Option<String>,
    /// The time after which to try again, in milliseconds.
    #[serde(default)]
    pub retry_after_ms: Option<u64>,
    /// Whether a repeat needs the same idempotency key.
    #[serde(default)]
    pub idempotency_required: Option<bool>,
    /// The question to the user; only with CONFIRMATION_REQUIRED.
    #[serde(rename = "confirmation_request", default)]
    pub confirmation_request: Option<Box<ConfirmationRequest>>,
    /// The message for the audit log, if `message` quotes the arguments.
    #[serde(skip)]
    pub audit_message: Option<Box<str>>,
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
            audit_message: None,
        }
    }

    /// Sets the message for the audit log, which must contain nothing of the arguments.
    #[must_use]
    pub fn with_audit_message(mut self, message: impl Into<Box<str>>) -> Self {
        self.audit_message = Some(message.into());
        self
    }

    /// The message for the audit log.
    #[must_use]
    pub fn audit_message(&self) -> &str {
        self.audit_message.as_deref().unwrap_or(&self.message)
    }

    /// Adds machine-readable details.
    #[must_use]
    pub fn with_details(mut self, details: impl Into<Details>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Adds an alternative.
    #[must_use]
    pub fn with_suggestion(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Marks the failure as retryable, with an optional delay.
    #[must_use]
    pub fn retryable_after(mut self, after_ms: Option<u64>) -> Self {
        self.retryable = true;
        self.retry_after_ms = after_ms;
        self
    }

    /// Marks the failure as possibly having side effects.
    #[must_use]
    pub fn with_side_effects(mut self) -> Self {
        self.partial_side_effects = true;
        self
    }

    /// Appends the error as a JSON object.
    pub(crate) fn write_json(&self, text: &mut String) {
        let mut members = ObjectWriter(text);
        members
            .unescaped_string("{\"type\":", self.kind.as_str())
            .string(",\"message\":", &self.message)
            .boolean(",\"retryable\":", self.retryable)
            .boolean(",\"partialSideEffects\":", self.partial_side_effects)
            .optional_json(",\"details\":", self.details.as_ref().map(Details::as_str))
            .optional_string(",\"suggestion\":", self.suggestion.as_deref())
            .optional_integer(",\"retryAfterMs\":", self.retry_after_ms)
            .optional_boolean(",\"idempotencyRequired\":", self.idempotency_required);
        if let Some(request) = &self.confirmation_request {
            members.serialized(",\"confirmation_request\":", request);
        }
        text.push('}');
    }
}

impl Serialize for ToolError {
    fn serialize<S: Serializer>(&self, into: S) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        self.write_json(&mut text);
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
        full.confirmation_request =
            Some(Box::new(ConfirmationRequest { token, expires: 9, tool, args, preview, approvers: None }));
        let bare_value =
            json!({ "type": "NOT_FOUND", "message": "no \"a\"", "retryable": false, "partialSideEffects": false });
        let full_value = json!({
            "type": "NOT_FOUND", "message": "no \"a\"", "retryable": true, "partialSideEffects": true,
            "details": { "a": [1.0, null] }, "suggestion": "try \n b", "retryAfterMs": 7, "idempotencyRequired": false,
            "confirmation_request": { "token": "t", "expires": 9, "tool": "tool", "args": { "b": 1 }, "preview": "do" },
        });
        for (error, value) in [(bare, bare_value), (full, full_value)] {
            let mut text = String::new();
            error.write_json(&mut text);
            assert_eq!(text, value.to_string());
            assert_eq!(serde_json::to_value(&error).unwrap(), value);
            assert_eq!(serde_json::from_str::<ToolError>(&text).unwrap(), error);
        }
    }

    #[test]
    fn every_type_is_found_by_its_name() {
        for &kind in ErrorType::ALL {
            assert_eq!(ErrorType::parse(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!(ErrorType::parse("validation"), None);
        assert_eq!(ErrorType::parse("__proto__"), None);
    }
}
