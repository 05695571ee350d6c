//! Calls that outlast their callers: the callers of a background call are answered early, and a handler may leave a call
//! to be completed from elsewhere. Each step is stored before a caller is answered.

use std::sync::Arc;
use std::time::Duration;

use crate::admit::{AdmittedCall, RecordLocation, args_for_another_run, store_refusal};
use crate::clock::EpochMs;
use crate::error::{ErrorType, ToolError};
use crate::gate::Gate;
use crate::gate::calls::call_facts::call_facts;
use crate::gate::calls::remote_join::RemoteJoin;
use crate::gate::calls::responses::lost_call;
use crate::gate::nested::nested_calls::ParentAttempt;
use crate::gate::run::attempts::to_whole_ms;
use crate::gate::run::external_completion::CompletionToken;
use crate::gate::run::running::RunningKey;
use crate::gate::sessions::attachment::Session;
use crate::gate::sessions::open_session::OpenSession;
use crate::observe::event::Event;
use crate::response::ToolResponse;
use crate::run::InvocationId;
use crate::run::execution::Execution;
use crate::session::attachment::Attachment;
use crate::session::key::RecordKey;
use crate::settle;
use crate::store::owed::{Deferral, DeferralResult, DeferralStep, MAX_OWED};
use crate::store::{StoreError, StoreRequests};

/// A call that takes steps out of its process.
#[derive(Clone, Copy)]
pub(in crate::gate) struct Deferring<'a> {
    pub(in crate::gate) gate: &'a Arc<Gate>,
    pub(in crate::gate) open: &'a Arc<OpenSession>,
    pub(in crate::gate) call: &'a AdmittedCall,
    pub(in crate::gate) execution: &'a Arc<Execution>,
    /// The attachment that holds its result.
    pub(in crate::gate) holder: Option<&'a Attachment>,
}

impl Deferring<'_> {
    /// Answers the callers early. They go on waiting if the store does not take the step.
    pub(in crate::gate) async fn answer_callers(self) {
        let running = self.running();
        match self.take_step(DeferralStep::AnswerCallers, &running).await {
            Ok(DeferralResult::Done) => {
                self.hold_no_longer();
                self.emit_deferred();
                self.execution.answer_early(&running);
                self.open.results_changed();
            }
            Ok(DeferralResult::Full) => tracing::warn!("{MAX_OWED} results are owed; a background call is waited for"),
            Ok(DeferralResult::Ended(_)) => {}
            Err(error) => tracing::warn!(%error, "a background call is waited for"),
        }
    }

    /// Leaves a call whose handler has returned without a result. Its callers are answered early, or wait for its
    /// completion.
    pub(in crate::gate) async fn leave(self, until: Option<EpochMs>, is_delivered: bool) {
        let running = self.running();
        let was_answered = self.execution.has_answered_early();
        let answers_callers = is_delivered || was_answered;
        let refusal = match self.take_step(DeferralStep::Leave { until, answers_callers }, &running).await {
            Ok(DeferralResult::Done) if answers_callers => {
                self.hold_no_longer();
                if !was_answered {
                    self.emit_deferred();
                }
                self.publish(&running);
                // A wait for a result looks at the store again: nothing here ends the call from now on.
                return self.open.results_changed();
            }
            Ok(DeferralResult::Done) => return self.wait_for_completion().await,
            Ok(DeferralResult::Ended(Some(response))) => return self.publish(&response),
            Ok(DeferralResult::Ended(None)) => lost_call(),
            Ok(DeferralResult::Full) => too_many(),
            Err(error) => store_refusal(&error),
        };
        self.open.running.remove(self.call);
        self.execution.refuse(&refusal);
    }

    /// The result comes later, to whoever takes it.
    fn hold_no_longer(self) {
        if let Some(holder) = self.holder {
            holder.delivery().release(self.call.epoch);
        }
    }

    fn publish(self, response: &Arc<ToolResponse>) {
        self.open.running.remove(self.call);
        self.execution.publish(response);
    }

    async fn wait_for_completion(self) {
        let timeout = self.call.tool.definition.timeout_ms.0.map(Duration::from_millis);
        let overdue = settle::timed_out(&self.call.tool, to_whole_ms(timeout.unwrap_or_default()));
        let wait = RemoteJoin {
            gate: Arc::clone(self.gate),
            open: Arc::clone(self.open),
            header: Arc::clone(&self.call.header),
            attachment: 0,
            key: self.call.key.clone(),
            running_key: RunningKey::of_call(self.call),
            execution: Arc::clone(self.execution),
            if_lost: Some(overdue),
        };
        Box::pin(wait.run()).await;
    }

    fn running(self) -> Arc<ToolResponse> {
        Arc::new(self.call.header.running_answer(self.gate.now()))
    }

    async fn take_step(self, step: DeferralStep, running: &Arc<ToolResponse>) -> Result<DeferralResult, StoreError> {
        let args = args_for_another_run(self.call);
        let claimed = (&self.call.key, self.call.epoch);
        self.gate.defer(self.open, claimed, step, running, args).await
    }

    fn emit_deferred(self) {
        self.gate.emit(Some(self.open.live.id.as_str()), &Event::ToolDeferred { call: call_facts(&self.call.header) });
    }
}

