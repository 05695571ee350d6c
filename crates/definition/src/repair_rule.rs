//! The rules by which nearly right arguments are repaired. Arguments that can be read in two ways are not repaired
//! (`crates/schema/src/repair/search.rs`).

use serde::{Deserialize, Serialize};

/// A rule. Its name is used in `meta.repaired`, in audit lines and in settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairRule {
    /// An object or array that was sent as JSON text.
    JsonText,
    /// A number that was sent as text.
    NumberText,
    /// A boolean that was sent as text.
    BooleanText,
    /// A text that was sent as a number.
    TextOfNumber,
    /// A text that was sent as a boolean.
    TextOfBoolean,
    /// One value for an array.
    SingleItem,
    /// An enum value in another spelling.
    EnumSpelling,
    /// `null` for an absent property.
    NullAbsent,
    /// The arguments inside a property such as `arguments`.
    WrappedArguments,
    /// The arguments in a Markdown code fence.
    CodeFence,
    /// Arguments with trailing commas.
    TrailingComma,
    /// A tool's name in another spelling.
    ToolName,
}

impl RepairRule {
    /// All rules.
    pub const ALL: [Self; 12] = [
        Self::JsonText,
        Self::NumberText,
        Self::BooleanText,
        Self::TextOfNumber,
        Self::TextOfBoolean,
        Self::SingleItem,
        Self::EnumSpelling,
        Self::NullAbsent,
        Self::WrappedArguments,
        Self::CodeFence,
        Self::TrailingComma,
        Self::ToolName,
    ];

    /// The names of all rules, in the order of [`Self::ALL`].
    pub const NAMES: [&str; 12] = [
        "json_text",
        "number_text",
        "boolean_text",
        "text_of_number",
        "text_of_boolean",
        "single_item",
        "enum_spelling",
        "null_absent",
        "wrapped_arguments",
        "code_fence",
        "trailing_comma",
        "tool_name",
    ];

    /// The rule's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or_default()
    }

    /// The rule of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_the_name_that_serde_writes() {
        for rule in RepairRule::ALL {
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.as_str());
            assert_eq!(RepairRule::from_name(rule.as_str()), Some(rule));
        }
        assert_eq!(RepairRule::from_name("number"), None);
    }
}
