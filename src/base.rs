//! What the gate and the compiler share: JSON over a tape, schemas at work, the tools that an artifact declares.
//!
//! A crate of its own only so that the compiler can be one: what runs once per build is then optimised for size, and what
//! runs in every call for speed.

pub mod definition;
pub mod json;
pub mod nearest;
pub mod schema;
