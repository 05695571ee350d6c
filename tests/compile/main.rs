//! The compiler from outside: folders in, report and files out.
//!
//! `cases` are data: a folder of `tests/fixtures/compile/` is a case, which holds what differs from
//! `tests/fixtures/compile-base/`. `TOOLGATE_RECORD=1` writes what the cases expect.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod cases;
mod corpus;
mod folders;
mod gemini;
mod gemini_schema;
mod hostile;
mod imported;
mod pages;
mod peers;
mod published_schema;
mod recursion;
mod stability;
mod strict;
mod targets;
