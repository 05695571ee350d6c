//! Modes: named policy profiles. `text`, `voice` and `webcam` are built in; a host can add and override modes.

use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Serialize};

use crate::definition::MAX_PRINCIPAL_WINDOW_MS;
use crate::schema::RepairRules;

/// A policy profile. An exceeded call count refuses the call; an exceeded latency target only warns.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mode {
    /// The mode's name.
    #[serde(skip)]
    pub name: Arc<str>,
    /// The maximum of retrieval calls per turn.
    pub retrieval_calls: u32,
    /// The maximum of calls per turn, retrievals included.
    pub total_calls: u32,
    /// The latency target of one retrieval, in milliseconds.
    pub retrieval_latency_ms: Option<u64>,
    /// The target of a turn's summed tool latency, in milliseconds.
    pub turn_latency_ms: Option<u64>,
    /// The largest `top_k` of retrieval tools without a clamp of their own for this mode.
    pub top_k: Option<f64>,
    /// The attempts, the first included, of tools that set no number.
    pub attempts: u32,
    /// The size limit of the serialized `data` for the model, in bytes.
    pub result_limit_bytes: u64,
    /// The rules by which nearly right arguments may be repaired.
    pub repair: RepairRules,
    /// The calls of one principal in this mode, in all its sessions; `None` for any number.
    pub per_principal: Option<PrincipalLimit>,
}

/// Calls per sliding window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrincipalLimit {
    /// Calls allowed within the window, from 1.
    #[serde(deserialize_with = "calls_of_limit")]
    pub calls: u32,
    /// The window's length, in milliseconds, from 1 to [`MAX_PRINCIPAL_WINDOW_MS`].
    #[serde(deserialize_with = "window_of_limit")]
    pub window_ms: u64,
}

fn calls_of_limit<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(D::Error::custom("`perPrincipal.calls` must be a whole number, 1 or more")),
        calls => Ok(calls),
    }
}

fn window_of_limit<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let window_ms = u64::deserialize(deserializer)?;
    if (1..=MAX_PRINCIPAL_WINDOW_MS).contains(&window_ms) {
        return Ok(window_ms);
    }
    let message =
        format!("`perPrincipal.windowMs` must be a whole number from 1 to {MAX_PRINCIPAL_WINDOW_MS}, 31 days");
    Err(D::Error::custom(message))
}

impl Mode {
    /// The names of the built-in profiles.
    pub const BUILT_IN: [&str; 3] = ["text", "voice", "webcam"];

    /// Returns a built-in profile.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let mode = match name {
            "text" => Self::text(),
            "voice" => Self {
                name: "voice".into(),
                retrieval_calls: 2,
                total_calls: 3,
                retrieval_latency_ms: Some(800),
                turn_latency_ms: Some(1500),
                top_k: Some(3.0),
                attempts: 2,
                result_limit_bytes: 8 * 1024,
                repair: RepairRules::ALL,
                per_principal: None,
            },
            "webcam" => Self {
                name: "webcam".into(),
                retrieval_calls: 3,
                total_calls: 6,
                retrieval_latency_ms: Some(2000),
                turn_latency_ms: None,
                top_k: Some(3.0),
                attempts: 2,
                result_limit_bytes: 16 * 1024,
                repair: RepairRules::ALL,
                per_principal: None,
            },
            _ => return None,
        };
        Some(mode)
    }

    fn text() -> Self {
        Self {
            name: "text".into(),
            retrieval_calls: 5,
            total_calls: 20,
            retrieval_latency_ms: Some(2000),
            turn_latency_ms: None,
            top_k: None,
            attempts: 3,
            result_limit_bytes: 64 * 1024,
            repair: RepairRules::ALL,
            per_principal: None,
        }
    }

    /// Returns the built-in profile of this name, else a new mode with the numbers of `text`.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        Self::built_in(name).unwrap_or_else(|| Self { name: name.into(), ..Self::text() })
    }

    /// Returns the profile with some numbers replaced.
    #[must_use]
    pub fn with_overrides(mut self, by: &ModeOverrides) -> Self {
        fn put<T: Copy>(slot: &mut T, value: Option<T>) {
            if let Some(value) = value {
                *slot = value;
            }
        }
        put(&mut self.retrieval_calls, by.retrieval_calls);
        put(&mut self.total_calls, by.total_calls);
        put(&mut self.retrieval_latency_ms, by.retrieval_latency_ms);
        put(&mut self.turn_latency_ms, by.turn_latency_ms);
        put(&mut self.top_k, by.top_k);
        put(&mut self.attempts, by.attempts);
        put(&mut self.result_limit_bytes, by.result_limit_bytes);
        // A setting only takes rules away.
        self.repair = self.repair.and(by.repair);
        put(&mut self.per_principal, by.per_principal);
        self
    }

    /// Whether a new attachment of this mode replaces an older one if the host does not specify it.
    ///
    /// A person has one microphone; text pages come in several tabs, and each HTTP request is a new attachment.
    #[must_use]
    pub fn exclusive_by_default(&self) -> bool {
        matches!(&*self.name, "voice" | "webcam")
    }
}

