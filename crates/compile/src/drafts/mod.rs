//! Older drafts of JSON Schema, written as draft 2020-12.
//!
//! [`modern`] is one pure function: the schema that comes out takes and refuses the same values as the one that goes
//! in does under the draft that it declares. What the declared draft does not look at is left out, with a note.
//! References that lead within the document come out as `#/…` from its root, so that whoever reads it on needs no
//! base URIs; only where a reference is dynamic in earnest do names stay.
//!
//! Sources: the specifications of drafts 04, 06, 07, 2019-09 and 2020-12, with their change logs.

mod draft;
mod index;
mod moved;
mod object;
mod rewrite;

use serde_json::Value;

pub use draft::Draft;
pub use moved::Moved;

use index::Index;
use rewrite::Rewrite;

/// A schema in draft 2020-12.
#[derive(Debug, Clone, PartialEq)]
pub struct Modern {
    /// Without `$schema`.
    pub schema: Value,
    /// What the schema was written in.
    pub draft: Draft,
    /// What is worth knowing about the way here, in the order of the schema.
    pub notes: Vec<Note>,
    /// Where things stood before.
    pub moved: Moved,
}

/// Something that the rewriting left out or could not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// JSON Pointer into the schema as it was written.
    pub pointer: String,
    /// What it is.
    pub kind: NoteKind,
}

/// What a [`Note`] tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteKind {
    /// `$schema` names no known draft; the schema is read as 2020-12.
    UnknownDraft {
        /// What it names.
        named: String,
    },
    /// A schema inside names another draft than the whole; it is read as the whole is.
    OtherDraft,
    /// The declared draft does not look at this keyword: it came later.
    CameLater {
        /// The keyword.
        keyword: String,
    },
    /// The declared draft does not look at what stands beside a `$ref`.
    BesideRef {
        /// The keyword.
        keyword: String,
    },
}

/// Rewrites a schema from the draft that it declares, 2020-12 where it declares none.
#[must_use]
pub fn modern(schema: &Value) -> Modern {
    let declared = Draft::declared(schema);
    let draft = declared.unwrap_or(Draft::Year2020);
    let index = Index::of(schema, draft);
    let mut modern = Rewrite::new(schema, draft, &index).run();
    if declared.is_none() {
        let named = schema.get("$schema").and_then(Value::as_str).unwrap_or_default().to_owned();
        modern.notes.insert(0, Note { pointer: "/$schema".to_owned(), kind: NoteKind::UnknownDraft { named } });
    }
    modern
}
