//! The same act twice: which calls of a tool are duplicates of each other, and what becomes of the later one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest window, in milliseconds: records are kept for a day.
pub const MAX_DUPLICATE_WINDOW_MS: u64 = 24 * 60 * 60 * 1000;

/// What a tool says about duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Duplicate {
    /// Its calls are never duplicates.
    Off,
    /// Calls that fulfil the rule are.
    Rule(DuplicateRule),
}

/// A call under a new id is a duplicate of an earlier one if the tool and the values of `key` are equal, and the earlier one
/// was made within the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct DuplicateRule {
    /// JSON Pointers of the final arguments that make two calls the same act, such as `/order_id`. Default: all arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<String>,
    /// How long after an act an equal call is its duplicate, in milliseconds. Default: 120000.
    #[serde(default = "DuplicateRule::default_window_ms")]
    #[cfg_attr(feature = "schemars", schemars(range(min = 1, max = 86_400_000)))]
    pub window_ms: u64,
    /// Where equal calls are looked for. Default: `session`.
    #[serde(default)]
    pub scope: DuplicateScope,
    /// What becomes of a duplicate. Default: `ask`; `refuse` where its user can't be asked.
    #[serde(default)]
    pub on: OnDuplicate,
}

/// Where the equal calls of a duplicate are looked for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum DuplicateScope {
    /// In the turn, and in earlier turns of the session those whose success the model has not heard of: the user who asks
    /// for the same again knows of the others.
    Turn,
    /// In the session.
    #[default]
    Session,
    /// In all sessions of the principal on the store.
    Principal,
}

/// What becomes of a duplicate.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum OnDuplicate {
    /// Its user is asked whether to do it again.
    #[default]
    Ask,
    /// It gets the answer of the earlier call.
    Replay,
    /// It is refused.
    Refuse,
}

impl DuplicateRule {
    const fn default_window_ms() -> u64 {
        120_000
    }

    /// The rule of a tool that acts again for each call and declares none.
    #[must_use]
    pub(crate) fn undeclared() -> Self {
        Self { scope: DuplicateScope::Turn, ..Self::default() }
    }
}

impl Default for DuplicateRule {
    fn default() -> Self {
        Self {
            key: Vec::new(),
            window_ms: Self::default_window_ms(),
            scope: DuplicateScope::default(),
            on: OnDuplicate::default(),
        }
    }
}

impl Serialize for Duplicate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_bool(false),
            Self::Rule(rule) => rule.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Duplicate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let written = Value::deserialize(deserializer)?;
        match &written {
            Value::Bool(false) => Ok(Self::Off),
            Value::Object(_) => {
                let rule = serde_json::from_str::<DuplicateRule>(&written.to_string());
                rule.map(Self::Rule).map_err(|error| D::Error::custom(format!("`duplicate`: {error}")))
            }
            _ => Err(D::Error::custom(format!("`duplicate` is `{written}`; it must be false or an object"))),
        }
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Duplicate {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Duplicate".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let rule = generator.subschema_for::<DuplicateRule>();
        schemars::json_schema!({ "anyOf": [{ "const": false }, rule] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_with_its_defaults_and_written_as_it_was() {
        let read = |text: &str| serde_json::from_str::<Duplicate>(text);
        assert_eq!(read("{}").unwrap(), Duplicate::Rule(DuplicateRule::default()));
        for text in ["false", r#"{"key":["/a"],"windowMs":5,"scope":"principal","on":"refuse"}"#] {
            assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
        }
        for text in ["true", "null", "7", r#"{"on":"run"}"#, r#"{"window":1}"#] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with("`duplicate`"), "{error}");
        }
    }
}
