//! A registry with its gate, for `js/gate/registry.js`.

use std::ffi::CStr;
use std::sync::Arc;
use std::time::Duration;

use napi::Env;
use napi::bindgen_prelude::{Function, Unknown};
use napi_derive::napi;
use serde_json::{Value, json};

use super::audit_options::JsAudit;
use super::executor::Executor;
use super::gate_context::{GateContext, panicked};
use super::handlers::{HandlerEnd, JsHandlers, number_to_id};
use super::messages::{CallbackAuditSink, CallbackListener, CallbackWarningListener, EncodedMessages, MessageQueue};
use super::misuse;
use super::options::{JsGateOptions, JsSessionOptions, parse_json};
use super::raw_functions::{self, RawArguments, RawFunction};
use super::session::{NativeSession, result_envelope};
use super::tool_set::{NativeToolSet, validated_args_text};
use crate::call::RawArgs;
use crate::clock::SystemClock;
use crate::gate::{CreateError, Gate, GateParts, HandlerLogEntry};
use crate::observe::Observer;
use crate::observe::audit::AuditSink;
use crate::observe::audit::writer::WriterSink;
use crate::observe::warnings::{self, WarningListener};

/// The registry and its gate.
#[napi]
pub struct NativeGate {
    pub(super) shared: GateContext,
    /// Receives warnings for as long as the gate is there.
    _warnings: Option<Arc<dyn WarningListener>>,
}

#[napi]
impl NativeGate {
    /// Creates a gate. `wake` is called from the event loop when messages wait for a `poll`, and must not throw.
    #[napi(constructor, catch_unwind)]
    pub fn new(tools: &NativeToolSet, options: String, wake: Function<'_, (), ()>) -> napi::Result<Self> {
        let options: JsGateOptions = parse_json(&options, "options")?;
        let wake = wake.build_threadsafe_function().callee_handled::<false>().weak::<true>().build()?;
        let executor = Executor::new(wake).map_err(|error| misuse(format!("no threads for timers: {error}")))?;
        let messages = Arc::new(MessageQueue::new(&executor));
        warnings::collect();
        let listener = options.listens_to_warnings.then(|| {
            let listener: Arc<dyn WarningListener> = Arc::new(CallbackWarningListener(Arc::downgrade(&messages)));
            warnings::listen(&listener);
            listener
        });
        let audit_key = Arc::new(options.installation_key());
        let sink: Option<Arc<dyn AuditSink>> = match &options.audit {
            JsAudit::None => None,
            JsAudit::Stdout => Some(Arc::new(WriterSink::stdout().map_err(|error| misuse(format!("audit: {error}")))?)),
            JsAudit::File(file) => Some(Arc::new(file.open(options.chain_key(&audit_key)).map_err(misuse)?)),
            JsAudit::Callback => Some(Arc::new(CallbackAuditSink(Arc::clone(&messages)))),
        };
        let handlers = Arc::new(JsHandlers::new(Arc::clone(&messages)));
        let (environment, limits) = (options.environment(), options.limits.resolve());
        let gate = Gate::new(GateParts {
            tools: Arc::clone(&tools.set),
            store: options.store.open(limits.session_idle_ms, &audit_key)?,
            clock: Arc::new(SystemClock),
            handlers: Arc::clone(&handlers) as _,
            observer: Observer::new(Arc::new(SystemClock), sink),
            listener: Some(Arc::new(CallbackListener {
                messages: Arc::clone(&messages),
                hears_confirmations: options.listens_to_confirmations,
            })),
            audit_key,
            spawner: spawner(&executor),
            random: Arc::new(|| getrandom::u64().unwrap_or(u64::MAX)),
            limits,
            environment,
            repair: options.repair,
            modes: options.modes,
        });
        let shared = GateContext { gate, executor, messages, handlers, created_sessions: Arc::default() };
        Ok(Self { shared, _warnings: listener })
    }

