//! The message queue from the core to JavaScript: answers, handlers to start and to stop, audit lines, notifications of
//! listeners, in the order of their creation.
//!
//! A native call returns the messages that it made ready, so a call and its handler need no turn of the event loop
//! between them. Messages that become ready otherwise (by a timer, on a worker, in a call with another return value)
//! wait for the `poll` that the executor requests. There is one queue: a handler's start precedes its stop, a call's
//! audit lines precede its answer.
//!
//! Messages cross as one text, since a separate value costs more than reading a hundred bytes. A message is one
//! character for its kind, then its parts. A number is its digits and a comma. A text is its length in UTF-16 units, as
//! in JavaScript, a colon, and the text.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::executor::Executor;
use crate::json::ObjectWriter;
use crate::observe::audit::AuditSink;
use crate::observe::listener::{ConfirmationNews, Listener, ToolUse};
use crate::observe::warnings::WarningListener;
use crate::run::{Invocation, InvocationId, Started};

/// The number that JavaScript chose for a call that may wait; never 0.
pub(super) type CallNumber = u32;

/// Converts a call number from a JavaScript number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a call number is a u32 in JavaScript too")]
pub(super) const fn to_call_number(number: f64) -> CallNumber {
    number as CallNumber
}

/// A message to JavaScript. `js/gate/native-messages.js` decodes it and contains the same kind characters.
pub(super) enum NativeMessage {
    /// The answer to a call.
    Answer { call_number: CallNumber, text: String },
    /// Start a handler, or another function of it.
    Start(Box<Invocation>),
    /// Signal a handler to stop.
    Stop { id: InvocationId, reason: String },
    /// An audit line.
    AuditLine(String),
    /// A warning of the core.
    Warning(String),
    /// A call of this attachment ran and succeeded: JSON text.
    ToolUsed { attachment: u64, text: String },
    /// Something has happened to a confirmation: JSON text.
    Confirmation(String),
}

/// Encoded messages; `None` if there are none.
pub(super) type EncodedMessages = Option<String>;

impl NativeMessage {
    fn write(&self, to: &mut String) {
        match self {
            Self::Answer { call_number, text } => {
                MessageWriter::begin('A', to).number(u64::from(*call_number)).text(text)
            }
            Self::Start(start) => {
                let kind = match start.starts {
                    Started::Handler => 'S',
                    Started::Reconcile(_) => 'R',
                    Started::SchemaCode => 'V',
                };
                let parts = MessageWriter::begin(kind, to).number(start.id).number(start.attachment);
                parts.text(&start.args).text(&start.tool.id).text(&context_meta(start))
            }
            Self::Stop { id, reason } => MessageWriter::begin('X', to).number(*id).text(reason),
            Self::AuditLine(line) => MessageWriter::begin('L', to).text(line),
            Self::Warning(line) => MessageWriter::begin('W', to).text(line),
            Self::ToolUsed { attachment, text } => MessageWriter::begin('U', to).number(*attachment).text(text),
            Self::Confirmation(text) => MessageWriter::begin('C', to).text(text),
        };
    }

    /// The approximate encoded length: the texts, plus space for lengths and numbers.
    fn estimated_len(&self) -> usize {
        64 + match self {
            Self::Answer { text, .. } | Self::ToolUsed { text, .. } => text.len(),
            Self::Start(start) => 256 + start.args.len(),
            Self::Stop { reason, .. } => reason.len(),
            Self::AuditLine(line) | Self::Warning(line) | Self::Confirmation(line) => line.len(),
        }
    }
}

/// The members of a handler's context other than the arguments, as JSON text.
fn context_meta(start: &Invocation) -> String {
    let mut text = String::with_capacity(256);
    let mut members = ObjectWriter(&mut text);
    match &start.call_id {
        Some(id) => members.string("{\"callId\":", id.as_str()),
        None => members.serialized("{\"callId\":", &()),
    };
    members.string(",\"mode\":", &start.mode).integer(",\"attempt\":", start.attempt);
    members.unescaped_string(",\"idempotencyKey\":", &start.idempotency_key);
    members.optional_integer(",\"deadline\":", start.deadline).nonempty_list(",\"clamped\":", &start.clamped);
    members.optional_integer(",\"startedAt\":", start.starts.begun_at());
    text.push('}');
    text
}

/// Writes the parts of a message.
struct MessageWriter<'t>(&'t mut String);

impl<'t> MessageWriter<'t> {
    fn begin(kind: char, to: &'t mut String) -> Self {
        to.push(kind);
        Self(to)
    }

    fn number(self, number: u64) -> Self {
        self.number_with_end(number, ',')
    }

    fn text(self, text: &str) -> Self {
        let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        let parts = self.number_with_end(units as u64, ':');
        parts.0.push_str(text);
        parts
    }

    fn number_with_end(self, number: u64, end: char) -> Self {
        self.0.push_str(itoa::Buffer::new().format(number));
        self.0.push(end);
        self
    }
}

/// The queue of messages that JavaScript has not fetched yet.
pub(super) struct MessageQueue {
    queued: Mutex<Vec<NativeMessage>>,
    /// Weak, because the executor's queue may contain futures that own this: a strong reference would leak both.
    executor: Weak<Executor>,
}

