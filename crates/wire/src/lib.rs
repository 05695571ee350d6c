//! Frames of providers → calls, one provider a file. No policy: whether a call may run is the gate's to say.
//!
//! What always holds, whatever a frame is:
//!
//! 1. A frame is parsed once. Arguments stay the text that came, whole or cut: the gate parses and judges them.
//! 2. Nothing is lost in silence. What can't be read as the protocol has it gives no call and a *problem*, a sentence for
//!    the host's log. It holds no arguments and no text of the frame but names and the provider's own error.
//! 3. A call is given once, however often the provider's frames repeat it. A repetition is no problem.
//! 4. Arguments that were cut never look like complete ones. Empty text means "no arguments" to the gate, so text that
//!    was cut before its first character becomes `{`, which is no JSON.
//! 5. Memory is bounded, whatever a provider sends: by calls, by the arguments' length, by ids that are remembered.
//! 6. A call that the provider took back is in `cancelled` once, and only while nobody has answered it.
//!
//! A reader is a state machine over frames: it reads no clock, sends nothing and calls nobody.

pub mod anthropic;
mod anthropic_blocks;
mod draft;
mod frame;
pub mod gemini_live;
mod gemini_turn;
pub mod openai;
mod openai_chat;
pub mod openai_realtime;
mod openai_responses;

use std::num::NonZeroUsize;

use lru::LruCache;
use serde::Serialize;

pub use anthropic_blocks::Raw;
pub use frame::{Frame, MAX_FRAME_BYTES};

/// A call that is ready to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The provider's id; an id that holds `temp` is made here, and the gate takes it for no key.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments' text as it came; empty means none.
    pub args: String,
}

/// What a frame says.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Heard {
    /// The calls that are ready to run, in the provider's order.
    pub calls: Vec<Call>,
    /// Ids of calls that nobody waits for any more.
    pub cancelled: Vec<String>,
    /// What could not be read, or what the provider says went wrong.
    pub problems: Vec<String>,
    /// The model must be asked to go on: everything that it waited for has been sent.
    #[serde(rename = "asksModel")]
    pub asks_model: bool,
    /// The message that made the calls, where the next request has to repeat it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// The same as a list of its blocks, where the protocol has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<Raw>>,
}

/// What an assistant message holds beside its calls.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Its text.
    pub content: Option<String>,
}

impl Heard {
    /// A frame that could not be read.
    #[must_use]
    pub fn problem(problem: impl Into<String>) -> Self {
        Self { problems: vec![problem.into()], ..Self::default() }
    }

    /// Whether the frame says nothing that concerns calls, as most frames do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.cancelled.is_empty() && self.problems.is_empty() && !self.asks_model
    }
}

/// Reads the frames of one connection, in their order.
pub trait Reader {
    /// What a frame says, seen after all the frames before it.
    fn read(&mut self, frame: &Frame) -> Heard;
}

/// How many calls are remembered; the ones that were not heard of for longest are forgotten first.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// Ids of calls, with what is known of each.
type Remembered<T> = LruCache<String, T>;

fn remembered<T>() -> Remembered<T> {
    LruCache::new(REMEMBERED)
}
