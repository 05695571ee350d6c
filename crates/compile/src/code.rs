//! The names of all findings. They are stable: people look them up, and put those of warnings into `lintAccepted`.

use serde::{Serialize, Serializer};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The tool set is not written.
    Error,
    /// The tool set is written; the finding can be acknowledged with its code in `lintAccepted`.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Declares [`Code`] with one line a finding: variant, name, severity. Sorted by name.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $severity:ident;)+) => {
        /// What kind of finding it is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// Every code, sorted by name.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name that people see: `bad-default`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Whether the finding fails the build.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)+
                }
            }
        }
    };
}

codes! {
    /// A time, size or count that is not a whole number above 0.
    BadBudget = "bad-budget", Error;
    /// A clamp for an argument that is absent or not numeric, or with a limit that the schema rejects.
    BadClamp = "bad-clamp", Error;
    /// A `default` that its schema rejects.
    BadDefault = "bad-default", Error;
    /// A value that is not one of the known ones.
    BadEnum = "bad-enum", Error;
    /// A value of `examples` that its schema rejects.
    BadExample = "bad-example", Error;
    /// No mode, or one without a name.
    BadMode = "bad-mode", Error;
    /// A placeholder of `confirmation.preview` that names no argument.
    BadPreview = "bad-preview", Error;
    /// A regular expression that can't run.
    BadRegex = "bad-regex", Error;
    /// A `version` that is not semantic.
    BadSemver = "bad-semver", Error;
    /// A `toolId` that is not portable, or not the folder's name.
    BadToolId = "bad-tool-id", Error;
    /// A `schema.json` that begins with a byte order mark.
    ByteOrderMark = "byte-order-mark", Error;
    /// Results of a tool that writes can't be reused.
    CacheOnWrites = "cache-on-writes", Error;
    /// A member that stands twice in its object.
    DuplicateKey = "duplicate-key", Error;
    /// Two tools with one id.
    DuplicateToolId = "duplicate-tool-id", Error;
    /// A `$ref` that leads to itself on the same value.
    EndlessRef = "endless-ref", Error;
    /// A field that `schema.json` and a schema module both have.
    FieldInBoth = "field-in-both", Error;
    /// A JSON example of the guide that the schema rejects.
    GuideExample = "guide-example", Warning;
    /// A JSON example of the guide that is not JSON.
    GuideExampleJson = "guide-example-json", Warning;
    /// A handler that does not parse.
    HandlerSyntax = "handler-syntax", Error;
    /// A keyword that the declared draft does not look at.
    IgnoredKeyword = "ignored-keyword", Warning;
    /// A relative import of a file that does not exist, in a handler or in what it loads.
    ImportMissing = "import-missing", Error;
    /// The compiler broke off.
    Internal = "internal", Error;
    /// A file that is not JSON.
    InvalidJson = "invalid-json", Error;
    /// `doc_summary.md` and `doc.md` instead of `guide.md`.
    LegacyLayout = "legacy-layout", Warning;
    /// An entry of `lintAccepted` that acknowledges nothing.
    LintUnused = "lint-unused", Warning;
    /// A keyword that a provider is not told.
    LoweringLost = "lowering-lost", Warning;
    /// An entry of `loweringAccepted` that acknowledges nothing.
    LoweringUnused = "lowering-unused", Warning;
    /// A required field that is absent.
    MissingField = "missing-field", Error;
    /// A file that every tool has is absent.
    MissingFile = "missing-file", Error;
    /// A section of the legacy `doc.md` that is absent.
    MissingSection = "missing-section", Error;
    /// A nested object that lets any property pass.
    NestedNotClosed = "nested-not-closed", Warning;
    /// A handler that exports no function `execute`.
    NoExecute = "no-execute", Error;
    /// A tools folder without tools.
    NoTools = "no-tools", Warning;
    /// A parameter that the guide does not name.
    ParameterUndocumented = "parameter-undocumented", Warning;
    /// A parameter that the guide names and the schema does not have.
    ParameterUnknown = "parameter-unknown", Warning;
    /// A schema that a provider in use can't take at all.
    ProviderImpossible = "provider-impossible", Error;
    /// A regular expression on which an engine that backtracks takes exponential time.
    RegexBacktracks = "regex-backtracks", Error;
    /// A handler for another major version of `ToolResponse`.
    ResponseVersion = "response-version", Error;
    /// A retrieval tool must be idempotent.
    RetrievalNotIdempotent = "retrieval-not-idempotent", Error;
    /// A retrieval tool must not write.
    RetrievalWrites = "retrieval-writes", Error;
    /// A part of a schema in code that its JSON Schema does not have, and that nobody runs.
    SchemaCodeLost = "schema-code-lost", Warning;
    /// A schema that its meta-schema rejects.
    SchemaInvalid = "schema-invalid", Error;
    /// A schema module that can't be loaded, or that exports something else than a tool's fields.
    SchemaModule = "schema-module", Error;
    /// `parameters` without `"additionalProperties": false`.
    SchemaNotClosed = "schema-not-closed", Error;
    /// A schema in code that has no JSON Schema.
    SchemaNotConvertible = "schema-not-convertible", Error;
    /// `parameters` that are not `"type": "object"`.
    SchemaNotObject = "schema-not-object", Error;
    /// A schema in code that is another one each time it is read.
    SchemaNotStable = "schema-not-stable", Error;
    /// A guide without a summary.
    SummaryMissing = "summary-missing", Error;
    /// A summary of more than 250 characters.
    SummaryTooLong = "summary-too-long", Error;
    /// A tool set that can't be written as JSON, or a definition that is too large or nests too deeply.
    TooLarge = "too-large", Error;
    /// A `$schema` that names no draft of JSON Schema.
    UnknownDialect = "unknown-dialect", Warning;
    /// A field that `schema.json` does not have.
    UnknownField = "unknown-field", Error;
    /// A `format` that is not asserted.
    UnknownFormat = "unknown-format", Error;
    /// A keyword that JSON Schema does not have.
    UnknownKeyword = "unknown-keyword", Error;
    /// A mode that the host does not have, as far as the build knows.
    UnknownMode = "unknown-mode", Warning;
    /// A provider in use that does not exist.
    UnknownProvider = "unknown-provider", Error;
    /// A file or folder that can't be read as what it should be.
    UnreadableFile = "unreadable-file", Error;
    /// A `$ref` that leads nowhere, or out of the file.
    UnresolvedRef = "unresolved-ref", Error;
    /// A utility that writes.
    UtilityWrites = "utility-writes", Warning;
    /// A tool for voice whose declaration is heavy.
    VoiceHeavy = "voice-heavy", Warning;
    /// More tools for voice than a model handles well.
    VoiceSetLarge = "voice-set-large", Warning;
    /// The output could not be written.
    WriteFailed = "write-failed", Error;
    /// An action that writes without asking.
    WritesWithoutConfirmation = "writes-without-confirmation", Warning;
    /// A field whose value has another type.
    WrongType = "wrong-type", Error;
}

impl Code {
    /// The code of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_found_by_name() {
        assert!(Code::ALL.is_sorted_by_key(|code| code.as_str()));
        assert!(Code::ALL.iter().all(|code| Code::parse(code.as_str()) == Some(*code)));
        assert_eq!(Code::parse("bad_default"), None);
    }
}
