//! `schema.json` as a type: the fields that an author may write.
//!
//! `schemas/tool.schema.json`, which editors use for completion and validation, is generated from this type and its doc
//! comments. `lint/fields.rs` has the same fields as a table with readable descriptions; a test keeps both equal.

use serde::Deserialize;
use serde_json::Value;

use toolgate_definition::{
    Background, Cache, Category, Clamps, Confirmation, Duplicate, RateLimit, RepairRules, Retry, SideEffects,
    TimeRules, Timeout,
};

/// A tool's executable contract: identity, orchestration metadata, and the JSON Schema of its arguments.
#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the file")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "A Toolgate tool (schema.json)"))]
pub(crate) struct AuthoredTool {
    /// Location of this file's own schema, for editors.
    #[serde(rename = "$schema", default)]
    #[expect(dead_code, reason = "it is for editors; reading it lets unknown fields be refused")]
    schema: Option<String>,
    /// The folder's name with `-` turned into `_`; providers take it as the function's name.
    #[cfg_attr(test, schemars(regex(pattern = "^[a-z][a-z0-9_]{0,63}$")))]
    pub(crate) tool_id: String,
    /// Semantic version, such as `1.0.0`.
    pub(crate) version: String,
    /// Name for people. Default: made from `toolId`.
    pub(crate) title: Option<String>,
    /// What the tool does, for the model.
    pub(crate) description: String,
    /// What the tool is for. Retrieval calls have a budget of their own, must not write and are idempotent.
    pub(crate) category: Category,
    /// The side effects of the tool.
    pub(crate) side_effects: SideEffects,
    /// Whether repeating a call has the same effect as one call.
    pub(crate) idempotent: bool,
    /// Whether a user must agree before the tool runs.
    pub(crate) requires_confirmation: bool,
    /// Modes in which the tool may be called, such as `text`, `voice`, `webcam` or a mode of the host.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub(crate) allowed_modes: Vec<String>,
    /// Soft target of a call's latency, in milliseconds.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(crate) latency_budget_ms: u64,
    /// JSON Schema (draft 2020-12) of the arguments: an object, which is closed unless it says otherwise.
    #[cfg_attr(test, schemars(schema_with = "published::parameters"))]
    pub(crate) parameters: Value,
    /// Hard deadline of the whole call, all attempts, in milliseconds from the start of the handler; `false` for none.
    /// Default: 25000.
    #[serde(default)]
    pub(crate) timeout_ms: Timeout,
    /// What happens while a call runs for long, for hosts that deliver results later: with `{ "afterMs": 800 }` its caller is
    /// answered early after so many milliseconds, with `true` at once. Default, and `false`: the caller waits for the result.
    #[serde(default, deserialize_with = "Background::read")]
    pub(crate) background: Option<Background>,
    /// How a retryable failure is tried again. Tools that write and are not idempotent are never retried.
    #[serde(default)]
    pub(crate) retry: Retry,
    /// Reuse a successful result for equal arguments within a session. Default: none; not for tools that write.
    pub(crate) cache: Option<Cache>,
    /// Calls allowed per window, of a session or of its principal. Default: no limit.
    pub(crate) rate_limit: Option<RateLimit>,
    /// Roles that the session must hold, such as `admin`. Default: none.
    #[serde(default)]
    pub(crate) required_roles: Vec<String>,
    /// Host services that the handler needs, such as `calendar`; if one is absent, the tool is hidden. Default: none.
    #[serde(default)]
    pub(crate) requires: Vec<String>,
    /// The question to the user.
    #[serde(default)]
    pub(crate) confirmation: Confirmation,
    /// Per mode, the largest value of a numeric argument: `{ "voice": { "top_k": 3 } }`.
    pub(crate) clamp: Option<Clamps>,
    /// Rules over times in the arguments, checked before the user is asked. Default: none.
    #[serde(default)]
    pub(crate) time_rules: TimeRules,
    /// JSON Schema (draft 2020-12) of `data` on success. Default: not checked.
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "published::any_schema"))]
    pub(crate) result_schema: Option<Value>,
    /// Maximum size of the serialized `data` sent to a model, in bytes. Default: the mode's.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(crate) result_limit_bytes: Option<u64>,
    /// Example arguments; sent to providers that support examples.
    #[serde(default)]
    pub(crate) examples: Vec<Value>,
    /// Whether calls of this tool may overlap within a session. Default: false for tools that write, true for others.
    pub(crate) parallel: Option<bool>,
    /// Whether an equal call of a turn runs again once the one before was answered, for tools whose data changes, such as
    /// the status of a job. Not for tools that write, nor with `cache`. Default: false.
    #[serde(default)]
    pub(crate) repeatable: bool,
    /// The rules by which nearly right arguments may be repaired: `false` for none, or a list of their names. A registry and
    /// a mode can forbid more. Default: all.
    #[serde(default)]
    pub(crate) repair: RepairRules,
    /// Which call under a new id is the same act as an earlier one, and what becomes of it; `false`: none. Default: for a
    /// tool that writes and is not idempotent, an equal call within two minutes, about which the user is asked; else none.
    pub(crate) duplicate: Option<Duplicate>,
    /// Whether a session with `toolSearch: "gate"` or `"provider"` declares this tool from the start. Default: false.
    #[serde(default)]
    pub(crate) always_declared: bool,
    /// Codes of acknowledged warnings.
    #[serde(default)]
    #[expect(dead_code, reason = "read from the text, for it counts in files that are wrong elsewhere too")]
    lint_accepted: Vec<String>,
    /// Acknowledged losses in provider declarations: `geminiNative:/properties/x/pattern`.
    #[serde(default)]
    #[expect(dead_code, reason = "read from the text, for it counts in files that are wrong elsewhere too")]
    lowering_accepted: Vec<String>,
}

#[cfg(test)]
mod published;
