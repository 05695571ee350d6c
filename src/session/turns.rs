//! When a turn begins for a host that does not begin turns.
//!
//! A caller that knows the user's message names it, and a new message begins a turn. Without a message, a pause is the
//! boundary of a turn: a model calls again within seconds of an answer, but a user has to read the answer first. A host that
//! begins turns stays in charge: nothing begins a turn for its attachment.

use std::time::Duration;

use tokio::time::Instant;

use crate::call::UserMessage;

/// Longer than most models need between two calls, shorter than a user needs to read and write.
pub const DEFAULT_TURN_PAUSE: Duration = Duration::from_secs(10);

/// The calls before the next one, as far as a turn depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierCalls {
    /// The turn has had no call: the next call belongs to it.
    None,
    /// The last call was answered at this time.
    AnsweredAt(Instant),
}

/// The beginning of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnBoundary {
    /// A message begins a turn, unless it has begun one.
    Message(Box<str>),
    /// A pause begins a turn.
    Pause,
}

/// The turns of one attachment.
#[derive(Debug)]
pub struct AttachmentTurns {
    pause: Duration,
    is_begun_by_host: bool,
    message: Option<Box<str>>,
    running: u32,
    earlier: EarlierCalls,
}

impl AttachmentTurns {
    /// The turns of a new attachment.
    #[must_use]
    pub const fn new(pause: Duration, earlier: EarlierCalls, is_begun_by_host: bool) -> Self {
        Self { pause, is_begun_by_host, message: None, running: 0, earlier }
    }

    /// Notes that the host begins turns.
    pub const fn host_begins(&mut self) {
        self.is_begun_by_host = true;
    }

    /// Whether the host begins turns.
    #[must_use]
    pub const fn is_begun_by_host(&self) -> bool {
        self.is_begun_by_host
    }

    /// Whether the turn has had a call, as far as this process knows.
    #[must_use]
    pub fn has_had_calls(&self) -> bool {
        self.running > 0 || self.earlier != EarlierCalls::None
    }

    /// The boundary between the last call and one that arrives now; `None` if both belong to one turn.
    #[must_use]
    pub fn boundary(&self, message: Option<&UserMessage>, now: Instant) -> Option<TurnBoundary> {
        if self.is_begun_by_host {
            return None;
        }
        match message {
            Some(message) if self.message.as_ref() != Some(&message.id) => {
                Some(TurnBoundary::Message(message.id.clone()))
            }
            Some(message) if !message.is_by_content => None,
            Some(_) | None => self.is_after_pause(now).then_some(TurnBoundary::Pause),
        }
    }

    /// Whether a message that has begun a turn before is another message with the same content.
    #[must_use]
    pub fn is_another(&self, message: &UserMessage, now: Instant) -> bool {
        message.is_by_content && self.is_after_pause(now)
    }

    fn is_after_pause(&self, now: Instant) -> bool {
        self.running == 0
            && match self.earlier {
                EarlierCalls::None => false,
                EarlierCalls::AnsweredAt(at) => now.saturating_duration_since(at) >= self.pause,
            }
    }

    /// Notes that a turn has begun, by this message or without one.
    pub fn begun(&mut self, message: Option<Box<str>>) {
        self.message = message;
        self.earlier = EarlierCalls::None;
    }

    /// Notes that a call has arrived. Pair with [`answered`](Self::answered).
    pub const fn arrived(&mut self) {
        self.running += 1;
    }

    /// Notes that a call was answered. One that is refused until the next turn does not count (`at` is `None`): calling
    /// again must not put the next turn off.
    pub const fn answered(&mut self, at: Option<Instant>) {
        self.running = self.running.saturating_sub(1);
        if let Some(at) = at {
            self.earlier = EarlierCalls::AnsweredAt(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = DEFAULT_TURN_PAUSE;

    fn message(id: &str, is_by_content: bool) -> UserMessage {
        UserMessage { id: id.into(), is_by_content }
    }

    fn after_call(at: Instant) -> AttachmentTurns {
        let mut turns = AttachmentTurns::new(PAUSE, EarlierCalls::None, false);
        turns.arrived();
        turns.answered(Some(at));
        turns
    }

    #[test]
    fn a_pause_counts_from_the_last_answer() {
        let start = Instant::now();
        let mut turns = AttachmentTurns::new(PAUSE, EarlierCalls::None, false);
        assert_eq!(turns.boundary(None, start), None, "the first call of a session");
        turns.arrived();
        assert_eq!(turns.boundary(None, start + PAUSE * 3), None, "a call is running");
        turns.answered(Some(start + PAUSE));
        assert_eq!(turns.boundary(None, start + PAUSE * 2 - Duration::from_millis(1)), None);
        assert_eq!(turns.boundary(None, start + PAUSE * 2), Some(TurnBoundary::Pause));
        turns.begun(None);
        assert_eq!(turns.boundary(None, start + PAUSE * 9), None, "the turn has no call yet");
    }

    #[test]
    fn a_refusal_until_the_next_turn_does_not_put_it_off() {
        let start = Instant::now();
        let mut turns = after_call(start);
        turns.arrived();
        turns.answered(None);
        assert_eq!(turns.boundary(None, start + PAUSE), Some(TurnBoundary::Pause));
    }

    #[test]
    fn a_message_begins_one_turn() {
        let start = Instant::now();
        let mut turns = after_call(start);
        let first = message("m1", false);
        assert_eq!(turns.boundary(Some(&first), start), Some(TurnBoundary::Message("m1".into())));
        turns.begun(Some("m1".into()));
        turns.arrived();
        turns.answered(Some(start));
        assert_eq!(turns.boundary(Some(&first), start + PAUSE * 9), None, "a model may think for long");
        assert!(turns.boundary(Some(&message("m2", false)), start).is_some());
    }

    #[test]
    fn equal_content_is_another_message_after_a_pause() {
        let start = Instant::now();
        let mut turns = AttachmentTurns::new(PAUSE, EarlierCalls::None, false);
        turns.begun(Some("m".into()));
        turns.arrived();
        turns.answered(Some(start));
        assert_eq!(turns.boundary(Some(&message("m", true)), start), None);
        assert_eq!(turns.boundary(Some(&message("m", true)), start + PAUSE), Some(TurnBoundary::Pause));
        assert!(turns.is_another(&message("m", true), start + PAUSE));
        assert!(!turns.is_another(&message("m", false), start + PAUSE));
    }

    #[test]
    fn a_host_that_begins_turns_stays_in_charge() {
        let start = Instant::now();
        let mut turns = after_call(start);
        turns.host_begins();
        assert_eq!(turns.boundary(None, start + PAUSE * 9), None);
        assert_eq!(turns.boundary(Some(&message("m", false)), start + PAUSE * 9), None);
    }
}
