//! Why a schema cannot be compiled.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;

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
    #[error("a reference does not resolve: {reason}")]
    Reference {
        /// What is wrong with it.
        reason: String,
    },
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
        Self::Reference { reason }
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
