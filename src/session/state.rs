//! A session's state: built-in fields, the host's own, and who changed what.
//!
//! Plain data and plain functions. An illegal change is an error value and changes nothing.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::intent::Intent;
use crate::clock::{EpochMs, iso};

/// Changes remembered; older ones are forgotten first.
const HISTORY: usize = 200;

/// What the end of a voice session will say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Farewell {
    /// Why; `user_requested` where the result does not say.
    pub reason: Option<String>,
    /// What is spoken.
    pub closing_message: Option<String>,
    /// What is shown.
    pub text_response: Option<String>,
}

impl Farewell {
    /// Reads `reason`, `finalMessage` and `textResponse` of a result's data.
    #[must_use]
    pub fn of(data: Option<&Value>) -> Self {
        let text = |key: &str| data.and_then(|data| data.get(key)).and_then(Value::as_str).map(str::to_owned);
        Self { reason: text("reason"), closing_message: text("finalMessage"), text_response: text("textResponse") }
    }
}

/// Who makes a change.
#[derive(Debug, Clone, Copy)]
pub struct Author<'a> {
    /// `host`, `gate` or a tool's id.
    pub by: &'a str,
    /// The call, where one made it.
    pub call_id: Option<&'a str>,
    /// When.
    pub at: EpochMs,
}

/// One remembered change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The field.
    pub field: String,
    /// Its new value.
    pub value: Value,
    /// ISO 8601.
    pub at: String,
    /// `host`, `gate` or a tool's id.
    pub by: String,
    /// The call, where one made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

/// Why a change was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The session has ended.
    #[error("the session has ended; its state does not change any more")]
    Inactive,
    /// A built-in field was given a value of another type.
    #[error("`{field}` must be {expected}")]
    Type {
        /// The field.
        field: String,
        /// What it takes.
        expected: &'static str,
    },
    /// A field that only the session's own end changes.
    #[error("`isActive` changes only when the session ends; call `end()`")]
    Reserved,
}

/// The state of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    fields: BTreeMap<String, Value>,
    history: VecDeque<Change>,
    /// Changes ever made.
    revision: u64,
}

impl State {
    /// The state of a new session.
    #[must_use]
    pub fn new(mode: &str) -> Self {
        let fields = [
            ("mode", json!(mode)),
            ("isActive", json!(true)),
            ("pendingEndVoiceSession", Value::Null),
            ("pendingMessage", Value::Null),
            ("shouldSuppressAudio", json!(false)),
            ("shouldSuppressTranscript", json!(false)),
        ];
        Self {
            fields: fields.into_iter().map(|(field, value)| (field.to_owned(), value)).collect(),
            history: VecDeque::new(),
            revision: 0,
        }
    }

    /// A field's value.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    /// Whether the session goes on.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.get("isActive") == Some(&Value::Bool(true))
    }

    /// Every field.
    #[must_use]
    pub const fn fields(&self) -> &BTreeMap<String, Value> {
        &self.fields
    }

    /// The remembered changes, oldest first.
    pub fn history(&self) -> impl Iterator<Item = &Change> {
        self.history.iter()
    }

    /// How many changes were ever made: equal for two copies of one state that have heard of the same changes.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The changes made since a revision, oldest first, as far as they are remembered.
    #[must_use]
    pub fn since(&self, revision: u64) -> Vec<Change> {
        let newer = usize::try_from(self.revision.saturating_sub(revision)).unwrap_or(usize::MAX);
        self.history.iter().skip(self.history.len().saturating_sub(newer)).cloned().collect()
    }

    /// Makes changes that were made to another copy. An ended session takes none.
    pub fn absorb(&mut self, changes: Vec<Change>) {
        for change in changes {
            if self.is_active() {
                self.push(change);
            }
        }
    }

    /// Sets a field.
    ///
    /// # Errors
    /// On an ended session, and for a value that a built-in field does not take.
    pub fn set(&mut self, field: &str, value: Value, author: Author<'_>) -> Result<(), StateError> {
        if !self.is_active() {
            return Err(StateError::Inactive);
        }
        check_type(field, &value)?;
        self.write(field, value, author);
        Ok(())
    }

    /// Ends the session: nothing changes after it.
    pub fn end(&mut self, author: Author<'_>) {
        if self.is_active() {
            self.write("isActive", Value::Bool(false), author);
        }
    }

    /// Applies one intent of a result whose data says the farewell.
    ///
    /// # Errors
    /// On an ended session.
    pub fn apply(&mut self, intent: &Intent, farewell: &Farewell, author: Author<'_>) -> Result<(), StateError> {
        let (field, value) = match intent {
            Intent::EndVoiceSession { after } => (
                "pendingEndVoiceSession",
                json!({
                    "after": after,
                    "reason": farewell.reason.as_deref().unwrap_or("user_requested"),
                    "closingMessage": farewell.closing_message,
                    "textResponse": farewell.text_response,
                }),
            ),
            Intent::SuppressAudio { value } => ("shouldSuppressAudio", json!(value)),
            Intent::SuppressTranscript { value } => ("shouldSuppressTranscript", json!(value)),
            Intent::SetPendingMessage { message } => ("pendingMessage", json!(message)),
        };
        self.set(field, value, author)
    }

    /// Takes the message that waits for the next turn.
    pub fn take_pending_message(&mut self, author: Author<'_>) -> Option<String> {
        let message = self.get("pendingMessage")?.as_str()?.to_owned();
        self.write("pendingMessage", Value::Null, author);
        Some(message)
    }

    fn write(&mut self, field: &str, value: Value, author: Author<'_>) {
        self.push(Change {
            field: field.to_owned(),
            value,
            at: iso(author.at),
            by: author.by.to_owned(),
            call_id: author.call_id.map(str::to_owned),
        });
    }

    fn push(&mut self, change: Change) {
        if self.history.len() == HISTORY {
            self.history.pop_front();
        }
        self.fields.insert(change.field.clone(), change.value.clone());
        self.history.push_back(change);
        self.revision += 1;
    }
}

