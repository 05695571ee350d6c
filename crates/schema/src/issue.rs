//! One thing that is wrong with a value, as data.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How many issues of one value are told. A text within its limits can hold hundreds of thousands.
pub const MAX_ISSUES: usize = 100;

/// One thing that is wrong with a value; keyword and parameters as Ajv names them, for the usual keywords.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// JSON Pointer of the value that is wrong; of the object, where a property is missing or unknown.
    pub instance_path: String,
    /// Where the keyword stands in the schema, as a fragment: `#/properties/a/type`.
    pub schema_path: String,
    /// The keyword that is violated.
    pub keyword: String,
    /// What the keyword asks for.
    pub params: Value,
    /// Where it is, what is wrong, what would be right.
    pub message: String,
}

impl Issue {
    /// About the value as a whole, without a keyword of the schema.
    fn whole(keyword: &str, params: Value, message: String) -> Self {
        Self { instance_path: String::new(), schema_path: "#".to_owned(), keyword: keyword.to_owned(), params, message }
    }

    /// Issues that are left out.
    pub(super) fn more(count: usize) -> Self {
        Self::whole("more", json!({ "count": count }), format!("there are {count} more errors; correct these first"))
    }

    /// Issues that are left out, more than have been counted.
    pub(super) fn many_more() -> Self {
        Self::whole("more", json!({}), "there are many more errors; correct this one first".to_owned())
    }

    /// A value with more errors than can be made.
    pub(super) fn untold() -> Self {
        let message = "the value does not fit the schema, in more ways than can be told; send less at once";
        Self::whole("more", json!({}), message.to_owned())
    }

    /// A value that there is no stack to check.
    pub(super) fn too_deep(depth: u32) -> Self {
        let message = format!("the value is nested {depth} levels deep and cannot be checked; send less at once");
        Self::whole("depth", json!({ "depth": depth }), message)
    }
}
