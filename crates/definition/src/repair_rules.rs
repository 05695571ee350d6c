//! A set of rules: what a registry, a mode or a tool allows.

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::repair_rule::RepairRule;

/// A set of rules. In settings: `true` for all, `false` for none, or a list of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepairRules(u16);

impl RepairRules {
    /// All rules.
    pub const ALL: Self = Self((1 << RepairRule::ALL.len()) - 1);
    /// No rule.
    pub const NONE: Self = Self(0);

    /// Whether a rule is in the set.
    #[must_use]
    pub const fn contains(self, rule: RepairRule) -> bool {
        self.0 & (1 << rule as u16) != 0
    }

    /// The set with one more rule.
    #[must_use]
    pub const fn with(self, rule: RepairRule) -> Self {
        Self(self.0 | (1 << rule as u16))
    }

    /// The rules that both sets have.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether the set has all rules.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::ALL
    }

    /// Whether the set has no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    fn rules(self) -> impl Iterator<Item = RepairRule> {
        RepairRule::ALL.into_iter().filter(move |rule| self.contains(*rule))
    }
}

impl Default for RepairRules {
    fn default() -> Self {
        Self::ALL
    }
}

impl Serialize for RepairRules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_all() || self.is_empty() {
            return serializer.serialize_bool(self.is_all());
        }
        let mut names = serializer.serialize_seq(None)?;
        self.rules().try_for_each(|rule| names.serialize_element(rule.as_str()))?;
        names.end()
    }
}

impl<'de> Deserialize<'de> for RepairRules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SettingVisitor)
    }
}

struct SettingVisitor;

impl<'de> Visitor<'de> for SettingVisitor {
    type Value = RepairRules;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("true, false or a list of repair rules")
    }

    fn visit_bool<E: Error>(self, is_all: bool) -> Result<RepairRules, E> {
        Ok(if is_all { RepairRules::ALL } else { RepairRules::NONE })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<RepairRules, A::Error> {
        let mut rules = RepairRules::NONE;
        while let Some(name) = names.next_element::<String>()? {
            let rule = RepairRule::from_name(&name).ok_or_else(|| {
                let known = RepairRule::NAMES.join(", ");
                A::Error::custom(format!("there is no repair rule `{name}`; the rules are {known}"))
            })?;
            rules = rules.with(rule);
        }
        Ok(rules)
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for RepairRules {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RepairRules".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [
                { "type": "boolean" },
                { "type": "array", "items": { "enum": RepairRule::NAMES }, "uniqueItems": true },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(setting: Value) -> Result<RepairRules, String> {
        serde_json::from_value(setting).map_err(|error| error.to_string())
    }

    #[test]
    fn a_setting_is_read_and_written() {
        for setting in [json!(true), json!(false), json!(["number_text", "tool_name"])] {
            assert_eq!(serde_json::to_value(read(setting.clone()).unwrap()).unwrap(), setting);
        }
        assert_eq!(read(json!([])), Ok(RepairRules::NONE));
        assert_eq!(RepairRules::default(), RepairRules::ALL);
    }

    #[test]
    fn a_misspelt_rule_is_refused() {
        let known = RepairRule::NAMES.join(", ");
        let expected = format!("there is no repair rule `numbertext`; the rules are {known}");
        assert_eq!(read(json!(["numbertext"])), Err(expected));
        let refused = read(json!("false")).unwrap_err();
        assert!(refused.contains("expected true, false or a list of repair rules"), "{refused}");
    }

    #[test]
    fn sets_are_only_narrowed() {
        let two = RepairRules::NONE.with(RepairRule::NumberText).with(RepairRule::ToolName);
        let one = two.and(RepairRules::NONE.with(RepairRule::ToolName).with(RepairRule::CodeFence));
        assert!(one.contains(RepairRule::ToolName) && !one.contains(RepairRule::NumberText));
        assert!(!one.contains(RepairRule::CodeFence));
        assert_eq!(two.and(RepairRules::ALL), two);
    }
}
