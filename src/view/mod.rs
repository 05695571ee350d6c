//! One result, three views: the model's, short enough for its context; a voice's, short enough to be said; and the
//! user's, whole. Plain functions over JSON: what a view leaves out is decided here and nowhere else.

mod names;
mod plain_words;
mod shorten;
mod speech;

use std::sync::Arc;

pub use shorten::shorten;
pub use speech::speech;

/// Largest data that is kept whole for its user's view, in bytes of JSON text: a page shows no more of one result.
pub const FULL_BYTES: usize = 1024 * 1024;

/// The data as its user's view has it, where it may be kept.
#[must_use]
pub fn full(data: &str) -> Option<Arc<str>> {
    (data.len() <= FULL_BYTES).then(|| data.into())
}
