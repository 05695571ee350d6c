//! Answers to calls whose handler does not run: replays, cancellations, refusals; and the history of the loop guard.

use std::sync::Arc;

use crate::admit::CallHeader;
use crate::error::{ErrorType, ToolError};
use crate::gate::Gate;
use crate::gate::calls::call_facts;
use crate::gate::sessions::open_session::OpenSession;
use crate::gate::sessions::session_monitor::ContextExcess;
use crate::observe::event::Event;
use crate::response::ToolResponse;
use crate::run::execution::CancelledCall;
use crate::session::fingerprint::Fingerprint;
use crate::store::{Record, RecordState};

/// Makes the answers to calls of one session.
#[derive(Clone, Copy)]
pub(in crate::gate) struct Answers<'a> {
    pub(in crate::gate) gate: &'a Gate,
    pub(in crate::gate) open: &'a OpenSession,
}

impl Answers<'_> {
    pub(in crate::gate) fn emit(self, event: &Event<'_>) {
        self.gate.emit(Some(self.open.live.id.as_str()), event);
    }

    /// Counts the answer to a call of the model.
    pub(in crate::gate) fn count_context(self, header: &CallHeader, response: &ToolResponse) {
        // The text of the outcome has no closing brace: the `meta` follows it.
        let bytes = u64::try_from(response.outcome.identity().len() + 1).unwrap_or(u64::MAX);
        let call = call_facts::call_facts(header);
        self.gate.parts.observer.count_context(&call, bytes);
        let exceeded = self.open.monitor.lock().add_answer(header.turn, bytes, self.gate.parts.limits.context);
        for ContextExcess { scope, tokens, limit } in exceeded.into_iter().flatten() {
            self.emit(&Event::ContextWarning { call, scope, tokens, limit });
        }
    }

    /// Counts a call that the loop guard warned of or refused.
    pub(in crate::gate) fn count_loop(self, header: &CallHeader, refused: bool) {
        self.open.monitor.lock().count_loop();
        self.emit(&Event::LoopDetected { call: call_facts::call_facts(header), refused });
    }

    /// Adds the outcome of a counted call, refusals included, to the history of the loop guard.
    pub(in crate::gate) fn remember_outcome(
        self,
        header: &CallHeader,
        counted: Option<Fingerprint>,
        mut response: Arc<ToolResponse>,
    ) -> Arc<ToolResponse> {
        let Some(call) = counted else { return response };
        let repeated = self.open.live.loop_history.lock().remember(header.turn, call, &response.outcome);
        if let Some(times) = repeated {
            add_warning(&mut response, format!("this call has had the same outcome {times} times in this turn"));
            self.count_loop(header, false);
        }
        response
    }

    pub(in crate::gate) fn replay(self, header: &CallHeader, record: &Record) -> ToolResponse {
        match &record.state {
            RecordState::Settled(first) => {
                let age_ms = self.gate.now().saturating_sub(record.claimed_at);
                self.replayed_response(header, first, record.turn, age_ms)
            }
            _ => self.refusal_response(header, lost_call()),
        }
    }

    pub(in crate::gate) fn replayed_response(
        self,
        header: &CallHeader,
        first: &ToolResponse,
        original_turn: u32,
        age_ms: u64,
    ) -> ToolResponse {
        self.emit(&Event::ToolReplayed { call: call_facts::call_facts(header), original_turn, age_ms });
        crate::settle::answer::replayed(header, first, original_turn, self.gate.now())
    }

    pub(in crate::gate) fn cancelled_response(self, header: &CallHeader, cancelled: &CancelledCall) -> ToolResponse {
        self.emit(&Event::ToolCancelled {
            call: call_facts::call_facts(header),
            reason: &cancelled.reason,
            outcome: cancelled.effect.as_str(),
        });
        crate::settle::answer::cancelled(header, cancelled, self.gate.now())
    }

    pub(in crate::gate) fn refusal_response(self, header: &CallHeader, error: ToolError) -> ToolResponse {
        match error.kind {
            ErrorType::BudgetExceeded => self.emit(&Event::BudgetWarning { call: call_facts::call_facts(header) }),
            ErrorType::LoopDetected => self.count_loop(header, true),
            _ => {}
        }
        refusal_of_admission(self, header, error)
    }
}

pub(in crate::gate) fn refusal_of_admission(
    answers: Answers<'_>,
    header: &CallHeader,
    error: ToolError,
) -> ToolResponse {
    answers.emit(&Event::ToolRefused {
        call: call_facts::call_facts(header),
        error_type: error.kind,
        message: error.audit_message(),
        retry_after_ms: error.retry_after_ms,
    });
    crate::settle::answer::refused(header, error, answers.gate.now())
}

/// Adds a warning to an answer. An answer that is recorded already stays unchanged in its record.
pub(in crate::gate) fn add_warning(response: &mut Arc<ToolResponse>, warning: String) {
    Arc::make_mut(response).meta.warnings.push(warning);
}

/// CONFLICT for an execution that was lost without an answer.
pub(in crate::gate) fn lost_call() -> ToolError {
    ToolError::new(ErrorType::Conflict, "this call was started and its outcome is not known; it is not run again")
        .with_details(serde_json::json!({ "outcome": "unknown" }))
        .with_side_effects()
}
