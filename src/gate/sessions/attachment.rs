//! The host's handle of a session: one attachment. Dropping the handle detaches it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::admit::{Approver, check_approver};
use crate::call::{CallId, SessionId};
use crate::definition::Approvers;
use crate::error::{ErrorType, ToolError};
use crate::gate::Gate;
use crate::gate::calls::responses::Answers;
use crate::gate::sessions::open_session::OpenSession;
use crate::gate::sessions::session_monitor::SessionUsage;
use crate::json::{Limits, Tape};
use crate::observe::event::Event;
use crate::observe::listener::ConfirmationChange;
use crate::observe::question_facts::AnswerFacts;
use crate::registry::ToolSet;
use crate::session::attachment::{Attachment, CloseReason};
use crate::session::intent::Intent;
use crate::session::policy::Mode;
use crate::session::state::{ChangeAuthor, Farewell, SessionState, StateChange, StateError};
use crate::store::{Closing, Question, StoreRequests};

/// The reason of a question that expires with its session.
const SESSION_ENDED: &str = "session_ended";

/// A turn that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnBegun {
    /// The number of the turn, from 1.
    pub turn: u32,
    /// The message that a `SET_PENDING_MESSAGE` intent left for this turn; returned once.
    pub pending_message: Option<String>,
}

/// How a user denies.
#[derive(Debug, Default)]
pub struct UserDenial {
    /// The user's or the host's reason.
    pub reason: Option<String>,
    /// The way in which the answer came, for the audit.
    pub via: Option<String>,
    /// Who answers, if it is not the session's user.
    pub approver: Option<Approver>,
}

/// A pending question, as the host sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingQuestion {
    /// The name that hosts may pass on; it answers nothing.
    pub id: String,
    /// The token for `confirm` and `deny`.
    pub token: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// The final arguments with sensitive values masked.
    pub args: Value,
    /// The preview for the user.
    pub preview: String,
    /// The expiry, epoch milliseconds.
    pub expires: u64,
    /// The provider's id of the call that asked.
    pub call_id: Option<CallId>,
    /// The call of a model whose handler's call asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_call_id: Option<CallId>,
    /// The turn of the call that asked.
    pub turn: u32,
    /// The mode of the call that asked.
    pub mode: Arc<str>,
    /// Who answers it in place of the session's user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Approvers>,
    /// How many of them have confirmed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmations: Option<usize>,
}

impl PendingQuestion {
    /// The question as people see it. Its arguments are shown with the schema of `tools`; without its tool they are not
    /// shown, because what is sensitive in them is not known.
    pub(in crate::gate) fn new(question: &Question, tools: &ToolSet) -> Self {
        let shown = || {
            let args = Tape::parse(question.args.to_string(), &Limits::widest()).ok()?;
            Some(tools.get(&question.tool)?.shown_args(&args))
        };
        Self {
            id: question.id(),
            token: Arc::clone(&question.token),
            tool: Arc::clone(&question.tool),
            args: shown().unwrap_or_else(|| json!({})),
            preview: question.preview.clone(),
            expires: question.expires,
            call_id: question.call_id.clone(),
            parent_call_id: question.parent_call_id.clone(),
            turn: question.turn,
            mode: Arc::clone(&question.mode),
            approvers: question.approvers.clone(),
            confirmations: question.approvers.as_ref().map(|_| question.confirmed_by.len()),
        }
    }
}

/// One attachment to a session.
pub struct Session {
    pub(in crate::gate) gate: Arc<Gate>,
    pub(in crate::gate) open: Arc<OpenSession>,
    pub(in crate::gate) attachment: Arc<Attachment>,
    /// The attachment's number for the host's listener; `None` if the host does not listen.
    pub(in crate::gate) listener_id: Option<u64>,
}

impl Session {
    pub(in crate::gate) const fn new(
        gate: Arc<Gate>,
        open: Arc<OpenSession>,
        attachment: Arc<Attachment>,
        listener_id: Option<u64>,
    ) -> Self {
        Self { gate, open, attachment, listener_id }
    }

