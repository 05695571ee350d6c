//! What providers are told of a tool. It is most of an artifact, and a process that runs calls does without it until a
//! session asks: until then it is kept as the text that it is.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::Verbatim;
use super::artifact_file::ArtifactFile;
use super::packed::Packed;

/// A tool's declarations and their receipts, by provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Declared {
    /// Declarations: for a provider's eyes, not for ours. Absent for one that can't be told of the tool.
    #[serde(default)]
    pub provider_schemas: BTreeMap<String, Verbatim>,
    /// What each declaration lost or changed. A receipt stands there only where it says something.
    #[serde(default)]
    pub lowering: BTreeMap<String, Vec<LoweringEntry>>,
}

impl Declared {
    /// The declaration in a provider's form; none where the provider can't be told of the tool.
    ///
    /// A tool without a strict form for OpenAI is declared there without `strict`: the shape is the same, and one request
    /// may hold tools of both kinds.
    #[must_use]
    pub fn declaration(&self, provider: &str) -> Option<&Verbatim> {
        let declared = self.provider_schemas.get(provider);
        declared.or_else(|| if provider == "openaiStrict" { self.provider_schemas.get("openai") } else { None })
    }
}

/// One line of a lowering receipt: what a provider's schema lost or changed, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoweringEntry {
    /// JSON Pointer into the tool's schema.
    pub pointer: String,
    /// What happened there, for people.
    pub change: String,
    /// True where a constraint is no longer told to the model. It is still checked when the call arrives.
    pub lost: bool,
}

/// What providers are told of a tool, out of the way until somebody asks: in the artifact's file, and soon packed.
#[derive(Debug)]
pub struct Unread {
    kept: Mutex<Kept>,
    /// What was asked for: who asked will ask again.
    told: Mutex<Vec<Told>>,
}

/// What a provider is told; none where it can't be told of the tool.
#[derive(Debug)]
struct Told {
    provider: Box<str>,
    declaration: Option<Arc<str>>,
}

/// Members of a JSON object up to its end.
#[derive(Debug)]
enum Kept {
    /// With the tool's schema, which they repeat.
    InFile(Arc<ArtifactFile>, Range<u64>, Arc<str>),
    Packed(Packed),
    /// They could not be read, and why.
    Lost(String),
}

/// Declarations that can't be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadError {
    /// They are something else.
    #[error(transparent)]
    Invalid(#[from] serde_json::Error),
    /// The file can't be read to its end.
    #[error("{0}")]
    File(String),
}

impl Unread {
    /// Members in a file, of a tool with this schema.
    pub(super) fn in_file(artifact: Arc<ArtifactFile>, members: Range<u64>, schema: Arc<str>) -> Self {
        Self::keeping(Kept::InFile(artifact, members, schema))
    }

    /// Declarations that have been read, of a tool with this schema.
    #[must_use]
    pub fn of(declared: &Declared, schema: Arc<str>) -> Self {
        Self::keeping(match serde_json::to_string(declared) {
            Ok(text) => Kept::Packed(Packed::of(text.strip_prefix('{').unwrap_or(&text), schema)),
            Err(problem) => Kept::Lost(problem.to_string()),
        })
    }

    fn keeping(kept: Kept) -> Self {
        Self { kept: Mutex::new(kept), told: Mutex::default() }
    }

    /// Takes them out of the file, whatever they are: nobody may find it changed later.
    pub fn take(&self) {
        self.kept.lock().take();
    }

    /// Reads all of them.
    ///
    /// # Errors
    /// Where the text is something else, or the file was changed in its place before they were taken out of it.
    pub fn read(&self) -> Result<Declared, UnreadError> {
        let members = {
            let mut kept = self.kept.lock();
            kept.take();
            match &*kept {
                Kept::Packed(members) => members.text().ok_or_else(|| "they are damaged".to_owned()),
                Kept::Lost(problem) => Err(problem.clone()),
                Kept::InFile(..) => Err("they are not taken".to_owned()),
            }
        };
        Ok(serde_json::from_str(&format!("{{{}", members.map_err(UnreadError::File)?))?)
    }

    /// As [`Declared::declaration`], as its text.
    ///
    /// # Errors
    /// As [`Unread::read`].
    pub fn declaration(&self, provider: &str) -> Result<Option<Arc<str>>, UnreadError> {
        let mut told = self.told.lock();
        if let Some(known) = told.iter().find(|told| *told.provider == *provider) {
            return Ok(known.declaration.clone());
        }
        let declaration: Option<Arc<str>> = self.read()?.declaration(provider).map(|declared| declared.text().into());
        told.push(Told { provider: provider.into(), declaration: declaration.clone() });
        Ok(declaration)
    }
}

impl Kept {
    fn take(&mut self) {
        if let Self::InFile(artifact, members, schema) = self {
            *self = match artifact.unchanged_text_of(members) {
                Ok(members) => Self::Packed(Packed::of(&members, Arc::clone(schema))),
                Err(problem) => Self::Lost(problem.to_string()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::artifact::tests::tool;
    use super::*;

    fn unread(declared: &str) -> Unread {
        let declared: Declared = serde_json::from_str(declared).unwrap();
        Unread::of(&declared, tool("a").definition.json_schema.text().clone())
    }

    #[test]
    fn what_was_packed_is_what_is_told() {
        let declared = tool("a").declared;
        let unread = Unread::of(&declared, "{}".into());
        for _ in 0..2 {
            assert_eq!(unread.read().unwrap(), declared);
            for provider in ["openai", "openaiStrict", "mcp"] {
                let told = unread.declaration(provider).unwrap();
                assert_eq!(told.as_deref(), declared.declaration(provider).map(Verbatim::text), "{provider}");
            }
        }
    }

    #[test]
    fn each_provider_is_told_its_own() {
        let unread = unread(r#"{"providerSchemas":{"openai":{"a":1.0},"openaiStrict":{"b":[]},"mcp":null}}"#);
        let told = |provider| unread.declaration(provider).unwrap().map(|told| told.to_string());
        for _ in 0..2 {
            assert_eq!(told("openai").unwrap(), r#"{"a":1.0}"#);
            assert_eq!(told("openaiStrict").unwrap(), r#"{"b":[]}"#);
            assert_eq!(told("mcp").unwrap(), "null");
            assert_eq!(told("anthropic"), None);
        }
    }
}
