//! The attempts of a call, one after another, until one gives the answer: the loop around the handler, inside the
//! deadline. [`Gate::normalize`] evaluates an attempt; [`retry::decide`] decides whether another one follows.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::admit::AdmittedCall;
use crate::clock::EpochMs;
use crate::gate::Gate;
use crate::gate::calls::call_facts;
use crate::gate::nested::nested_calls::ParentAttemptGuard;
use crate::gate::sessions::open_session::OpenSession;
use crate::observe::event::Event;
use crate::run::deadline::{self, AttemptEnd};
use crate::run::execution::Execution;
use crate::run::retry::{self, ElapsedTime, RetryDecision, RetryPolicy, TransientFailure};
use crate::run::{HandlerOutcome, Invocation, Started, StartedHandler};
use crate::session::deadline::Deadline;
use crate::session::parent_call::ParentCall;
use crate::settle::NormalizedOutcome;

/// The end of a call's attempts.
pub(in crate::gate) enum AttemptsEnd {
    /// The last attempt ended in time. Boxed: an outcome is large, and a run is moved as it is spawned.
    Finished(Box<NormalizedOutcome>),
    /// The deadline, this long after the start, passed; the handler is given up and may still end.
    TimedOut(StartedHandler, Duration),
    /// The handler has left the call, to be completed from elsewhere until this time.
    Left(Option<EpochMs>),
    /// The execution is to stop, with the reason: during an attempt, whose handler may still end, or between two.
    Aborted(String, Option<StartedHandler>),
}

/// The times of a call's attempts.
#[derive(Debug)]
struct AttemptTimes {
    /// The start of the first attempt.
    started: Instant,
    /// The time of all attempts together.
    timeout: Option<Duration>,
    /// The deadline for the handler, epoch milliseconds.
    gives_up_at: Option<EpochMs>,
    deadline: Option<Arc<Deadline>>,
}

impl AttemptTimes {
    fn elapsed(&self) -> ElapsedTime {
        let so_far = self.started.elapsed();
        // Not the timeout: the deadline may have stood still.
        ElapsedTime { so_far, deadline: self.deadline.as_ref().map(|deadline| so_far.saturating_add(deadline.left())) }
    }
}

/// An attempt whose handler runs.
struct RunningAttempt {
    /// From 1.
    number: u32,
    handler: StartedHandler,
    /// Dropped when the attempt ends, on every way out: that ends the calls of its handler as well.
    parent_attempt: ParentAttemptGuard,
}

/// The attempts of one call.
#[derive(Clone, Copy)]
pub(in crate::gate) struct Attempts<'a> {
    pub(in crate::gate) gate: &'a Gate,
    pub(in crate::gate) open: &'a OpenSession,
    pub(in crate::gate) attachment: u64,
    pub(in crate::gate) call: &'a AdmittedCall,
    pub(in crate::gate) execution: &'a Arc<Execution>,
}