    pub(in crate::gate) fn answers(&self) -> Answers<'_> {
        Answers { gate: &self.gate, open: &self.open }
    }

    /// The id of the session.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.open.live.id
    }

    /// This attachment's number in the process.
    #[must_use]
    pub fn attachment_id(&self) -> u64 {
        self.attachment.id
    }

    /// The attachment's mode.
    #[must_use]
    pub fn mode(&self) -> &Mode {
        &self.attachment.mode
    }

    /// The attachment's turn.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.attachment.turn()
    }

    /// The tool set that the session runs.
    #[must_use]
    pub fn tools_version(&self) -> Arc<str> {
        Arc::clone(&self.attachment.tools().version)
    }

    /// Closes a question unconfirmed, named by its token or by the id of the call that asked. True if it was pending. The
    /// session's user may always: a call that others decide about is withdrawn.
    ///
    /// # Errors
    /// If the session has ended or the store fails, or the approver may not decide.
    pub async fn deny(&self, named: &str, denial: UserDenial) -> Result<bool, ToolError> {
        self.check_open()?;
        let UserDenial { reason, via, approver } = denial;
        if let Some(approver) = &approver {
            let questions = self.questions().await?;
            let asked = |question: &&Arc<Question>| *question.token == *named || question.was_asked_by(named);
            for question in questions.iter().filter(asked) {
                check_approver(self.attachment.principal.as_deref(), question, Some(approver))?;
            }
        }
        let mut denied: Vec<_> = self.close(named).await?.into_iter().collect();
        if denied.is_empty() {
            // A no that names a call closes whatever is pending for it.
            for asked in self.questions().await?.iter().filter(|question| question.was_asked_by(named)) {
                denied.extend(self.close(&asked.token).await?);
            }
        }
        if denied.is_empty() {
            self.notify_late(named).await;
            return Ok(false);
        }
        let answer = self.answer_facts(via.as_deref(), approver.as_ref());
        for question in &denied {
            self.emit(&Event::ConfirmationDenied {
                tool_id: &question.tool,
                call_id: question.call_id.as_ref().map(CallId::as_str),
                reason: reason.as_deref(),
                shown: &self.gate.shown_facts(self.id(), question),
                answer,
            });
            self.notify(ConfirmationChange::Denied, question, answer, reason.as_deref());
        }
        Ok(true)
    }

    async fn close(&self, token: &str) -> Result<Option<Arc<Question>>, ToolError> {
        let closed = self.gate.parts.store.close_question(self.id(), token, Closing::Denied, self.gate.now()).await;
        closed.map_err(|error| crate::admit::store_refusal(&error))
    }

    pub(in crate::gate) fn answer_facts<'a>(
        &'a self,
        via: Option<&'a str>,
        approver: Option<&'a Approver>,
    ) -> AnswerFacts<'a> {
        let own = self.attachment.principal.as_deref();
        AnswerFacts { via, principal: approver.map_or(own, |approver| Some(&*approver.principal)) }
    }

    /// The pending questions, oldest first.
    ///
    /// # Errors
    /// If the session has ended or the store fails.
    pub async fn pending(&self) -> Result<Vec<PendingQuestion>, ToolError> {
        let tools = self.attachment.tools();
        Ok(self.questions().await?.iter().map(|question| PendingQuestion::new(question, &tools)).collect())
    }

    async fn questions(&self) -> Result<Vec<Arc<Question>>, ToolError> {
        self.check_open()?;
        let questions = self.gate.parts.store.pending_questions(self.id(), self.gate.now()).await;
        questions.map_err(|error| crate::admit::store_refusal(&error))
    }

    /// Reads the state.
    pub fn with_state<T>(&self, read: impl FnOnce(&SessionState) -> T) -> T {
        read(&self.open.live.state.lock())
    }

    /// Sets a state field for the host.
    ///
    /// # Errors
    /// If the session has ended, or a built-in field does not accept the value.
    pub async fn set_state(&self, field: &str, value: Value) -> Result<(), StateError> {
        let author = ChangeAuthor { by: "host", call_id: None, at: self.gate.now() };
        let (set, changes) = self.open.live.change_state(|state| state.set(field, value, author));
        set?;
        self.emit(&Event::StateChanged { field });
        self.save(changes).await;
        Ok(())
    }

    /// Applies an intent for the host. False if it was refused.
    pub async fn apply_intent(&self, intent: &Intent) -> bool {
        let author = ChangeAuthor { by: "host", call_id: None, at: self.gate.now() };
        let (applied, changes) =
            self.open.live.change_state(|state| state.apply_intent(intent, &Farewell::default(), author));
        let (tool_id, intent) = ("host", intent.name());
        match applied {
            Ok(()) => {
                let (turn, mode) = (self.turn(), &*self.attachment.mode.name);
                self.emit(&Event::IntentApplied { tool_id, call_id: None, turn, mode, intent });
                self.save(changes).await;
                true
            }
            Err(problem) => {
                self.emit(&Event::IntentDropped { tool_id, intent, reason: &problem.to_string() });
                false
            }
        }
    }

    /// Detaches from the session. Running calls go on; another attachment finds their results.
    pub fn detach(&self) {
        self.attachment.close(CloseReason::Detached);
        self.gate.release_results(&self.open, &self.attachment);
        self.open.results_changed();
        self.open.attachments.lock().retain(|other| other.id != self.attachment.id);
        if self.open.attachments.lock().is_empty() {
            self.gate.summarize_turn(&self.open);
            self.gate.sessions.release_ended(&self.open);
        }
    }

    /// Ends the session: later calls are refused, questions are dropped, running calls are cancelled.
    pub async fn end(&self, reason: &str) {
        let author = ChangeAuthor { by: "host", call_id: None, at: self.gate.now() };
        let ((), changes) = self.open.live.change_state(|state| state.end(author));
        if changes.is_empty() {
            return;
        }
        self.open.running.cancel_all(reason);
        self.open.running.stop_answered(reason);
        self.gate.full_results.forget(self.id());
        self.gate.summarize_turn(&self.open);
        self.emit(&Event::SessionEnded { reason });
        match self.gate.parts.store.end(self.id(), changes).await {
            Ok(open) => open.iter().for_each(|question| {
                self.notify(ConfirmationChange::Expired, question, AnswerFacts::default(), Some(SESSION_ENDED));
            }),
            Err(error) => tracing::warn!(%error, "the end of a session could not be stored"),
        }
        self.open.live.save_finished();
        self.open.results_changed();
        self.gate.sessions.release_ended(&self.open);
    }

    /// SESSION_INACTIVE if the attachment is detached or its session has ended.
    pub(in crate::gate) fn check_open(&self) -> Result<(), ToolError> {
        match self.attachment.inactive_reason() {
            Some((_, problem)) => Err(ToolError::new(ErrorType::SessionInactive, problem)),
            None => Ok(()),
        }
    }

    async fn save(&self, changes: Vec<StateChange>) {
        if changes.is_empty() {
            return;
        }
        if let Err(error) = self.gate.parts.store.save_state(self.id(), changes).await {
            tracing::warn!(%error, "a session's state could not be stored");
        }
        self.open.live.save_finished();
    }

    /// What the session has used in this process.
    #[must_use]
    pub fn usage(&self) -> SessionUsage {
        self.open.monitor.lock().usage()
    }

    pub(in crate::gate) fn emit(&self, event: &Event<'_>) {
        self.gate.emit(Some(self.id().as_str()), event);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.detach();
    }
}