    /// Validates arguments. Returns JSON text of `{ args }` or `{ error }`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn validate_args(&self, tool_id: String, args: String) -> String {
        validated_args_text(self.shared.gate.validate_args(&tool_id, RawArgs::Text(args)))
    }

    /// The full data of a shortened answer, as JSON text; `None` if it is not kept.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn full_data(&self, session: String, idempotency_key: String, bytes: f64) -> Option<String> {
        self.shared.gate.full_data(&session, &idempotency_key, number_to_id(bytes)).map(|data| data.to_string())
    }

    /// The counters, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn metrics(&self) -> String {
        self.shared.gate.metrics().to_string()
    }

    /// Locks the registry against reloads.
    #[napi(catch_unwind)]
    pub fn lock(&self) {
        self.shared.gate.lock();
    }

    /// Whether the registry is locked.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn locked(&self) -> bool {
        self.shared.gate.is_locked()
    }

    /// Replaces the tool set for new sessions.
    #[napi(catch_unwind)]
    pub fn reload(&self, tools: &NativeToolSet) -> napi::Result<()> {
        self.shared.gate.reload(&tools.set).map_err(|error| misuse(error.to_string()))
    }

    /// Attaches to a session. The answer is `{ created }` for `takeSession`, or `{ error: { code, message } }`.
    #[napi(catch_unwind)]
    pub fn create_session(&self, call_number: u32, options: String) -> napi::Result<EncodedMessages> {
        let options: JsSessionOptions = parse_json(&options, "session options")?;
        let (gate, created) = (Arc::clone(&self.shared.gate), Arc::clone(&self.shared.created_sessions));
        Ok(self.shared.answer_call(call_number, panicked, move || async move {
            match gate.create_session(options.into()).await {
                Ok(session) => {
                    created.lock().insert(call_number, session);
                    json!({ "created": call_number }).to_string()
                }
                Err(error) => create_error(&error),
            }
        }))
    }

    /// Checks the session store for a permanent failure. The answer is `{}`, or `{ error }` with the message.
    #[napi(catch_unwind)]
    pub fn check_store(&self, call_number: u32) -> EncodedMessages {
        let gate = Arc::clone(&self.shared.gate);
        self.shared.answer_call(call_number, panicked, move || async move {
            let error = gate.check_store().await.err().map(|error| error.to_string());
            error.map_or_else(|| "{}".to_owned(), |error| json!({ "error": error }).to_string())
        })
    }

    /// Uses the store as it is after it has lost its data. The answer is `{}`, or `{ error }` with the message.
    #[napi(catch_unwind)]
    pub fn accept_store(&self, call_number: u32) -> EncodedMessages {
        let gate = Arc::clone(&self.shared.gate);
        self.shared.answer_call(call_number, panicked, move || async move {
            let error = gate.accept_store().await.err().map(|error| error.to_string());
            error.map_or_else(|| "{}".to_owned(), |error| json!({ "error": error }).to_string())
        })
    }

    /// Reconciles calls of uncertain outcome that were begun so many milliseconds ago or before. The answer is `{ value }` with the
    /// report, or `{ error }`.
    #[napi(catch_unwind)]
    pub fn reconcile(
        &self,
        call_number: u32,
        older_than_ms: f64,
        limit: u32,
        services: Vec<String>,
    ) -> EncodedMessages {
        let gate = Arc::clone(&self.shared.gate);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        self.shared.answer_call(call_number, panicked, move || async move {
            result_envelope(gate.reconcile(number_to_id(older_than_ms), limit, &services.into_iter().collect()).await)
        })
    }

    /// The health of the gate. Ticketed: `{ ok, closing, storeError, audit: { failing, lost }, owed: { oldestAgeMs } }`.
    #[napi(catch_unwind)]
    pub fn health(&self, call_number: u32) -> EncodedMessages {
        let gate = Arc::clone(&self.shared.gate);
        self.shared.answer_call(call_number, panicked, move || async move { json!(gate.health().await).to_string() })
    }

    /// Takes the session that `createSession` created under a call number, once.
    #[napi(catch_unwind)]
    pub fn take_session(&self, call_number: u32) -> napi::Result<NativeSession> {
        let session = self.shared.created_sessions.lock().remove(&call_number);
        let session = session.ok_or_else(|| misuse("no session was created under this call number"))?;
        Ok(NativeSession::new(self.shared.clone(), session))
    }

    /// The function that reports a handler's end: its number, the way of ending, a text, and a note: a warning, or the
    /// JSON Pointer of what is not JSON. Returns the messages that are ready then.
    #[napi(catch_unwind, ts_return_type = "(id: number, ended: number, text: string, note?: string) => string | null")]
    pub fn settle_function(&self, env: Env) -> napi::Result<Unknown<'static>> {
        raw_functions::create_function(&env, SettleFunction { shared: self.shared.clone() })
    }

    /// The largest result of a handler, in bytes of JSON text.
    #[napi(getter, catch_unwind)]
    #[must_use]
    pub fn max_result_bytes(&self) -> u32 {
        u32::try_from(self.shared.gate.limits().max_result_bytes).unwrap_or(u32::MAX)
    }

    /// Polls all ready futures. Returns the messages that are ready then.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn poll(&self) -> EncodedMessages {
        self.shared.messages_after(|| ())
    }

    /// The arguments of a call as people may see them, JSON text: completed, with their sensitive values masked. `null` if
    /// they are invalid, or the tool is unknown.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn shown_args(&self, tools: &NativeToolSet, tool_id: String, args: String) -> Option<String> {
        self.shared.gate.shown_args(&tools.set, &tool_id, args).map(|shown| shown.to_string())
    }

    /// The data or the error of a call's answer as people who watch calls may see it, JSON text: `{ data }` or `{ error }`, with the
    /// sensitive values of `args` masked. `null` if it may have some that can't be found.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn shown_answer(&self, tools: &NativeToolSet, args: Option<String>, answer: String) -> Option<String> {
        self.shared.gate.shown_answer(&tools.set, args, &answer).map(|shown| shown.to_string())
    }

    /// Writes a handler's own audit line. `entry` is JSON text: `{ name, toolId, callId, args }`, with the arguments of
    /// its call as JSON text. `data` is JSON text.
    #[napi(catch_unwind)]
    pub fn log(&self, tools: &NativeToolSet, session: Option<String>, entry: String, data: String) -> napi::Result<()> {
        let entry: HandlerLogEntry = parse_json(&entry, "audit entry")?;
        let data = serde_json::from_str(&data).unwrap_or(Value::Null);
        self.shared.gate.log(&tools.set, session.as_deref(), &entry, data);
        Ok(())
    }

    /// Writes the audit event of a call that states another tool set than the loaded one.
    #[napi(catch_unwind)]
    pub fn log_version_mismatch(&self, session: Option<String>, stated: String, loaded: String) {
        self.shared.gate.emit_version_mismatch(session.as_deref(), &stated, &loaded);
    }

    /// Says why a source's tool is unavailable: `definition_changed`, `definition_gone`; without a reason it is available. Returns
    /// whether that is news.
    #[napi(catch_unwind)]
    pub fn set_availability(
        &self,
        tools: &NativeToolSet,
        tool_id: String,
        reason: Option<String>,
    ) -> napi::Result<bool> {
        let reason = reason.map(|reason| parse_json(&json!(reason).to_string(), "reason")).transpose()?;
        Ok(tools.set.get(&tool_id).is_some_and(|tool| self.shared.gate.set_availability(tool, reason)))
    }

    /// Stops admission, waits up to `timeout_ms`, aborts the remaining calls, flushes. The answer is `{}`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn close(&self, call_number: u32, timeout_ms: u32) -> EncodedMessages {
        let gate = Arc::clone(&self.shared.gate);
        let timeout = Duration::from_millis(u64::from(timeout_ms));
        self.shared.answer_call(call_number, panicked, move || async move {
            gate.close(timeout).await;
            "{}".to_owned()
        })
    }
}

