//! Which formats are checked.

use std::collections::BTreeSet;
use std::sync::Arc;

use jsonschema::ValidationOptions;

use super::email;
use super::representation::OnTape;
use crate::nearest::nearest;

/// The formats that tools may use: all of them are checked, and any other would be a note that nobody reads.
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

/// Formats that the drafts define besides.
const OTHER_FORMATS: [&str; 6] =
    ["idn-email", "idn-hostname", "iri", "iri-reference", "relative-json-pointer", "uri-template"];

/// Whether `format` is checked. A format that the schema's draft does not define is a note to readers in any case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Formats {
    /// A string that does not have its format is refused.
    #[default]
    Assert,
    /// As the dialect has it: a note to readers from 2019-09 on, unless its vocabulary says otherwise.
    AsDeclared,
    /// These are checked, others are notes to readers.
    Only(Arc<BTreeSet<&'static str>>),
}

/// A format that no draft defines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no known format{}; known are {}", meant(.name), known().collect::<Vec<_>>().join(", "))]
pub struct UnknownFormat {
    name: String,
}

fn known() -> impl Iterator<Item = &'static str> {
    SUPPORTED_FORMATS.into_iter().chain(OTHER_FORMATS)
}

fn meant(name: &str) -> String {
    nearest(name, known()).map(|known| format!(", perhaps `{known}`")).unwrap_or_default()
}

impl Formats {
    /// The formats that tools may use.
    #[must_use]
    pub fn supported() -> Self {
        Self::Only(Arc::new(SUPPORTED_FORMATS.into()))
    }

    /// Formats by their names.
    ///
    /// # Errors
    /// The first name that no draft defines.
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Self, UnknownFormat> {
        let find =
            |name: &'n str| known().find(|known| *known == name).ok_or_else(|| UnknownFormat { name: name.into() });
        Ok(Self::Only(Arc::new(names.into_iter().map(find).collect::<Result<_, _>>()?)))
    }

    /// Tells the validator's builder.
    pub(super) fn apply<'o, R>(&self, options: ValidationOptions<'o, R, OnTape>) -> ValidationOptions<'o, R, OnTape> {
        let options = options.with_format(email::NAME, email::is_valid);
        match self {
            Self::Assert => options.should_validate_formats(true),
            Self::AsDeclared => options,
            Self::Only(names) => known()
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
    use crate::json::{Limits, Tape};
    use crate::schema::{CompileOptions, CompiledSchema};

    /// A text that has no format.
    const NONE: &str = "\"%%\\\\ {\"";

    fn refuses(format: &str, formats: &Formats) -> bool {
        let options = CompileOptions { formats: formats.clone(), ..CompileOptions::default() };
        let schema = CompiledSchema::compile_with(&json!({ "format": format }), &options).unwrap();
        !schema.is_valid(Tape::parse(NONE, &Limits::widest()).unwrap().root())
    }

    #[test]
    fn every_known_format_is_the_validators_and_refuses_something() {
        for name in known() {
            assert!(jsonschema::options().is_known_format(Draft::Draft202012, name), "{name}");
            assert!(refuses(name, &Formats::Assert), "{name}");
            assert!(!refuses(name, &Formats::AsDeclared), "{name}");
        }
        assert!(!refuses("phone", &Formats::Assert));
    }

    #[test]
    fn only_the_named_are_checked() {
        for asserted in known() {
            let formats = Formats::named([asserted]).unwrap();
            let refused: Vec<_> = known().filter(|name| refuses(name, &formats)).collect();
            assert_eq!(refused, [asserted]);
        }
        let refused: Vec<_> = known().filter(|name| refuses(name, &Formats::supported())).collect();
        assert_eq!(refused, SUPPORTED_FORMATS);
    }

    #[test]
    fn an_unknown_name_is_told_with_the_one_that_was_meant() {
        let told = |name| Formats::named(["email", name]).unwrap_err().to_string();
        assert!(told("emial").starts_with("`emial` is no known format, perhaps `email`; known are email, date-time, "));
        assert!(told("__proto__").starts_with("`__proto__` is no known format; known are "));
    }
}