impl Attempts<'_> {
    /// Runs the attempts. Returns their end and their number.
    pub(in crate::gate) async fn run(&self) -> (AttemptsEnd, u32) {
        let times = self.times();
        let mut attempt = self.start(1, &times);
        loop {
            let RunningAttempt { number, mut handler, parent_attempt } = attempt;
            let end = {
                // Pinned, not moved: a future that is moved into another one takes its space there twice.
                let passed = pin!(Deadline::passed_if_any(times.deadline.as_deref()));
                deadline::run_until(&mut handler, self.execution, passed).await
            };
            drop(parent_attempt);
            self.gate.take_back_questions(self.open).await;
            let outcome = match end {
                AttemptEnd::Finished(HandlerOutcome::Left) => return (AttemptsEnd::Left(times.gives_up_at), number),
                AttemptEnd::Finished(outcome) => self.gate.normalize(self.call, outcome),
                AttemptEnd::TimedOut => {
                    return (AttemptsEnd::TimedOut(handler, times.timeout.unwrap_or_default()), number);
                }
                AttemptEnd::Aborted(reason) => return (AttemptsEnd::Aborted(reason, Some(handler)), number),
            };
            let after = match self.next_step(number, outcome.transient_failure, &times) {
                RetryDecision::GiveUp => return (AttemptsEnd::Finished(outcome), number),
                RetryDecision::Retry { after } => after,
            };
            self.emit_retry(number, &outcome, after);
            if let Some(reason) = deadline::pause(self.execution, after).await {
                return (AttemptsEnd::Aborted(reason, None), number);
            }
            attempt = self.start(number + 1, &times);
        }
    }

    /// Starts an attempt. Its handler's calls are taken from here on.
    fn start(&self, number: u32, times: &AttemptTimes) -> RunningAttempt {
        let invocation = self.invocation(number, times.gives_up_at);
        let parent_attempt = self.open.parent_attempts.begin(
            invocation.id,
            self.call,
            self.execution,
            self.parent_call(times.deadline.clone()),
        );
        let handler = StartedHandler::start(&self.gate.parts.handlers, invocation);
        RunningAttempt { number, handler, parent_attempt }
    }

    /// The times of attempts that begin now.
    fn times(&self) -> AttemptTimes {
        let started = Instant::now();
        let above = self.call.header.parent.as_ref().and_then(|parent| parent.deadline.clone());
        let timeout = self.timeout(above.as_deref());
        // A deadline beyond the clock's range means no deadline.
        let until = timeout.and_then(|timeout| started.checked_add(timeout));
        AttemptTimes {
            started,
            timeout,
            gives_up_at: timeout.map(|timeout| self.gate.now().saturating_add(to_whole_ms(timeout))),
            deadline: until.map(|until| Arc::new(Deadline::new(until, above))),
        }
    }

    /// The tool's timeout, and never more than the rest of the parent call's deadline.
    fn timeout(&self, above: Option<&Deadline>) -> Option<Duration> {
        let own = self.call.tool.definition.timeout_ms.0.map(Duration::from_millis);
        own.into_iter().chain(above.map(Deadline::left)).min()
    }

    /// This call as the parent of its handler's calls.
    fn parent_call(&self, deadline: Option<Arc<Deadline>>) -> ParentCall {
        let header = &self.call.header;
        let parent = header.parent.as_deref();
        let mut exclusive_tools = parent.map(|parent| parent.exclusive_tools.clone()).unwrap_or_default();
        if !self.call.tool.definition.parallel {
            exclusive_tools.push(Arc::clone(&self.call.tool.id));
        }
        let own = ParentCall::new(
            self.call.key.clone(),
            header.call_id.clone().or_else(|| parent.and_then(|parent| parent.call_id.clone())),
            header.turn,
            parent.map_or(0, |parent| parent.depth + 1),
            exclusive_tools,
            deadline,
        );
        own.claimed(self.call.stored_claim()).below(parent, self.call.does_again)
    }

    /// Whether another attempt follows one that ended.
    fn next_step(&self, attempt: u32, failure: Option<TransientFailure>, times: &AttemptTimes) -> RetryDecision {
        let Some(failure) = failure.filter(|_| self.call.tool.effect.may_be_retried()) else {
            return RetryDecision::GiveUp;
        };
        let retry = &self.call.tool.definition.retry;
        let policy = RetryPolicy {
            max_attempts: retry.max_attempts.unwrap_or(self.call.header.mode.attempts),
            base_delay: Duration::from_millis(retry.base_delay_ms),
            multiplier: retry.multiplier,
        };
        let elapsed = times.elapsed();
        retry::decide(attempt, failure, policy, elapsed, (self.gate.parts.random)())
    }

    /// Emits the retry of a failed attempt, whose intents are dropped.
    fn emit_retry(&self, attempt: u32, normalized: &NormalizedOutcome, after: Duration) {
        for intent in &normalized.intents {
            let tool_id = &*self.call.tool.id;
            let reason = "the attempt failed and is followed by another";
            self.emit(&Event::IntentDropped { tool_id, intent: intent.name(), reason });
        }
        let after_ms = to_whole_ms(after);
        let error_type = normalized.outcome.error_type();
        let call = call_facts::call_facts(&self.call.header);
        self.emit(&Event::ToolRetried { call, attempt, error_type, after_ms });
    }

    fn emit(&self, event: &Event<'_>) {
        self.gate.emit(Some(self.open.live.id.as_str()), event);
    }

    fn invocation(&self, attempt: u32, deadline: Option<u64>) -> Invocation {
        let call = self.call;
        Invocation {
            id: self.gate.next_id(),
            tool: Arc::clone(&call.tool),
            attachment: self.attachment,
            args: Arc::clone(&call.args),
            call_id: call.header.call_id.clone(),
            mode: Arc::clone(&call.header.mode.name),
            attempt,
            idempotency_key: Arc::clone(&call.idempotency_key),
            deadline,
            clamped: call.clamped.clone(),
            starts: Started::Handler,
        }
    }
}

pub(in crate::gate) fn to_whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
