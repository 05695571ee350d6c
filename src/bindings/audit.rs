//! What an operator reads of audit files: their verification, on a thread of Node's pool, and selected lines.

use std::path::PathBuf;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Error, Status, Task};
use napi_derive::napi;
use serde::Deserialize;
use serde_json::{Value, json};

use super::misuse;
use super::options::parse_json;
use super::store_tasks::{installation_key, message_of};
use crate::json::{CanonicalJson, Kind, Limits, Tape};
use crate::observe::audit::AuditKey;
use crate::observe::audit::reading::{self, AuditReader};
use crate::observe::audit::selection::{LineFilter, LineSelection};
use crate::observe::audit::verification::{ChainReport, verify};
use crate::session::fingerprint::{canonical_digest, preview_digest};
use crate::store::shared::StorePlace;

/// The size of a batch of lines in bytes.
const BATCH_BYTES: usize = 64 << 10;

/// The key of the installation: given, or kept by its store.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum JsKeySource {
    Key(String),
    Store(StorePlace),
}

impl JsKeySource {
    fn read(&self) -> Result<AuditKey, String> {
        let key = match self {
            Self::Key(given) => AuditKey::new(given.as_bytes()),
            Self::Store(place) => AuditKey::of_installation(installation_key(place).map_err(message_of)?),
        };
        key.ok_or_else(|| "the key can't be used".to_owned())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsVerification {
    files: Vec<PathBuf>,
    key: JsKeySource,
    /// Whether the files are one chain, in this order.
    in_order: bool,
}

impl JsVerification {
    fn run(&self) -> Result<Value, String> {
        let key = self.key.read()?;
        let chains = match self.files.first() {
            Some(first) if self.in_order => vec![(first.clone(), AuditReader::in_order(&self.files))],
            _ => reading::group(&self.files).map_err(|error| error.to_string())?,
        };
        let reports = chains.into_iter().map(|(file, lines)| Ok((file, verify(lines, &key)?)));
        let reports: std::io::Result<Vec<(PathBuf, ChainReport)>> = reports.collect();
        let reports = reports.map_err(|error| error.to_string())?;
        Ok(reports.iter().map(|(file, report)| json!({ "file": file, "report": report })).collect())
    }
}

/// A verification on a thread of Node's pool.
pub struct VerificationTask(JsVerification);

impl Task for VerificationTask {
    type Output = Value;
    type JsValue = String;

    fn compute(&mut self) -> napi::Result<Value> {
        self.0.run().map_err(|message| Error::new(Status::GenericFailure, message))
    }

    fn resolve(&mut self, _: Env, reports: Value) -> napi::Result<String> {
        Ok(reports.to_string())
    }
}

/// Verifies audit files. `request` is JSON text of `{ files, key: { key } | { store }, inOrder }`. Resolves with JSON text
/// of a list of `{ file, report }`, one for each chain.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn verify_audit(request: String) -> napi::Result<AsyncTask<VerificationTask>> {
    Ok(AsyncTask::new(VerificationTask(parse_json(&request, "audit verification")?)))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsShown {
    text: String,
    key: JsKeySource,
}

/// The hashes of a text, made on a thread of Node's pool: the key may be read from a store.
pub struct ShownHashesTask(JsShown);

impl Task for ShownHashesTask {
    type Output = Value;
    type JsValue = String;

    fn compute(&mut self) -> napi::Result<Value> {
        let JsShown { text, key } = &self.0;
        let key = key.read().map_err(|message| Error::new(Status::GenericFailure, message))?;
        let args = Tape::parse(text.clone(), &Limits::widest()).ok().filter(|tape| tape.root().kind() == Kind::Object);
        let args_digest = args.map(|tape| canonical_digest(&CanonicalJson::from_node(tape.root())));
        Ok(json!({
            "previewHash": key.hash(&preview_digest(text)),
            "finalArgsHash": args_digest.map(|digest| key.hash(&digest)),
        }))
    }

    fn resolve(&mut self, _: Env, hashes: Value) -> napi::Result<String> {
        Ok(hashes.to_string())
    }
}

/// The hashes by which audit lines name what a user was shown. `request` is JSON text of `{ text, key: { key } | { store } }`.
/// Resolves with JSON text of `{ previewHash, finalArgsHash }`, the latter null if the text is no JSON object.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn audit_hashes(request: String) -> napi::Result<AsyncTask<ShownHashesTask>> {
    Ok(AsyncTask::new(ShownHashesTask(parse_json(&request, "text")?)))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct JsLineSelection {
    file: PathBuf,
    session_id: Option<String>,
    call_id: Option<String>,
    since: Option<String>,
}

/// The lines of an audit file and its rotated files that are about a session, a call or a time.
#[napi]
pub struct NativeAuditLines(LineSelection);

#[napi]
impl NativeAuditLines {
    /// Opens the files. `selection` is JSON text of `{ file, sessionId?, callId?, since? }`.
    #[napi(constructor, catch_unwind)]
    pub fn new(selection: String) -> napi::Result<Self> {
        let JsLineSelection { file, session_id, call_id, since } = parse_json(&selection, "audit selection")?;
        let reader = AuditReader::with_rotated(&file).map_err(|error| misuse(error.to_string()))?;
        Ok(Self(LineSelection::new(reader, LineFilter { session_id, call_id, since })))
    }

    /// The next lines, each with its line break; `None` at the end.
    #[napi(catch_unwind, js_name = "next")]
    pub fn next_batch(&mut self) -> napi::Result<Option<String>> {
        self.0.next_batch(BATCH_BYTES).map_err(|error| misuse(error.to_string()))
    }

    /// The number of lines so far that a killed process left incomplete.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn incomplete(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "numbers of lines are below 2^53")]
        {
            self.0.incomplete() as f64
        }
    }
}
