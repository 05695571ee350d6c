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
use crate::store::shared::{self, ExistingStore};

/// The place of a store.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub(super) enum JsStorePlace {
    File { path: PathBuf },
    Redis { url: String },
    Postgres { url: String, schema: Option<String> },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "do")]
enum JsStoreCommand {
    BackUp { store: PathBuf, file: PathBuf },
    Restore { store: PathBuf, file: PathBuf, force: bool },
    Check { store: JsStorePlace },
    ListSessions { store: JsStorePlace, principal: Option<String>, limit: usize },
    ShowSession { store: JsStorePlace, id: String },
    EndSession { store: JsStorePlace, id: String },
    EraseSessions { store: JsStorePlace, principal: String },
}

impl JsStoreCommand {
    /// Runs the command. Returns its report.
    fn run(&self) -> Result<Value, StoreError> {
        use JsStorePlace::{File, Postgres, Redis};
        Ok(match self {
            Self::BackUp { store, file } => json!(shared::back_up(store, file)?),
            Self::Restore { store, file, force } => {
                let existing = if *force { ExistingStore::Replace } else { ExistingStore::Keep };
                json!(shared::restore(file, store, existing)?)
            }
            Self::Check { store: File { path } } => json!(shared::check_file(path)?),
            Self::Check { store: Redis { url } } => json!(wait_for(shared::check_redis(url))?),
            Self::Check { store: Postgres { url, schema } } => {
                json!(wait_for(shared::check_postgres(url, schema.as_deref()))?)
            }
            Self::ListSessions { store, principal, limit } => {
                let filter = &SessionFilter { principal: principal.clone(), limit: *limit };
                json!(match store {
                    File { path } => shared::list_file_sessions(path, filter)?,
                    Redis { url } => wait_for(shared::list_redis_sessions(url, filter))?,
                    Postgres { url, schema } =>
                        wait_for(shared::list_postgres_sessions(url, schema.as_deref(), filter))?,
                })
            }
            Self::ShowSession { store, id } => json!(match store {
                File { path } => shared::show_file_session(path, id, SystemClock.now())?,
                Redis { url } => wait_for(shared::show_redis_session(url, id, SystemClock.now()))?,
                Postgres { url, schema } =>
                    wait_for(shared::show_postgres_session(url, schema.as_deref(), id, SystemClock.now()))?,
            }),
            Self::EndSession { store, id } => json!(match store {
                File { path } => wait_for(shared::end_file_session(path, id))?,
                Redis { url } => wait_for(shared::end_redis_session(url, id))?,
                Postgres { url, schema } => wait_for(shared::end_postgres_session(url, schema.as_deref(), id))?,
            }),
            Self::EraseSessions { store, principal } => json!(match store {
                File { path } => shared::erase_in_file(path, principal)?,
                Redis { url } => wait_for(shared::erase_on_redis(url, principal))?,
                Postgres { url, schema } => wait_for(shared::erase_on_postgres(url, schema.as_deref(), principal))?,
            }),
        })
    }
}

impl JsStorePlace {
    /// The key of the installation that uses the store.
    pub(super) fn installation_key(&self) -> Result<HashKey, StoreError> {
        match self {
            Self::File { path } => shared::file_installation_key(path),
            Self::Redis { url } => wait_for(shared::redis_installation_key(url)),
            Self::Postgres { url, schema } => wait_for(shared::postgres_installation_key(url, schema.as_deref())),
        }
    }
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
