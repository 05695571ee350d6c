//! A validation error as data, with a message for the model.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The largest number of issues reported for one value. A text within its limits can contain hundreds of thousands.
pub const MAX_ISSUES: usize = 100;

/// A validation error. Keyword and parameters are named as in Ajv, for the common keywords.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// JSON Pointer of the wrong value; of the object, if a property is missing or unknown.
    pub instance_path: String,
    /// The part of `instance_path` that the schema declares: without names of the arguments' own, for logs.
    #[serde(skip)]
    pub place: String,
    /// Location of the keyword in the schema, as a URI fragment: `#/properties/a/type`.
    pub schema_path: String,
    /// The violated keyword.
    pub keyword: String,
    /// The parameters of the keyword, such as `limit`.
    pub params: Value,
    /// The message: location, error, and correction.
    pub message: String,
}

impl Issue {
    /// An issue of the whole value, without a keyword of the schema.
    fn for_whole_value(keyword: &str, params: Value, message: String) -> Self {
        Self {
            instance_path: String::new(),
            place: String::new(),
            schema_path: "#".to_owned(),
            keyword: keyword.to_owned(),
            params,
            message,
        }
    }

    /// The issue for a log: its place, keyword and what was expected. It contains nothing of the arguments.
    #[must_use]
    pub fn without_values(&self) -> String {
        // The parameters that repeat a part of the arguments are `additionalProperty`, `unevaluatedProperty` and
        // `propertyName`; these are a part of the schema.
        const EXPECTED: [&str; 10] = [
            "type",
            "format",
            "comparison",
            "limit",
            "multipleOf",
            "pattern",
            "missingProperty",
            "allowedValue",
            "allowedValues",
            "minContains",
        ];
        let expected: Vec<String> = EXPECTED
            .iter()
            .filter_map(|name| Some(self.params.get(name)?.to_string().trim_matches('"').chars().take(80).collect()))
            .collect();
        let expected = if expected.is_empty() { String::new() } else { format!(": {}", expected.join(" ")) };
        format!("`{}` {}{expected}", self.place, self.keyword)
    }

    /// A summary of `count` omitted issues.
    pub(super) fn omitted_count(count: usize) -> Self {
        Self::for_whole_value(
            "more",
            json!({ "count": count }),
            format!("there are {count} more errors; correct these first"),
        )
    }

    /// A summary of omitted issues that were not counted.
    pub(super) fn omitted_uncounted() -> Self {
        Self::for_whole_value("more", json!({}), "there are many more errors; correct this one first".to_owned())
    }

    /// A value with more errors than the limit allows to create.
    pub(super) fn too_many_errors() -> Self {
        let message = "the value does not fit the schema, with more errors than can be listed; send less at once";
        Self::for_whole_value("more", json!({}), message.to_owned())
    }

    /// A value with a text that a pattern can't be matched against within its steps.
    pub(super) fn too_many_steps() -> Self {
        let message = "the value could not be checked in bounds: a pattern takes too many steps for one of its texts; \
                       send shorter texts";
        Self::for_whole_value("pattern", json!({}), message.to_owned())
    }

    /// A value too deep to check with the available stack.
    pub(super) fn too_deep(depth: u32) -> Self {
        let message = format!("the value is nested {depth} levels deep and cannot be checked; send less at once");
        Self::for_whole_value("depth", json!({ "depth": depth }), message)
    }
}
