//! The providers' declarations of a tool, and their lazy loading.
//!
//! Declarations are most of an artifact, and a process that runs calls needs them only if a session asks for them.
//! Until then they stay in the file or in compressed form.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::RawJson;
use super::artifact_file::ArtifactFile;
use super::compressed_text::CompressedText;

/// A tool's declarations and their lowering receipts, by provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderDeclarations {
    /// Provider → declaration. Absent if the provider can't declare the tool.
    #[serde(default)]
    pub provider_schemas: BTreeMap<String, RawJson>,
    /// Provider → receipt of the losses and changes in its declaration. Absent if there are none.
    #[serde(default)]
    pub lowering: BTreeMap<String, Vec<LoweringEntry>>,
}

impl ProviderDeclarations {
    /// The declaration in a provider's form; `None` if the provider can't declare the tool.
    ///
    /// A tool without a strict form for OpenAI is declared without `strict`: the shape is the same, and one request may
    /// contain strict and non-strict tools.
    #[must_use]
    pub fn declaration(&self, provider: &str) -> Option<&RawJson> {
        let declared = self.provider_schemas.get(provider);
        declared.or_else(|| if provider == "openaiStrict" { self.provider_schemas.get("openai") } else { None })
    }
}

/// One line of a lowering receipt: a loss or change in a provider's schema, with its location.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoweringEntry {
    /// JSON Pointer into the tool's schema.
    pub pointer: String,
    /// The change, for people.
    pub change: String,
    /// Whether the model no longer sees a constraint. The gate still checks it.
    pub lost: bool,
}

/// A tool's declarations, loaded on demand from the artifact's file or from compressed text.
#[derive(Debug)]
pub struct LazyDeclarations {
    source: Mutex<DeclarationSource>,
    /// The declarations requested so far, since each is requested again.
    requested: Mutex<Vec<RequestedDeclaration>>,
}

/// The declaration for a provider; `None` if the provider can't declare the tool.
#[derive(Debug)]
struct RequestedDeclaration {
    provider: Box<str>,
    declaration: Option<Arc<str>>,
}

/// The text of the declarations: members of a JSON object, with its closing brace and without its opening brace.
#[derive(Debug)]
enum DeclarationSource {
    /// A range of the file, and the tool's schema, which the declarations repeat.
    File(Arc<ArtifactFile>, Range<u64>, Arc<str>),
    Compressed(CompressedText),
    /// The reason why the declarations could not be read.
    Unreadable(String),
}

/// The reason why declarations can't be read.
#[derive(Debug, thiserror::Error)]
pub enum DeclarationError {
    /// The text is not declarations.
    #[error(transparent)]
    Invalid(#[from] serde_json::Error),
    /// The file can't be read to its end.
    #[error("{0}")]
    File(String),
}

impl LazyDeclarations {
    /// The declarations in a range of a file, of a tool with this schema.
    pub(super) fn from_file(artifact: Arc<ArtifactFile>, members: Range<u64>, schema: Arc<str>) -> Self {
        Self::from_source(DeclarationSource::File(artifact, members, schema))
    }

    /// Compresses declarations of a tool with this schema.
    #[must_use]
    pub fn from_declarations(declared: &ProviderDeclarations, schema: Arc<str>) -> Self {
        Self::from_source(match serde_json::to_string(declared) {
            Ok(text) => {
                DeclarationSource::Compressed(CompressedText::compress(text.strip_prefix('{').unwrap_or(&text), schema))
            }
            Err(problem) => DeclarationSource::Unreadable(problem.to_string()),
        })
    }

    fn from_source(kept: DeclarationSource) -> Self {
        Self { source: Mutex::new(kept), requested: Mutex::default() }
    }

    /// Reads the declarations from the file into memory, unchecked, so that a later change of the file has no effect.
    pub fn load_from_file(&self) {
        self.source.lock().load_from_file();
    }

    /// Reads the declarations for all providers.
    ///
    /// # Errors
    /// If the text is not declarations, or the file was changed in place before [`Unread::take`].
    pub fn read_all(&self) -> Result<ProviderDeclarations, DeclarationError> {
        let members = {
            let mut kept = self.source.lock();
            kept.load_from_file();
            match &*kept {
                DeclarationSource::Compressed(members) => {
                    members.decompress().ok_or_else(|| "the compressed text is damaged".to_owned())
                }
                DeclarationSource::Unreadable(problem) => Err(problem.clone()),
                DeclarationSource::File(..) => Err("the text is not in memory".to_owned()),
            }
        };
        Ok(serde_json::from_str(&format!("{{{}", members.map_err(DeclarationError::File)?))?)
    }

    /// The text of [`Declared::declaration`].
    ///
    /// # Errors
    /// As [`Unread::read`].
    pub fn declaration(&self, provider: &str) -> Result<Option<Arc<str>>, DeclarationError> {
        let mut requested = self.requested.lock();
        if let Some(known) = requested.iter().find(|known| *known.provider == *provider) {
            return Ok(known.declaration.clone());
        }
        let declaration: Option<Arc<str>> =
            self.read_all()?.declaration(provider).map(|declared| declared.text().into());
        requested.push(RequestedDeclaration { provider: provider.into(), declaration: declaration.clone() });
        Ok(declaration)
    }
}

impl DeclarationSource {
    fn load_from_file(&mut self) {
        if let Self::File(artifact, members, schema) = self {
            *self = match artifact.read_unchanged_text(members) {
                Ok(members) => Self::Compressed(CompressedText::compress(&members, Arc::clone(schema))),
                Err(problem) => Self::Unreadable(problem.to_string()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::artifact::tests::tool;
    use super::*;

    fn unread(declared: &str) -> LazyDeclarations {
        let declared: ProviderDeclarations = serde_json::from_str(declared).unwrap();
        LazyDeclarations::from_declarations(&declared, tool("a").definition.json_schema.text().clone())
    }

    #[test]
    fn compressed_declarations_come_back() {
        let declared = tool("a").declared;
        let unread = LazyDeclarations::from_declarations(&declared, "{}".into());
        for _ in 0..2 {
            assert_eq!(unread.read_all().unwrap(), declared);
            for provider in ["openai", "openaiStrict", "mcp"] {
                let declaration = unread.declaration(provider).unwrap();
                assert_eq!(declaration.as_deref(), declared.declaration(provider).map(RawJson::text), "{provider}");
            }
        }
    }

    #[test]
    fn each_provider_has_its_own_declaration() {
        let unread = unread(r#"{"providerSchemas":{"openai":{"a":1.0},"openaiStrict":{"b":[]},"mcp":null}}"#);
        let declaration = |provider| unread.declaration(provider).unwrap().map(|text| text.to_string());
        for _ in 0..2 {
            assert_eq!(declaration("openai").unwrap(), r#"{"a":1.0}"#);
            assert_eq!(declaration("openaiStrict").unwrap(), r#"{"b":[]}"#);
            assert_eq!(declaration("mcp").unwrap(), "null");
            assert_eq!(declaration("anthropic"), None);
        }
    }
}
