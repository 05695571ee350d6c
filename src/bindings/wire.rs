//! Readers of providers' frames, for `js/transports/`.

use napi::bindgen_prelude::{Buffer, Either};
use napi_derive::napi;
use parking_lot::Mutex;

use crate::wire::anthropic::Anthropic;
use crate::wire::gemini_live::{Answer, GeminiLive};
use crate::wire::openai::OpenAi;
use crate::wire::openai_realtime::Realtime;
use crate::wire::{Frame, Heard, Reader};

/// What came from a socket.
type Raw = Either<String, Buffer>;

/// What a frame says, as JSON text; none for the many frames that say nothing about calls.
fn read(reader: &mut dyn Reader, frame: &Raw) -> Option<String> {
    let bytes = match frame {
        Either::A(text) => text.as_bytes(),
        Either::B(bytes) => bytes.as_ref(),
    };
    let heard = Frame::read(bytes).map_or_else(Heard::problem, |frame| reader.read(&frame));
    if heard.is_empty() { None } else { serde_json::to_string(&heard).ok() }
}

/// Reads a connection to the Realtime API.
#[napi]
#[derive(Default)]
pub struct NativeRealtime(Mutex<Realtime>);

#[napi]
impl NativeRealtime {
    /// A connection of which nothing was read yet.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What the next frame says: JSON text of `{ calls, cancelled, problems, asksModel }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn read(&self, frame: Either<String, Buffer>) -> Option<String> {
        read(&mut *self.0.lock(), &frame)
    }

    /// Whether an answer to this call is to be sent.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn wants_answer(&self, call_id: String) -> bool {
        self.0.lock().wants_answer(&call_id)
    }

    /// Notes that the answer was sent. True where the model is to be asked to go on.
    #[napi(catch_unwind)]
    pub fn answered(&self, call_id: String) -> bool {
        self.0.lock().answered(&call_id)
    }
}

/// Reads Chat Completions and Responses.
#[napi]
pub struct NativeOpenAi(Mutex<OpenAi>);

#[napi]
impl NativeOpenAi {
    /// A conversation of which nothing was read yet; `seed`, which no other has, makes up ids where there are none.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new(seed: String) -> Self {
        Self(Mutex::new(OpenAi::new(&seed)))
    }

    /// What the next frame says: JSON text of `{ calls, cancelled, problems, asksModel }`, and `message` from Chat Completions.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn read(&self, frame: Either<String, Buffer>) -> Option<String> {
        read(&mut *self.0.lock(), &frame)
    }
}

/// Reads Anthropic's Messages API.
#[napi]
#[derive(Default)]
pub struct NativeAnthropic(Mutex<Anthropic>);

#[napi]
impl NativeAnthropic {
    /// A conversation of which nothing was read yet.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What the next frame says: JSON text of `{ calls, cancelled, problems, asksModel }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn read(&self, frame: Either<String, Buffer>) -> Option<String> {
        read(&mut *self.0.lock(), &frame)
    }
}

/// Reads a Gemini Live session.
#[napi]
pub struct NativeGeminiLive(Mutex<GeminiLive>);

#[napi]
impl NativeGeminiLive {
    /// A session of which nothing was read yet; `seed`, which no other has, makes up ids where there are none.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new(seed: String) -> Self {
        Self(Mutex::new(GeminiLive::new(&seed)))
    }

    /// What the next frame says: JSON text of `{ calls, cancelled, problems, asksModel }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn read(&self, frame: Either<String, Buffer>) -> Option<String> {
        read(&mut *self.0.lock(), &frame)
    }

    /// Whether a call without an id waits for its `toolCall`.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn holds(&self) -> bool {
        self.0.lock().holds()
    }

    /// The waiting calls, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn release(&self) -> String {
        serde_json::to_string(&self.0.lock().release()).unwrap_or_else(|_| "[]".to_owned())
    }

    /// The id under which the answer to a call goes back: an empty one where the provider gave none, nothing where the
    /// call was cancelled.
    #[napi(catch_unwind)]
    pub fn answer(&self, call_id: String) -> Option<String> {
        match self.0.lock().answer(&call_id) {
            Answer::Never => None,
            Answer::Under(id) => Some(id),
            Answer::WithoutId => Some(String::new()),
        }
    }
}
