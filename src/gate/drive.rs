//! One execution, from the handler's start to its record. Goes on by itself: callers come and go.
//!
//! Order, once the handler has ended: normalize, intents, record, observers, answer. Whoever hears the answer finds the
//! record, and an equal call that arrives meanwhile joins.

use std::sync::Arc;
use std::time::Duration;

use super::Gate;
use super::open::OpenSession;
use crate::admit::AdmittedCall;
use crate::observe::event::Event;
use crate::response::ToolResponse;
use crate::run::deadline::{self, Ran};
use crate::run::execution::Execution;
use crate::run::{HandlerOutcome, Invocation, InvocationId};
use crate::session::intent::Intent;
use crate::session::state::{Author, Change, Farewell};
use crate::settle::{self, Normalized, answer};
use crate::store::{RecordState, Settlement};

pub(super) async fn drive(
    gate: Arc<Gate>,
    open: Arc<OpenSession>,
    attachment: u64,
    call: AdmittedCall,
    execution: Arc<Execution>,
) {
    let timeout_ms = call.tool.definition.timeout_ms.0;
    let _held = gate.hold(&open.live.id, &call);
    let invocation = invocation(&gate, attachment, &call, timeout_ms);
    let id = invocation.id;
    let mut handler = gate.parts.handlers.start(invocation);
    let settling = Settling { gate: &gate, open: &open, call: &call, execution: &execution };
    match deadline::run(&mut handler, &execution, timeout_ms.map(Duration::from_millis)).await {
        Ran::Finished(outcome) => settling.finished(outcome).await,
        Ran::TimedOut => {
            settling.timed_out(id, timeout_ms.unwrap_or_default()).await;
            settling.late(handler.await).await;
        }
        Ran::Aborted(reason) => {
            settling.aborted(id, &reason).await;
            if call.tool.effect.may_leave_effects() {
                settling.late(handler.await).await;
            }
        }
    }
}

/// What a handler is started with.
pub(super) fn invocation(gate: &Gate, attachment: u64, call: &AdmittedCall, timeout_ms: Option<u64>) -> Invocation {
    Invocation {
        id: gate.next_id(),
        tool: Arc::clone(&call.tool),
        attachment,
        args: Arc::clone(&call.args),
        call_id: call.header.call_id.clone(),
        mode: Arc::clone(&call.header.mode.name),
        attempt: 1,
        idempotency_key: Arc::clone(&call.idempotency_key),
        deadline: timeout_ms.map(|ms| gate.now().saturating_add(ms)),
        clamped: call.clamped.clone(),
    }
}

struct Settling<'a> {
    gate: &'a Gate,
    open: &'a OpenSession,
    call: &'a AdmittedCall,
    execution: &'a Execution,
}

