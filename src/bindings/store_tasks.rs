//! The operator's functions of a store: backup, restoration, check, sessions. They run on a thread of Node's pool.

use std::path::PathBuf;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Error, Status, Task};
use napi_derive::napi;
use serde::Deserialize;
use serde_json::{Value, json};

use super::options::parse_json;
use crate::clock::{Clock, SystemClock};
use crate::json::HashKey;
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
            Self::EraseSessions { store, principal } => json!(wait_for(store.erase(principal))?),
        })
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
        StoreError::Failed(message) | StoreError::SessionFailed(message) => message,
        other => other.to_string(),
    }
}

/// Runs an operator's command on a store. `command` is JSON text. Resolves with its report as JSON text.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn run_store_command(command: String) -> napi::Result<AsyncTask<StoreTask>> {
    Ok(AsyncTask::new(StoreTask { command: parse_json(&command, "store command")? }))
}
