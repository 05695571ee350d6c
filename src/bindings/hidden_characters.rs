//! The characters that people are shown as escapes, for `index.js`.

use napi_derive::napi;

/// The characters that are shown as escapes, as a class of a regular expression with the flag `u`.
#[napi(catch_unwind)]
#[must_use]
pub fn hidden_characters() -> String {
    crate::json::hidden_class()
}
