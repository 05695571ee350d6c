//! A registry with its gate, for `js/registry.js`.

use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use napi::Env;
use napi::bindgen_prelude::{Function, Unknown};
use napi_derive::napi;
use serde_json::{Value, json};

use super::executor::Executor;
use super::handlers::{Ended, JsHandlers, as_id};
use super::hot::{self, Given, Hot};
use super::misuse;
use super::options::{Audit, DirectOptions, GateOptions, JsSessionOptions, read};
use super::outbox::{Facts, Letters, Lines, Outbox};
use super::session::NativeSession;
use super::shared::{Shared, lost_answer, panicked};
use super::tool_set::NativeToolSet;
use crate::call::RawArgs;
use crate::clock::SystemClock;
use crate::gate::{CreateError, DirectCall, Gate, GateParts};
use crate::observe::Observer;
use crate::observe::audit::{AuditKey, AuditSink, WriterSink};

/// The registry and its gate.
#[napi]
pub struct NativeGate {
    shared: Shared,
}

#[napi]
impl NativeGate {
    /// A gate over a tool set. `wake` is called from the event loop when letters wait for a `poll`, and must not throw.
    #[napi(constructor, catch_unwind)]
    pub fn new(tools: &NativeToolSet, options: String, wake: Function<'_, (), ()>) -> napi::Result<Self> {
        let options: GateOptions = read(&options, "options")?;
        let wake = wake.build_threadsafe_function().callee_handled::<false>().weak::<true>().build()?;
        let executor = Executor::new(wake).map_err(|error| misuse(format!("no threads for timers: {error}")))?;
        let outbox = Arc::new(Outbox::new(&executor));
        let sink: Option<Arc<dyn AuditSink>> = match &options.audit {
            Audit::None => None,
            Audit::Stdout => Some(Arc::new(WriterSink::stdout())),
            Audit::File(path) => {
                let sink = WriterSink::file(Path::new(path));
                Some(Arc::new(sink.map_err(|error| misuse(format!("audit file `{path}`: {error}")))?))
            }
            Audit::Callback => Some(Arc::new(Lines(Arc::clone(&outbox)))),
        };
        let handlers = Arc::new(JsHandlers::new(Arc::clone(&outbox)));
        let (environment, limits) = (options.environment(), options.limits.resolve());
        let gate = Gate::new(GateParts {
            tools: Arc::clone(&tools.set),
            store: options.store.open(limits.session_idle_ms)?,
            clock: Arc::new(SystemClock),
            handlers: Arc::clone(&handlers) as _,
            observer: Observer::new(Arc::new(SystemClock), sink),
            listener: Some(Arc::new(Facts(Arc::clone(&outbox)))),
            audit_key: random_key(),
            spawner: spawner(&executor),
            chance: Arc::new(|| getrandom::u64().unwrap_or(u64::MAX)),
            limits,
            environment,
            modes: options.modes,
        });
        let shared = Shared { gate, executor, outbox, handlers, created: Arc::default() };
        Ok(Self { shared })
    }

