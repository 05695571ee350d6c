//! The Node addon, the only folder that uses `napi`: converts, calls the gate, converts. No decisions.
//!
//! Values cross as JSON text, never as trees of objects. A call that may wait has a *call number*, chosen by
//! JavaScript; its answer is a message ([`messages`]) with that number, returned by the same native call or by a later
//! one. With the memory store every admission answers, or starts its handler, within the one native call that
//! JavaScript made.

#![expect(
    clippy::missing_errors_doc,
    reason = "an error here is the exception for a misuse that `index.d.ts` documents"
)]
#![expect(clippy::needless_pass_by_value, reason = "values from JavaScript are passed by value")]

mod allocator;
pub mod audit;
mod audit_options;
pub mod canonical;
pub mod compile;
mod confirmations;
pub mod contract;
mod executor;
pub mod gate;
mod gate_context;
mod handlers;
pub mod hidden_characters;
mod messages;
mod options;
mod raw_functions;
mod results;
pub mod schema;
pub mod session;
pub mod standard_output;
pub mod state;
pub mod store_tasks;
pub mod tool_set;
pub mod view;
mod worker_threads;

use napi::{Error, Status};

/// The exception for a developer's misuse of the API.
fn misuse(message: impl Into<String>) -> Error {
    Error::new(Status::InvalidArg, message.into())
}
