//! A tool's definition: `schema.json` plus its guide, as a type with every default resolved.
//!
//! The compiler writes these types into the artifact and the registry reads them, so each field is defined once.
//! Unchecked author input belongs to the compiler, not here.

mod approvers;
mod artifact;
mod artifact_file;
mod artifact_reader;
mod background;
mod compressed_text;
mod confirmation;
mod declarations;
mod duplicate;
mod effect;
mod grantable;
mod raw_json;
mod repair_rule;
mod repair_rules;
mod schema_text;
mod tool_origin;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use approvers::{Approvers, MAX_APPROVER_COUNT, MAX_APPROVER_ROLE_BYTES, MAX_APPROVER_ROLES};
pub use artifact::{ARTIFACT_VERSION, Artifact, ArtifactError, ToolWithDeclarations};
pub use artifact_reader::ArtifactReader;
pub use background::Background;
pub use confirmation::{Confirmation, MAX_PREVIEW_CHARS};
pub use declarations::{DeclarationError, LazyDeclarations, LoweringEntry, ProviderDeclarations};
pub use duplicate::{Duplicate, DuplicateRule, DuplicateScope, MAX_DUPLICATE_WINDOW_MS, OnDuplicate};
pub use effect::{BatchPolicy, CancellationPolicy, EffectClass, LostCallPolicy};
pub use grantable::Grantable;
pub use raw_json::RawJson;
pub use repair_rule::RepairRule;
pub use repair_rules::RepairRules;
pub use schema_text::SchemaText;
pub use tool_origin::ToolOrigin;

/// The version of the `ToolResponse` format; a handler module with another major version is refused.
pub const TOOL_RESPONSE_SCHEMA_VERSION: &str = "1.0.0";

/// The purpose of a tool. Retrieval calls have a separate budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Category {
    /// Reads information for the model.
    Retrieval,
    /// Does something for the user.
    Action,
    /// Computes or formats.
    Utility,
}

impl Category {
    /// The category's name in `schema.json`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retrieval => "retrieval",
            Self::Action => "action",
            Self::Utility => "utility",
        }
    }
}

/// The side effects of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum SideEffects {
    /// No side effects.
    None,
    /// Reads state that others can change.
    ReadOnly,
    /// Changes state that others can see.
    Writes,
}

/// The hard deadline of a whole call: a number of milliseconds, or `false` for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout(pub Option<u64>);

impl Default for Timeout {
    fn default() -> Self {
        Self(Some(25_000))
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Timeout {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timeout".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": false }] })
    }
}

impl Serialize for Timeout {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(ms) => serializer.serialize_u64(ms),
            None => serializer.serialize_bool(false),
        }
    }
}

impl<'de> Deserialize<'de> for Timeout {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Bool(false) => Ok(Self(None)),
            Value::Number(ms) if ms.as_u64().is_some_and(|ms| ms > 0) => Ok(Self(ms.as_u64())),
            other => Err(serde::de::Error::custom(format!(
                "`timeoutMs` is `{other}`; it must be a whole number of milliseconds above 0, or false"
            ))),
        }
    }
}

/// How often a retryable failure is tried again. Attempts default to the mode's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Retry {
    /// Maximum number of attempts, the first included; absent: the mode decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(range(min = 1, max = 100)))]
    pub max_attempts: Option<u32>,
    /// Delay before the first retry.
    #[serde(default = "Retry::default_base_delay_ms")]
    pub base_delay_ms: u64,
    /// Factor from one delay to the next.
    #[serde(default = "Retry::default_multiplier")]
    #[cfg_attr(feature = "schemars", schemars(range(min = 1, max = 100)))]
    pub multiplier: f64,
}

impl Retry {
    const fn default_base_delay_ms() -> u64 {
        1000
    }

    const fn default_multiplier() -> f64 {
        2.0
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            max_attempts: None,
            base_delay_ms: Self::default_base_delay_ms(),
            multiplier: Self::default_multiplier(),
        }
    }
}

/// Reuse of a successful result for equal arguments within a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Cache {
    /// How long a result may be reused.
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub ttl_ms: u64,
}

/// Calls per sliding window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct RateLimit {
    /// Calls allowed within the window.
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub calls: u32,
    /// The window's length; at most 31 days for a limit per principal.
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub window_ms: u64,
    /// Whose calls count: those of one session, or those of all sessions of its principal. A session without a principal
    /// counts its own.
    #[serde(default, skip_serializing_if = "RateLimitScope::is_session")]
    pub per: RateLimitScope,
}

/// Whose calls count in a rate limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum RateLimitScope {
    /// Those of the session.
    #[default]
    Session,
    /// Those of all sessions of the principal.
    Principal,
}

impl RateLimitScope {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_session(&self) -> bool {
        *self == Self::Session
    }
}

