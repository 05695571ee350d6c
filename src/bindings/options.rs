//! The options from JavaScript, as JSON.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::audit_options::JsAudit;
use super::misuse;
use crate::admit::ArgsLimits;
use crate::call::{CallId, RawArgs, RawCall, UserMessage};
use crate::gate::ContextLimits;
use crate::gate::{Environment, GateLimits, SessionOptions};
use crate::json::HashKey;
use crate::observe::audit::AuditKey;
use crate::observe::audit::installation_key::InstallationKey;
use crate::run::concurrency::ConcurrencyLimits;
use crate::schema::RepairRules;
use crate::session::policy::ModeOverrides;
use crate::store::AnyStore;
use crate::store::memory::MemoryStore;
use crate::store::shared::{self, PostgresOptions, RedisOptions, ReplicaWait, SharedOptions};

/// Parses JSON text from the developer; invalid text is a misuse.
pub(super) fn parse_json<T: DeserializeOwned>(text: &str, what: &str) -> napi::Result<T> {
    serde_json::from_str(text).map_err(|error| misuse(format!("{what}: {error}")))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct JsGateOptions {
    #[serde(default)]
    pub(super) modes: HashMap<String, ModeOverrides>,
    #[serde(default)]
    pub(super) repair: RepairRules,
    #[serde(default)]
    pub(super) limits: JsLimits,
    #[serde(default)]
    pub(super) audit: JsAudit,
    /// The installation's audit key that the host gives.
    audit_key: Option<String>,
    #[serde(default)]
    pub(super) store: JsStore,
    #[serde(default)]
    pub(super) production: bool,
    /// Whether the host has a function for the core's warnings.
    #[serde(default)]
    pub(super) listens_to_warnings: bool,
    /// Whether the host has a function for what happens to confirmations.
    #[serde(default)]
    pub(super) listens_to_confirmations: bool,
}

impl JsGateOptions {
    /// The installation's key: given, or kept by a shared store, or of this process.
    pub(super) fn installation_key(&self) -> InstallationKey {
        match (&self.audit_key, &self.store, &self.audit) {
            (Some(given), store, _) => {
                let Some(key) = AuditKey::new(given.as_bytes()) else { return InstallationKey::default() };
                if !matches!(store, JsStore::Memory) {
                    return InstallationKey::given(key);
                }
                let fingerprints = key.fingerprint_key();
                InstallationKey::known(key).with_fingerprint_key(fingerprints)
            }
            (None, JsStore::File { .. } | JsStore::Redis { .. } | JsStore::Postgres { .. }, JsAudit::None) => {
                InstallationKey::default()
            }
            (None, JsStore::File { .. } | JsStore::Redis { .. } | JsStore::Postgres { .. }, _) => {
                InstallationKey::pending()
            }
            (None, JsStore::Memory, _) => {
                AuditKey::of_installation(HashKey::random()).map(InstallationKey::known).unwrap_or_default()
            }
        }
    }

    /// The key of the audit file's chain. `None` if the host wants none, or if the key ends with this process: no chain
    /// could go on after it.
    pub(super) fn chain_key(&self, key: &Arc<InstallationKey>) -> Option<Arc<InstallationKey>> {
        let is_lasting = self.audit_key.is_some() || !matches!(self.store, JsStore::Memory);
        let is_wanted = matches!(&self.audit, JsAudit::File(file) if file.wants_chain());
        (is_lasting && is_wanted).then(|| Arc::clone(key))
    }

    pub(super) const fn environment(&self) -> Environment {
        if self.production { Environment::Production } else { Environment::Development }
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct JsLimits {
    max_args_bytes: Option<usize>,
    max_result_bytes: Option<usize>,
    full_result_bytes: Option<usize>,
    max_sessions: Option<usize>,
    session_idle_ms: Option<u64>,
    owed_result_ms: Option<u64>,
    session_calls: Option<usize>,
    tool_calls: Option<usize>,
    queued_calls: Option<usize>,
    queue_ms: Option<u64>,
    turn_context_tokens: Option<u64>,
    session_context_tokens: Option<u64>,
}

impl JsLimits {
    pub(super) fn resolve(&self) -> GateLimits {
        let default = GateLimits::default();
        GateLimits {
            args: ArgsLimits { max_bytes: self.max_args_bytes.unwrap_or(default.args.max_bytes), ..default.args },
            max_result_bytes: self.max_result_bytes.unwrap_or(default.max_result_bytes),
            full_result_bytes: self.full_result_bytes.unwrap_or(default.full_result_bytes),
            max_sessions: self.max_sessions.unwrap_or(default.max_sessions),
            session_idle_ms: self.session_idle_ms.unwrap_or(default.session_idle_ms),
            owed_result_ms: self.owed_result_ms.unwrap_or(default.owed_result_ms),
            concurrency: ConcurrencyLimits {
                session: self.session_calls.unwrap_or(default.concurrency.session),
                tool: self.tool_calls.unwrap_or(default.concurrency.tool),
                queue: self.queued_calls.unwrap_or(default.concurrency.queue),
                queue_timeout: self.queue_ms.map_or(default.concurrency.queue_timeout, Duration::from_millis),
            },
            context: ContextLimits {
                turn_tokens: self.turn_context_tokens.unwrap_or(default.context.turn_tokens),
                session_tokens: self.session_context_tokens.unwrap_or(default.context.session_tokens),
            },
        }
    }
}

/// The choice of the session store.
#[derive(Deserialize, Default)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(super) enum JsStore {
    #[default]
    Memory,
    File {
        path: PathBuf,
        timeout_ms: Option<u64>,
        lease_ms: Option<u64>,
    },
    Redis {
        url: String,
        wait_replicas: Option<u32>,
        wait_timeout_ms: Option<u64>,
        #[serde(default)]
        allow_eviction: bool,
        timeout_ms: Option<u64>,
        lease_ms: Option<u64>,
    },
    Postgres {
        url: String,
        schema: Option<String>,
        connections: Option<usize>,
        timeout_ms: Option<u64>,
        lease_ms: Option<u64>,
    },
}

impl JsStore {
    /// Creates the store, without using it yet.
    pub(super) fn open(self, session_idle_ms: u64, key: &InstallationKey) -> napi::Result<AnyStore> {
        let wrong = |error: std::io::Error| misuse(format!("store: {error}"));
        let idle_ttl = Duration::from_millis(session_idle_ms);
        Ok(match self {
            Self::Memory => {
                key.fingerprints().map_or_else(MemoryStore::default, MemoryStore::with_fingerprint_key).into()
            }
            Self::File { path, timeout_ms, lease_ms } => AnyStore::other(
                shared::open_file(&path, shared_options(timeout_ms, lease_ms, idle_ttl)).map_err(wrong)?,
            ),
            Self::Redis { url, wait_replicas, wait_timeout_ms, allow_eviction, timeout_ms, lease_ms } => {
                let shared = shared_options(timeout_ms, lease_ms, idle_ttl);
                let default = ReplicaWait::default();
                let replicas = ReplicaWait {
                    count: wait_replicas.unwrap_or(default.count),
                    timeout: wait_timeout_ms.map_or(default.timeout, Duration::from_millis),
                };
                let options = RedisOptions { shared, allow_eviction, replicas, ..RedisOptions::default() };
                AnyStore::other(shared::open_redis(&url, options).map_err(wrong)?)
            }
            Self::Postgres { url, schema, connections, timeout_ms, lease_ms } => {
                let shared = shared_options(timeout_ms, lease_ms, idle_ttl);
                let default = PostgresOptions::default();
                let connections = connections.unwrap_or(default.connections);
                let options = PostgresOptions { shared, schema, connections, ..default };
                AnyStore::other(shared::open_postgres(&url, options).map_err(wrong)?)
            }
        })
    }
}

fn shared_options(timeout_ms: Option<u64>, lease_ms: Option<u64>, idle_ttl: Duration) -> SharedOptions {
    let default = SharedOptions::default();
    SharedOptions {
        operation_timeout: timeout_ms.map_or(default.operation_timeout, Duration::from_millis),
        lease: lease_ms.map_or(default.lease, Duration::from_millis),
        idle_ttl,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct JsSessionOptions {
    session_id: Option<String>,
    principal: Option<String>,
    resume_token: Option<String>,
    mode: String,
    #[serde(default)]
    state: BTreeMap<String, Value>,
    #[serde(default)]
    roles: BTreeSet<String>,
    #[serde(default)]
    services: BTreeSet<String>,
    #[serde(default)]
    policy: ModeOverrides,
    exclusive: Option<bool>,
    time_zone: Option<String>,
    can_ask: Option<bool>,
    #[serde(default)]
    holds_writes: bool,
    #[serde(default)]
    resume_only: bool,
    confirmation: Option<String>,
    #[serde(default)]
    listens: bool,
    turn_pause_ms: Option<u64>,
}

/// One call of a batch.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct JsCall {
    id: Option<String>,
    name: String,
    args: String,
    unwritable: Option<String>,
    #[serde(default)]
    message: Option<JsMessage>,
}

/// The user's message that a call belongs to.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct JsMessage {
    id: String,
    is_by_content: bool,
}

impl From<JsMessage> for UserMessage {
    fn from(JsMessage { id, is_by_content }: JsMessage) -> Self {
        Self { id: id.into(), is_by_content }
    }
}

impl From<JsCall> for RawCall {
    fn from(JsCall { id, name, args, unwritable, message }: JsCall) -> Self {
        let args = unwritable.map_or(RawArgs::Text(args), RawArgs::NotJson);
        let id = id.filter(|id| !id.is_empty()).map(CallId::from);
        Self { id, name, args, message: message.map(UserMessage::from), waits: false }
    }
}

impl From<JsSessionOptions> for SessionOptions {
    fn from(options: JsSessionOptions) -> Self {
        Self {
            session_id: options.session_id,
            principal: options.principal,
            resume_token: options.resume_token,
            mode: options.mode,
            state: options.state,
            roles: options.roles,
            services: options.services,
            policy: options.policy,
            exclusive: options.exclusive,
            time_zone: options.time_zone,
            can_ask: options.can_ask,
            holds_writes: options.holds_writes,
            resume_only: options.resume_only,
            confirmation: options.confirmation,
            listens: options.listens,
            turn_pause: options.turn_pause_ms.map(Duration::from_millis),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn gate_options(options: Value) -> JsGateOptions {
        serde_json::from_value(options).unwrap()
    }

    #[test]
    fn each_limit_is_passed_on_and_the_others_have_defaults() {
        let defaults = format!("{:?}", GateLimits::default());
        assert_eq!(format!("{:?}", JsLimits::default().resolve()), defaults);
        let limits = gate_options(json!({ "limits": {
            "maxArgsBytes": 1, "maxResultBytes": 2, "maxSessions": 3, "sessionIdleMs": 4,
            "sessionCalls": 5, "toolCalls": 6, "queuedCalls": 7, "queueMs": 8,
            "turnContextTokens": 9, "sessionContextTokens": 10,
        } }));
        let resolved = limits.limits.resolve();
        let concurrency = &resolved.concurrency;
        assert_eq!(
            (resolved.args.max_bytes, resolved.max_result_bytes, resolved.max_sessions, resolved.session_idle_ms),
            (1, 2, 3, 4)
        );
        assert_eq!(
            (concurrency.session, concurrency.tool, concurrency.queue, concurrency.queue_timeout),
            (5, 6, 7, Duration::from_millis(8))
        );
        assert_eq!(resolved.context, ContextLimits { turn_tokens: 9, session_tokens: 10 });
    }

    #[test]
    fn an_unknown_member_is_refused_at_each_level() {
        for options in [
            json!({ "limit": {} }),
            json!({ "limits": { "maxArgs": 1 } }),
            json!({ "store": { "kind": "file", "path": "a", "url": "b" } }),
            json!({ "store": { "kind": "cloud" } }),
            json!({ "audit": { "file": { "path": "a", "rotate": { "every": 1 } } } }),
        ] {
            assert!(serde_json::from_value::<JsGateOptions>(options.clone()).is_err(), "{options}");
        }
    }

    #[test]
    fn an_audit_file_has_a_chain_if_its_key_outlives_the_process() {
        let key = Arc::new(InstallationKey::default());
        let has_chain = |options| gate_options(options).chain_key(&key).is_some();
        let file = json!({ "file": { "path": "audit.jsonl" } });
        let without = json!({ "file": { "path": "audit.jsonl", "chain": false } });
        let store = json!({ "kind": "file", "path": "sessions.sqlite" });
        assert!(has_chain(json!({ "audit": file, "store": store })));
        assert!(has_chain(json!({ "audit": file, "auditKey": "0123456789abcdef0123456789abcdef" })));
        assert!(!has_chain(json!({ "audit": file })), "the key of a memory store ends with the process");
        assert!(!has_chain(json!({ "audit": without, "store": store })));
        assert!(!has_chain(json!({ "audit": "stdout", "store": store })));
    }

    #[test]
    fn a_call_of_a_batch_without_an_id_has_none() {
        let call = |call| RawCall::from(serde_json::from_value::<JsCall>(call).unwrap());
        let named = call(json!({ "id": "call_1", "name": "look", "args": "{}" }));
        assert_eq!((named.id.as_ref().map(CallId::as_str), named.name.as_str()), (Some("call_1"), "look"));
        assert!(matches!(named.args, RawArgs::Text(text) if text == "{}"));
        let unwritable = call(json!({ "id": "", "name": "look", "args": "", "unwritable": "it has a cycle" }));
        assert!(unwritable.id.is_none());
        assert!(matches!(unwritable.args, RawArgs::NotJson(reason) if reason == "it has a cycle"));
    }
}
