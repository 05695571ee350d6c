//! The voice view of a response, for `js/answers/views.js`.

use napi_derive::napi;

use crate::json::{Limits, LoneSurrogates, NumberRange, Tape};

/// Returns the speech for a response given as JSON text.
#[napi(catch_unwind)]
#[must_use]
pub fn speech(response: String) -> String {
    let limits = Limits {
        max_depth: 512,
        max_bytes: usize::MAX,
        lone_surrogates: LoneSurrogates::Allow,
        numbers: NumberRange::Finite,
    };
    let value = Tape::parse(response, &limits).map(|tape| tape.root().to_value()).unwrap_or_default();
    crate::view::speech(&value)
}
