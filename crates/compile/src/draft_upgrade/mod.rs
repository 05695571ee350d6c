//! Upgrade of older drafts of JSON Schema to draft 2020-12.
//!
//! [`modern`] is one pure function: the result accepts and rejects the same values as the input does under its declared
//! draft. Keywords that the declared draft ignores are left out, with a note. References within the document become
//! `#/…` from its root, so readers need no base URIs. `$id` and anchors stay only if a dynamic reference has several
//! targets.
//!
//! Sources: the specifications of drafts 04, 06, 07, 2019-09 and 2020-12, with their change logs.

mod draft;
mod embedded_resources;
mod object_upgrade;
mod pointer_map;
mod reference_index;
mod schema_upgrade;

use serde_json::Value;

pub use draft::Draft;
pub(crate) use embedded_resources::without_embedded_resources;
pub use pointer_map::PointerMap;

use reference_index::ReferenceIndex;
use schema_upgrade::SchemaUpgrade;

/// A schema in draft 2020-12.
#[derive(Debug, Clone, PartialEq)]
pub struct UpgradedSchema {
    /// Without `$schema`.
    pub schema: Value,
    /// The draft of the input.
    pub draft: Draft,
    /// Notes about the upgrade, in the order of the schema.
    pub notes: Vec<UpgradeNote>,
    /// The pointers of the input and of the result.
    pub pointer_map: PointerMap,
}

/// A part that the upgrade left out or could not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeNote {
    /// JSON Pointer into the input.
    pub pointer: String,
    /// The kind of part.
    pub kind: UpgradeNoteKind,
}

/// The subject of a [`Note`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpgradeNoteKind {
    /// `$schema` names no known draft; the schema is read as 2020-12.
    UnknownDraft {
        /// The value of `$schema`.
        named: String,
    },
    /// A subschema names another draft than the root; it is read as the root's draft.
    NestedDraft,
    /// The declared draft ignores this keyword: it is newer.
    NewerKeyword {
        /// The keyword.
        keyword: String,
    },
    /// Draft 2020-12 does not check the content of texts, which validators of the declared draft may check.
    UncheckedContent {
        /// The keyword.
        keyword: String,
    },
    /// The declared draft ignores this keyword beside a `$ref`.
    RefSibling {
        /// The keyword.
        keyword: String,
    },
}

/// Upgrades a schema from its declared draft, 2020-12 if it declares none.
///
/// ```
/// use serde_json::json;
/// use toolgate_compile::{Draft, upgrade_schema};
///
/// let upgraded = upgrade_schema(&json!({
///     "$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": true,
/// }));
/// assert_eq!((upgraded.schema, upgraded.draft), (json!({ "exclusiveMinimum": 1 }), Draft::Four));
/// ```
#[must_use]
pub fn upgrade_schema(schema: &Value) -> UpgradedSchema {
    let declared = Draft::declared(schema);
    let draft = declared.unwrap_or(Draft::Year2020);
    let index = ReferenceIndex::build(schema, draft);
    let mut modern = SchemaUpgrade::new(schema, draft, &index).run();
    if declared.is_none() {
        let named = schema.get("$schema").and_then(Value::as_str).unwrap_or_default().to_owned();
        modern
            .notes
            .insert(0, UpgradeNote { pointer: "/$schema".to_owned(), kind: UpgradeNoteKind::UnknownDraft { named } });
    }
    modern
}

#[cfg(test)]
mod tests;
