//! The attempts of a call, one after another, until one gives the answer: the loop around the handler, inside the
//! deadline. [`Gate::normalize`] evaluates an attempt; [`retry::decide`] decides whether another one follows.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::open_session::OpenSession;
use super::{Gate, call_facts};
use crate::admit::AdmittedCall;
use crate::observe::event::Event;
use crate::run::deadline::{self, AttemptEnd};
use crate::run::execution::Execution;
use crate::run::retry::{self, ElapsedTime, RetryDecision, RetryPolicy, TransientFailure};
use crate::run::{HandlerFuture, Invocation, InvocationId, PreparedArgs};
use crate::session::parent_call::ParentCall;
use crate::settle::NormalizedOutcome;

/// The end of a call's attempts.
pub(super) enum AttemptsEnd {
    /// The last attempt ended in time.
    Finished(NormalizedOutcome),
    /// The deadline, this long after the start, passed.
    TimedOut(UnfinishedAttempt, Duration),
    /// The execution is to stop, with the reason: during the unfinished attempt, or between two attempts.
    Aborted(String, Option<UnfinishedAttempt>),
}

/// A handler that was given up and may still end.
pub(super) struct UnfinishedAttempt {
    pub(super) id: InvocationId,
    pub(super) handler: HandlerFuture,
}

/// The attempts of one call.
pub(super) struct Attempts<'a> {
    pub(super) gate: &'a Gate,
    /// The session; `None` for a call without one.
    pub(super) open: Option<&'a OpenSession>,
    pub(super) attachment: u64,
    pub(super) call: &'a AdmittedCall,
    pub(super) execution: &'a Execution,
    /// The arguments of the first attempt, if they were prepared.
    pub(super) prepared: Option<Arc<PreparedArgs>>,
}

