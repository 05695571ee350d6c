//! Answers to ticketed calls: at once where they are ready, by a wake-up where they are not. Never lost, also when the
//! future that owes one panics.

use std::sync::Arc;

use parking_lot::Mutex;

/// A number that JavaScript chose for a call that may wait.
pub(super) type Ticket = u32;

/// Answers that JavaScript has not fetched yet.
#[derive(Default)]
pub(super) struct Answers(Mutex<Vec<(Ticket, String)>>);

impl Answers {
    /// Takes one answer, where it is there.
    pub(super) fn take(&self, ticket: Ticket) -> Option<String> {
        let mut ready = self.0.lock();
        let place = ready.iter().position(|(owner, _)| *owner == ticket)?;
        Some(ready.swap_remove(place).1)
    }

    /// Whether none waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Takes every answer.
    pub(super) fn take_all(&self) -> Vec<(Ticket, String)> {
        std::mem::take(&mut *self.0.lock())
    }
}

/// Owes the answer to one ticket.
pub(super) struct Owed {
    answers: Arc<Answers>,
    ticket: Ticket,
    /// What is answered where the future that owes is dropped without having answered.
    otherwise: fn() -> String,
    paid: bool,
}

impl Owed {
    pub(super) fn new(answers: Arc<Answers>, ticket: Ticket, otherwise: fn() -> String) -> Self {
        Self { answers, ticket, otherwise, paid: false }
    }

    pub(super) fn pay(mut self, answer: String) {
        self.paid = true;
        self.answers.0.lock().push((self.ticket, answer));
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        if !self.paid {
            let answer = (self.otherwise)();
            self.answers.0.lock().push((self.ticket, answer));
        }
    }
}
