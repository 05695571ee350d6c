//! The end of a call, in order: normalize, apply intents, record, notify observers, answer. Once the answer is there,
//! so is the record; an equal call that arrives before joins.

use std::sync::Arc;
use std::time::Duration;

use crate::admit::AdmittedCall;
use crate::call::CallId;
use crate::error::{ErrorType, ToolError};
use crate::gate::Gate;
use crate::gate::calls::call_facts::{self, ExecutionEnd};
use crate::gate::calls::responses::add_warning;
use crate::gate::run::attempts::to_whole_ms;
use crate::gate::run::late_results::GRACE_PERIOD;
use crate::gate::sessions::open_session::OpenSession;
use crate::observe::event::Event;
use crate::observe::listener::ToolUse;
use crate::response::{Outcome, ToolResponse, Truncated};
use crate::run::execution::{CancellationEffect, CancelledCall, Execution};
use crate::run::{HandlerOutcome, InvocationId, StartedHandler};
use crate::session::attachment::Attachment;
use crate::session::cache::CachedResult;
use crate::session::intent::Intent;
use crate::session::state::{ChangeAuthor, Farewell, StateChange};
use crate::settle::{self, NormalizedOutcome, answer};
use crate::store::{CallLookup, RecordState, Settlement, StoreRequests};

/// One call that is being settled.
pub(in crate::gate) struct Settling<'a> {
    pub(in crate::gate) gate: &'a Gate,
    pub(in crate::gate) open: &'a OpenSession,
    /// The attachment's number, if its host listens.
    pub(in crate::gate) listener_id: Option<u64>,
    pub(in crate::gate) call: &'a AdmittedCall,
    pub(in crate::gate) execution: &'a Execution,
    /// The attachment that holds its result.
    pub(in crate::gate) holder: Option<&'a Attachment>,
    /// The number of handler starts.
    pub(in crate::gate) attempts: u32,
}

