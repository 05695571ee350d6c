//! The formats: which are checked, and how.

use std::collections::BTreeSet;
use std::sync::Arc;

use jsonschema::ValidationOptions;

use super::email;
use super::tape_json::TapeJson;
use toolgate_json::suggest;

/// The formats that tools may use. All are checked; any other format would have no effect.
pub const SUPPORTED_FORMATS: [&str; 13] = [
    "email",
    "date-time",
    "date",
    "time",
    "duration",
    "uri",
    "uri-reference",
    "uuid",
    "ipv4",
    "ipv6",
    "hostname",
    "regex",
    "json-pointer",
];

/// The other formats that the drafts define.
const OTHER_FORMATS: [&str; 6] =
    ["idn-email", "idn-hostname", "iri", "iri-reference", "relative-json-pointer", "uri-template"];

/// The formats that are checked. A format that the schema's draft does not define is always an annotation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Formats {
    /// All formats are checked.
    #[default]
    Assert,
    /// As the dialect declares: an annotation from 2019-09 on, unless its vocabulary asserts formats.
    AsDeclared,
    /// These formats are checked; others are annotations.
    Only(Arc<BTreeSet<&'static str>>),
}

/// A format that no draft defines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no known format{}; known are {}", suggestion(.name), known_formats().collect::<Vec<_>>().join(", "))]
pub struct UnknownFormat {
    name: String,
}

fn known_formats() -> impl Iterator<Item = &'static str> {
    SUPPORTED_FORMATS.into_iter().chain(OTHER_FORMATS)
}

fn suggestion(name: &str) -> String {
    suggest(name, known_formats()).map(|known| format!(", perhaps `{known}`")).unwrap_or_default()
}

impl Formats {
    /// The formats that tools may use.
    #[must_use]
    pub fn supported() -> Self {
        Self::Only(Arc::new(SUPPORTED_FORMATS.into()))
    }

    /// The formats with these names.
    ///
    /// # Errors
    /// The first name that no draft defines.
    pub fn from_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Self, UnknownFormat> {
        let find = |name: &'n str| {
            known_formats().find(|known| *known == name).ok_or_else(|| UnknownFormat { name: name.into() })
        };
        Ok(Self::Only(Arc::new(names.into_iter().map(find).collect::<Result<_, _>>()?)))
    }

    /// Sets the validator's options.
    pub(super) fn apply<'o, R>(
        &self,
        options: ValidationOptions<'o, R, TapeJson>,
    ) -> ValidationOptions<'o, R, TapeJson> {
        let options = options.with_format(email::NAME, email::is_valid);
        match self {
            Self::Assert => options.should_validate_formats(true),
            Self::AsDeclared => options,
            Self::Only(names) => known_formats()
                .filter(|name| !names.contains(name))
                .fold(options.should_validate_formats(true), |options, name| options.with_format(name, |_: &str| true)),
        }
    }
}

#[cfg(test)]
mod tests {
    use jsonschema::Draft;
    use serde_json::json;

    use super::*;
    use crate::{CompileOptions, CompiledSchema};
    use toolgate_json::{Limits, Tape};

    /// A JSON string that matches no format.
    const MATCHES_NO_FORMAT: &str = "\"%%\\\\ {\"";

    fn refuses(format: &str, formats: &Formats) -> bool {
        let options = CompileOptions { formats: formats.clone(), ..CompileOptions::default() };
        let schema = CompiledSchema::compile_with(&json!({ "format": format }), &options).unwrap();
        !schema.is_valid(Tape::parse(MATCHES_NO_FORMAT, &Limits::widest()).unwrap().root())
    }

    #[test]
    fn every_known_format_is_checked_by_the_validator() {
        for name in known_formats() {
            assert!(jsonschema::options().is_known_format(Draft::Draft202012, name), "{name}");
            assert!(refuses(name, &Formats::Assert), "{name}");
            assert!(!refuses(name, &Formats::AsDeclared), "{name}");
        }
        assert!(!refuses("phone", &Formats::Assert));
    }

    #[test]
    fn only_named_formats_are_checked() {
        for asserted in known_formats() {
            let formats = Formats::from_names([asserted]).unwrap();
            let refused: Vec<_> = known_formats().filter(|name| refuses(name, &formats)).collect();
            assert_eq!(refused, [asserted]);
        }
        let refused: Vec<_> = known_formats().filter(|name| refuses(name, &Formats::supported())).collect();
        assert_eq!(refused, SUPPORTED_FORMATS);
    }

    #[test]
    fn an_unknown_name_is_reported_with_a_suggestion() {
        let told = |name| Formats::from_names(["email", name]).unwrap_err().to_string();
        assert!(told("emial").starts_with("`emial` is no known format, perhaps `email`; known are email, date-time, "));
        assert!(told("__proto__").starts_with("`__proto__` is no known format; known are "));
    }
}
