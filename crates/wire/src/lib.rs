//! Converts providers' frames to calls, one provider per file. No policy: the gate decides whether a call may run.
//!
//! Invariants for every frame:
//!
//! 1. A frame is parsed once. Arguments stay the received text, complete or truncated: the gate parses and checks them.
//! 2. No silent loss. A frame that violates the protocol yields no call and a *problem*, a sentence for the host's log.
//!    A problem contains no arguments and no text of the frame except names and the provider's own error.
//! 3. A call is returned once, however often the provider's frames repeat it. A repetition is not a problem.
//! 4. Truncated arguments never look complete. The gate reads empty text as "no arguments", so text that was truncated
//!    before its first character becomes `{`, which is not JSON.
//! 5. Memory is bounded for any input: by the number of calls, the arguments' length and the number of remembered ids.
//! 6. A call that the provider cancels is in `cancelled` once, and only while it is unanswered.
//!
//! A reader is a state machine over frames: it reads no clock and does no IO.

pub mod anthropic;
mod anthropic_content_blocks;
mod frame;
mod gemini_function_calls;
pub mod gemini_live;
pub mod openai;
mod openai_chat;
pub mod openai_realtime;
mod openai_responses;
mod partial_call;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;

use lru::LruCache;
use serde::Serialize;

pub use anthropic_content_blocks::RawBlock;
pub use frame::{Frame, MAX_FRAME_BYTES};

/// A call that is ready to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProviderCall {
    /// The provider's id; an id that contains `temp` is generated here, and the gate does not use it as a key.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments' text as received; empty means none.
    pub args: String,
}

/// The result of reading a frame.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrameResult {
    /// The calls that are ready to run, in the provider's order.
    pub calls: Vec<ProviderCall>,
    /// Ids of cancelled calls.
    pub cancelled: Vec<String>,
    /// Protocol violations, and errors that the provider reports.
    pub problems: Vec<String>,
    /// Whether the model must be asked to continue: every answer that it waited for has been sent.
    #[serde(rename = "asksModel")]
    pub asks_model: bool,
    /// The message with the calls, if the next request must repeat it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<AssistantMessage>,
    /// The blocks of the message with the calls, if the protocol has blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<RawBlock>>,
}

/// The contents of an assistant message except its calls.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct AssistantMessage {
    /// The text.
    pub content: Option<String>,
}

impl FrameResult {
    /// The result of an unreadable frame.
    #[must_use]
    pub fn from_problem(problem: impl Into<String>) -> Self {
        Self { problems: vec![problem.into()], ..Self::default() }
    }

    /// Whether the frame does not concern calls, as most frames.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.cancelled.is_empty() && self.problems.is_empty() && !self.asks_model
    }
}

/// Reads the frames of one connection, in order.
///
/// ```
/// use toolgate_wire::gemini_live::GeminiLiveReader;
/// use toolgate_wire::{Frame, FrameReader};
///
/// let mut reader = GeminiLiveReader::new("seed");
/// let text = r#"{"toolCall":{"functionCalls":[{"id":"call-1","name":"kb_search","args":{"query":"tea"}}]}}"#;
/// let calls = reader.read(&Frame::parse(text.as_bytes()).unwrap()).calls;
/// assert_eq!((calls[0].name.as_str(), calls[0].args.as_str()), ("kb_search", r#"{"query":"tea"}"#));
/// assert!(Frame::parse(b"no JSON").is_err());
/// ```
pub trait FrameReader {
    /// Reads the next frame.
    fn read(&mut self, frame: &Frame) -> FrameResult;
}

/// Capacity of a [`Remembered`]; the least recently used entries are evicted.
const RECENT_CAPACITY: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// A bounded map from ids or signatures of calls to their state.
type RecentMap<T> = LruCache<String, T>;

fn recent_map<T>() -> RecentMap<T> {
    LruCache::new(RECENT_CAPACITY)
}
