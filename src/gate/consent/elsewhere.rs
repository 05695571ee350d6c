//! Confirmations that are answered elsewhere: by whoever has a link to them, in whatever process.
//!
//! The host is notified of what happens to confirmations in this process. An expiry has no process: it is noticed by the one that
//! asked, once the time is over, or by the one to which an answer comes too late; the store lets one of them report it.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;

use crate::admit::store_refusal;
use crate::call::{CallId, SessionId};
use crate::error::ToolError;
use crate::gate::Gate;
use crate::gate::sessions::attachment::{PendingQuestion, Session};
use crate::observe::listener::{ConfirmationChange, ConfirmationNews, Listener};
use crate::observe::question_facts::AnswerFacts;
use crate::session::key::hex;
use crate::store::{ExpiryReport, Owner, Question, StoreError, StoreRequests, TokenState, question_id};

/// The state of a confirmation that was found by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum FoundState {
    Pending,
    Confirmed,
    Denied,
    Expired,
}

/// A confirmation that was found by its id.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundConfirmation {
    state: FoundState,
    /// The session's principal.
    principal: Option<String>,
    /// Without arguments and preview, unless it is pending.
    #[serde(flatten)]
    question: PendingQuestion,
}

/// What became of the wish to report an expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpiryNews {
    /// It was reported.
    Reported,
    /// The confirmation is pending.
    Pending,
    /// There is nothing to report.
    Nothing,
}

impl Gate {
    /// The confirmation that an id names. `None` if the session does not have it any more.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn find_confirmation(&self, session: &str, id: &str) -> Result<Option<FoundConfirmation>, ToolError> {
        let session = session.into();
        let found = match self.parts.store.find_question(&session, id, self.now()).await {
            Ok(found) => found,
            Err(StoreError::SessionEnded) => return Ok(None),
            Err(error) => return Err(store_refusal(&error)),
        };
        let (state, question) = match found.state {
            TokenState::Pending(question) => (FoundState::Pending, question),
            TokenState::Used { question, .. } => (FoundState::Confirmed, question),
            TokenState::Expired(question) => (FoundState::Expired, question),
            TokenState::Denied(question) => (FoundState::Denied, question),
            TokenState::Unknown => return Ok(None),
        };
        let question = PendingQuestion::new(&question, &self.tools_of_session(&session));
        Ok(Some(FoundConfirmation { state, principal: found.owner.principal().map(str::to_owned), question }))
    }

    /// The owner of the session that has a confirmation: who may answer it is taken for the owner.
    pub(in crate::gate) async fn owner_of_confirmation(
        &self,
        session: &SessionId,
        id: &str,
    ) -> Result<Owner, StoreError> {
        let found = self.parts.store.find_question(session, id, self.now()).await?;
        if found.state.question().is_some() { Ok(found.owner) } else { Err(StoreError::SessionEnded) }
    }

    /// Notifies the host that a confirmation has expired, if it has and the store has no earlier report of it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn report_expiry(
        &self,
        session: &str,
        principal: Option<&str>,
        id: &str,
    ) -> Result<ExpiryNews, ToolError> {
        let session = session.into();
        match self.parts.store.report_expiry(&session, id, self.now()).await {
            Ok(ExpiryReport::First(question)) => {
                self.notify(
                    &session,
                    principal,
                    ConfirmationChange::Expired,
                    &question,
                    (AnswerFacts::default(), None),
                );
                Ok(ExpiryNews::Reported)
            }
            Ok(ExpiryReport::Pending) => Ok(ExpiryNews::Pending),
            Ok(ExpiryReport::Nothing) | Err(StoreError::SessionEnded) => Ok(ExpiryNews::Nothing),
            Err(error) => Err(store_refusal(&error)),
        }
    }

    /// The key that signs links to confirmations, the same in all processes on the store: 64 hex digits. `None` if the store is
    /// private to this process.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn link_key(&self) -> Result<Option<String>, ToolError> {
        let key = self.parts.store.installation_key().await.map_err(|error| store_refusal(&error))?;
        Ok(key.and_then(|key| {
            let mut mac = Hmac::<Sha256>::new_from_slice(&key.to_bytes()).ok()?;
            mac.update(b"toolgate confirmation links");
            Some(hex(&mac.finalize().into_bytes()))
        }))
    }

    /// Notifies the host that a confirmation is over unanswered, unless that is known.
    pub(in crate::gate) async fn notify_late(&self, session: &SessionId, principal: Option<&str>, id: &str) {
        if self.confirmation_listener().is_none() {
            return;
        }
        if let Err(error) = self.report_expiry(session.as_str(), principal, id).await {
            let error = error.message;
            tracing::warn!(%error, "it could not be noted that an expired confirmation was reported");
        }
    }

    /// The host's listener, if it is to be notified of confirmations.
    fn confirmation_listener(&self) -> Option<&Arc<dyn Listener>> {
        self.parts.listener.as_ref().filter(|listener| listener.hears_confirmations())
    }

    fn notify(
        &self,
        session: &SessionId,
        principal: Option<&str>,
        change: ConfirmationChange,
        question: &Question,
        (answer, reason): (AnswerFacts<'_>, Option<&str>),
    ) {
        let Some(listener) = self.confirmation_listener() else { return };
        listener.confirmation_changed(&ConfirmationNews {
            change,
            id: question.id(),
            session_id: session.as_str(),
            principal,
            tool: &question.tool,
            preview: Some(&*question.preview).filter(|preview| !preview.is_empty()),
            expires: question.expires,
            call_id: question.call_id.as_ref().or(question.parent_call_id.as_ref()).map(CallId::as_str),
            turn: question.turn,
            mode: &question.mode,
            via: answer.via,
            reason,
            approvers: question.approvers.as_ref(),
            approver: answer.principal.filter(|_| question.approvers.is_some()),
        });
    }
}

impl Session {
    /// Notifies the host of what has happened to a confirmation: by this answer, and for this reason.
    pub(in crate::gate) fn notify(
        &self,
        change: ConfirmationChange,
        question: &Question,
        answer: AnswerFacts<'_>,
        reason: Option<&str>,
    ) {
        self.gate.notify(self.id(), self.attachment.principal.as_deref(), change, question, (answer, reason));
    }

    /// Notifies the host that the answer to the confirmation with this token came too late, unless that is known.
    pub(in crate::gate) async fn notify_late(&self, token: &str) {
        self.gate.notify_late(self.id(), self.attachment.principal.as_deref(), &question_id(token)).await;
    }
}
