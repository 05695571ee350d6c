//! A call's attempts, one after another, until one of them is its answer: the loop around the handler, inside the
//! deadline. What an attempt came to is settling's to say, whether another follows is [`retry::next`]'s.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{Gate, facts};
use crate::admit::AdmittedCall;
use crate::observe::event::Event;
use crate::run::deadline::{self, Ran};
use crate::run::execution::Execution;
use crate::run::retry::{self, Elapsed, Next, Passing, Policy};
use crate::run::{HandlerFuture, Invocation, InvocationId};
use crate::settle::{self, Normalized};

/// How a call's attempts ended.
pub(super) enum Ended {
    /// The last one settled in time.
    Finished(Normalized),
    /// The deadline passed.
    TimedOut(Unfinished),
    /// Nobody waits any more, or everything stops: during an attempt, or between two.
    Aborted(String, Option<Unfinished>),
}

/// A handler that has been given up and may still end.
pub(super) struct Unfinished {
    pub(super) id: InvocationId,
    pub(super) handler: HandlerFuture,
}

/// One call's attempts.
pub(super) struct Attempts<'a> {
    pub(super) gate: &'a Gate,
    /// Whose call it is; none outside a session.
    pub(super) session: Option<&'a str>,
    pub(super) attachment: u64,
    pub(super) call: &'a AdmittedCall,
    pub(super) execution: &'a Execution,
}

impl Attempts<'_> {
    /// Runs the handler until it is done. Returns how it ended and how often it was started.
    pub(super) async fn run(&self) -> (Ended, u32) {
        let timeout = self.call.tool.definition.timeout_ms.0.map(Duration::from_millis);
        let gives_up_at = self.call.tool.definition.timeout_ms.0.map(|ms| self.gate.now().saturating_add(ms));
        let started = Instant::now();
        let mut attempt = 1;
        loop {
            let invocation = self.invocation(attempt, gives_up_at);
            let id = invocation.id;
            let mut handler = self.gate.parts.handlers.start(invocation);
            let left = timeout.map(|timeout| timeout.saturating_sub(started.elapsed()));
            let normalized = match deadline::run(&mut handler, self.execution, left).await {
                Ran::Finished(outcome) => settle::outcome(&self.call.tool, &self.call.header.mode, outcome),
                Ran::TimedOut => return (Ended::TimedOut(Unfinished { id, handler }), attempt),
                Ran::Aborted(reason) => return (Ended::Aborted(reason, Some(Unfinished { id, handler })), attempt),
            };
            let elapsed = Elapsed { so_far: started.elapsed(), deadline: timeout };
            match self.next(attempt, normalized.passing, elapsed) {
                Next::GiveUp => return (Ended::Finished(normalized), attempt),
                Next::Retry { after } => {
                    self.failed(attempt, &normalized, after);
                    if let Some(reason) = deadline::pause(self.execution, after).await {
                        return (Ended::Aborted(reason, None), attempt);
                    }
                    attempt += 1;
                }
            }
        }
    }

    fn next(&self, attempt: u32, failure: Option<Passing>, elapsed: Elapsed) -> Next {
        let Some(failure) = failure.filter(|_| self.call.tool.effect.may_be_retried()) else { return Next::GiveUp };
        let retry = &self.call.tool.definition.retry;
        let policy = Policy {
            max_attempts: retry.max_attempts.unwrap_or(self.call.header.mode.attempts),
            base_delay: Duration::from_millis(retry.base_delay_ms),
            multiplier: retry.multiplier,
        };
        retry::next(attempt, failure, policy, elapsed, (self.gate.parts.chance)())
    }

    /// An attempt that is followed by another: what it wanted to happen to the session does not happen.
    fn failed(&self, attempt: u32, normalized: &Normalized, after: Duration) {
        for intent in &normalized.intents {
            let tool_id = Arc::clone(&self.call.tool.id);
            let reason = "the attempt failed and is followed by another".to_owned();
            self.gate.tell(self.session, &Event::IntentDropped { tool_id, intent: intent.name(), reason });
        }
        let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        let error_type = normalized.outcome.error_type();
        let call = facts::of(&self.call.header);
        self.gate.tell(self.session, &Event::ToolRetried { call, attempt, error_type, after_ms });
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
        }
    }
}
