//! What the core has for JavaScript, in the order in which it came to be: answers, handlers to start and to stop, audit
//! lines, facts for listeners.
//!
//! Whatever a native call makes ready is its return value, so a call and its handler need no turn of the event loop
//! between them. What becomes ready otherwise (by a timer, on a worker, in a call that returns something else) waits for
//! the `poll` that the executor asks for. One list in one order: a handler's start comes before its stop, a call's audit
//! lines before its answer.

use std::sync::{Arc, Weak};

use napi::bindgen_prelude::Either;
use parking_lot::Mutex;

use super::executor::Executor;
use super::handlers::as_number;
use crate::observe::audit::AuditSink;
use crate::observe::listener::{Listener, Used};
use crate::run::InvocationId;

/// A number that JavaScript chose for a call that may wait.
pub(super) type Ticket = u32;

/// One thing that JavaScript is told. `js/mail.js` reads it; the numbers stand there as well.
pub(super) enum Letter {
    /// A ticket's answer.
    Answer { ticket: Ticket, text: String },
    /// A handler is to be started.
    Start { id: InvocationId, attachment: u64, tool: String, args: String, meta: String },
    /// A handler is to be told to stop.
    Stop { id: InvocationId, reason: String },
    /// An audit line.
    Line(String),
    /// A call of this attachment ran and succeeded: JSON text.
    Used { attachment: u64, text: String },
}

/// A part of a letter as it crosses.
pub(super) type Part = Either<f64, String>;

impl Letter {
    fn write(self, parts: &mut Vec<Part>) {
        let number = |number: u64| Either::A(as_number(number));
        match self {
            Self::Answer { ticket, text } => parts.extend([number(0), number(ticket.into()), Either::B(text)]),
            Self::Start { id, attachment, tool, args, meta } => parts.extend([
                number(1),
                number(id),
                number(attachment),
                Either::B(tool),
                Either::B(args),
                Either::B(meta),
            ]),
            Self::Stop { id, reason } => parts.extend([number(2), number(id), Either::B(reason)]),
            Self::Line(line) => parts.extend([number(3), Either::B(line)]),
            Self::Used { attachment, text } => parts.extend([number(4), number(attachment), Either::B(text)]),
        }
    }
}

/// Letters that JavaScript has not fetched yet.
pub(super) struct Outbox {
    letters: Mutex<Vec<Letter>>,
    /// Its queue may hold futures that own this: a strong reference would keep both for ever.
    executor: Weak<Executor>,
}

impl Outbox {
    pub(super) fn new(executor: &Arc<Executor>) -> Self {
        Self { letters: Mutex::default(), executor: Arc::downgrade(executor) }
    }

    /// Adds a letter, and asks JavaScript to come where it is not about to take it.
    pub(super) fn post(&self, letter: Letter) {
        self.letters.lock().push(letter);
        if let Some(executor) = self.executor.upgrade().filter(|executor| !executor.is_draining_here()) {
            executor.wake();
        }
    }

    /// Takes all letters, flat: a number that says what each is, and its parts. None where there is none.
    pub(super) fn take(&self) -> Option<Vec<Part>> {
        let letters = std::mem::take(&mut *self.letters.lock());
        if letters.is_empty() {
            return None;
        }
        let mut parts = Vec::with_capacity(letters.len() * 6);
        for letter in letters {
            letter.write(&mut parts);
        }
        Some(parts)
    }
}

/// Owes the answer to one ticket. Never lost, also when the future that owes it panics.
pub(super) struct Owed {
    outbox: Arc<Outbox>,
    ticket: Ticket,
    /// What is answered where the future that owes is dropped without having answered.
    otherwise: fn() -> String,
    paid: bool,
}

impl Owed {
    pub(super) const fn new(outbox: Arc<Outbox>, ticket: Ticket, otherwise: fn() -> String) -> Self {
        Self { outbox, ticket, otherwise, paid: false }
    }

    pub(super) fn pay(mut self, text: String) {
        self.paid = true;
        self.outbox.post(Letter::Answer { ticket: self.ticket, text });
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        if !self.paid {
            self.outbox.post(Letter::Answer { ticket: self.ticket, text: (self.otherwise)() });
        }
    }
}

/// Audit lines for a function of the host's.
pub(super) struct Lines(pub(super) Arc<Outbox>);

impl AuditSink for Lines {
    fn write(&self, line: String) {
        self.0.post(Letter::Line(line));
    }

    /// They are in the outbox before the answer of whoever asks.
    fn flush(&self) {}
}

/// Facts for the sessions' listeners.
pub(super) struct Facts(pub(super) Arc<Outbox>);

impl Listener for Facts {
    fn used(&self, attachment: u64, used: Used) {
        let call_id = used.call_id.as_ref().map(crate::call::CallId::as_str);
        let text = serde_json::json!({ "toolId": &*used.tool_id, "callId": call_id, "turn": used.turn }).to_string();
        self.0.post(Letter::Used { attachment, text });
    }
}