/// The longest window of a limit per principal: the principal's counts are kept as long.
pub const MAX_PRINCIPAL_WINDOW_MS: u64 = 31 * 24 * 60 * 60 * 1000;

/// Rules over times in the arguments, which no JSON Schema expresses. A call that breaks one is refused before its user is
/// asked. Arguments are named by property; an absent one breaks no rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct TimeRules {
    /// Argument → the argument that it must be later than: `{ "end_time": "start_time" }`. Both have the format
    /// `date-time`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub after: BTreeMap<String, String>,
    /// Arguments of the format `date-time` that must not be in the past.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_past: Vec<String>,
}

impl TimeRules {
    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.after.is_empty() && self.not_past.is_empty()
    }
}

/// Mode → numeric argument → its maximum.
pub type Clamps = BTreeMap<String, BTreeMap<String, f64>>;

/// A tool, checked and with every default resolved: an entry of the artifact without the providers' declarations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of the artifact")]
pub struct ToolDefinition {
    /// Equal to the folder's name with `-` turned into `_`; matches `^[a-z][a-z0-9_]{0,63}$`.
    pub tool_id: String,
    /// Semantic version.
    pub version: String,
    /// Name for people.
    pub title: String,
    /// Description for the model.
    pub description: String,
    /// Purpose.
    pub category: Category,
    /// Side effects.
    pub side_effects: SideEffects,
    /// Whether running it twice has the same effect as running it once.
    pub idempotent: bool,
    /// Whether calls need a user's confirmation.
    pub requires_confirmation: bool,
    /// Modes in which it may be called.
    pub allowed_modes: Vec<String>,
    /// Soft target of a call's latency.
    pub latency_budget_ms: u64,
    /// Hard deadline of the whole call.
    #[serde(default)]
    pub timeout_ms: Timeout,
    /// When its callers are answered early; absent: they wait for the result.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "Background::read")]
    pub background: Option<Background>,
    /// Retries.
    #[serde(default)]
    pub retry: Retry,
    /// Result reuse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
    /// Calls per window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Roles that the session must hold.
    #[serde(default)]
    pub required_roles: Vec<String>,
    /// Host services that the handler needs.
    #[serde(default)]
    pub requires: Vec<String>,
    /// The confirmation's settings.
    #[serde(default)]
    pub confirmation: Confirmation,
    /// Maximum values of numeric arguments per mode.
    #[serde(default)]
    pub clamp: Clamps,
    /// Rules over times in the arguments.
    #[serde(default, skip_serializing_if = "TimeRules::is_empty")]
    pub time_rules: TimeRules,
    /// JSON Schema of `data` on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_schema: Option<SchemaText>,
    /// Maximum size of the serialized `data` for the model; absent: the mode decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_limit_bytes: Option<u64>,
    /// Example arguments.
    #[serde(default)]
    pub examples: Vec<Value>,
    /// Whether calls of this tool may overlap within a session.
    pub parallel: bool,
    /// Whether an equal call without a stable id runs again once the one before was answered; only for tools that do not
    /// write.
    #[serde(default, skip_serializing_if = "is_false")]
    pub repeatable: bool,
    /// The rules by which nearly right arguments of its calls may be repaired.
    #[serde(default, skip_serializing_if = "RepairRules::is_all")]
    pub repair: RepairRules,
    /// What is a duplicate of an earlier call, and what becomes of it; absent: the effect class decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate: Option<Duplicate>,
    /// Whether a session that declares tools by search declares this one from the start.
    #[serde(default, skip_serializing_if = "is_false")]
    pub always_declared: bool,
    /// Whether only handlers call it. Models are not declared it, do not find it, and are answered as if it did not exist.
    #[serde(default, skip_serializing_if = "is_false")]
    pub nested_only: bool,
    /// The JSON Schema (draft 2020-12) of the arguments.
    pub json_schema: SchemaText,
    /// One or two sentences, always in the prompt.
    pub summary: String,
    /// The complete guide, loaded on demand.
    pub documentation: String,
    /// The handler module, relative to the artifact; empty for a tool of a source.
    pub handler_path: String,
    /// The server that runs it; absent for a tool with a handler. Its arguments reach the server as the model sent them,
    /// so `json_schema` has no defaults, and it is not closed unless the server closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ToolOrigin>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl ToolDefinition {
    /// The effect class, which decides retry, cancellation, caching and lost calls.
    #[must_use]
    pub const fn effect(&self) -> EffectClass {
        EffectClass::from_declared(self.side_effects, self.idempotent)
    }

    /// The rule by which calls are duplicates; `None` if none is.
    #[must_use]
    pub fn duplicate_rule(&self) -> Option<DuplicateRule> {
        match &self.duplicate {
            Some(Duplicate::Off) => None,
            Some(Duplicate::Rule(rule)) => Some(rule.clone()),
            None => self.effect().has_duplicates_by_default().then(DuplicateRule::undeclared),
        }
    }
}