fn check_type(field: &str, value: &Value) -> Result<(), StateError> {
    let (fits, expected) = match field {
        "isActive" => return Err(StateError::Reserved),
        "mode" => (value.is_string(), "a string"),
        "shouldSuppressAudio" | "shouldSuppressTranscript" => (value.is_boolean(), "a boolean"),
        "pendingMessage" => (value.is_string() || value.is_null(), "a string or null"),
        "pendingEndVoiceSession" => (value.is_object() || value.is_null(), "an object or null"),
        _ => (true, ""),
    };
    if fits { Ok(()) } else { Err(StateError::Type { field: field.to_owned(), expected }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::intent::EndAfter;

    const HOST: Author<'static> = Author { by: "host", call_id: None, at: 0 };

    #[test]
    fn ending_voice_takes_its_words_from_the_result() {
        let mut state = State::new("voice");
        let data = json!({ "reason": "done", "finalMessage": "Bye.", "textResponse": 7 });
        let intent = Intent::EndVoiceSession { after: EndAfter::Immediately };
        state.apply(&intent, &Farewell::of(Some(&data)), HOST).unwrap();
        let expected =
            json!({ "after": "immediately", "reason": "done", "closingMessage": "Bye.", "textResponse": null });
        assert_eq!(state.get("pendingEndVoiceSession"), Some(&expected));
        state.apply(&intent, &Farewell::of(None), HOST).unwrap();
        assert_eq!(state.get("pendingEndVoiceSession").unwrap()["reason"], "user_requested");
    }

    #[test]
    fn an_ended_session_changes_no_more() {
        let mut state = State::new("text");
        state.end(HOST);
        let before = state.clone();
        assert_eq!(state.set("x", json!(1), HOST), Err(StateError::Inactive));
        let refused = state.apply(&Intent::SuppressAudio { value: true }, &Farewell::default(), HOST);
        assert_eq!(refused, Err(StateError::Inactive));
        state.end(HOST);
        assert_eq!(state, before);
    }

    #[test]
    fn built_in_fields_keep_their_types() {
        let mut state = State::new("text");
        for (field, value) in [("mode", json!(1)), ("shouldSuppressAudio", json!("no")), ("isActive", json!(false))] {
            assert!(state.set(field, value, HOST).is_err(), "{field}");
        }
        state.set("__proto__", json!({ "polluted": true }), HOST).unwrap();
        assert_eq!(state.get("__proto__"), Some(&json!({ "polluted": true })));
    }

    #[test]
    fn a_pending_message_is_taken_once() {
        let mut state = State::new("text");
        let intent = Intent::SetPendingMessage { message: "mail arrived".into() };
        state.apply(&intent, &Farewell::default(), HOST).unwrap();
        assert_eq!(state.take_pending_message(HOST).as_deref(), Some("mail arrived"));
        assert_eq!(state.take_pending_message(HOST), None);
        assert_eq!(state.history().count(), 2);
    }

    #[test]
    fn copies_tell_each_other_what_changed() {
        let (mut one, mut other) = (State::new("text"), State::new("text"));
        one.set("theme", json!("dark"), HOST).unwrap();
        let seen = other.revision();
        other.set("tenant", json!(7), HOST).unwrap();
        one.absorb(other.since(seen));
        assert_eq!((one.get("theme"), one.get("tenant"), one.revision()), (Some(&json!("dark")), Some(&json!(7)), 2));
        let before = one.revision();
        one.end(HOST);
        other.absorb(one.since(before));
        assert!(!other.is_active());
        let ended = other.clone();
        other.absorb(one.since(0));
        assert_eq!(other, ended);
    }

    #[test]
    fn history_is_bounded() {
        let mut state = State::new("text");
        for n in 0..500 {
            state.set("n", json!(n), HOST).unwrap();
        }
        assert_eq!(state.history().count(), HISTORY);
        assert_eq!(state.history().last().unwrap().value, json!(499));
    }
}
