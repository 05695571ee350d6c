//! The gate, called as a host calls it: tools, sessions, a scripted handler per tool, a paused clock, and what came of
//! each call.
//!
//! Most cases are data: `tests/fixtures/calls/<case>.json`, run by [`fixtures`]. What data says badly (random
//! interleavings, threads) is a module of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    unreachable_pub,
    reason = "a test stops at what it did not expect, and says where"
)]

mod act;
mod admission_ways;
mod audit;
mod fixtures;
mod full_store;
mod gate_parts;
mod long_ids;
mod look_ups;
mod names;
mod perform;
#[path = "../postgres_server/mod.rs"]
mod postgres_server;
mod print;
mod properties;
#[path = "../redis_server/mod.rs"]
mod redis_server;
mod room;
mod script;
mod store;
mod terse;
mod tools;
mod world;
