//! When the callers of a tool that takes long are answered.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// When the caller of a call that still runs is answered early: its result is delivered later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Background {
    /// Milliseconds from the start of the handler.
    pub after_ms: u64,
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Background {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Background".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [
                { "type": "boolean" },
                {
                    "type": "object",
                    "properties": { "afterMs": { "type": "integer", "minimum": 0 } },
                    "required": ["afterMs"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

impl Background {
    /// Reads a tool's `background`: `true`, `false`, or an object with `afterMs`.
    ///
    /// # Errors
    /// Says what the member must be.
    pub fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        let written = Value::deserialize(deserializer)?;
        let after_ms = match &written {
            Value::Bool(false) => return Ok(None),
            Value::Bool(true) => Some(0),
            Value::Object(members) if members.len() == 1 => members.get("afterMs").and_then(Value::as_u64),
            _ => None,
        };
        after_ms.map(|after_ms| Some(Self { after_ms })).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "`background` is `{written}`; it must be true, false, or an object whose `afterMs` is a whole number of milliseconds"
            ))
        })
    }
}
