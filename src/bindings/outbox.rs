//! What the core has for JavaScript, in the order in which it came to be: answers, handlers to start and to stop, audit
//! lines, facts for listeners.
//!
//! Whatever a native call makes ready is its return value, so a call and its handler need no turn of the event loop
//! between them. What becomes ready otherwise (by a timer, on a worker, in a call that returns something else) waits for
//! the `poll` that the executor asks for. One list in one order: a handler's start comes before its stop, a call's audit
//! lines before its answer.
//!
//! They cross as one text, since each value that crosses by itself costs more than reading a hundred bytes: a letter is a
//! character that says what it is, and its parts behind it. A number is its digits and a comma; a text is its length in
//! UTF-16 units, as JavaScript counts, a colon, and itself.

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::executor::Executor;
use crate::call::RawArgs;
use crate::json::ObjectWriter;
use crate::observe::audit::AuditSink;
use crate::observe::listener::{Listener, Used};
use crate::run::{Invocation, InvocationId};

/// Arguments from which on it costs less to find a text that JavaScript keeps than to make it anew.
const LARGE: usize = 16 * 1024;

/// A number that JavaScript chose for a call that may wait; never 0.
pub(super) type Ticket = u32;

/// The ticket that JavaScript gave as a number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a ticket that JavaScript made is a u32")]
pub(super) const fn as_ticket(number: f64) -> Ticket {
    number as Ticket
}

/// One thing that JavaScript is told. `js/mail.js` reads it; the numbers stand there as well.
pub(super) enum Letter {
    /// A ticket's answer.
    Answer { ticket: Ticket, text: String },
    /// A handler is to be started.
    Start(Box<Invocation>),
    /// A handler is to be told to stop.
    Stop { id: InvocationId, reason: String },
    /// An audit line.
    Line(String),
    /// A call of this attachment ran and succeeded: JSON text.
    Used { attachment: u64, text: String },
}

/// Letters as they cross; none where there is none.
pub(super) type Letters = Option<String>;

impl Letter {
    fn write(&self, to: &mut String) {
        match self {
            Self::Answer { ticket, text } => Parts::of('A', to).number(u64::from(*ticket)).text(text),
            Self::Start(start) => {
                let parts = Parts::of('S', to).number(start.id).number(start.attachment);
                let parts = match start.kept_text {
                    Some(ticket) => parts.number(u64::from(ticket)).text(""),
                    None => parts.number(0).text(&start.args),
                };
                parts.text(&start.tool.id).text(&meta(start))
            }
            Self::Stop { id, reason } => Parts::of('X', to).number(*id).text(reason),
            Self::Line(line) => Parts::of('L', to).text(line),
            Self::Used { attachment, text } => Parts::of('U', to).number(*attachment).text(text),
        };
    }

    /// About how long it gets: its texts, and room for lengths and numbers.
    fn room(&self) -> usize {
        64 + match self {
            Self::Answer { text, .. } | Self::Used { text, .. } => text.len(),
            Self::Start(start) => 256 + if start.kept_text.is_some() { 0 } else { start.args.len() },
            Self::Stop { reason, .. } => reason.len(),
            Self::Line(line) => line.len(),
        }
    }
}

/// What a handler's context says about its call beside the arguments.
fn meta(start: &Invocation) -> String {
    let mut text = String::with_capacity(256);
    let mut members = ObjectWriter(&mut text);
    match &start.call_id {
        Some(id) => members.text("{\"callId\":", id.as_str()),
        None => members.value("{\"callId\":", &()),
    };
    members.text(",\"mode\":", &start.mode).number(",\"attempt\":", start.attempt);
    members.word(",\"idempotencyKey\":", &start.idempotency_key);
    members.some_number(",\"deadline\":", start.deadline).some_list(",\"clamped\":", &start.clamped);
    text.push('}');
    text
}

/// Writes the parts of a letter.
struct Parts<'t>(&'t mut String);

impl<'t> Parts<'t> {
    fn of(kind: char, to: &'t mut String) -> Self {
        to.push(kind);
        Self(to)
    }

    fn number(self, number: u64) -> Self {
        self.ended_number(number, ',')
    }

    fn text(self, text: &str) -> Self {
        let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        let parts = self.ended_number(units as u64, ':');
        parts.0.push_str(text);
        parts
    }

    fn ended_number(self, number: u64, end: char) -> Self {
        self.0.push_str(itoa::Buffer::new().format(number));
        self.0.push(end);
        self
    }
}

/// Letters that JavaScript has not fetched yet, and what it keeps.
pub(super) struct Outbox {
    waiting: Mutex<Waiting>,
    /// Its queue may hold futures that own this: a strong reference would keep both for ever.
    executor: Weak<Executor>,
}

#[derive(Default)]
struct Waiting {
    letters: Vec<Letter>,
    /// Unanswered tickets whose arguments JavaScript keeps; until the answer is read it does.
    kept: HashSet<Ticket>,
}

impl Waiting {
    fn add(&mut self, mut letter: Letter) {
        match &mut letter {
            Letter::Start(start) => start.kept_text = start.kept_text.filter(|ticket| self.kept.contains(ticket)),
            Letter::Answer { ticket, .. } => _ = self.kept.remove(ticket),
            Letter::Stop { .. } | Letter::Line(_) | Letter::Used { .. } => {}
        }
        self.letters.push(letter);
    }
}

impl Outbox {
    pub(super) fn new(executor: &Arc<Executor>) -> Self {
        Self { waiting: Mutex::default(), executor: Arc::downgrade(executor) }
    }

    /// The arguments of a call that is about to be made. JavaScript keeps their text, and large ones are not sent back to
    /// it: for a handler that gets them as they came, it is told the ticket.
    pub(super) fn args(&self, ticket: Ticket, text: String) -> RawArgs {
        if text.len() < LARGE {
            return RawArgs::Text(text);
        }
        self.waiting.lock().kept.insert(ticket);
        RawArgs::Kept(text, ticket)
    }

    /// Adds a letter, and asks JavaScript to come where it is not about to take it.
    pub(super) fn post(&self, letter: Letter) {
        self.waiting.lock().add(letter);
        if let Some(executor) = self.executor.upgrade().filter(|executor| !executor.is_draining_here()) {
            executor.wake();
        }
    }

    /// Takes all letters.
    pub(super) fn take(&self) -> Letters {
        let letters = &mut self.waiting.lock().letters;
        if letters.is_empty() {
            return None;
        }
        let mut text = String::with_capacity(letters.iter().map(Letter::room).sum());
        for letter in letters.drain(..) {
            letter.write(&mut text);
        }
        Some(text)
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
