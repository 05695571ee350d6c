//! `OpenAI` over HTTP: Chat Completions or Responses, whichever a frame is of.

use super::openai_chat::Chat;
use super::openai_responses::Responses;
use super::{Frame, Heard, Reader};

/// Reads one conversation.
#[derive(Debug)]
pub struct OpenAi {
    chat: Chat,
    responses: Responses,
}

impl OpenAi {
    /// `seed` is in the ids of calls that come without one: no two conversations may have the same.
    #[must_use]
    pub fn new(seed: &str) -> Self {
        Self { chat: Chat::new(seed), responses: Responses::default() }
    }
}

impl Reader for OpenAi {
    fn read(&mut self, frame: &Frame) -> Heard {
        let frame = frame.root();
        if Responses::knows(frame) { self.responses.read(frame) } else { self.chat.read(frame) }
    }
}
