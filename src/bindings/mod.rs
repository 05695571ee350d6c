//! The only folder that names `napi`: convert, call, convert. No decisions.
//!
//! Values cross as JSON text, never as trees of objects. Whatever may wait is *ticketed*: JavaScript hands over a number,
//! and gets the answer under that number, among the letters ([`outbox`]) that the native call returns, or later. With the
//! memory store every admission answers, or starts its handler, within the one native call that JavaScript made.

#![expect(
    clippy::missing_errors_doc,
    reason = "an error here is the exception for a misuse that `index.d.ts` documents"
)]
#![expect(clippy::needless_pass_by_value, reason = "values from JavaScript are handed over, not lent")]

pub mod compile;
pub mod contract;
mod executor;
pub mod gate;
mod handlers;
mod hot;
mod options;
mod outbox;
pub mod schema;
pub mod session;
mod shared;
pub mod state;
pub mod tool_set;
pub mod view;
pub mod wire;

use mimalloc::MiMalloc;
use napi::{Error, Status};

/// Schemas, calls and answers are many small pieces, made on one thread and given back on another: with the system's
/// allocator that is a third of a load's time. It serves this library alone, Node keeps its own.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// A developer's misuse of the API, as the exception it becomes.
fn misuse(message: impl Into<String>) -> Error {
    Error::new(Status::InvalidArg, message.into())
}