/// The numbers of a profile that a host replaces. A latency or `topK` of `null` means no target, `perPrincipal` of `null` no limit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModeOverrides {
    /// See [`Mode::retrieval_calls`].
    pub retrieval_calls: Option<u32>,
    /// See [`Mode::total_calls`].
    pub total_calls: Option<u32>,
    /// See [`Mode::retrieval_latency_ms`].
    #[serde(default, deserialize_with = "present")]
    pub retrieval_latency_ms: Option<Option<u64>>,
    /// See [`Mode::turn_latency_ms`].
    #[serde(default, deserialize_with = "present")]
    pub turn_latency_ms: Option<Option<u64>>,
    /// See [`Mode::top_k`].
    #[serde(default, deserialize_with = "present")]
    pub top_k: Option<Option<f64>>,
    /// See [`Mode::attempts`].
    pub attempts: Option<u32>,
    /// See [`Mode::result_limit_bytes`].
    pub result_limit_bytes: Option<u64>,
    /// See [`Mode::repair`]. Rules that are forbidden already stay forbidden.
    #[serde(default)]
    pub repair: RepairRules,
    /// See [`Mode::per_principal`].
    #[serde(default, deserialize_with = "present")]
    pub per_principal: Option<Option<PrincipalLimit>>,
}

/// Distinguishes a field that is `null` (`Some(None)`) from an absent field (`None`).
#[expect(clippy::option_option, reason = "absent and null mean different things here")]
fn present<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_replace_what_they_name() {
        let by: ModeOverrides = serde_json::from_str(r#"{"retrievalCalls":9,"turnLatencyMs":null}"#).unwrap();
        let voice = Mode::from_name("voice");
        let expected = Mode { retrieval_calls: 9, turn_latency_ms: None, ..voice.clone() };
        assert_eq!(voice.with_overrides(&by), expected);
        assert!(serde_json::from_str::<ModeOverrides>(r#"{"retrievals":9}"#).is_err());
    }

    #[test]
    fn a_limit_per_principal_is_replaced_or_taken_away() {
        let by = |text| serde_json::from_str::<ModeOverrides>(text);
        let limit = by(r#"{"perPrincipal":{"calls":100,"windowMs":3600000}}"#).unwrap();
        let voice = Mode::from_name("voice").with_overrides(&limit);
        assert_eq!(voice.per_principal, Some(PrincipalLimit { calls: 100, window_ms: 3_600_000 }));
        assert_eq!(voice.clone().with_overrides(&by("{}").unwrap()), voice);
        assert_eq!(voice.with_overrides(&by(r#"{"perPrincipal":null}"#).unwrap()), Mode::from_name("voice"));
        for wrong in [r#"{"calls":0,"windowMs":1}"#, r#"{"calls":1,"windowMs":2678400001}"#, r#"{"calls":1}"#] {
            let text = format!("{{\"perPrincipal\":{wrong}}}");
            assert!(serde_json::from_str::<ModeOverrides>(&text).is_err(), "{wrong}");
        }
    }

    #[test]
    fn overrides_only_take_repair_rules_away() {
        let by = |text| serde_json::from_str::<ModeOverrides>(text).unwrap();
        let repair =
            |first, second| Mode::from_name("text").with_overrides(&by(first)).with_overrides(&by(second)).repair;
        assert_eq!(repair("{}", "{}"), RepairRules::ALL);
        assert_eq!(repair(r#"{"repair":false}"#, r#"{"repair":true}"#), RepairRules::NONE);
        let one = RepairRules::NONE.with(crate::schema::RepairRule::NumberText);
        assert_eq!(repair(r#"{"repair":["number_text","tool_name"]}"#, r#"{"repair":["number_text"]}"#), one);
    }

    #[test]
    fn a_host_mode_starts_from_text() {
        assert_eq!(Mode::from_name("kiosk").total_calls, 20);
        assert!(!Mode::from_name("kiosk").exclusive_by_default());
    }
}
