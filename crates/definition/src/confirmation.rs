//! What a tool declares about the confirmation of its calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Approvers, Grantable};

/// The longest preview of a tool without a template, in characters.
pub const MAX_PREVIEW_CHARS: usize = 8_000;

/// The confirmation that a user gives before the tool runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Confirmation {
    /// Template over the final arguments: `{title}`, `{attendees}`, `{attendees.length}`, `{prompt:50}`,
    /// `{start_time:local}`. Without it the preview is the tool's title and every argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// How long a pending confirmation is valid.
    #[serde(default = "Confirmation::default_ttl_ms")]
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub ttl_ms: u64,
    /// JSON Schema on the final arguments: only matching calls need confirmation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Value>,
    /// The widest grant that its user may give with a confirmation, so that later calls run without a question: `false`, `args`
    /// (calls with equal arguments) or `tool` (calls with any arguments).
    #[serde(default, skip_serializing_if = "Grantable::is_never")]
    pub grantable: Grantable,
    /// Who confirms in place of who asks: other principals, which hold one of the roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Approvers>,
}

impl Confirmation {
    const fn default_ttl_ms() -> u64 {
        300_000
    }

    /// The widest grant that a user may give: none where others decide, or who asks could ask for one yes and act on it many
    /// times.
    #[must_use]
    pub const fn widest_grant(&self) -> Grantable {
        if self.approvers.is_some() { Grantable::Never } else { self.grantable }
    }
}

impl Default for Confirmation {
    fn default() -> Self {
        Self { preview: None, ttl_ms: Self::default_ttl_ms(), when: None, grantable: Grantable::Never, approvers: None }
    }
}
