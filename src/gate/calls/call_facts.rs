//! The facts of calls and executions that events report.

use crate::admit::{Admission, AdmittedCall, CallHeader};
use crate::call::{CallId, SessionId};
use crate::clock::EpochMs;
use crate::gate::Gate;
use crate::observe::event::{CallFacts, Event, ExecutionFacts};
use crate::observe::question_facts::ShownFacts;
use crate::response::ToolResponse;
use crate::session::fingerprint::preview_digest;
use crate::session::key::idempotency_key;
use crate::store::{DoneBefore, Question};

pub(in crate::gate) fn call_facts(header: &CallHeader) -> CallFacts<'_> {
    CallFacts {
        tool_id: &header.name,
        tool_version: header.tool.as_ref().map(|tool| &*tool.version),
        registry_version: &header.registry_version,
        mode: &header.mode.name,
        turn: header.turn,
        call_id: header.call_id.as_ref().map(CallId::as_str),
        parent_call_id: header.parent.as_ref().and_then(|parent| parent.call_id.as_ref()).map(CallId::as_str),
    }
}

/// The event of a call that would have done what was done before.
pub(in crate::gate) fn duplicate_found<'a>(
    header: &'a CallHeader,
    admission: &Admission,
    done: DoneBefore,
    now: EpochMs,
) -> Event<'a> {
    let answer = match admission {
        Admission::Ask(..) | Admission::Counted(..) => "asked",
        Admission::Replay(..) => "replayed",
        Admission::Join(..) => "joined",
        Admission::Run(_)
        | Admission::Reconcile(_)
        | Admission::Check(_)
        | Admission::Refuse(_)
        | Admission::StoreFailed(_) => "refused",
    };
    let (call, outcome) = (call_facts(header), done.outcome.as_str());
    Event::DuplicateFound { call, answer, outcome, age_ms: now.saturating_sub(done.at) }
}

/// The way an execution got its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum ExecutionEnd {
    /// The handler ended in time.
    Ended,
    /// The handler ended after the callers had been answered.
    Late,
    /// The deadline passed.
    TimedOut,
    /// A cached result was the answer.
    Cached,
}

impl Gate {
    /// What a question shows, as audit lines have it: the same in those that ask and answer, and in that of the run.
    pub(in crate::gate) fn shown_facts(&self, session: &SessionId, question: &Question) -> ShownFacts {
        let key = self.parts.audit_key.audit().filter(|_| self.parts.observer.is_audited());
        ShownFacts {
            idempotency_key: key.map(|_| idempotency_key(session, &question.tool, &question.key)),
            final_args_hash: key.map(|key| key.hash(&question.args_digest)),
            preview_hash: key.map(|key| key.hash(&preview_digest(&question.preview))),
            edited: question.edited.iter().map(|edited| edited.path.clone()).collect(),
        }
    }

    /// Emits the end of an execution.
    pub(in crate::gate) fn emit_executed(
        &self,
        session: &SessionId,
        call: &AdmittedCall,
        response: &ToolResponse,
        how: ExecutionEnd,
    ) {
        let key = self.parts.audit_key.audit().filter(|_| self.parts.observer.is_audited());
        let args_hash = key.map(|key| key.hash(&call.fingerprint.args_hash()));
        let executed = ExecutionFacts {
            call: call_facts(&call.header),
            ok: response.is_ok(),
            error_type: response.outcome.error_type(),
            category: call.tool.definition.category.as_str(),
            duration: response.meta.duration,
            attempts: response.meta.attempts.unwrap_or_default(),
            idempotency_key: &call.idempotency_key,
            args_hash: args_hash.as_deref(),
            clamped: &call.clamped,
            defaulted: &call.defaulted,
            repaired: &call.header.repaired,
            result_bytes: response.outcome.identity().len(),
            late: how == ExecutionEnd::Late,
            timed_out: how == ExecutionEnd::TimedOut,
            cached: how == ExecutionEnd::Cached,
        };
        self.emit(Some(session.as_str()), &Event::ToolExecution(executed));
    }
}