impl Settling<'_> {
    /// Ready when it is first polled, on a store that never waits.
    pub(in crate::gate) async fn finished(&self, normalized: Box<NormalizedOutcome>) {
        let NormalizedOutcome { outcome, intents, farewell, truncated, full, mut warnings, transient_failure: _ } =
            *normalized;
        let changes = self.apply(&intents, &farewell, &mut warnings);
        self.check_latency(&mut warnings);
        self.gate.keep_full_result(self.open, self.call, full);
        if intents.is_empty() {
            self.cache_result(&outcome, truncated.as_ref());
        }
        let response = answer::executed(self.call, self.attempts, outcome, truncated, warnings, self.gate.now());
        let mut response = Arc::new(response);
        if !self.record(record_of(&response), Some(&response), changes).await {
            // Boxed, so that this rare case does not enlarge the future of every call.
            match Box::pin(self.recorded_answer()).await {
                Some(recorded) => response = recorded,
                None => add_warning(&mut response, "unrecorded".to_owned()),
            }
        }
        self.notify_used(&response);
        self.publish(&response, ExecutionEnd::Ended);
    }

    /// Answers the callers at once with the timeout; the handler is asked to stop.
    pub(in crate::gate) async fn timed_out(&self, id: InvocationId, timeout: Duration) {
        self.gate.parts.handlers.abort(id, "timeout");
        let error = settle::timed_out(&self.call.tool, to_whole_ms(timeout));
        let mut warnings = Vec::new();
        self.check_latency(&mut warnings);
        let response = answer::executed(self.call, self.attempts, error.into(), None, warnings, self.gate.now());
        let response = Arc::new(response);
        self.record(self.state_if_unfinished(), Some(&response), Vec::new()).await;
        self.publish(&response, ExecutionEnd::TimedOut);
    }

    pub(in crate::gate) async fn aborted(&self, id: Option<InvocationId>, reason: &str) {
        if let Some(id) = id {
            self.gate.parts.handlers.abort(id, reason);
        }
        let is_owed = self.execution.has_answered_early() || self.holder.is_some();
        let response = is_owed.then(|| Arc::new(self.stopped_response(reason)));
        self.record(self.state_if_unfinished(), response.as_ref(), Vec::new()).await;
        self.open.running.remove(self.call);
        self.execution.close(reason);
    }

    /// Cancels the callers of a call that was stopped before it had a slot: its handler never runs.
    pub(in crate::gate) async fn never_ran(&self, reason: &str) {
        let cancelled = CancelledCall { reason: reason.to_owned(), effect: CancellationEffect::Aborted };
        let early = self.execution.has_answered_early();
        let result = early.then(|| Arc::new(answer::cancelled(&self.call.header, &cancelled, self.gate.now())));
        self.record(None, result.as_ref(), Vec::new()).await;
        self.open.running.remove(self.call);
        self.execution.close(reason);
    }

    /// Refuses a call that found no slot in time. Its record is deleted, so that it may be made again; its debits stay.
    pub(in crate::gate) async fn queue_timed_out(&self, waited: Duration) {
        let error = settle::queue_timed_out(&self.call.tool, to_whole_ms(waited));
        let call = call_facts::call_facts(&self.call.header);
        let (message, retry_after_ms) = (error.audit_message(), error.retry_after_ms);
        self.emit(&Event::ToolRefused { call, error_type: error.kind, message, retry_after_ms });
        let response = Arc::new(answer::refused(&self.call.header, error, self.gate.now()));
        self.record(None, Some(&response), Vec::new()).await;
        self.open.running.remove(self.call);
        self.execution.publish(&response);
    }

    /// Waits for an aborted handler whose result is not needed, only to report one that ignores its signal.
    pub(in crate::gate) async fn observe_aborted(&self, handler: StartedHandler) {
        if tokio::time::timeout(GRACE_PERIOD, handler).await.is_err() {
            self.emit_signal_ignored();
        }
    }

    /// Waits for a handler whose callers have been answered. Its late result is emitted; for a write it also settles
    /// the record. Its intents are not applied.
    pub(in crate::gate) async fn observe_late_result(&self, mut handler: StartedHandler) {
        let mut observation = self.gate.late_results.observe();
        let listen = async {
            if let Ok(outcome) = tokio::time::timeout(GRACE_PERIOD, &mut handler).await {
                return outcome;
            }
            self.emit_signal_ignored();
            handler.await
        };
        let outcome = tokio::select! {
            biased;
            outcome = listen => Some(outcome),
            () = observation.released() => None,
        };
        if let Some(outcome) = outcome {
            self.settle_late_result(outcome).await;
        }
    }

    async fn settle_late_result(&self, outcome: HandlerOutcome) {
        if outcome == HandlerOutcome::Left {
            // Its completion, if it comes, is the late result.
            return;
        }
        let normalized = self.gate.normalize(self.call, outcome);
        for intent in &normalized.intents {
            self.emit_intent_dropped(intent, "the result came late");
        }
        let NormalizedOutcome { outcome, truncated, full, warnings, .. } = *normalized;
        self.gate.keep_full_result(self.open, self.call, full);
        let response = answer::executed(self.call, self.attempts, outcome, truncated, warnings, self.gate.now());
        let response = Arc::new(response);
        if self.call.tool.effect.may_leave_effects() {
            self.record(record_of(&response), None, Vec::new()).await;
        }
        self.gate.emit_executed(&self.open.live.id, self.call, &response, ExecutionEnd::Late);
    }

    fn emit_signal_ignored(&self) {
        self.emit(&Event::SignalIgnored {
            call: call_facts::call_facts(&self.call.header),
            grace_ms: to_whole_ms(GRACE_PERIOD),
        });
    }

    /// Caches a success for later equal calls if the tool allows it. A result with intents must not come here: each
    /// cached answer would request them again.
    fn cache_result(&self, outcome: &Outcome, truncated: Option<&Truncated>) {
        if let (Some(key), Some(cache), None) = (&self.call.cache, self.call.tool.cache(), outcome.error()) {
            let first = Arc::clone(&self.call.idempotency_key);
            let cached =
                CachedResult { outcome: outcome.clone(), truncated: truncated.cloned(), source_idempotency_key: first };
            let expires = self.gate.now().saturating_add(cache.ttl_ms);
            self.open.live.result_cache.lock().put(key.clone(), cached, expires);
        }
    }

    /// Notifies the listener once, on the final success, even if no caller waits any more.
    fn notify_used(&self, response: &ToolResponse) {
        if let (Some(attachment), Some(listener), true) =
            (self.listener_id, &self.gate.parts.listener, response.is_ok())
        {
            let header = &self.call.header;
            let used =
                ToolUse { tool_id: Arc::clone(&self.call.tool.id), call_id: header.call_id.clone(), turn: header.turn };
            listener.tool_used(attachment, used);
        }
    }

    /// The record of a call that was given up: a write's outcome is unknown; a read has none, so that it can be made
    /// again.
    fn state_if_unfinished(&self) -> Option<RecordState> {
        self.call.tool.effect.may_leave_effects().then_some(RecordState::Unknown)
    }

    /// The answer of a call that was completed from elsewhere while its handler ran: the first end counts.
    async fn recorded_answer(&self) -> Option<Arc<ToolResponse>> {
        let lookup = CallLookup {
            session: self.open.live.id.clone(),
            key: self.call.key.clone(),
            turn: self.call.header.turn,
            limits: Vec::new(),
            act: None,
            content: None,
            known_revision: self.open.live.state_revision(),
            now: self.gate.now(),
        };
        let seen = self.gate.store_of(self.call).look_up(lookup).await.ok()?;
        self.open.live.update_from_store(seen.state);
        match &seen.record.filter(|record| record.epoch == self.call.epoch)?.state {
            RecordState::Settled(answer) => Some(Arc::clone(answer)),
            _ => None,
        }
    }

    /// The result of a call that was stopped after its callers had been answered.
    fn stopped_response(&self, reason: &str) -> ToolResponse {
        let leaves_effects = self.call.tool.effect.may_leave_effects();
        let effect = if leaves_effects { CancellationEffect::Unknown } else { CancellationEffect::Aborted };
        let cancelled = CancelledCall { reason: reason.to_owned(), effect };
        answer::cancelled(&self.call.header, &cancelled, self.gate.now())
    }

    /// Records the end of the call. `result` is owed to the session if the call's callers have been answered, or if it is held.
    async fn record(
        &self,
        state: Option<RecordState>,
        result: Option<&Arc<ToolResponse>>,
        changes: Vec<StateChange>,
    ) -> bool {
        let end = EndOfCall { state, is_heard: self.execution.has_callers(), owed: result.cloned(), changes };
        let recorded = self.gate.record(self.open, self.call, end).await;
        if let Some(holder) = self.holder.filter(|_| result.is_none()) {
            holder.delivery().release(self.call.epoch);
        }
        if self.execution.has_answered_early() || self.holder.is_some() {
            self.open.results_changed();
        }
        recorded
    }

    fn publish(&self, response: &Arc<ToolResponse>, how: ExecutionEnd) {
        self.open.running.remove(self.call);
        self.gate.emit_executed(&self.open.live.id, self.call, response, how);
        self.execution.publish(response);
    }

    /// Applies a result's intents in one step. Returns the state changes.
    fn apply(&self, intents: &[Intent], farewell: &Farewell, warnings: &mut Vec<String>) -> Vec<StateChange> {
        if intents.is_empty() {
            return Vec::new();
        }
        let tool = &self.call.tool.id;
        let author = ChangeAuthor {
            by: tool,
            call_id: self.call.header.call_id.as_ref().map(CallId::as_str),
            at: self.gate.now(),
        };
        let ((), changes) = self.open.live.change_state(|state| {
            for intent in intents {
                match state.apply_intent(intent, farewell, author) {
                    Ok(()) => self.emit(&Event::IntentApplied {
                        tool_id: tool,
                        call_id: author.call_id,
                        turn: self.call.header.turn,
                        mode: &self.call.header.mode.name,
                        intent: intent.name(),
                    }),
                    Err(problem) => {
                        self.emit_intent_dropped(intent, &problem.to_string());
                        warnings.push(format!("intent `{}` is not applied: {problem}", intent.name()));
                    }
                }
            }
        });
        changes
    }

    fn emit_intent_dropped(&self, intent: &Intent, reason: &str) {
        self.emit(&Event::IntentDropped { tool_id: &self.call.tool.id, intent: intent.name(), reason });
    }

    /// Warns if a latency target is exceeded; never refuses.
    fn check_latency(&self, warnings: &mut Vec<String>) {
        let (tool, mode) = (&self.call.tool, &self.call.header.mode);
        let latency_ms = self.call.header.duration_ms();
        let summed = self.open.turn_stats.lock().add(self.call.header.turn, tool.is_retrieval(), latency_ms);
        let target = tool.is_retrieval().then_some(mode.retrieval_latency_ms).flatten();
        let target = target.unwrap_or(tool.definition.latency_budget_ms).min(tool.definition.latency_budget_ms);
        self.warn_latency(Some(&*tool.id), latency_ms, target, warnings);
        if let Some(target) = mode.turn_latency_ms {
            self.warn_latency(None, summed, target, warnings);
        }
    }

    fn warn_latency(&self, tool: Option<&str>, latency_ms: f64, target_ms: u64, warnings: &mut Vec<String>) {
        #[expect(clippy::cast_precision_loss, reason = "a latency target is far below 2^52 ms")]
        let over = latency_ms > target_ms as f64;
        if over {
            let what = tool.map_or("this turn's calls together", |_| "this call");
            warnings.push(format!("latency: {what} took {latency_ms:.0} ms, the target is {target_ms} ms"));
            let call_id = self.call.header.call_id.as_ref().map(CallId::as_str);
            self.emit(&Event::LatencyWarning { tool_id: tool, call_id, latency_ms, target_ms });
        }
    }

    fn emit(&self, event: &Event<'_>) {
        self.gate.emit(Some(self.open.live.id.as_str()), event);
    }
}

