//! A standalone state controller, without a session.

use napi_derive::napi;
use serde_json::Value;

use super::misuse;
use crate::clock::{Clock, SystemClock};
use crate::session::intent::Intent;
use crate::session::state::{ChangeAuthor, Farewell, SessionState};

/// A state with the rules of a session state, owned by the host.
#[napi]
pub struct NativeState {
    state: SessionState,
}

fn host_author() -> ChangeAuthor<'static> {
    ChangeAuthor { by: "host", call_id: None, at: SystemClock.now() }
}

#[napi]
impl NativeState {
    /// Creates a state with a mode.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new(mode: String) -> Self {
        Self { state: SessionState::new(&mode) }
    }

    /// A field's value as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn get(&self, field: String) -> Option<String> {
        self.state.get(&field).map(Value::to_string)
    }

    /// Sets a field from JSON text.
    #[napi(catch_unwind)]
    pub fn set(&mut self, field: String, value: String) -> napi::Result<()> {
        let value = super::options::parse_json(&value, "state value")?;
        self.state.set(&field, value, host_author()).map_err(|error| misuse(error.to_string()))
    }

    /// Applies an intent given as JSON text. False if it is refused or not an intent.
    #[napi(catch_unwind)]
    pub fn apply_intent(&mut self, intent: String) -> napi::Result<bool> {
        let intent: Value = super::options::parse_json(&intent, "intent")?;
        Ok(Intent::parse(&intent).is_ok_and(|known| {
            self.state.apply_intent(&known, &Farewell::from_result_data(Some(&intent)), host_author()).is_ok()
        }))
    }

    /// All fields, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn snapshot(&self) -> String {
        snapshot(&self.state)
    }

    /// The history of changes, oldest first, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn history(&self) -> String {
        history(&self.state)
    }
}

pub(super) fn snapshot(state: &SessionState) -> String {
    serde_json::to_string(state.fields()).unwrap_or_else(|_| "{}".to_owned())
}

pub(super) fn history(state: &SessionState) -> String {
    let changes: Vec<_> = state.history().collect();
    serde_json::to_string(&changes).unwrap_or_else(|_| "[]".to_owned())
}
