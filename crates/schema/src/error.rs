//! The error of a schema that cannot be compiled.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::pattern::name_pattern_refusal;
use toolgate_json::pointer;

/// A schema that cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The schema breaks the rules of its dialect.
    #[error("the schema is not valid at `#{pointer}`: {reason}")]
    Invalid {
        /// JSON Pointer into the schema.
        pointer: String,
        /// The error at that location.
        reason: String,
    },
    /// A pattern that cannot be compiled.
    #[error("the pattern {pattern} at `#{pointer}` cannot be compiled: {reason}")]
    Pattern {
        /// JSON Pointer into the schema.
        pointer: String,
        /// The pattern, as JSON.
        pattern: String,
        /// Why it is refused.
        reason: String,
    },
    /// `$schema` names an unknown dialect.
    #[error("the dialect `{dialect}` is not known; declare JSON Schema draft 2020-12, 2019-09, 7, 6 or 4, or none")]
    UnknownDialect {
        /// The value of `$schema`.
        dialect: String,
    },
    /// A reference that does not resolve, or that leaves the document.
    #[error("{} does not resolve: {reason}", describe_reference(.pointer.as_deref()))]
    Reference {
        /// JSON Pointer of the reference; `None` if it was not found.
        pointer: Option<String>,
        /// Why it does not resolve.
        reason: String,
    },
}

fn describe_reference(pointer: Option<&str>) -> String {
    pointer.map_or_else(|| "a reference".to_owned(), |pointer| format!("the reference at `#{pointer}`"))
}

impl SchemaError {
    /// Parses the text of a schema.
    pub(super) fn parse_text(text: &str) -> Result<Value, Self> {
        serde_json::from_str(text)
            .map_err(|problem| Self::Invalid { pointer: String::new(), reason: format!("it is not JSON: {problem}") })
    }

    /// The same error, with the pointer of its reference: the reference whose target the reason names.
    pub(super) fn with_pointer(self, schema: &Value) -> Self {
        match self {
            Self::Reference { pointer: None, reason } => {
                Self::Reference { pointer: find_reference(schema, &reason), reason }
            }
            other => other,
        }
    }
}

/// Returns the JSON Pointer of the first reference whose target occurs in `text`.
fn find_reference(schema: &Value, text: &str) -> Option<String> {
    let mut pending = vec![(schema, String::new())];
    while let Some((value, at)) = pending.pop() {
        let below = |token: &str| {
            let mut below = at.clone();
            pointer::push(&mut below, token);
            below
        };
        match value {
            Value::Object(members) => {
                let target = |name: &str| members.get(name)?.as_str().map(|target| target.trim_start_matches('#'));
                let is_named = |target: &str| !target.is_empty() && text.contains(target);
                if let Some(name) = ["$ref", "$dynamicRef"].into_iter().find(|name| target(name).is_some_and(is_named))
                {
                    return Some(below(name));
                }
                pending.extend(members.iter().rev().map(|(name, value)| (value, below(name))));
            }
            Value::Array(elements) => {
                let numbered = elements.iter().enumerate().rev();
                pending.extend(numbered.map(|(index, value)| (value, below(&index.to_string()))));
            }
            _ => {}
        }
    }
    None
}

impl From<jsonschema::ReferencingError> for SchemaError {
    fn from(error: jsonschema::ReferencingError) -> Self {
        let mut reason = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            reason.push_str(": ");
            reason.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::Reference { pointer: None, reason }
    }
}

impl From<ValidationError<'static>> for SchemaError {
    fn from(error: ValidationError<'static>) -> Self {
        let reason = error.to_string();
        let parts = error.into_parts();
        // The instance of a meta-schema violation is the schema; other errors only have the keyword's location.
        let place = if parts.instance_path.is_empty() { &parts.schema_path } else { &parts.instance_path };
        let pointer = place.as_str().to_owned();
        match parts.kind {
            ValidationErrorKind::Referencing(error) => error.into(),
            ValidationErrorKind::Format { format } if format == "regex" => {
                let text = parts.instance.as_str().unwrap_or_default();
                let reason = name_pattern_refusal(text).unwrap_or_default();
                Self::Pattern { pointer, pattern: parts.instance.to_string(), reason }
            }
            _ => Self::Invalid { pointer, reason },
        }
    }
}