/// Whether a call's result may be delivered after its callers were answered: an attachment takes results, and no handler
/// waits for it.
pub(in crate::gate) fn is_delivered(session: &Session, call: &AdmittedCall) -> bool {
    session.attachment.delivers_results()
        && call.header.parent.is_none()
        && call.record_location == RecordLocation::Store
}

impl Session {
    /// The token with which the call of a running handler may be completed from any process on the store: the same for all
    /// attempts of the call.
    ///
    /// # Errors
    /// If the handler has ended, too many results are owed, or the store fails.
    pub async fn completion_token(&self, invocation: InvocationId) -> Result<String, ToolError> {
        let attempt = self.open.parent_attempts.get(invocation).filter(|attempt| self.is_running(attempt));
        let attempt = attempt.ok_or_else(|| ToolError::new(ErrorType::Conflict, "the call is over"))?;
        let ParentAttempt { parent, header, execution, args, .. } = &*attempt;
        let Some(epoch) = &parent.claim else {
            let message = "the store fails: the call can't be completed from elsewhere";
            return Err(ToolError::new(ErrorType::Transient, message).retryable_after(None));
        };
        // Made once, so that calls at the same time store the same secret; stored each time, because a step may have failed.
        let (token, digest) = if let Some(known) = execution.completion_token.get() {
            known
        } else {
            let new = CompletionToken::new(self.id().clone(), *epoch)?;
            execution.completion_token.get_or_init(|| (new.to_string().into(), new.digest()))
        };
        let running = Arc::new(header.running_answer(self.gate.now()));
        let step = DeferralStep::AllowCompletion { secret: Arc::clone(digest) };
        match self.gate.defer(&self.open, (&parent.key, *epoch), step, &running, args.clone()).await {
            Ok(DeferralResult::Done) => Ok(token.to_string()),
            Ok(DeferralResult::Full) => Err(too_many()),
            Ok(DeferralResult::Ended(_)) => Err(ToolError::new(ErrorType::Conflict, "the call is over")),
            Err(error) => Err(store_refusal(&error)),
        }
    }
}

fn too_many() -> ToolError {
    let message = format!("{MAX_OWED} results of background calls wait for their delivery; try again later");
    ToolError::new(ErrorType::Transient, message).retryable_after(None)
}

impl Gate {
    async fn defer(
        &self,
        open: &OpenSession,
        (key, epoch): (&RecordKey, u64),
        step: DeferralStep,
        running: &Arc<ToolResponse>,
        args: Option<Arc<str>>,
    ) -> Result<DeferralResult, StoreError> {
        let deferral = Deferral {
            session: open.live.id.clone(),
            key: key.clone(),
            epoch,
            running: Arc::clone(running),
            args,
            step,
            keep_ms: self.parts.limits.owed_result_ms,
            now: self.now(),
        };
        self.parts.store.defer(deferral).await
    }
}