    /// Checks arguments: JSON text of `{ args }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn validate_args(&self, tool_id: String, args: String) -> String {
        match self.shared.gate.validate_args(&tool_id, RawArgs::Text(args)) {
            Ok(args) => format!("{{\"args\":{args}}}"),
            Err(error) => json!({ "error": error }).to_string(),
        }
    }

    /// Runs a tool without a session, as `options` say. Ticketed; the answer is a `ToolResponse`.
    #[napi(catch_unwind)]
    pub fn execute_direct(
        &self,
        ticket: u32,
        options: String,
        args: String,
        unwritable: Option<String>,
    ) -> napi::Result<Letters> {
        let DirectOptions { tool, mode, services, attachment } = read(&options, "execution context")?;
        let args = unwritable.map_or(RawArgs::Text(args), RawArgs::NotJson);
        let call = DirectCall { tool, args, mode, services, attachment };
        let gate = Arc::clone(&self.shared.gate);
        Ok(self.shared.ticketed(ticket, lost_answer, move || async move { gate.execute_direct(call).await.to_text() }))
    }

    /// All of the data that an answer of a session was shortened from, as JSON text; none where it is not kept.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn full_data(&self, session: String, idempotency_key: String, bytes: f64) -> Option<String> {
        self.shared.gate.full_data(&session, &idempotency_key, as_id(bytes)).map(|data| data.to_string())
    }

    /// Counters, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn metrics(&self) -> String {
        self.shared.gate.metrics().to_string()
    }

    /// No reload any more.
    #[napi(catch_unwind)]
    pub fn lock(&self) {
        self.shared.gate.lock();
    }

    /// Whether it is locked.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn locked(&self) -> bool {
        self.shared.gate.is_locked()
    }

    /// Another tool set, for sessions to come.
    #[napi(catch_unwind)]
    pub fn reload(&self, tools: &NativeToolSet) -> napi::Result<()> {
        self.shared.gate.reload(&tools.set).map_err(|error| misuse(error.to_string()))
    }

    /// Attaches to a session. Ticketed: `{ created }` for `takeSession`, or `{ error: { code, message } }`.
    #[napi(catch_unwind)]
    pub fn create_session(&self, ticket: u32, options: String) -> napi::Result<Letters> {
        let options: JsSessionOptions = read(&options, "session options")?;
        let (gate, created) = (Arc::clone(&self.shared.gate), Arc::clone(&self.shared.created));
        Ok(self.shared.ticketed(ticket, panicked, move || async move {
            match gate.create_session(options.into()).await {
                Ok(session) => {
                    created.lock().insert(ticket, session);
                    json!({ "created": ticket }).to_string()
                }
                Err(error) => create_error(&error),
            }
        }))
    }

    /// What will not pass by itself about the session store: `{}` or `{ error }`, its words.
    #[napi(catch_unwind)]
    pub fn check_store(&self, ticket: u32) -> Letters {
        let gate = Arc::clone(&self.shared.gate);
        self.shared.ticketed(ticket, panicked, move || async move {
            let error = gate.check_store().await.err().map(|error| error.to_string());
            error.map_or_else(|| "{}".to_owned(), |error| json!({ "error": error }).to_string())
        })
    }

    /// The session that was created under a ticket, once.
    #[napi(catch_unwind)]
    pub fn take_session(&self, ticket: u32) -> napi::Result<NativeSession> {
        let session = self.shared.created.lock().remove(&ticket);
        let session = session.ok_or_else(|| misuse("no session was created under this ticket"))?;
        Ok(NativeSession::new(self.shared.clone(), session))
    }

    /// The function that hears of a handler's end: its number, how it ended, and a text. Returns the letters that are ready
    /// then.
    #[napi(catch_unwind, ts_return_type = "(id: number, ended: number, text: string) => string | null")]
    pub fn settling(&self, env: Env) -> napi::Result<Unknown<'static>> {
        hot::function(&env, Settle { shared: self.shared.clone() })
    }

    /// Goes on with whatever is ready. Returns the letters that are ready then.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn poll(&self) -> Letters {
        self.shared.letters_after(|| ())
    }

    /// A handler's own audit line; `data` is JSON text.
    #[napi(catch_unwind)]
    pub fn log(&self, session: Option<String>, name: String, tool_id: String, call_id: Option<String>, data: String) {
        let data = serde_json::from_str(&data).unwrap_or(Value::Null);
        self.shared.gate.log(session.as_deref(), &name, &tool_id, call_id.as_deref(), &data);
    }

    /// Stops admission, waits up to `timeout_ms`, aborts the rest, flushes. Ticketed: `{}`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn close(&self, ticket: u32, timeout_ms: u32) -> Letters {
        let gate = Arc::clone(&self.shared.gate);
        let patience = Duration::from_millis(u64::from(timeout_ms));
        self.shared.ticketed(ticket, panicked, move || async move {
            gate.close(patience).await;
            "{}".to_owned()
        })
    }
}

/// [`NativeGate::settling`].
struct Settle {
    shared: Shared,
}

impl Hot for Settle {
    const NAME: &'static CStr = c"settle";

    fn call(&self, given: &Given) -> Result<Letters, &'static str> {
        let ended = given.number(1).and_then(Ended::from_code);
        let (Some(id), Some(ended), Some(text)) = (given.number(0), ended, given.text(2)) else {
            return Err("an end is a handler's number, a known way of ending, and a text");
        };
        let outcome = ended.outcome(text);
        Ok(self.shared.letters_after(|| self.shared.handlers.settle(as_id(id), outcome)))
    }
}

fn spawner(executor: &Arc<Executor>) -> crate::gate::Spawner {
    // The gate is owned by what owns the executor: a strong reference here would keep both for ever.
    let executor = Arc::downgrade(executor);
    Arc::new(move |task| {
        if let Some(executor) = executor.upgrade() {
            executor.spawn(task);
        }
    })
}

fn random_key() -> Option<AuditKey> {
    let mut secret = [0_u8; 32];
    getrandom::fill(&mut secret).ok()?;
    AuditKey::new(&secret)
}

fn create_error(error: &CreateError) -> String {
    let code = match error {
        CreateError::Option(_) => "INVALID_OPTION",
        CreateError::Closed => "CLOSED",
        CreateError::Version { .. } => "REGISTRY_VERSION_MISMATCH",
        CreateError::Store(crate::store::StoreError::Principal) => "AUTH",
        CreateError::Store(crate::store::StoreError::Ended) => "SESSION_INACTIVE",
        CreateError::Store(crate::store::StoreError::Failed(_) | crate::store::StoreError::Stuck(_)) => "TRANSIENT",
    };
    let versions = match error {
        CreateError::Version { session, registry } => json!({ "expected": &**session, "actual": &**registry }),
        _ => Value::Null,
    };
    json!({ "error": { "code": code, "message": error.to_string(), "versions": versions } }).to_string()
}
