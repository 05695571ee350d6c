//! A user's yes: the call runs as it was shown, or is refused with the reason.

use std::sync::Arc;

use tokio::time::Instant;

use crate::admit::{self, Admission, AdmissionContext, AdmissionResult, Counted, Reconciling, UserConfirmation};
use crate::call::{RawArgs, RawCall};
use crate::error::{ErrorType, ToolError};
use crate::gate::calls::call_facts;
use crate::gate::calls::caller::{Reader, ResponseSink, reply_channel};
use crate::gate::nested::nested_calls::ParentAttempt;
use crate::gate::reconcile::reconciling::Reconcile;
use crate::gate::run::running::{ArrivingCall, HostCaller, RunningKey};
use crate::gate::sessions::attachment::Session;
use crate::observe::event::Event;
use crate::observe::listener::ConfirmationChange;
use crate::observe::question_facts::GrantFacts;
use crate::response::ToolResponse;
use crate::session::policy::Mode;
use crate::store::StoreRequests;

/// What a user's yes names.
enum NamedQuestion<'a> {
    /// The token of a question.
    Token(&'a str),
    /// The call that asked it.
    Call(&'a RawCall),
}

/// The answer to a user's yes.
pub struct ConfirmedAnswer {
    /// The response.
    pub response: Arc<ToolResponse>,
    /// The final arguments of the call, JSON text, with its sensitive values; `None` if it did not run for this yes.
    pub args: Option<Arc<str>>,
}

impl Session {
    /// Confirms a question for its user: runs the call as it was shown, or refuses it with the reason. A caller that is
    /// cancelled before leaves the question pending.
    pub async fn confirm(&self, token: &str, caller: HostCaller, answer: UserConfirmation) -> ConfirmedAnswer {
        self.run_confirmed(&NamedQuestion::Token(token), caller, &answer).await
    }

    /// Confirms the question that this call asked, as [`confirm`](Self::confirm) does by token. A call without a
    /// pending question does not run, and asks none.
    pub async fn confirm_call(&self, call: RawCall, caller: HostCaller, answer: UserConfirmation) -> ConfirmedAnswer {
        self.run_confirmed(&NamedQuestion::Call(&call), caller, &answer).await
    }

    async fn run_confirmed(
        &self,
        by: &NamedQuestion<'_>,
        caller: HostCaller,
        given: &UserConfirmation,
    ) -> ConfirmedAnswer {
        let received = Instant::now();
        let (reply, answer) = reply_channel();
        let reply = self.timed_reply(reply);
        // By its number only: a cancellation of the id was meant for the call that asked.
        let arriving = self.arrive(None, caller);
        let mut reconciling = Reconciling::First;
        let waiting = match by {
            NamedQuestion::Token(token) => self.open.parent_attempts.parent_of(token),
            // A handler's call has no id by which it could be named.
            NamedQuestion::Call(_) => None,
        };
        let args = loop {
            let uncertain = {
                let _admission = self.open.live.admission.lock().await;
                self.open.running.stopped().await;
                if let NamedQuestion::Call(call) = by
                    && call.message.is_some()
                {
                    // A call without a usable id is known by its turn.
                    self.enter_turn_of(call.message.as_ref(), received).await;
                }
                if let Some(cancelled) = self.cancelled_confirmation(by, received, &arriving).await {
                    return ConfirmedAnswer { response: Arc::new(cancelled), args: None };
                }
                let mut result = self.admit_confirmed(by, given, received, (reconciling, waiting.as_deref())).await;
                match result.admission {
                    Admission::Reconcile(uncertain) => uncertain,
                    admission => {
                        let args = match &admission {
                            Admission::Run(call) => Some(Arc::clone(&call.args)),
                            _ => None,
                        };
                        result.admission = admission;
                        self.dispatch_confirmed(result, arriving.end(), (by, given), (waiting.as_deref(), reply)).await;
                        break args;
                    }
                }
            };
            reconciling = Reconciling::Done(Reconcile::for_attachment(self).run(&uncertain).await);
        };
        ConfirmedAnswer { response: answer.await, args }
    }

    async fn admit_confirmed(
        &self,
        by: &NamedQuestion<'_>,
        answer: &UserConfirmation,
        received: Instant,
        (reconciling, waiting): (Reconciling, Option<&ParentAttempt>),
    ) -> AdmissionResult {
        let tools = self.attachment.tools();
        let context = AdmissionContext { reconciling, ..self.admission_context(&tools, waiting) };
        let mode = |name: &str| self.mode_of_question(name);
        match by {
            NamedQuestion::Token(token) => admit::admit_confirmed(&context, token, answer, mode, received).await,
            NamedQuestion::Call(call) => {
                admit::admit_confirmed_call(&context, RawCall::clone(call), answer, mode, received).await
            }
        }
    }

    /// The answer to a confirmation whose caller was cancelled before.
    async fn cancelled_confirmation(
        &self,
        by: &NamedQuestion<'_>,
        received: Instant,
        arriving: &ArrivingCall<'_>,
    ) -> Option<ToolResponse> {
        let reason = arriving.cancel_reason()?;
        let call = match by {
            NamedQuestion::Token(token) => self.asking_call(token).await?,
            NamedQuestion::Call(call) => RawCall::clone(call),
        };
        let tools = self.attachment.tools();
        Some(self.cancelled_before_admission(&tools, &call, received, reason).await?.1)
    }

    /// The call that asked a pending question, without its arguments.
    async fn asking_call(&self, token: &str) -> Option<RawCall> {
        let questions = self.gate.parts.store.pending_questions(self.id(), self.gate.now()).await.ok()?;
        let question = questions.iter().find(|question| *question.token == *token)?;
        let args = RawArgs::Text(String::new());
        Some(RawCall {
            id: question.call_id.clone(),
            name: question.tool.to_string(),
            args,
            message: None,
            waits: false,
        })
    }

    async fn dispatch_confirmed(
        &self,
        mut result: AdmissionResult,
        caller: HostCaller,
        (by, given): (&NamedQuestion<'_>, &UserConfirmation),
        (waiting, reply): (Option<&ParentAttempt>, ResponseSink),
    ) {
        let answer = self.answer_facts(given.via.as_deref(), given.approver.as_ref());
        match &mut result.admission {
            Admission::Run(call) => {
                self.open.live.loop_history.lock().user_confirmed();
                let (question, granted) = (call.question.take(), call.given.take());
                let shown = question.as_deref().map(|question| self.gate.shown_facts(self.id(), question));
                let shown = shown.unwrap_or_default();
                let call = call_facts::call_facts(&call.header);
                let grant = granted.as_deref().map(GrantFacts::new);
                self.emit(&Event::ConfirmationGranted { call, shown: &shown, answer, grant });
                if let Some(question) = &question {
                    self.notify(ConfirmationChange::Confirmed, question, answer, None);
                }
            }
            Admission::Counted(question, Counted::Now) => {
                let call = call_facts::call_facts(&result.header);
                let shown = &self.gate.shown_facts(self.id(), question);
                let confirmations = question.confirmed_by.len();
                self.emit(&Event::ConfirmationCounted { call, shown, answer, confirmations });
            }
            Admission::Refuse(error) if is_closed_unanswered(error) => {
                self.emit(&Event::ConfirmationExpired { tool_id: &result.header.name });
                if let NamedQuestion::Token(token) = by {
                    self.notify_late(token).await;
                }
            }
            _ => {}
        }
        let confirmed = match (by, &result.admission) {
            (NamedQuestion::Token(token), Admission::Run(call)) => Some((*token, RunningKey::of_call(call))),
            _ => None,
        };
        let reader = if waiting.is_some() { Reader::Host } else { Reader::Model };
        self.dispatch(result, caller, waiting, reader, reply).await;
        if let Some((token, key)) = confirmed
            && let Some(execution) = self.open.running.get(&key)
        {
            self.open.parent_attempts.join(token, &execution);
        }
    }

    fn mode_of_question(&self, name: &str) -> Arc<Mode> {
        if *self.attachment.mode.name == *name {
            return Arc::clone(&self.attachment.mode);
        }
        Arc::new(self.gate.mode(name))
    }
}

/// Whether a confirmation came for a question that had closed unanswered: it expired, or its tool changed.
fn is_closed_unanswered(error: &ToolError) -> bool {
    #[derive(serde::Deserialize)]
    struct Closed {
        reason: String,
    }
    let details = || serde_json::from_str::<Closed>(error.details.as_ref()?.as_str()).ok();
    error.kind == ErrorType::ConfirmationExpired
        && details().is_some_and(|closed| matches!(&*closed.reason, "expired" | "version" | "definition"))
}