/// The function of [`NativeGate::settling`].
struct SettleFunction {
    shared: GateContext,
}

impl RawFunction for SettleFunction {
    const NAME: &'static CStr = c"settle";

    fn call(&self, arguments: &RawArguments) -> Result<EncodedMessages, &'static str> {
        let ended = arguments.number(1).and_then(HandlerEnd::from_code);
        let (Some(id), Some(ended), Some(text)) = (arguments.number(0), ended, arguments.text(2)) else {
            return Err("`settle` takes a handler's number, a known way of ending, and a text");
        };
        let outcome = ended.into_outcome(text, arguments.text(3));
        Ok(self.shared.messages_after(|| self.shared.handlers.settle(number_to_id(id), outcome)))
    }
}

fn spawner(executor: &Arc<Executor>) -> crate::gate::Spawner {
    // The gate and the executor have the same owner: a strong reference here would leak both.
    let executor = Arc::downgrade(executor);
    Arc::new(move |task| {
        if let Some(executor) = executor.upgrade() {
            executor.spawn(task);
        }
    })
}

fn create_error(error: &CreateError) -> String {
    let code = match error {
        CreateError::Option(_) => "INVALID_OPTION",
        CreateError::Closed => "CLOSED",
        CreateError::Version { .. } => "REGISTRY_VERSION_MISMATCH",
        CreateError::Store(crate::store::StoreError::WrongPrincipal) => "AUTH",
        CreateError::Store(crate::store::StoreError::SessionEnded) => "SESSION_INACTIVE",
        CreateError::Store(
            crate::store::StoreError::Failed(_)
            | crate::store::StoreError::Unreachable(_)
            | crate::store::StoreError::SessionFailed(_)
            | crate::store::StoreError::LostData(_)
            | crate::store::StoreError::Full,
        ) => "TRANSIENT",
    };
    let retry_after_ms = match error {
        CreateError::Store(crate::store::StoreError::Full) => Some(crate::store::FULL_RETRY_AFTER_MS),
        _ => None,
    };
    let versions = match error {
        CreateError::Version { session, registry } => json!({ "expected": &**session, "actual": &**registry }),
        _ => Value::Null,
    };
    json!({
        "error": { "code": code, "message": error.to_string(), "versions": versions, "retryAfterMs": retry_after_ms }
    })
    .to_string()
}
