//! What the gates of a fixture are made of.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::task::AbortHandle;
use toolgate::admit::ArgsLimits;
use toolgate::clock::TokioClock;
use toolgate::gate::{Environment, Gate, GateLimits, GateParts};
use toolgate::observe::Observer;
use toolgate::observe::audit::AuditKey;
use toolgate::observe::audit::installation_key::InstallationKey;
use toolgate::registry::ToolSet;
use toolgate::run::concurrency::ConcurrencyLimits;
use toolgate::session::policy::ModeOverrides;
use toolgate::store::AnyStore;

use super::audit::Lines;
use super::script::Script;
use super::store::TestStore;
use super::tools;
use super::world::Setting;

/// What a gate shares with the one that takes its place.
pub struct Parts<'a> {
    pub setting: &'a Setting,
    pub clock: TokioClock,
    pub store: &'a Arc<TestStore>,
    pub script: &'a Arc<Script>,
    pub lines: &'a Arc<Lines>,
    pub tasks: &'a Arc<Mutex<Vec<AbortHandle>>>,
    pub largest_task: &'a Arc<AtomicUsize>,
}

impl Parts<'_> {
    fn load(&self, tools: &Map<String, Value>, version: &str) -> ToolSet {
        let set = tools::load(tools, version, self.script);
        if self.setting.strict_nulls {
            set.tools().iter().for_each(|tool| tool.strict_nulls.decide(true));
        }
        set
    }

    pub fn gate(&self, tools: &Map<String, Value>, version: &str) -> Arc<Gate> {
        let (tasks, largest_task) = (Arc::clone(self.tasks), Arc::clone(self.largest_task));
        let usual = GateLimits::default();
        let args = ArgsLimits {
            max_bytes: self.setting.max_args_bytes.unwrap_or(usual.args.max_bytes),
            max_depth: self.setting.max_args_depth.unwrap_or(usual.args.max_depth),
        };
        Gate::new(GateParts {
            tools: self.load(tools, version).into(),
            store: AnyStore::Other(Arc::clone(self.store) as _),
            clock: Arc::new(self.clock),
            handlers: Arc::clone(self.script) as _,
            observer: Observer::new(Arc::new(self.clock), Some(Arc::clone(self.lines) as _)),
            listener: None,
            audit_key: Arc::new(AuditKey::new(b"of this installation").map(InstallationKey::known).unwrap()),
            // No chance in a test: each pause is the longest it may be.
            random: Arc::new(|| u64::MAX),
            spawner: Arc::new(move |task| {
                largest_task.fetch_max(size_of_val(&*task), Ordering::Relaxed);
                tasks.lock().push(tokio::spawn(task).abort_handle());
            }),
            limits: GateLimits {
                args,
                max_result_bytes: self.setting.max_result_bytes.unwrap_or(usual.max_result_bytes),
                max_sessions: self.setting.max_sessions.unwrap_or(usual.max_sessions),
                session_idle_ms: self.setting.session_idle_ms.unwrap_or(usual.session_idle_ms),
                owed_result_ms: usual.owed_result_ms,
                concurrency: ConcurrencyLimits {
                    session: self.setting.session_calls.unwrap_or(usual.concurrency.session),
                    tool: self.setting.tool_calls.unwrap_or(usual.concurrency.tool),
                    queue: self.setting.queued_calls.unwrap_or(usual.concurrency.queue),
                    queue_timeout: self.setting.queue_ms.map_or(usual.concurrency.queue_timeout, Duration::from_millis),
                },
                full_result_bytes: usual.full_result_bytes,
                context: usual.context,
            },
            repair: self.setting.repair,
            modes: self.setting.modes.iter().map(|(name, by)| (name.clone(), overrides(by))).collect(),
            environment: if self.setting.production { Environment::Production } else { Environment::Development },
        })
    }
}

pub fn overrides(by: &Value) -> ModeOverrides {
    serde_json::from_value(by.clone()).unwrap_or_else(|error| panic!("policy {by}: {error}"))
}
