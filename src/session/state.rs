//! A session's state: built-in fields, the host's own fields, and the history of changes.
//!
//! Plain data and plain functions. An illegal change returns an error and changes nothing.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::intent::Intent;
use super::policy::Mode;
use crate::clock::{EpochMs, to_iso8601};

/// The number of changes kept in the history; the oldest are dropped first.
const MAX_HISTORY: usize = 200;

/// The closing texts of a voice session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Farewell {
    /// The reason; `user_requested` if the result has none.
    pub reason: Option<String>,
    /// The spoken text.
    pub closing_message: Option<String>,
    /// The displayed text.
    pub text_response: Option<String>,
}

impl Farewell {
    /// Reads `reason`, `finalMessage` and `textResponse` from a result's data.
    #[must_use]
    pub fn from_result_data(data: Option<&Value>) -> Self {
        let text = |key: &str| data.and_then(|data| data.get(key)).and_then(Value::as_str).map(str::to_owned);
        Self { reason: text("reason"), closing_message: text("finalMessage"), text_response: text("textResponse") }
    }
}

/// The author of a change.
#[derive(Debug, Clone, Copy)]
pub struct ChangeAuthor<'a> {
    /// `host`, `gate` or a tool's id.
    pub by: &'a str,
    /// The call that made the change, if any.
    pub call_id: Option<&'a str>,
    /// The time of the change.
    pub at: EpochMs,
}

/// One change in the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StateChange {
    /// The field.
    pub field: String,
    /// Its new value.
    pub value: Value,
    /// The time of the change, ISO 8601.
    pub at: String,
    /// `host`, `gate` or a tool's id.
    pub by: String,
    /// The call that made the change, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

/// Why a change was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The session has ended.
    #[error("the session has ended; its state does not change any more")]
    SessionEnded,
    /// The value does not have the built-in field's type.
    #[error("`{field}` must be {expected}")]
    WrongType {
        /// The field.
        field: String,
        /// The type of the field's values.
        expected: &'static str,
    },
    /// The field changes only when the session ends.
    #[error("`isActive` changes only when the session ends; call `end()`")]
    ReservedField,
}

type Fields = BTreeMap<String, Value>;

/// The fields of new sessions of the built-in modes.
static BUILT_IN_FIELDS: LazyLock<[Arc<Fields>; Mode::BUILT_IN.len()]> =
    LazyLock::new(|| Mode::BUILT_IN.map(|mode| Arc::new(new_fields(mode))));

fn new_fields(mode: &str) -> Fields {
    let fields = [
        ("mode", json!(mode)),
        ("isActive", json!(true)),
        ("pendingEndVoiceSession", Value::Null),
        ("pendingMessage", Value::Null),
        ("shouldSuppressAudio", json!(false)),
        ("shouldSuppressTranscript", json!(false)),
    ];
    fields.into_iter().map(|(field, value)| (field.to_owned(), value)).collect()
}

/// The state of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionState {
    /// Shared with the copies of the state, and with other new sessions, until it changes: the fields of an idle session
    /// take more memory than all else of it.
    fields: Arc<Fields>,
    history: VecDeque<StateChange>,
    /// The number of changes ever made.
    revision: u64,
}

impl SessionState {
    /// The state of a new session.
    #[must_use]
    pub fn new(mode: &str) -> Self {
        let built_in = Mode::BUILT_IN.iter().zip(&*BUILT_IN_FIELDS).find(|(name, _)| **name == mode);
        let fields = built_in.map_or_else(|| Arc::new(new_fields(mode)), |(_, fields)| Arc::clone(fields));
        Self { fields, history: VecDeque::new(), revision: 0 }
    }

    /// A field's value.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    /// Whether the session has not ended.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.get("isActive") == Some(&Value::Bool(true))
    }

    /// All fields.
    #[must_use]
    pub fn fields(&self) -> &BTreeMap<String, Value> {
        &self.fields
    }

    /// The changes in the history, oldest first.
    pub fn history(&self) -> impl Iterator<Item = &StateChange> {
        self.history.iter()
    }

    /// The number of changes ever made: equal for two copies of one state that have applied the same changes.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The changes made since a revision, oldest first, as far as the history goes back.
    #[must_use]
    pub fn changes_since(&self, revision: u64) -> Vec<StateChange> {
        let newer = usize::try_from(self.revision.saturating_sub(revision)).unwrap_or(usize::MAX);
        self.history.iter().skip(self.history.len().saturating_sub(newer)).cloned().collect()
    }

    /// Applies changes that were made to another copy. Changes to an ended session are ignored.
    pub fn apply_changes(&mut self, changes: Vec<StateChange>) {
        for change in changes {
            if self.is_active() {
                self.apply_change(change);
            }
        }
    }

    /// Sets a field.
    ///
    /// # Errors
    /// If the session has ended, or the value does not have a built-in field's type.
    pub fn set(&mut self, field: &str, value: Value, author: ChangeAuthor<'_>) -> Result<(), StateError> {
        if !self.is_active() {
            return Err(StateError::SessionEnded);
        }
        check_type(field, &value)?;
        self.record_change(field, value, author);
        Ok(())
    }

    /// Ends the session. The state never changes afterwards.
    pub fn end(&mut self, author: ChangeAuthor<'_>) {
        if self.is_active() {
            self.record_change("isActive", Value::Bool(false), author);
        }
    }

    /// Applies one intent of a result, with the closing texts from its data.
    ///
    /// # Errors
    /// If the session has ended.
    pub fn apply_intent(
        &mut self,
        intent: &Intent,
        farewell: &Farewell,
        author: ChangeAuthor<'_>,
    ) -> Result<(), StateError> {
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

    /// Removes and returns the message for the next turn.
    pub fn take_pending_message(&mut self, author: ChangeAuthor<'_>) -> Option<String> {
        let message = self.get("pendingMessage")?.as_str()?.to_owned();
        self.record_change("pendingMessage", Value::Null, author);
        Some(message)
    }

    fn record_change(&mut self, field: &str, value: Value, author: ChangeAuthor<'_>) {
        self.apply_change(StateChange {
            field: field.to_owned(),
            value,
            at: to_iso8601(author.at),
            by: author.by.to_owned(),
            call_id: author.call_id.map(str::to_owned),
        });
    }

    fn apply_change(&mut self, change: StateChange) {
        if self.history.len() == MAX_HISTORY {
            self.history.pop_front();
        }
        Arc::make_mut(&mut self.fields).insert(change.field.clone(), change.value.clone());
        self.history.push_back(change);
        self.revision += 1;
    }
}

