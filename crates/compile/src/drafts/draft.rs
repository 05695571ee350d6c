//! The drafts of JSON Schema, and what each of them knows.

use serde_json::Value;

/// A draft that a schema can declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    /// draft-04
    Four,
    /// draft-06
    Six,
    /// draft-07
    Seven,
    /// 2019-09
    Year2019,
    /// 2020-12
    Year2020,
}

/// `$schema` of each draft, without scheme and empty fragment: both are written in every way.
const NAMED: [(&str, Draft); 5] = [
    ("json-schema.org/draft-04/schema", Draft::Four),
    ("json-schema.org/draft-06/schema", Draft::Six),
    ("json-schema.org/draft-07/schema", Draft::Seven),
    ("json-schema.org/draft/2019-09/schema", Draft::Year2019),
    ("json-schema.org/draft/2020-12/schema", Draft::Year2020),
];

impl Draft {
    /// The draft that a schema names; 2020-12 where it names none, `None` where it names something else.
    pub(crate) fn declared(schema: &Value) -> Option<Self> {
        let Some(Value::String(named)) = schema.get("$schema") else { return Some(Self::Year2020) };
        let named = named.trim_end_matches('#');
        let named = named.strip_prefix("https://").or_else(|| named.strip_prefix("http://")).unwrap_or(named);
        NAMED.iter().find(|(name, _)| *name == named.trim_end_matches('/')).map(|(_, draft)| *draft)
    }

    /// The name that people use: `draft-07`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Four => "draft-04",
            Self::Six => "draft-06",
            Self::Seven => "draft-07",
            Self::Year2019 => "draft 2019-09",
            Self::Year2020 => "draft 2020-12",
        }
    }

    /// The keyword that names a schema.
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Four => "id",
            Self::Six | Self::Seven | Self::Year2019 | Self::Year2020 => "$id",
        }
    }

    /// Up to draft-07 a schema with `$ref` is that reference and nothing else.
    pub(super) fn ref_stands_alone(self) -> bool {
        self <= Self::Seven
    }

    /// Whether the keyword refuses something in draft 2020-12 and means nothing in this draft.
    pub(super) fn came_later(self, keyword: &str) -> bool {
        const LATER: [(Draft, &[&str]); 4] = [
            (Draft::Six, &["const", "contains", "propertyNames"]),
            (Draft::Seven, &["if", "then", "else"]),
            (
                Draft::Year2019,
                &[
                    "$anchor",
                    "dependentRequired",
                    "dependentSchemas",
                    "maxContains",
                    "minContains",
                    "unevaluatedItems",
                    "unevaluatedProperties",
                ],
            ),
            (Draft::Year2020, &["$dynamicAnchor", "$dynamicRef", "prefixItems"]),
        ];
        LATER.iter().any(|(since, keywords)| self < *since && keywords.contains(&keyword))
    }

    /// What a keyword of this draft holds.
    pub(super) fn holds(self, keyword: &str, value: &Value) -> Holds {
        if self.came_later(keyword) {
            return Holds::Nothing;
        }
        match (keyword, value) {
            ("items", Value::Array(_)) if self < Self::Year2020 => Holds::List,
            ("additionalItems", _) if self == Self::Year2020 => Holds::Nothing,
            (
                "items"
                | "additionalItems"
                | "additionalProperties"
                | "not"
                | "contains"
                | "propertyNames"
                | "if"
                | "then"
                | "else"
                | "contentSchema"
                | "unevaluatedItems"
                | "unevaluatedProperties",
                Value::Object(_) | Value::Bool(_),
            ) => Holds::Schema,
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(_)) => Holds::List,
            (
                "properties" | "patternProperties" | "definitions" | "$defs" | "dependentSchemas" | "dependencies",
                Value::Object(_),
            ) => Holds::Named,
            _ => Holds::Nothing,
        }
    }
}

/// What a keyword's value holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// One schema.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by name; among those of `dependencies` are lists of names.
    Named,
    /// No schema.
    Nothing,
}

/// Keywords that stay beside a `$ref` which stands alone: they refuse nothing.
pub(super) const NOTES: [&str; 4] = ["title", "description", "$comment", "deprecated"];

/// Keywords that only keep schemas for others to refer to.
pub(super) const SHELVES: [&str; 2] = ["definitions", "$defs"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn drafts_are_named_in_many_ways() {
        let declared = |named: &str| Draft::declared(&json!({ "$schema": named }));
        assert_eq!(declared("http://json-schema.org/draft-07/schema#"), Some(Draft::Seven));
        assert_eq!(declared("https://json-schema.org/draft-07/schema"), Some(Draft::Seven));
        assert_eq!(declared("http://json-schema.org/draft-04/schema#"), Some(Draft::Four));
        assert_eq!(declared("https://json-schema.org/draft/2019-09/schema"), Some(Draft::Year2019));
        assert_eq!(Draft::declared(&json!({})), Some(Draft::Year2020));
        assert_eq!(declared("https://example.com/my-dialect"), None);
    }
}
