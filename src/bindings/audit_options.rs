//! Where audit lines go, as JavaScript says it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use crate::observe::audit::audit_file::Rotation;
use crate::observe::audit::installation_key::InstallationKey;
use crate::observe::audit::writer::WriterSink;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum JsAudit {
    #[default]
    None,
    Stdout,
    Callback,
    File(JsAuditFile),
}

/// A file of audit lines.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct JsAuditFile {
    path: PathBuf,
    rotate: Option<JsRotation>,
    chain: Option<bool>,
}

impl JsAuditFile {
    /// Whether the host wants a chain, should there be a lasting key.
    pub(super) const fn wants_chain(&self) -> bool {
        matches!(self.chain, None | Some(true))
    }

    /// Opens the file, with its lines in a chain if there is a key for it.
    ///
    /// # Errors
    /// With a message, if the file can't be opened for appending.
    pub(super) fn open(&self, chain_key: Option<Arc<InstallationKey>>) -> Result<WriterSink, String> {
        let rotation = self.rotate.as_ref().map(JsRotation::resolve);
        let sink = match chain_key {
            Some(key) => WriterSink::chained_file(&self.path, rotation, key),
            None => WriterSink::file(&self.path, rotation),
        };
        sink.map_err(|error| format!("audit file `{}`: {error}", self.path.display()))
    }
}

/// Members that are missing have the defaults of `Rotation`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct JsRotation {
    max_bytes: Option<u64>,
    max_age_ms: Option<u64>,
    keep: Option<usize>,
    compress: Option<bool>,
}

impl JsRotation {
    fn resolve(&self) -> Rotation {
        let default = Rotation::default();
        Rotation {
            max_bytes: self.max_bytes.unwrap_or(default.max_bytes),
            max_age: self.max_age_ms.map(Duration::from_millis).or(default.max_age),
            keep: self.keep.unwrap_or(default.keep),
            compress: self.compress.unwrap_or(default.compress),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rotation_without_members_is_the_default() {
        let rotation = |options| format!("{:?}", serde_json::from_value::<JsRotation>(options).unwrap().resolve());
        assert_eq!(rotation(json!({})), format!("{:?}", Rotation::default()));
        let given = Rotation { max_bytes: 1, max_age: Some(Duration::from_millis(2)), keep: 3, compress: false };
        let options = json!({ "maxBytes": 1, "maxAgeMs": 2, "keep": 3, "compress": false });
        assert_eq!(rotation(options), format!("{given:?}"));
    }
}