fn check_type(field: &str, value: &Value) -> Result<(), StateError> {
    let (fits, expected) = match field {
        "isActive" => return Err(StateError::ReservedField),
        "mode" => (value.is_string(), "a string"),
        "shouldSuppressAudio" | "shouldSuppressTranscript" => (value.is_boolean(), "a boolean"),
        "pendingMessage" => (value.is_string() || value.is_null(), "a string or null"),
        "pendingEndVoiceSession" => (value.is_object() || value.is_null(), "an object or null"),
        _ => (true, ""),
    };
    if fits { Ok(()) } else { Err(StateError::WrongType { field: field.to_owned(), expected }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::intent::EndAfter;

    const HOST: ChangeAuthor<'static> = ChangeAuthor { by: "host", call_id: None, at: 0 };

    #[test]
    fn ending_voice_takes_its_words_from_the_result() {
        let mut state = SessionState::new("voice");
        let data = json!({ "reason": "done", "finalMessage": "Bye.", "textResponse": 7 });
        let intent = Intent::EndVoiceSession { after: EndAfter::Immediately };
        state.apply_intent(&intent, &Farewell::from_result_data(Some(&data)), HOST).unwrap();
        let expected =
            json!({ "after": "immediately", "reason": "done", "closingMessage": "Bye.", "textResponse": null });
        assert_eq!(state.get("pendingEndVoiceSession"), Some(&expected));
        state.apply_intent(&intent, &Farewell::from_result_data(None), HOST).unwrap();
        assert_eq!(state.get("pendingEndVoiceSession").unwrap()["reason"], "user_requested");
    }

    #[test]
    fn an_ended_session_changes_no_more() {
        let mut state = SessionState::new("text");
        state.end(HOST);
        let before = state.clone();
        assert_eq!(state.set("x", json!(1), HOST), Err(StateError::SessionEnded));
        let refused = state.apply_intent(&Intent::SuppressAudio { value: true }, &Farewell::default(), HOST);
        assert_eq!(refused, Err(StateError::SessionEnded));
        state.end(HOST);
        assert_eq!(state, before);
    }

    #[test]
    fn built_in_fields_keep_their_types() {
        let mut state = SessionState::new("text");
        for (field, value) in [("mode", json!(1)), ("shouldSuppressAudio", json!("no")), ("isActive", json!(false))] {
            assert!(state.set(field, value, HOST).is_err(), "{field}");
        }
        state.set("__proto__", json!({ "polluted": true }), HOST).unwrap();
        assert_eq!(state.get("__proto__"), Some(&json!({ "polluted": true })));
    }

    #[test]
    fn a_pending_message_is_taken_once() {
        let mut state = SessionState::new("text");
        let intent = Intent::SetPendingMessage { message: "mail arrived".into() };
        state.apply_intent(&intent, &Farewell::default(), HOST).unwrap();
        assert_eq!(state.take_pending_message(HOST).as_deref(), Some("mail arrived"));
        assert_eq!(state.take_pending_message(HOST), None);
        assert_eq!(state.history().count(), 2);
    }

    #[test]
    fn copies_tell_each_other_what_changed() {
        let (mut one, mut other) = (SessionState::new("text"), SessionState::new("text"));
        one.set("theme", json!("dark"), HOST).unwrap();
        let seen = other.revision();
        other.set("tenant", json!(7), HOST).unwrap();
        one.apply_changes(other.changes_since(seen));
        assert_eq!((one.get("theme"), one.get("tenant"), one.revision()), (Some(&json!("dark")), Some(&json!(7)), 2));
        let before = one.revision();
        one.end(HOST);
        other.apply_changes(one.changes_since(before));
        assert!(!other.is_active());
        let ended = other.clone();
        other.apply_changes(one.changes_since(0));
        assert_eq!(other, ended);
    }

    #[test]
    fn history_is_bounded() {
        let mut state = SessionState::new("text");
        for n in 0..500 {
            state.set("n", json!(n), HOST).unwrap();
        }
        assert_eq!(state.history().count(), MAX_HISTORY);
        assert_eq!(state.history().last().unwrap().value, json!(499));
    }
}
