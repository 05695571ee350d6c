//! The codes of all findings. They are stable: users look them up and write those of warnings into `lintAccepted`.

use serde::{Serialize, Serializer};

/// Whether a finding fails the build.
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

/// Declares [`Code`] with one line per finding: variant, name, severity. Sorted by name.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $severity:ident;)+) => {
        /// The kind of a finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// Every code, sorted by name.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name in reports: `bad-default`.
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
    /// `approvers` without a role or a possible count, or where no call is confirmed, or with grants.
    BadApprovers = "bad-approvers", Error;
    /// A time, size or count that is not a whole number in its range.
    BadBudget = "bad-budget", Error;
    /// A clamp for an argument that is absent or not numeric, or with a limit that the schema rejects.
    BadClamp = "bad-clamp", Error;
    /// A `default` that its schema rejects.
    BadDefault = "bad-default", Error;
    /// A `duplicate.key` that names no argument.
    BadDuplicate = "bad-duplicate", Error;
    /// A value that is not one of the allowed values.
    BadEnum = "bad-enum", Error;
    /// A value of `examples` that its schema rejects.
    BadExample = "bad-example", Error;
    /// No mode, a duplicate mode, or a probable misspelling of a known mode.
    BadMode = "bad-mode", Error;
    /// A placeholder of `confirmation.preview` that names no argument.
    BadPreview = "bad-preview", Error;
    /// An invalid or unsupported regular expression.
    BadRegex = "bad-regex", Error;
    /// A `repeatable` tool that writes or caches its results.
    BadRepeatable = "bad-repeatable", Error;
    /// A `version` that is not a semantic version.
    BadSemver = "bad-semver", Error;
    /// A rule of `timeRules` about an argument that is absent or no date-time.
    BadTimeRule = "bad-time-rule", Error;
    /// A `toolId` that is not portable, or differs from the folder's name.
    BadToolId = "bad-tool-id", Error;
    /// A condition `confirmation.when` about a name that is not an argument.
    BadWhen = "bad-when", Error;
    /// A `schema.json` that begins with a byte order mark.
    ByteOrderMark = "byte-order-mark", Error;
    /// A tool that writes and caches its results.
    CacheOnWrites = "cache-on-writes", Error;
    /// A `confirmation` of a tool that asks no user.
    ConfirmationUnused = "confirmation-unused", Error;
    /// A description or title that OpenAI refuses for its length.
    DescriptionLong = "description-long", Warning;
    /// A duplicate member of an object.
    DuplicateKey = "duplicate-key", Error;
    /// Two tools with the same id.
    DuplicateToolId = "duplicate-tool-id", Error;
    /// A tool that writes again when it is called again, without a confirmation, that does not say what a duplicate is.
    DuplicateUndecided = "duplicate-undecided", Warning;
    /// A `$ref` that refers to itself on the same value.
    EndlessRef = "endless-ref", Error;
    /// A field that both `schema.json` and the schema module have.
    FieldInBoth = "field-in-both", Error;
    /// A JSON example of the guide that the schema rejects.
    GuideExample = "guide-example", Warning;
    /// A JSON example of the guide that is not JSON.
    GuideExampleJson = "guide-example-json", Warning;
    /// A handler with a syntax error.
    HandlerSyntax = "handler-syntax", Error;
    /// A tool that only reads, whose handler sends a request that changes something.
    HandlerWrites = "handler-writes", Warning;
    /// A name, title or description of a source's tool that has invisible characters.
    HiddenCharacters = "hidden-characters", Error;
    /// A keyword that the declared draft ignores.
    IgnoredKeyword = "ignored-keyword", Warning;
    /// A relative import of a file that does not exist.
    ImportMissing = "import-missing", Error;
    /// An internal error of the compiler.
    Internal = "internal", Error;
    /// A file that is not JSON.
    InvalidJson = "invalid-json", Error;
    /// `doc_summary.md` and `doc.md` instead of `guide.md`.
    LegacyLayout = "legacy-layout", Warning;
    /// An entry of `lintAccepted` without a matching finding.
    LintUnused = "lint-unused", Warning;
    /// A `toolgate.lock.json` that is no lock of this version, or was edited.
    LockInvalid = "lock-invalid", Error;
    /// Sources without a `toolgate.lock.json`, or a source that is not in it.
    LockMissing = "lock-missing", Error;
    /// A source that has changed since it was locked, or is gone.
    LockOutdated = "lock-outdated", Error;
    /// Two tools whose ids look alike, one of them of a source.
    LookAlikeTool = "look-alike-tool", Error;
    /// A keyword that a provider's declaration does not have.
    LoweringLost = "lowering-lost", Warning;
    /// A schema whose declaration to a provider in use would be too large.
    LoweringTooLarge = "lowering-too-large", Error;
    /// An entry of `loweringAccepted` without a matching loss.
    LoweringUnused = "lowering-unused", Warning;
    /// A missing required field.
    MissingField = "missing-field", Error;
    /// A missing file of a tool.
    MissingFile = "missing-file", Error;
    /// A missing section of the legacy `doc.md`.
    MissingSection = "missing-section", Error;
    /// A description of a source's tool that speaks about a tool of another origin.
    NamesOtherTool = "names-other-tool", Warning;
    /// A nested object that accepts undeclared properties.
    NestedNotClosed = "nested-not-closed", Warning;
    /// A handler that exports no function `execute`.
    NoExecute = "no-execute", Error;
    /// A tools folder without tools.
    NoTools = "no-tools", Warning;
    /// A package that a handler imports and that is not installed.
    PackageMissing = "package-missing", Warning;
    /// A parameter that the guide does not mention.
    ParameterUndocumented = "parameter-undocumented", Warning;
    /// A parameter of the guide that the schema does not have.
    ParameterUnknown = "parameter-unknown", Warning;
    /// A tool that asks its user, without a `confirmation.preview`, whose arguments may not fit into a preview.
    PreviewMissing = "preview-missing", Error;
    /// A schema that can't be declared to a provider in use.
    ProviderImpossible = "provider-impossible", Error;
    /// A pattern that may take exponential time on a backtracking engine.
    RegexBacktracks = "regex-backtracks", Warning;
    /// A required property that a closed object does not have.
    RequiredWithoutProperty = "required-without-property", Error;
    /// A handler for another major version of `ToolResponse`.
    ResponseVersion = "response-version", Error;
    /// A retrieval tool that is not idempotent.
    RetrievalNotIdempotent = "retrieval-not-idempotent", Error;
    /// A retrieval tool that writes.
    RetrievalWrites = "retrieval-writes", Error;
    /// A part of a schema in code that its JSON Schema does not have.
    SchemaCodeLost = "schema-code-lost", Warning;
    /// A schema that its meta-schema rejects.
    SchemaInvalid = "schema-invalid", Error;
    /// A schema module that can't be loaded, or does not export a tool's fields.
    SchemaModule = "schema-module", Error;
    /// `parameters` that accept undeclared arguments.
    SchemaNotClosed = "schema-not-closed", Warning;
    /// A schema in code that can't be converted to JSON Schema.
    SchemaNotConvertible = "schema-not-convertible", Error;
    /// `parameters` of another type than `object`.
    SchemaNotObject = "schema-not-object", Error;
    /// A schema in code that differs each time it is read.
    SchemaNotStable = "schema-not-stable", Error;
    /// A sensitive argument of a tool that writes after a confirmation.
    SensitiveConfirmed = "sensitive-confirmed", Warning;
    /// A required service that the configuration does not name.
    ServiceMissing = "service-missing", Warning;
    /// A source's file that can't be used.
    SourceInvalid = "source-invalid", Error;
    /// A guide without a summary.
    SummaryMissing = "summary-missing", Error;
    /// A summary of more than 250 characters.
    SummaryTooLong = "summary-too-long", Error;
    /// A definition, or all tools together, that is too large or nests too deeply.
    TooLarge = "too-large", Error;
    /// More tools in a mode than a provider takes in one request.
    ToolSetLarge = "tool-set-large", Warning;
    /// A `$schema` that names no known draft of JSON Schema.
    UnknownDialect = "unknown-dialect", Warning;
    /// A field that `schema.json` does not have.
    UnknownField = "unknown-field", Error;
    /// A `format` that the gate does not check.
    UnknownFormat = "unknown-format", Error;
    /// A keyword that JSON Schema does not have.
    UnknownKeyword = "unknown-keyword", Error;
    /// A mode that the build does not know.
    UnknownMode = "unknown-mode", Warning;
    /// A provider in use that does not exist.
    UnknownProvider = "unknown-provider", Error;
    /// A file or folder that can't be read.
    UnreadableFile = "unreadable-file", Error;
    /// A `$ref` whose target does not exist or is outside of the schema.
    UnresolvedRef = "unresolved-ref", Error;
    /// Keywords that contradict each other, so that no arguments or results are accepted.
    Unsatisfiable = "unsatisfiable", Error;
    /// Keywords that contradict each other in a part that other values can do without.
    UnsatisfiablePart = "unsatisfiable-part", Warning;
    /// A utility tool that writes.
    UtilityWrites = "utility-writes", Warning;
    /// A voice tool whose declaration is too large or too complex.
    VoiceHeavy = "voice-heavy", Warning;
    /// More voice tools than a model handles well.
    VoiceSetLarge = "voice-set-large", Warning;
    /// An output file that could not be written.
    WriteFailed = "write-failed", Error;
    /// An action tool that writes without a confirmation.
    WritesWithoutConfirmation = "writes-without-confirmation", Warning;
    /// A field whose value has the wrong type.
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
