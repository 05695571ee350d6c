//! What a user may grant with a confirmation: that later calls run without a question.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The widest grant that a tool allows.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grantable {
    /// None: each call is asked about.
    #[default]
    Never,
    /// Calls with the arguments that ran.
    Args,
    /// Calls with any arguments.
    Tool,
}

impl Grantable {
    /// Whether the tool allows no grant.
    #[must_use]
    pub fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

impl Serialize for Grantable {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Never => serializer.serialize_bool(false),
            Self::Args => serializer.serialize_str("args"),
            Self::Tool => serializer.serialize_str("tool"),
        }
    }
}

impl<'de> Deserialize<'de> for Grantable {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let written = Value::deserialize(deserializer)?;
        match (&written, written.as_str()) {
            (Value::Bool(false), _) => Ok(Self::Never),
            (_, Some("args")) => Ok(Self::Args),
            (_, Some("tool")) => Ok(Self::Tool),
            _ => Err(D::Error::custom(format!("`grantable` is `{written}`; it must be false, `args` or `tool`"))),
        }
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Grantable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Grantable".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "enum": [false, "args", "tool"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_is_written_and_nothing_else() {
        let read = |text: &str| serde_json::from_str::<Grantable>(text);
        for text in ["false", r#""args""#, r#""tool""#] {
            assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
        }
        for text in ["true", "null", "1", r#""session""#, r#"["args"]"#] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with("`grantable`"), "{error}");
        }
        assert!(Grantable::Never < Grantable::Args && Grantable::Args < Grantable::Tool);
    }
}
