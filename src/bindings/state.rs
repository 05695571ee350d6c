//! A state controller on its own, outside a session.

use napi_derive::napi;
use serde_json::Value;

use super::misuse;
use crate::clock::{Clock, SystemClock};
use crate::session::intent::Intent;
use crate::session::state::{Author, Farewell, State};

/// The session state's rules over a state that the host owns.
#[napi]
pub struct NativeState {
    state: State,
}

fn host() -> Author<'static> {
    Author { by: "host", call_id: None, at: SystemClock.now() }
}

#[napi]
impl NativeState {
    /// A new state in a mode.
    #[napi(constructor, catch_unwind)]
    #[must_use]
    pub fn new(mode: String) -> Self {
        Self { state: State::new(&mode) }
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
        let value = super::options::read(&value, "state value")?;
        self.state.set(&field, value, host()).map_err(|error| misuse(error.to_string()))
    }

    /// Applies an intent given as JSON text. False where it is refused or not an intent.
    #[napi(catch_unwind)]
    pub fn apply_intent(&mut self, intent: String) -> napi::Result<bool> {
        let intent: Value = super::options::read(&intent, "intent")?;
        Ok(Intent::parse(&intent)
            .is_ok_and(|known| self.state.apply(&known, &Farewell::of(Some(&intent)), host()).is_ok()))
    }

    /// Every field, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn snapshot(&self) -> String {
        snapshot(&self.state)
    }

    /// The changes, oldest first, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn history(&self) -> String {
        history(&self.state)
    }
}

pub(super) fn snapshot(state: &State) -> String {
    serde_json::to_string(state.fields()).unwrap_or_else(|_| "{}".to_owned())
}

pub(super) fn history(state: &State) -> String {
    let changes: Vec<_> = state.history().collect();
    serde_json::to_string(&changes).unwrap_or_else(|_| "[]".to_owned())
}
