//! JSON text with a flat index (tape): parsed once, read in place, never converted to a tree of values.
//!
//! A [`Tape`] owns the text and a flat list of the byte ranges of its values, so that validation, canonicalization and
//! defaults need no second parse. This crate does not depend on schemas, tools or the gate.

mod canonical;
mod did_you_mean;
mod duplicate_keys;
mod edit;
mod entry;
mod error;
mod iter;
mod keyed_hash;
mod limits;
mod member_order;
mod node;
mod number;
mod object_writer;
mod parse;
mod parse_fault;
mod parse_tape;
pub mod pointer;
mod scalar;
mod string;
mod tape;
mod visible_text;

pub use canonical::{CanonicalJson, canonicalize};
pub use did_you_mean::suggest;
pub use edit::{Edit, apply_edits};
pub use error::{ParseError, ParseErrorKind, UnfinishedValue};
pub use iter::{Elements, Members};
pub use keyed_hash::{HashKey, KeyedHash};
pub use limits::{DEPTH_CEILING, Limits, LoneSurrogates, NumberRange, TEXT_CEILING};
pub use node::{Kind, Node};
pub use number::write_number;
pub use object_writer::ObjectWriter;
pub use string::json_string_len;
pub use string::write_string;
pub use tape::Tape;
pub use visible_text::{has_right_to_left, hidden_class, isolated_text, visible_json, visible_text};
