//! The operator's functions of a store: backup, restoration, check, sessions. They run on a thread of Node's pool.

use std::path::PathBuf;
use std::sync::Arc;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Error, Status, Task};
use napi_derive::napi;
use serde::Deserialize;
use serde_json::{Value, json};

use super::audit_options::JsAuditFile;
use super::options::parse_json;
use crate::clock::{Clock, SystemClock};
use crate::json::HashKey;
use crate::observe::Observer;
use crate::observe::audit::AuditKey;
use crate::observe::audit::installation_key::InstallationKey;
use crate::observe::event::Event;
use crate::observe::question_facts::AnswerFacts;
use crate::store::StoreError;
use crate::store::overview::SessionFilter;
use crate::store::shared::{self, ExistingStore, StorePlace};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "do")]
enum JsStoreCommand {
    BackUp { store: PathBuf, file: PathBuf },
    Restore { store: PathBuf, file: PathBuf, force: bool },
    Check { store: StorePlace },
    ListSessions { store: StorePlace, principal: Option<String>, limit: usize },
    ShowSession { store: StorePlace, id: String },
    EndSession { store: StorePlace, id: String },
    RevokeGrant(GrantRevocation),
    EraseSessions { store: StorePlace, principal: String },
}

impl JsStoreCommand {
    /// Runs the command. Returns its report.
    fn run(&self) -> Result<Value, StoreError> {
        Ok(match self {
            Self::BackUp { store, file } => json!(shared::back_up(store, file)?),
            Self::Restore { store, file, force } => {
                let existing = if *force { ExistingStore::Replace } else { ExistingStore::Keep };
                json!(shared::restore(file, store, existing)?)
            }
            Self::Check { store } => json!(wait_for(store.check())?),
            Self::ListSessions { store, principal, limit } => {
                let filter = SessionFilter { principal: principal.clone(), limit: *limit };
                json!(wait_for(store.list(&filter))?)
            }
            Self::ShowSession { store, id } => json!(wait_for(store.show(id, SystemClock.now()))?),
            Self::EndSession { store, id } => json!(wait_for(store.end(id))?),
            Self::RevokeGrant(revocation) => json!(wait_for(revocation.run())?),
            Self::EraseSessions { store, principal } => json!(wait_for(store.erase(principal))?),
        })
    }
}

/// Ends a grant, and writes what the session's own process writes of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GrantRevocation {
    store: StorePlace,
    id: String,
    grant: String,
    audit: Option<JsAuditFile>,
    /// The installation's audit key, if the host gives it and the store does not keep it.
    audit_key: Option<String>,
}

/// How the audit names an answer by this command.
const VIA: &str = "operator";

impl GrantRevocation {
    /// Whether it ended the grant; `None` if there is no such session.
    async fn run(&self) -> Result<Option<bool>, StoreError> {
        let observer = self.observer().await?;
        let Some(revoked) = self.store.revoke(&self.id, &self.grant).await? else { return Ok(None) };
        let Some(grant) = revoked else { return Ok(Some(false)) };
        let answer = AnswerFacts { via: Some(VIA), principal: None };
        let (tool_id, calls_left) = (&*grant.call.tool, grant.calls_left);
        observer.emit(Some(&self.id), &Event::GrantRevoked { tool_id, grant: &grant.id, calls_left, answer });
        observer.flush();
        if observer.audit_health().lost == 0 {
            return Ok(Some(true));
        }
        Err(StoreError::Failed("the grant is revoked, but its audit line could not be written".to_owned()))
    }

    /// Opens the audit first: without it nothing is revoked.
    async fn observer(&self) -> Result<Observer, StoreError> {
        let Some(file) = &self.audit else { return Ok(Observer::new(Arc::new(SystemClock), None)) };
        let key = match &self.audit_key {
            _ if !file.wants_chain() => None,
            Some(given) => AuditKey::new(given.as_bytes()),
            None => AuditKey::of_installation(self.store.installation_key().await?),
        };
        let sink = file.open(key.map(|key| Arc::new(InstallationKey::known(key)))).map_err(StoreError::Failed)?;
        Ok(Observer::new(Arc::new(SystemClock), Some(Arc::new(sink))))
    }
}

/// The key of the installation that uses a store.
pub(super) fn installation_key(place: &StorePlace) -> Result<HashKey, StoreError> {
    wait_for(place.installation_key())
}

/// Runs a future on this thread.
fn wait_for<T>(future: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| StoreError::Failed(format!("no event loop: {error}")))?.block_on(future)
}

/// A command on a thread of Node's pool.
pub struct StoreTask {
    command: JsStoreCommand,
}

impl Task for StoreTask {
    type Output = Value;
    type JsValue = String;

    fn compute(&mut self) -> napi::Result<Value> {
        self.command.run().map_err(|error| Error::new(Status::GenericFailure, message_of(error)))
    }

    fn resolve(&mut self, _: Env, report: Value) -> napi::Result<String> {
        Ok(report.to_string())
    }
}

/// The cause alone: the caller names the store.
pub(super) fn message_of(error: StoreError) -> String {
    match error {
        StoreError::Failed(message) | StoreError::Unreachable(message) | StoreError::SessionFailed(message) => message,
        other => other.to_string(),
    }
}

/// Runs an operator's command on a store. `command` is JSON text. Resolves with its report as JSON text.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn run_store_command(command: String) -> napi::Result<AsyncTask<StoreTask>> {
    Ok(AsyncTask::new(StoreTask { command: parse_json(&command, "store command")? }))
}