impl MessageQueue {
    pub(super) fn new(executor: &Arc<Executor>) -> Self {
        Self { queued: Mutex::default(), executor: Arc::downgrade(executor) }
    }

    /// Adds a message, and requests a `poll` if the current native call will not return it.
    pub(super) fn push(&self, message: NativeMessage) {
        self.queued.lock().push(message);
        if let Some(executor) = self.executor.upgrade().filter(|executor| !executor.is_draining_here()) {
            executor.wake();
        }
    }

    /// Removes and encodes all messages.
    pub(super) fn drain(&self) -> EncodedMessages {
        let mut messages = self.queued.lock();
        if messages.is_empty() {
            return None;
        }
        let mut text = String::with_capacity(messages.iter().map(NativeMessage::estimated_len).sum());
        for message in messages.drain(..) {
            message.write(&mut text);
        }
        Some(text)
    }
}

/// Sends the answer to one call, exactly once: a fallback if its future panics or is dropped.
pub(super) struct Responder {
    messages: Arc<MessageQueue>,
    call_number: CallNumber,
    /// The answer if this is dropped without an answer.
    fallback: fn() -> String,
    is_sent: bool,
}

impl Responder {
    pub(super) const fn new(messages: Arc<MessageQueue>, call_number: CallNumber, fallback: fn() -> String) -> Self {
        Self { messages, call_number, fallback, is_sent: false }
    }

    pub(super) fn send(mut self, text: String) {
        self.is_sent = true;
        self.messages.push(NativeMessage::Answer { call_number: self.call_number, text });
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        if !self.is_sent {
            self.messages.push(NativeMessage::Answer { call_number: self.call_number, text: (self.fallback)() });
        }
    }
}

/// The audit sink for a function of the host.
pub(super) struct CallbackAuditSink(pub(super) Arc<MessageQueue>);

impl AuditSink for CallbackAuditSink {
    fn write(&self, line: String) {
        self.0.push(NativeMessage::AuditLine(line));
    }

    /// Nothing to do: the lines are in the queue before the answer to the caller of `flush`.
    fn flush(&self) {}
}

/// Warnings of the core for a function of the host. Holds the queue weakly: the list of listeners is process-wide.
pub(super) struct CallbackWarningListener(pub(super) Weak<MessageQueue>);

impl WarningListener for CallbackWarningListener {
    fn warning(&self, line: &str) {
        if let Some(messages) = self.0.upgrade() {
            messages.push(NativeMessage::Warning(line.to_owned()));
        }
    }
}

/// The listener that notifies the sessions' listeners in JavaScript.
pub(super) struct CallbackListener {
    pub(super) messages: Arc<MessageQueue>,
    pub(super) hears_confirmations: bool,
}

impl Listener for CallbackListener {
    fn tool_used(&self, attachment: u64, used: ToolUse) {
        let call_id = used.call_id.as_ref().map(crate::call::CallId::as_str);
        let text = serde_json::json!({ "toolId": &*used.tool_id, "callId": call_id, "turn": used.turn }).to_string();
        self.messages.push(NativeMessage::ToolUsed { attachment, text });
    }

    fn hears_confirmations(&self) -> bool {
        self.hears_confirmations
    }

    fn confirmation_changed(&self, news: &ConfirmationNews<'_>) {
        if let Ok(text) = serde_json::to_string(news) {
            self.messages.push(NativeMessage::Confirmation(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(messages: impl IntoIterator<Item = NativeMessage>) -> EncodedMessages {
        // Without an executor: each message waits for the drain.
        let queue = MessageQueue { queued: Mutex::default(), executor: Weak::new() };
        messages.into_iter().for_each(|message| queue.push(message));
        let encoded = queue.drain();
        assert_eq!(queue.drain(), None, "each message is sent once");
        encoded
    }

    #[test]
    fn messages_are_encoded_in_their_order() {
        let messages = [
            NativeMessage::AuditLine("{}".to_owned()),
            NativeMessage::Stop { id: 12, reason: String::new() },
            NativeMessage::ToolUsed { attachment: 3, text: "[1]".to_owned() },
            NativeMessage::Warning("full".to_owned()),
            NativeMessage::Confirmation("{}".to_owned()),
            NativeMessage::Answer { call_number: 7, text: "{\"ok\":true}".to_owned() },
        ];
        assert_eq!(queued(messages).as_deref(), Some("L2:{}X12,0:U3,3:[1]W4:fullC2:{}A7,11:{\"ok\":true}"));
        assert_eq!(queued([]), None);
    }

    #[test]
    fn the_length_of_a_text_is_in_utf_16_units() {
        let answer = |text: &str| queued([NativeMessage::Answer { call_number: 1, text: text.to_owned() }]);
        assert_eq!(answer("\u{e9}").as_deref(), Some("A1,1:\u{e9}"));
        assert_eq!(answer("a\u{1f600}b").as_deref(), Some("A1,4:a\u{1f600}b"));
    }

    #[test]
    fn a_call_is_answered_once_even_if_its_future_is_dropped() {
        let queue = Arc::new(MessageQueue { queued: Mutex::default(), executor: Weak::new() });
        let responder = |number| Responder::new(Arc::clone(&queue), number, || "lost".to_owned());
        responder(1).send("sent".to_owned());
        drop(responder(2));
        assert_eq!(queue.drain().as_deref(), Some("A1,4:sentA2,4:lost"));
    }
}
