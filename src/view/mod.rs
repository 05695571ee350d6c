//! The three views of a result: for the model, shortened to its context limit; for a voice, a sentence or two; for the
//! user, the full data. Plain functions over JSON. Only this module decides which values a view omits.

mod long_texts;
mod member_names;
mod shorten;
mod speakable_text;
mod speech;

use std::sync::Arc;

pub use shorten::{LongTexts, shorten};
pub use speech::speech;

/// The largest data that is kept in full for the user's view, in bytes of JSON text: a page shows at most this much.
pub const MAX_FULL_BYTES: usize = 1024 * 1024;

/// Returns the data for the user's view, if it is small enough to be kept.
#[must_use]
pub fn full_data(data: &str) -> Option<Arc<str>> {
    (data.len() <= MAX_FULL_BYTES).then(|| data.into())
}
