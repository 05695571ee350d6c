//! Who confirms the calls of a tool in place of who asks for them.

use serde::{Deserialize, Serialize};

/// The largest number of confirmations that a call can need.
pub const MAX_APPROVER_COUNT: u32 = 10;

/// The largest number of roles, one of which an approver holds.
pub const MAX_APPROVER_ROLES: usize = 20;

/// The longest role, in bytes.
pub const MAX_APPROVER_ROLE_BYTES: usize = 100;

/// The people who confirm: other principals than the one who asks, each once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenApprovers")]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemars", schemars(!try_from, deny_unknown_fields))]
pub struct Approvers {
    /// An approver holds one of these roles.
    #[cfg_attr(feature = "schemars", schemars(length(min = 1, max = 20), inner(length(min = 1, max = 100))))]
    pub roles: Vec<String>,
    /// How many of them must confirm.
    #[cfg_attr(feature = "schemars", schemars(default = "one", range(min = 1, max = 10)))]
    pub count: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenApprovers {
    roles: Vec<String>,
    #[serde(default = "one")]
    count: u32,
}

const fn one() -> u32 {
    1
}

/// A rule that holds no call back, or every call, is not read.
impl TryFrom<WrittenApprovers> for Approvers {
    type Error = String;

    fn try_from(WrittenApprovers { roles, count }: WrittenApprovers) -> Result<Self, String> {
        if !(1..=MAX_APPROVER_COUNT).contains(&count) {
            return Err(format!("`approvers.count` is {count}; it must be from 1 to {MAX_APPROVER_COUNT}"));
        }
        let is_role = |role: &String| !role.trim().is_empty() && role.len() <= MAX_APPROVER_ROLE_BYTES;
        if roles.is_empty() || roles.len() > MAX_APPROVER_ROLES || !roles.iter().all(is_role) {
            return Err(format!("`approvers.roles` must be 1 to {MAX_APPROVER_ROLES} short names"));
        }
        Ok(Self { roles, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_holds_nothing_back_is_not_read() {
        let read = |text: &str| serde_json::from_str::<Approvers>(text);
        let one = read(r#"{"roles":["manager"]}"#).unwrap();
        assert_eq!(serde_json::to_string(&one).unwrap(), r#"{"roles":["manager"],"count":1}"#);
        assert_eq!(read(r#"{"roles":["manager","cfo"],"count":10}"#).unwrap().count, 10);
        let (long, many) = ("x".repeat(101), vec!["r"; 21]);
        for text in [
            r#"{"roles":[]}"#.to_owned(),
            r#"{"roles":[" "]}"#.to_owned(),
            format!(r#"{{"roles":["{long}"]}}"#),
            serde_json::json!({ "roles": many }).to_string(),
            r#"{"count":1}"#.to_owned(),
            r#"{"roles":"manager"}"#.to_owned(),
            r#"{"roles":["manager"],"count":0}"#.to_owned(),
            r#"{"roles":["manager"],"count":11}"#.to_owned(),
            r#"{"roles":["manager"],"count":1.5}"#.to_owned(),
            r#"{"roles":["manager"],"any":true}"#.to_owned(),
            "null".to_owned(),
        ] {
            assert!(read(&text).is_err(), "{text}");
        }
    }
}
