//! Intents: changes of the session that a handler requests. Only the gate applies them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The moment at which an ending voice session stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndAfter {
    /// When the model's turn is complete.
    #[default]
    CurrentTurn,
    /// When the farewell has been spoken.
    FarewellSpoken,
    /// At once.
    Immediately,
}

/// A requested change of session state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Intent {
    /// End the voice session.
    EndVoiceSession {
        /// The moment.
        #[serde(default)]
        after: EndAfter,
    },
    /// Stop or resume sending audio to the client.
    SuppressAudio {
        /// True to stop.
        value: bool,
    },
    /// Stop or resume sending transcripts to the client.
    SuppressTranscript {
        /// True to stop.
        value: bool,
    },
    /// Send a message to the model when the next turn begins.
    SetPendingMessage {
        /// The text.
        message: String,
    },
}

impl Intent {
    /// Reads one intent as a handler returned it.
    ///
    /// # Errors
    /// A sentence that names the intent and its fault.
    pub fn parse(value: &Value) -> Result<Self, String> {
        Self::deserialize(value).map_err(|error| format!("intent `{}` is not applied: {error}", intent_type(value)))
    }

    /// The intent's type name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::EndVoiceSession { .. } => "END_VOICE_SESSION",
            Self::SuppressAudio { .. } => "SUPPRESS_AUDIO",
            Self::SuppressTranscript { .. } => "SUPPRESS_TRANSCRIPT",
            Self::SetPendingMessage { .. } => "SET_PENDING_MESSAGE",
        }
    }
}

fn intent_type(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or("(without type)")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_end_of_a_voice_session_defaults_to_the_current_turn() {
        let intent = Intent::parse(&json!({ "type": "END_VOICE_SESSION" })).unwrap();
        assert_eq!(intent, Intent::EndVoiceSession { after: EndAfter::CurrentTurn });
    }

    #[test]
    fn a_broken_intent_says_which_one() {
        for broken in [json!(null), json!({ "type": "REBOOT" }), json!({ "type": "SUPPRESS_AUDIO", "value": "yes" })] {
            let problem = Intent::parse(&broken).unwrap_err();
            assert!(problem.starts_with("intent `"), "{problem}");
        }
    }
}
