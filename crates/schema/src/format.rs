//! Which formats are checked.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use jsonschema::{Draft, ValidationOptions, Validator};

use super::email;
use super::representation::OnTape;
use toolgate_did_you_mean::nearest;
use toolgate_json::Node;

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

const KNOWN: usize = SUPPORTED_FORMATS.len() + OTHER_FORMATS.len();

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

/// What becomes of a format in draft 2020-12.
#[derive(Debug)]
pub(super) enum Checked {
    By(FormatCheck),
    /// It is for readers.
    Note,
    /// In a way that is the validator's alone.
    Otherwise,
}

impl Formats {
    /// How a format is checked, in draft 2020-12.
    pub(super) fn check(&self, name: &str) -> Checked {
        let Some((place, name)) = known().enumerate().find(|(_, known)| *known == name) else {
            let is_known = jsonschema::options_for::<OnTape>().is_known_format(Draft::Draft202012, name);
            return if is_known { Checked::Otherwise } else { Checked::Note };
        };
        let is_asserted = match self {
            Self::Assert => true,
            Self::AsDeclared => false,
            Self::Only(names) => names.contains(name),
        };
        match is_asserted.then(|| FormatCheck::of(place, name)) {
            None => Checked::Note,
            Some(Some(check)) => Checked::By(check),
            Some(None) => Checked::Otherwise,
        }
    }
}

/// The check of one format by itself: what the validator of a whole schema does for it.
#[derive(Clone, Copy)]
pub(super) enum FormatCheck {
    Email,
    Other(&'static Validator<OnTape>),
}

impl FormatCheck {
    /// The check of the known format at this place: made once for all schemas.
    fn of(place: usize, name: &'static str) -> Option<Self> {
        static VALIDATORS: [OnceLock<Option<Validator<OnTape>>>; KNOWN] = [const { OnceLock::new() }; KNOWN];
        if name == email::NAME {
            return Some(Self::Email);
        }
        let made = || {
            let options = jsonschema::options_for::<OnTape>().with_draft(Draft::Draft202012);
            options.should_validate_formats(true).build(&serde_json::json!({ "format": name })).ok()
        };
        VALIDATORS.get(place)?.get_or_init(made).as_ref().map(Self::Other)
    }

    /// Whether a string, which has this text, has the format.
    pub(super) fn fits(self, node: Node<'_>, text: &str) -> bool {
        match self {
            Self::Email => email::is_valid(text),
            Self::Other(validator) => validator.is_valid(node),
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