/// The end of a call, as it is recorded.
#[derive(Default)]
pub(in crate::gate) struct EndOfCall {
    /// `None` deletes the record, so that the call may be made again.
    pub(in crate::gate) state: Option<RecordState>,
    /// Whether a caller gets the answer.
    pub(in crate::gate) is_heard: bool,
    /// The result, should it be owed to the session.
    pub(in crate::gate) owed: Option<Arc<ToolResponse>>,
    pub(in crate::gate) changes: Vec<StateChange>,
}

impl Gate {
    /// Normalizes the end of a call's handler.
    pub(in crate::gate) fn normalize(&self, call: &AdmittedCall, outcome: HandlerOutcome) -> Box<NormalizedOutcome> {
        let limit = self.parts.limits.max_result_bytes;
        Box::new(settle::normalize_outcome(&call.tool, &call.header.mode, limit, outcome))
    }

    /// Records the end of a claimed call. False if the store did not record it.
    pub(in crate::gate) async fn record(&self, open: &OpenSession, call: &AdmittedCall, end: EndOfCall) -> bool {
        let EndOfCall { state, is_heard, owed, changes } = end;
        if let Some(reservation) = &call.reservation {
            // Boxed, so that it does not enlarge the future of every call.
            Box::pin(reservation.settle(self.store_of(call), state.clone(), self.now())).await;
        }
        let (session, key) = (open.live.id.clone(), call.key.clone());
        let has_changes = !changes.is_empty();
        let settlement =
            Settlement { session, key, epoch: call.epoch, state, is_heard, owed, changes, now: self.now() };
        let recorded = self.store_of(call).settle(settlement).await;
        if has_changes {
            open.live.save_finished();
        }
        if let Err(error) = &recorded {
            tracing::error!(%error, tool = %call.tool.id, "a call's outcome could not be recorded");
        }
        let recorded = recorded.unwrap_or(false);
        if !recorded {
            let event = Event::Unrecorded { tool_id: &call.tool.id, key: &call.key };
            self.emit(Some(open.live.id.as_str()), &event);
        }
        recorded
    }
}

/// The record of an answer. A failure that changed nothing leaves none if the call may be made again: it is retryable, or its tool
/// has refused what its user had changed, who may change it in another way.
pub(in crate::gate) fn record_of(response: &Arc<ToolResponse>) -> Option<RecordState> {
    let is_edited = !response.meta.edited.is_empty();
    let may_be_made_again = |error: &ToolError| {
        !error.partial_side_effects && (error.retryable || (is_edited && error.kind == ErrorType::Validation))
    };
    let is_recorded = response.outcome.error().is_none_or(|error| !may_be_made_again(error));
    is_recorded.then(|| RecordState::Settled(Arc::clone(response)))
}
