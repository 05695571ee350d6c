//! `OpenAI` over HTTP: recognizes whether a frame is of Chat Completions or of Responses.

use super::openai_chat::ChatCompletionsReader;
use super::openai_responses::ResponsesReader;
use super::{Frame, FrameReader, FrameResult};

/// Reads one conversation.
#[derive(Debug)]
pub struct OpenAiReader {
    chat: ChatCompletionsReader,
    responses: ResponsesReader,
}

impl OpenAiReader {
    /// Creates a reader. Generated ids contain `seed`, which must be unique per conversation.
    #[must_use]
    pub fn new(seed: &str) -> Self {
        Self { chat: ChatCompletionsReader::new(seed), responses: ResponsesReader::default() }
    }
}

impl FrameReader for OpenAiReader {
    fn read(&mut self, frame: &Frame) -> FrameResult {
        let frame = frame.root();
        if ResponsesReader::recognizes(frame) { self.responses.read(frame) } else { self.chat.read(frame) }
    }
}
