//! What providers are told of a tool. It is most of an artifact, and a process that runs calls does without it until a
//! session asks: until then it is kept as the text that it is.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::Verbatim;
use super::artifact_file::ArtifactFile;

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

/// Declarations that are read when somebody first asks for them.
pub struct Unread {
    /// The artifact that they are in, and where: members of a JSON object up to its end. None where they are read.
    unread: Option<(Arc<ArtifactFile>, Range<u64>)>,
    read: OnceLock<Declared>,
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
    pub(super) fn new(artifact: Arc<ArtifactFile>, members: Range<u64>) -> Self {
        Self { unread: Some((artifact, members)), read: OnceLock::new() }
    }

    /// Reads them, once.
    ///
    /// # Errors
    /// Where the text is something else, or the file was changed in its place since it was opened.
    pub fn get(&self) -> Result<&Declared, UnreadError> {
        if let Some(declared) = self.read.get() {
            return Ok(declared);
        }
        let (artifact, members) = self.unread.as_ref().ok_or_else(|| UnreadError::File("they are gone".to_owned()))?;
        let members = artifact.part(members).map_err(UnreadError::File)?;
        let declared = serde_json::from_str(&format!("{{{members}"))?;
        Ok(self.read.get_or_init(|| declared))
    }
}

impl From<Declared> for Unread {
    fn from(declared: Declared) -> Self {
        Self { unread: None, read: OnceLock::from(declared) }
    }
}

/// Without the artifact, which is long.
impl fmt::Debug for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Unread").field(&self.read.get()).finish()
    }
}
