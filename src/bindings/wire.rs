//! The readers of providers' frames, for `js/transports/`.

use napi::bindgen_prelude::{Buffer, Either};
use napi_derive::napi;
use parking_lot::Mutex;

use crate::wire::anthropic::AnthropicReader;
use crate::wire::gemini_live::{AnswerRoute, GeminiLiveReader};
use crate::wire::openai::OpenAiReader;
use crate::wire::openai_realtime::RealtimeReader;
use crate::wire::{Frame, FrameReader, FrameResult};

/// A frame as received from a socket.
type SocketData = Either<String, Buffer>;

/// Reads a frame. Returns JSON text; `None` for the many frames without calls.
fn read_frame(reader: &mut dyn FrameReader, frame: &SocketData) -> Option<String> {
    let bytes = match frame {
        Either::A(text) => text.as_bytes(),
        Either::B(bytes) => bytes.as_ref(),
    };
    let heard = Frame::parse(bytes).map_or_else(FrameResult::from_problem, |frame| reader.read(&frame));
    if heard.is_empty() { None } else { serde_json::to_string(&heard).ok() }
}

/// Reads a connection to the Realtime API.
#[napi]
#[derive(Default)]
pub struct NativeRealtime(Mutex<RealtimeReader>);

#[napi]
impl NativeRealtime {
    /// Creates the reader of a new connection.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next frame. Returns JSON text of `{ calls, cancelled, problems, asksModel }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn read(&self, frame: Either<String, Buffer>) -> Option<String> {
        read_frame(&mut *self.0.lock(), &frame)
    }

    /// Whether the provider expects an answer to this call.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn wants_answer(&self, call_id: String) -> bool {
        self.0.lock().wants_answer(&call_id)
    }

    /// Notes that the answer was sent. Returns true if the model must be asked to continue.
    #[napi(catch_unwind)]
    pub fn answered(&self, call_id: String) -> bool {
        self.0.lock().record_answer(&call_id)
    }
}

/// Reads Chat Completions and Responses.
#[napi]
pub struct NativeOpenAi(Mutex<OpenAiReader>);

#[napi]
impl NativeOpenAi {
    /// Creates the reader of a new conversation. `seed` must be unique; missing ids are derived from it.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new(seed: String) -> Self {
        Self(Mutex::new(OpenAiReader::new(&seed)))
    }

    /// Reads the next frame. Returns JSON text of `{ calls, cancelled, problems, asksModel }`, and `message` from Chat
    /// Completions.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn read(&self, frame: Either<String, Buffer>) -> Option<String> {
        read_frame(&mut *self.0.lock(), &frame)
    }
}

/// Reads Anthropic's Messages API.
#[napi]
#[derive(Default)]
pub struct NativeAnthropic(Mutex<AnthropicReader>);

#[napi]
impl NativeAnthropic {
    /// Creates the reader of a new conversation.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next frame. Returns JSON text of `{ calls, cancelled, problems, asksModel }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn read(&self, frame: Either<String, Buffer>) -> Option<String> {
        read_frame(&mut *self.0.lock(), &frame)
    }
}

/// Reads a Gemini Live session.
#[napi]
pub struct NativeGeminiLive(Mutex<GeminiLiveReader>);

#[napi]
impl NativeGeminiLive {
    /// Creates the reader of a new session. `seed` must be unique; missing ids are derived from it.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new(seed: String) -> Self {
        Self(Mutex::new(GeminiLiveReader::new(&seed)))
    }

    /// Reads the next frame. Returns JSON text of `{ calls, cancelled, problems, asksModel }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn read(&self, frame: Either<String, Buffer>) -> Option<String> {
        read_frame(&mut *self.0.lock(), &frame)
    }

    /// Whether a call without an id waits for its `toolCall`.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn holds(&self) -> bool {
        self.0.lock().has_held_calls()
    }

    /// Releases the waiting calls, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn release(&self) -> String {
        serde_json::to_string(&self.0.lock().release_held_calls()).unwrap_or_else(|_| "[]".to_owned())
    }

    /// The id for the answer to a call: empty if the provider gave none, `None` if the call was cancelled.
    #[napi(catch_unwind)]
    pub fn answer(&self, call_id: String) -> Option<String> {
        match self.0.lock().take_answer_route(&call_id) {
            AnswerRoute::Never => None,
            AnswerRoute::WithId(id) => Some(id),
            AnswerRoute::WithoutId => Some(String::new()),
        }
    }
}