impl Attempts<'_> {
    /// Runs the attempts. Returns their end and their number.
    pub(super) async fn run(&mut self) -> (AttemptsEnd, u32) {
        let started = Instant::now();
        let timeout = self.timeout(started);
        let gives_up_at = timeout.map(|timeout| self.gate.now().saturating_add(to_whole_ms(timeout)));
        // A deadline beyond the clock's range means no deadline.
        let deadline = timeout.and_then(|timeout| started.checked_add(timeout));
        let mut attempt = 1;
        loop {
            let prepared = self.prepared.take();
            let invocation = self.invocation(attempt, gives_up_at, prepared);
            let id = invocation.id;
            // Dropped when the attempt ends, on every way out: that ends the calls of its handler as well.
            let parent_attempt = self.open.map(|open| open.parent_attempts.begin(id, self.parent_call(deadline)));
            let mut handler = self.gate.parts.handlers.start(invocation);
            let normalized = match deadline::run_until(&mut handler, self.execution, deadline).await {
                AttemptEnd::Finished(outcome) => self.gate.normalize(self.call, outcome),
                AttemptEnd::TimedOut => {
                    return (
                        AttemptsEnd::TimedOut(UnfinishedAttempt { id, handler }, timeout.unwrap_or_default()),
                        attempt,
                    );
                }
                AttemptEnd::Aborted(reason) => {
                    return (AttemptsEnd::Aborted(reason, Some(UnfinishedAttempt { id, handler })), attempt);
                }
            };
            match self.next_step(attempt, normalized.transient_failure, started, timeout) {
                RetryDecision::GiveUp => return (AttemptsEnd::Finished(normalized), attempt),
                RetryDecision::Retry { after } => {
                    drop(parent_attempt);
                    self.emit_retry(attempt, &normalized, after);
                    if let Some(reason) = deadline::pause(self.execution, after).await {
                        return (AttemptsEnd::Aborted(reason, None), attempt);
                    }
                    match prepare_args(self.gate, self.call, self.execution).await {
                        Ok(prepared) => self.prepared = prepared,
                        Err(reason) => return (AttemptsEnd::Aborted(reason, None), attempt),
                    }
                    attempt += 1;
                }
            }
        }
    }

    /// The tool's timeout, and never more than the rest of the parent call's deadline.
    fn timeout(&self, now: Instant) -> Option<Duration> {
        let own = self.call.tool.definition.timeout_ms.0.map(Duration::from_millis);
        let deadline = self.call.header.parent.as_ref().and_then(|parent| parent.deadline);
        let remaining = deadline.map(|deadline| deadline.saturating_duration_since(now));
        own.into_iter().chain(remaining).min()
    }

    /// This call as the parent of its handler's calls.
    fn parent_call(&self, deadline: Option<Instant>) -> ParentCall {
        let header = &self.call.header;
        let parent = header.parent.as_deref();
        let mut exclusive_tools = parent.map(|parent| parent.exclusive_tools.clone()).unwrap_or_default();
        if !self.call.tool.definition.parallel {
            exclusive_tools.push(Arc::clone(&self.call.tool.id));
        }
        ParentCall::new(
            self.call.key.clone(),
            header.call_id.clone().or_else(|| parent.and_then(|parent| parent.call_id.clone())),
            header.turn,
            parent.map_or(0, |parent| parent.depth + 1),
            exclusive_tools,
            deadline,
        )
    }

    fn next_step(
        &self,
        attempt: u32,
        failure: Option<TransientFailure>,
        started: Instant,
        deadline: Option<Duration>,
    ) -> RetryDecision {
        let Some(failure) = failure.filter(|_| self.call.tool.effect.may_be_retried()) else {
            return RetryDecision::GiveUp;
        };
        let retry = &self.call.tool.definition.retry;
        let policy = RetryPolicy {
            max_attempts: retry.max_attempts.unwrap_or(self.call.header.mode.attempts),
            base_delay: Duration::from_millis(retry.base_delay_ms),
            multiplier: retry.multiplier,
        };
        let elapsed = ElapsedTime { so_far: started.elapsed(), deadline };
        retry::decide(attempt, failure, policy, elapsed, (self.gate.parts.random)())
    }

    /// Emits the retry of a failed attempt, whose intents are dropped.
    fn emit_retry(&self, attempt: u32, normalized: &NormalizedOutcome, after: Duration) {
        for intent in &normalized.intents {
            let tool_id = &*self.call.tool.id;
            let reason = "the attempt failed and is followed by another";
            self.gate.emit(self.session(), &Event::IntentDropped { tool_id, intent: intent.name(), reason });
        }
        let after_ms = to_whole_ms(after);
        let error_type = normalized.outcome.error_type();
        let call = call_facts::call_facts(&self.call.header);
        self.gate.emit(self.session(), &Event::ToolRetried { call, attempt, error_type, after_ms });
    }

    fn session(&self) -> Option<&str> {
        self.open.map(|open| open.live.id.as_str())
    }

    fn invocation(&self, attempt: u32, deadline: Option<u64>, prepared: Option<Arc<PreparedArgs>>) -> Invocation {
        let call = self.call;
        Invocation {
            id: self.gate.next_id(),
            tool: Arc::clone(&call.tool),
            attachment: self.attachment,
            args: Arc::clone(&call.args),
            kept_args: call.kept_args.clone(),
            prepared,
            call_id: call.header.call_id.clone(),
            mode: Arc::clone(&call.header.mode.name),
            attempt,
            idempotency_key: Arc::clone(&call.idempotency_key),
            deadline,
            clamped: call.clamped.clone(),
        }
    }
}

/// Lets the host prepare the arguments for one attempt.
///
/// # Errors
/// The reason if the execution is to stop.
pub(super) async fn prepare_args(
    gate: &Gate,
    call: &AdmittedCall,
    execution: &Execution,
) -> Result<Option<Arc<PreparedArgs>>, String> {
    match gate.parts.handlers.prepare(&call.args, call.kept_args.as_ref()) {
        None => Ok(None),
        Some(preparation) => deadline::prepared(execution, preparation).await.map(Some),
    }
}

pub(super) fn to_whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
