//! JSON text on a flat tape: parsed once, read in place, never turned into a tree of values.
//!
//! Arguments arrive as text, are checked as text and leave as text. A [`Tape`] owns that text and a flat list of
//! where its values begin and end, so that validation, canonical form and defaults need no second parse.
//! Nothing here knows schemas, tools or the gate.

mod canonical;
mod edit;
mod entry;
mod error;
mod fault;
mod iter;
mod limits;
mod node;
mod number;
mod object_writer;
mod order;
mod parse;
pub mod pointer;
mod scalar;
mod sketch;
mod string;
mod tape;
mod unique;

pub use canonical::{Canonical, canonical};
pub use edit::{Edit, apply};
pub use error::{ParseError, ParseErrorKind, Within};
pub use iter::{Elements, Members};
pub use limits::{DEPTH_CEILING, Limits, LoneSurrogates, TEXT_CEILING};
pub use node::{Kind, Node};
pub use number::write_number;
pub use object_writer::ObjectWriter;
pub use sketch::{Sketch, SketchKey};
pub use string::string_len;
pub use string::write_string;
pub use tape::Tape;
