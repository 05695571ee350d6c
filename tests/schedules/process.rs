//! One process: a gate with its handlers, its attachment to the session, and the calls that wait in it.

use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::task::AbortHandle;
use tokio::time::sleep;
use toolgate::clock::TokioClock;
use toolgate::definition::{Artifact, ProviderDeclarations, ToolWithDeclarations};
use toolgate::gate::{Environment, Gate, GateLimits, GateParts, Session, SessionOptions};
use toolgate::observe::Observer;
use toolgate::registry::ToolSet;
use toolgate::run::{HandlerError, HandlerOutcome, Handlers, Invocation, InvocationId, OutcomeSink};
use toolgate::session::policy::ModeOverrides;
use toolgate::store::AnyStore;

use super::chooser::Chooser;
use super::history::{End, History, Run};
use super::sim_store::{SimPlace, SimStore};

/// The calls that one turn allows.
pub const TOTAL: u32 = 4;
/// The tools, with side effects and idempotency.
pub const TOOLS: [(&str, &str, bool); 4] =
    [("look", "read_only", true), ("send", "writes", false), ("put", "writes", true), ("pay", "writes", false)];

static TOOL_SET: LazyLock<Arc<ToolSet>> = LazyLock::new(|| {
    let tools = TOOLS.map(|(id, side_effects, idempotent)| {
        let definition = json!({
            "toolId": id, "version": "1.0.0", "title": id, "description": id, "category": "utility",
            "sideEffects": side_effects, "idempotent": idempotent, "requiresConfirmation": id == "pay",
            // A confirmed duplicate is the act of its user, which no budget counts.
            "duplicate": false,
            "allowedModes": ["text"], "latencyBudgetMs": 100_000, "timeoutMs": 300, "parallel": true,
            "jsonSchema": {
                "type": "object", "additionalProperties": false,
                "properties": { "n": { "type": "integer" } }, "required": ["n"],
            },
            "summary": id, "documentation": id, "handlerPath": format!("./{id}/handler.js"),
        });
        let definition = serde_json::from_value(definition).expect("a definition");
        ToolWithDeclarations { definition, declared: ProviderDeclarations::default() }
    });
    let artifact = Artifact {
        artifact_version: 1,
        version: "1.0.00000000".to_owned(),
        git_commit: None,
        build_timestamp: "2026-01-01T00:00:00Z".to_owned(),
        tools: tools.into(),
    };
    ToolSet::compile(artifact).expect("a tool set").into()
});

/// The handlers of all processes: they write each start and end to the history.
struct SimHandlers {
    seed: u64,
    history: Arc<History>,
    running: Mutex<HashMap<InvocationId, AbortHandle>>,
    tasks: Arc<Mutex<Vec<AbortHandle>>>,
}

impl Handlers for SimHandlers {
    fn start(&self, invocation: Invocation, sink: OutcomeSink) {
        let args: Map<String, Value> = serde_json::from_str(&invocation.args).expect("arguments are an object");
        let id = invocation.call_id.as_ref().expect("each call has an id").as_str().to_owned();
        let (run, nth) = self.history.start(Run {
            tool: invocation.tool.id.to_string(),
            id: id.clone(),
            idempotency_key: invocation.idempotency_key.to_string(),
            attempt: invocation.attempt,
            end: None,
        });
        let mut chooser = Chooser::named(self.seed, ("handler", id, nth));
        let duration = Duration::from_millis(if chooser.once_in(5) { chooser.below(600) } else { chooser.below(60) });
        let end = chooser.one_of(&[End::Success, End::Success, End::Success, End::NothingDone, End::Failure]);
        let history = Arc::clone(&self.history);
        let task = tokio::spawn(async move {
            // What this task owns is forgotten, not dropped, if it is aborted: a dead process reports nothing.
            let sink = ManuallyDrop::new(sink);
            sleep(duration).await;
            history.end(run, end);
            ManuallyDrop::into_inner(sink).send(match end {
                End::Success => {
                    HandlerOutcome::Returned(json!({ "ok": true, "data": { "args": args, "run": run } }).to_string())
                }
                End::NothingDone => thrown("RATE_LIMIT"),
                End::Failure => thrown("PERMANENT"),
            });
        });
        self.tasks.lock().push(task.abort_handle());
        self.running.lock().insert(invocation.id, task.abort_handle());
    }

    fn abort(&self, _: InvocationId, _: &str) {}

    fn forget(&self, id: InvocationId) {
        if let Some(task) = self.running.lock().remove(&id) {
            task.abort();
        }
    }
}

fn thrown(kind: &str) -> HandlerOutcome {
    let message = "simulated".to_owned();
    HandlerOutcome::Threw(Box::new(HandlerError { kind: Some(kind.to_owned()), message, ..HandlerError::default() }))
}

/// A process.
pub struct Process {
    pub session: Arc<Session>,
    pub tasks: Arc<Mutex<Vec<AbortHandle>>>,
}

impl Process {
    /// Starts a gate on the place and attaches to the one session.
    pub async fn start(seed: u64, place: &Arc<SimPlace>, history: &Arc<History>, clock: TokioClock) -> Self {
        let tasks: Arc<Mutex<Vec<AbortHandle>>> = Arc::default();
        let spawned = Arc::clone(&tasks);
        let gate = Gate::new(GateParts {
            tools: Arc::clone(&TOOL_SET),
            store: AnyStore::other(SimStore(Arc::clone(place))),
            clock: Arc::new(clock),
            handlers: Arc::new(SimHandlers {
                seed,
                history: Arc::clone(history),
                running: Mutex::default(),
                tasks: Arc::clone(&tasks),
            }),
            observer: Observer::new(Arc::new(clock), None),
            listener: None,
            audit_key: Arc::default(),
            random: Arc::new(|| u64::MAX),
            spawner: Arc::new(move |task| spawned.lock().push(tokio::spawn(task).abort_handle())),
            limits: GateLimits::default(),
            modes: HashMap::new(),
            repair: toolgate::schema::RepairRules::ALL,
            environment: Environment::Production,
        });
        let policy = ModeOverrides { total_calls: Some(TOTAL), ..ModeOverrides::default() };
        let options = SessionOptions {
            session_id: Some("s1".to_owned()),
            principal: None,
            resume_token: None,
            mode: "text".to_owned(),
            state: std::collections::BTreeMap::new(),
            roles: std::collections::BTreeSet::new(),
            services: std::collections::BTreeSet::new(),
            policy,
            exclusive: None,
            time_zone: None,
            can_ask: None,
            holds_writes: false,
            resume_only: false,
            confirmation: None,
            listens: false,
            turn_pause: None,
        };
        let session = Arc::new(gate.create_session(options).await.expect("a session"));
        Self { session, tasks }
    }

    /// Ends the process where it stands: its calls get no answer, its handlers no further step.
    pub fn crash(&self) {
        self.tasks.lock().drain(..).for_each(|task| task.abort());
    }
}