impl Settling<'_> {
    async fn finished(&self, outcome: HandlerOutcome) {
        let Normalized { outcome, intents, farewell, truncated, mut warnings } =
            settle::outcome(&self.call.tool, &self.call.header.mode, outcome);
        let changes = self.apply(&intents, &farewell, &mut warnings);
        self.check_latency(&mut warnings);
        let mut response = answer::ran(self.call, outcome, truncated, warnings, self.gate.now());
        let record = keeps(&response).then(|| RecordState::Settled(Arc::new(response.clone())));
        if !self.record(record, changes).await {
            response.meta.warnings.push("unrecorded".to_owned());
        }
        self.publish(&Arc::new(response), false);
    }

    /// The callers are told at once; the handler is asked to stop.
    async fn timed_out(&self, id: InvocationId, timeout_ms: u64) {
        self.gate.parts.handlers.abort(id, "timeout");
        let error = settle::timed_out(&self.call.tool, timeout_ms);
        let mut warnings = Vec::new();
        self.check_latency(&mut warnings);
        let response = answer::ran(self.call, error.into(), None, warnings, self.gate.now());
        self.record(self.unfinished(), Vec::new()).await;
        self.publish(&Arc::new(response), true);
    }

    async fn aborted(&self, id: InvocationId, reason: &str) {
        self.gate.parts.handlers.abort(id, reason);
        self.record(self.unfinished(), Vec::new()).await;
        self.open.running.remove(&self.call.key);
        self.execution.close(reason);
    }

    /// A handler that ended after its callers had been answered. Of a write it settles the record; its intents are not
    /// applied any more.
    async fn late(&self, outcome: HandlerOutcome) {
        let normalized = settle::outcome(&self.call.tool, &self.call.header.mode, outcome);
        for intent in &normalized.intents {
            self.dropped(intent, "the result came late");
        }
        let response =
            answer::ran(self.call, normalized.outcome, normalized.truncated, normalized.warnings, self.gate.now());
        if self.call.tool.effect.may_leave_effects() {
            let record = keeps(&response).then(|| RecordState::Settled(Arc::new(response.clone())));
            self.record(record, Vec::new()).await;
        }
        self.tell(&self.gate.executed(self.call, &response, true, false));
    }

    /// What is recorded of a call that was given up: a write's outcome is not known, a read can be made again.
    fn unfinished(&self) -> Option<RecordState> {
        self.call.tool.effect.may_leave_effects().then_some(RecordState::Unknown)
    }

    async fn record(&self, state: Option<RecordState>, changes: Vec<Change>) -> bool {
        let has_changes = !changes.is_empty();
        let settlement = Settlement {
            session: self.open.live.id.clone(),
            key: self.call.key.clone(),
            epoch: self.call.epoch,
            state,
            changes,
            now: self.gate.now(),
        };
        let recorded = self.gate.store_of(self.call).settle(settlement).await;
        if has_changes {
            self.open.live.saved();
        }
        if let Err(error) = &recorded {
            tracing::error!(%error, tool = %self.call.tool.id, "a call's outcome could not be recorded");
        }
        let recorded = recorded.unwrap_or(false);
        if !recorded {
            let (tool_id, key) = (Arc::clone(&self.call.tool.id), self.call.key.clone());
            self.tell(&Event::Unrecorded { tool_id, key });
        }
        recorded
    }

    fn publish(&self, response: &Arc<ToolResponse>, timed_out: bool) {
        self.open.running.remove(&self.call.key);
        self.tell(&self.gate.executed(self.call, response, false, timed_out));
        self.execution.publish(response);
    }

    /// Applies a result's intents, all in one step. Returns what they changed.
    fn apply(&self, intents: &[Intent], farewell: &Farewell, warnings: &mut Vec<String>) -> Vec<Change> {
        if intents.is_empty() {
            return Vec::new();
        }
        let tool = &self.call.tool.id;
        let author = Author {
            by: tool,
            call_id: self.call.header.call_id.as_ref().map(crate::call::CallId::as_str),
            at: self.gate.now(),
        };
        let ((), changes) = self.open.live.change(|state| {
            for intent in intents {
                match state.apply(intent, farewell, author) {
                    Ok(()) => self.tell(&Event::IntentApplied { tool_id: Arc::clone(tool), intent: intent.name() }),
                    Err(problem) => {
                        self.dropped(intent, &problem.to_string());
                        warnings.push(format!("intent `{}` is not applied: {problem}", intent.name()));
                    }
                }
            }
        });
        changes
    }

    fn dropped(&self, intent: &Intent, reason: &str) {
        let tool_id = Arc::clone(&self.call.tool.id);
        self.tell(&Event::IntentDropped { tool_id, intent: intent.name(), reason: reason.to_owned() });
    }

    /// Latencies warn; they never block.
    fn check_latency(&self, warnings: &mut Vec<String>) {
        let (called, mode) = (&self.call.tool, &self.call.header.mode);
        let took = answer::duration_ms(&self.call.header);
        let summed = self.open.tally.lock().add(self.call.header.turn, called.is_retrieval(), took);
        let target = called.is_retrieval().then_some(mode.retrieval_latency_ms).flatten();
        let target = target.unwrap_or(called.definition.latency_budget_ms).min(called.definition.latency_budget_ms);
        self.warn_latency(Some(&called.id), took, target, warnings);
        if let Some(target) = mode.turn_latency_ms {
            self.warn_latency(None, summed, target, warnings);
        }
    }

    fn warn_latency(&self, tool: Option<&Arc<str>>, latency_ms: f64, target_ms: u64, warnings: &mut Vec<String>) {
        #[expect(clippy::cast_precision_loss, reason = "a latency target is far below 2^52 ms")]
        let over = latency_ms > target_ms as f64;
        if over {
            let what = tool.map_or("this turn's calls together", |_| "this call");
            warnings.push(format!("latency: {what} took {latency_ms:.0} ms, the target is {target_ms} ms"));
            self.tell(&Event::LatencyWarning { tool_id: tool.cloned(), latency_ms, target_ms });
        }
    }

    fn tell(&self, event: &Event) {
        self.gate.tell(Some(self.open.live.id.as_str()), event);
    }
}

/// Kept is every answer of a call that ran, but for a failure that may be tried again and changed nothing.
fn keeps(response: &ToolResponse) -> bool {
    response.outcome.error().is_none_or(|error| !error.retryable || error.partial_side_effects)
}
