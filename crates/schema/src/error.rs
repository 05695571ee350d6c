//! Why a schema cannot be compiled.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use toolgate_json::pointer;

/// A schema that cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It breaks the rules of its dialect.
    #[error("the schema is not valid at `#{pointer}`: {reason}")]
    Invalid {
        /// JSON Pointer into the schema.
        pointer: String,
        /// What is wrong there.
        reason: String,
    },
    /// A pattern that cannot be compiled.
    #[error(
        "the pattern {pattern} at `#{pointer}` cannot be compiled; \
         write an ECMAScript regular expression without look-around and back-references"
    )]
    Pattern {
        /// JSON Pointer into the schema.
        pointer: String,
        /// The pattern, as JSON.
        pattern: String,
    },
    /// `$schema` names a dialect that is not known.
    #[error("the dialect `{dialect}` is not known; declare JSON Schema draft 2020-12, 2019-09, 7, 6 or 4, or none")]
    UnknownDialect {
        /// The value of `$schema`.
        dialect: String,
    },
    /// A reference that leads nowhere, or out of the document.
    #[error("{} does not resolve: {reason}", named(.pointer.as_deref()))]
    Reference {
        /// JSON Pointer of the reference, where it could be found.
        pointer: Option<String>,
        /// What is wrong with it.
        reason: String,
    },
}

fn named(pointer: Option<&str>) -> String {
    pointer.map_or_else(|| "a reference".to_owned(), |pointer| format!("the reference at `#{pointer}`"))
}

impl SchemaError {
    /// The tree of a schema's text.
    pub(super) fn parsed(text: &str) -> Result<Value, Self> {
        serde_json::from_str(text)
            .map_err(|problem| Self::Invalid { pointer: String::new(), reason: format!("it is not JSON: {problem}") })
    }

    /// The same, with the place of the reference that it is about: the one whose target the reason names.
    pub(super) fn located(self, schema: &Value) -> Self {
        match self {
            Self::Reference { pointer: None, reason } => {
                Self::Reference { pointer: reference_to(schema, &reason), reason }
            }
            other => other,
        }
    }
}

/// Where the first reference stands whose target a text names.
fn reference_to(schema: &Value, text: &str) -> Option<String> {
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
        // Violations of the meta-schema have the schema as their instance; the others tell only the keyword's place.
        let place = if parts.instance_path.is_empty() { &parts.schema_path } else { &parts.instance_path };
        let pointer = place.as_str().to_owned();
        match parts.kind {
            ValidationErrorKind::Referencing(error) => error.into(),
            ValidationErrorKind::Format { format } if format == "regex" => {
                Self::Pattern { pointer, pattern: parts.instance.to_string() }
            }
            _ => Self::Invalid { pointer, reason },
        }
    }
}
