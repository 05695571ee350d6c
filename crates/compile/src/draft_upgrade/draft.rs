//! The drafts of JSON Schema and their keywords.

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

/// `$schema` of each draft, without scheme and empty fragment, because authors vary both.
const DRAFT_URIS: [(&str, Draft); 5] = [
    ("json-schema.org/draft-04/schema", Draft::Four),
    ("json-schema.org/draft-06/schema", Draft::Six),
    ("json-schema.org/draft-07/schema", Draft::Seven),
    ("json-schema.org/draft/2019-09/schema", Draft::Year2019),
    ("json-schema.org/draft/2020-12/schema", Draft::Year2020),
];

impl Draft {
    /// The draft that `$schema` names; 2020-12 if `$schema` is absent, `None` if it names no known draft.
    pub(crate) fn declared(schema: &Value) -> Option<Self> {
        let Some(Value::String(named)) = schema.get("$schema") else { return Some(Self::Year2020) };
        let named = named.trim_end_matches('#');
        let named = named.strip_prefix("https://").or_else(|| named.strip_prefix("http://")).unwrap_or(named);
        DRAFT_URIS.iter().find(|(name, _)| *name == named.trim_end_matches('/')).map(|(_, draft)| *draft)
    }

    /// The common name: `draft-07`.
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

    /// The keyword with the URI of a schema.
    pub(super) const fn id_keyword(self) -> &'static str {
        match self {
            Self::Four => "id",
            Self::Six | Self::Seven | Self::Year2019 | Self::Year2020 => "$id",
        }
    }

    /// Whether keywords beside `$ref` are ignored, as up to draft-07.
    pub(super) fn ignores_ref_siblings(self) -> bool {
        self <= Self::Seven
    }

    /// Whether the keyword constrains values in draft 2020-12 and is unknown in this draft.
    pub(super) fn is_newer_keyword(self, keyword: &str) -> bool {
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

    /// The kind of schemas that a keyword of this draft contains.
    pub(super) fn keyword_content(self, keyword: &str, value: &Value) -> DraftKeywordContent {
        if self.is_newer_keyword(keyword) {
            return DraftKeywordContent::NoSchema;
        }
        match (keyword, value) {
            ("items", Value::Array(_)) if self < Self::Year2020 => DraftKeywordContent::SchemaList,
            ("additionalItems", _) if self == Self::Year2020 => DraftKeywordContent::NoSchema,
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
            ) => DraftKeywordContent::Schema,
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(_)) => DraftKeywordContent::SchemaList,
            (
                "properties" | "patternProperties" | "definitions" | "$defs" | "dependentSchemas" | "dependencies",
                Value::Object(_),
            ) => DraftKeywordContent::SchemaMap,
            _ => DraftKeywordContent::NoSchema,
        }
    }
}

/// The kind of schemas that a keyword's value contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DraftKeywordContent {
    /// One schema.
    Schema,
    /// An array of schemas.
    SchemaList,
    /// Schemas by name; `dependencies` also contains arrays of names.
    SchemaMap,
    /// No schema.
    NoSchema,
}

/// Annotations that stay beside a `$ref` even if its other siblings are ignored: they constrain no value.
pub(super) const KEPT_BESIDE_REF: [&str; 4] = ["title", "description", "$comment", "deprecated"];

/// Keywords that only contain schemas to reference.
pub(super) const DEFINITION_KEYWORDS: [&str; 2] = ["definitions", "$defs"];

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
