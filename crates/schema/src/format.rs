//! The formats: which are checked, and how.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use jsonschema::{Draft, ValidationOptions, Validator};

use super::email;
use super::tape_json::TapeJson;
use toolgate_did_you_mean::suggest;
use toolgate_json::Node;

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

const KNOWN_FORMAT_COUNT: usize = SUPPORTED_FORMATS.len() + OTHER_FORMATS.len();

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

/// How a format is handled in draft 2020-12.
#[derive(Debug)]
pub(super) enum FormatHandling {
    /// By a check of its own.
    Check(FormatCheck),
    /// As an annotation, which is not checked.
    Annotation,
    /// By the validator only.
    ValidatorOnly,
}

impl Formats {
    /// Returns how a format is handled in draft 2020-12.
    pub(super) fn handling(&self, name: &str) -> FormatHandling {
        let Some((place, name)) = known_formats().enumerate().find(|(_, known)| *known == name) else {
            let is_known = jsonschema::options_for::<TapeJson>().is_known_format(Draft::Draft202012, name);
            return if is_known { FormatHandling::ValidatorOnly } else { FormatHandling::Annotation };
        };
        let is_asserted = match self {
            Self::Assert => true,
            Self::AsDeclared => false,
            Self::Only(names) => names.contains(name),
        };
        match is_asserted.then(|| FormatCheck::for_known_format(place, name)) {
            None => FormatHandling::Annotation,
            Some(Some(check)) => FormatHandling::Check(check),
            Some(None) => FormatHandling::ValidatorOnly,
        }
    }
}

/// The check of one format, as the validator of a whole schema does it.
#[derive(Clone, Copy)]
pub(super) enum FormatCheck {
    Email,
    Validator(&'static Validator<TapeJson>),
}

impl FormatCheck {
    /// The check of the known format at index `place`, built once for all schemas.
    fn for_known_format(place: usize, name: &'static str) -> Option<Self> {
        static VALIDATORS: [OnceLock<Option<Validator<TapeJson>>>; KNOWN_FORMAT_COUNT] =
            [const { OnceLock::new() }; KNOWN_FORMAT_COUNT];
        if name == email::NAME {
            return Some(Self::Email);
        }
        let made = || {
            let options = jsonschema::options_for::<TapeJson>().with_draft(Draft::Draft202012);
            options.should_validate_formats(true).build(&serde_json::json!({ "format": name })).ok()
        };
        VALIDATORS.get(place)?.get_or_init(made).as_ref().map(Self::Validator)
    }

    /// Whether a string node with this text has the format.
    pub(super) fn fits(self, node: Node<'_>, text: &str) -> bool {
        match self {
            Self::Email => email::is_valid(text),
            Self::Validator(validator) => validator.is_valid(node),
        }
    }
}

impl std::fmt::Debug for FormatCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("FormatCheck").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
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
