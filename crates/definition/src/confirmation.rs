//! What a tool declares about the confirmation of its calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Approvers, Grantable};

/// The longest preview of a tool without a template, in characters.
pub const MAX_PREVIEW_CHARS: usize = 8_000;

/// The confirmation that a user gives before the tool runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "WrittenConfirmation")]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemars", schemars(!from, deny_unknown_fields))]
pub struct Confirmation {
    /// Template over the final arguments: `{title}`, `{attendees}`, `{attendees.length}`, `{prompt:50}`,
    /// `{start_time:local}`. Without it the preview is the tool's title and every argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// How long a pending confirmation is valid; a day by default if it has `approvers`.
    #[cfg_attr(feature = "schemars", schemars(default = "usual_ttl_ms", range(min = 1)))]
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

/// A confirmation as it is written, with absent members.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenConfirmation {
    preview: Option<String>,
    ttl_ms: Option<u64>,
    when: Option<Value>,
    #[serde(default)]
    grantable: Grantable,
    approvers: Option<Approvers>,
}

/// Who asks is there to answer.
const fn usual_ttl_ms() -> u64 {
    300_000
}

/// Others are asked when they have time.
const APPROVERS_TTL_MS: u64 = 24 * 60 * 60 * 1000;

impl From<WrittenConfirmation> for Confirmation {
    fn from(WrittenConfirmation { preview, ttl_ms, when, grantable, approvers }: WrittenConfirmation) -> Self {
        let default = if approvers.is_some() { APPROVERS_TTL_MS } else { usual_ttl_ms() };
        Self { preview, ttl_ms: ttl_ms.unwrap_or(default), when, grantable, approvers }
    }
}

impl Confirmation {
    /// The widest grant that a user may give: none where others decide, or who asks could ask for one yes and act on it many
    /// times.
    #[must_use]
    pub const fn widest_grant(&self) -> Grantable {
        if self.approvers.is_some() { Grantable::Never } else { self.grantable }
    }
}

impl Default for Confirmation {
    fn default() -> Self {
        Self { preview: None, ttl_ms: usual_ttl_ms(), when: None, grantable: Grantable::Never, approvers: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvers_have_a_day_unless_the_tool_says_otherwise() {
        let ttl_of = |text: &str| serde_json::from_str::<Confirmation>(text).unwrap().ttl_ms;
        let approvers = r#""approvers":{"roles":["manager"]}"#;
        assert_eq!((ttl_of("{}"), Confirmation::default().ttl_ms), (300_000, 300_000));
        assert_eq!(ttl_of(&format!("{{{approvers}}}")), 86_400_000);
        assert_eq!(ttl_of(&format!(r#"{{"ttlMs":60000,{approvers}}}"#)), 60_000);
        assert!(serde_json::from_str::<Confirmation>(r#"{"ttl":1}"#).is_err());
    }
}
