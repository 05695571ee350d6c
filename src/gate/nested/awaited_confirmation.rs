//! A handler's call that waits while its user is asked: the handler goes on with the call's answer, in whichever process the
//! confirmation is answered. The deadlines of the calls above it stand still meanwhile; the confirmation's own expiry bounds
//! the wait.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::admit::{self, CallHeader, NoConfirmation, RecordLocation};
use crate::error::ToolError;
use crate::gate::Gate;
use crate::gate::calls::caller::{Reader, reply_channel};
use crate::gate::calls::remote_join::record_deleted;
use crate::gate::nested::nested_calls::{PARENT_ENDED, ParentAttempt};
use crate::gate::sessions::attachment::Session;
use crate::gate::sessions::open_session::OpenSession;
use crate::observe::event::Event;
use crate::response::ToolResponse;
use crate::run::execution::{AnswerReceiver, CallerAnswer, CancellationEffect, CancelledCall};
use crate::session::deadline::Deadline;
use crate::session::key::RecordKey;
use crate::store::{
    Closing, FoundQuestion, Record, RecordState, StoreError, StoreRequests, Token, TokenState, question_id,
};

/// The pause before the first look at the question.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// The longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Why a call that waited for its user has not run.
enum NotRun {
    Refused(ToolError),
    ParentEnded,
}

impl Session {
    /// Waits until the question of a handler's call is answered, and then for the call's end.
    pub(in crate::gate) async fn await_confirmation(
        &self,
        header: Arc<CallHeader>,
        token: &Token,
        attempt: &Arc<ParentAttempt>,
    ) -> Arc<ToolResponse> {
        let (reply, answer) = reply_channel();
        let mut answer = std::pin::pin!(answer);
        let mut caller = self.caller(Arc::clone(&header), None, Reader::Host, reply);
        caller.is_confirmed = true;
        let waiting = self.open.parent_attempts.wait(token, attempt, caller.into_receiver(Some(header.turn)));
        let ended = {
            let _pause = attempt.parent.deadline.as_ref().map(Deadline::pause);
            tokio::select! {
                biased;
                response = &mut answer => return response,
                ended = self.end_of_question(&header.name, token, attempt) => ended,
            }
        };
        if let Some(receiver) = waiting.take_receiver() {
            self.answer_waiting(&header, token, ended, receiver).await;
        }
        answer.await
    }

    async fn answer_waiting(
        &self,
        header: &Arc<CallHeader>,
        token: &Token,
        ended: Result<(RecordKey, Arc<Record>), NotRun>,
        receiver: AnswerReceiver,
    ) {
        match ended {
            Ok((key, record)) => {
                if let Some(answer) = self.ended_answer(&header.name, (&key, &record)) {
                    return receiver(answer);
                }
                let call = (header, None);
                Box::pin(self.join_receiver(call, receiver, RecordLocation::Store, &key, &record)).await;
            }
            Err(NotRun::Refused(error)) => receiver(CallerAnswer::Refused(Arc::new(error))),
            Err(NotRun::ParentEnded) => receiver(self.left_answer(&header.name, token).await),
        }
    }

    /// The answer of a call whose parent has ended. Its question is closed first; whoever confirmed it before, in whichever
    /// process, has let the call run.
    async fn left_answer(&self, tool: &str, token: &Token) -> CallerAnswer {
        if self.gate.is_closing() {
            self.gate.take_back(&self.open, token).await;
        }
        self.gate.take_back_questions(&self.open).await;
        let effect = match self.gate.parts.store.token_state(self.id(), token, self.gate.now()).await {
            Ok(TokenState::Used { question, record: Some(record) }) => {
                match self.ended_answer(tool, (&question.key, &record)) {
                    Some(answer) => return answer,
                    None => CancellationEffect::Unknown,
                }
            }
            Ok(_) | Err(StoreError::SessionEnded) => CancellationEffect::Aborted,
            Err(_) => CancellationEffect::Unknown,
        };
        CallerAnswer::Cancelled(CancelledCall { reason: PARENT_ENDED.to_owned(), effect })
    }

    /// The answer of a confirmed call that has ended; `None` while it runs.
    fn ended_answer(&self, tool: &str, (key, record): (&RecordKey, &Record)) -> Option<CallerAnswer> {
        let refusal = match &record.state {
            RecordState::Started => return None,
            RecordState::Settled(response) => {
                return Some(CallerAnswer::Settled { response: Arc::clone(response), first: false });
            }
            RecordState::Unknown => admit::outcome_unknown(tool),
            RecordState::Forgotten { ok } => {
                admit::forgotten(tool, *ok, admit::ran_as(self.id(), tool, (key, record)).as_deref())
            }
        };
        Some(CallerAnswer::Refused(Arc::new(refusal)))
    }

    /// The record of the call that the user has confirmed.
    async fn end_of_question(
        &self,
        tool: &str,
        token: &Token,
        attempt: &ParentAttempt,
    ) -> Result<(RecordKey, Arc<Record>), NotRun> {
        let (mut pause, mut answered) = (FIRST_PAUSE, Instant::now());
        let lease = self.gate.parts.store.lease().unwrap_or_default();
        loop {
            tokio::time::sleep(pause).await;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
            if !self.is_running(attempt) {
                return Err(NotRun::ParentEnded);
            }
            let refusal = match self.gate.parts.store.token_state(self.id(), token, self.gate.now()).await {
                Ok(TokenState::Pending(_)) => {
                    answered = Instant::now();
                    continue;
                }
                Ok(TokenState::Used { question, record: Some(record) }) => return Ok((question.key.clone(), record)),
                // It has failed without having done anything, and may be tried again.
                Ok(TokenState::Used { record: None, .. }) => record_deleted(tool),
                Ok(TokenState::Expired(_)) => admit::not_confirmed(tool, NoConfirmation::Expired),
                // A denied question that is no longer remembered is not known.
                Ok(TokenState::Denied(_) | TokenState::Unknown) => admit::not_confirmed(tool, NoConfirmation::Denied),
                Err(StoreError::Failed(_) | StoreError::SessionFailed(_)) if answered.elapsed() < lease => continue,
                Err(error) => admit::store_refusal(&error),
            };
            return Err(NotRun::Refused(refusal));
        }
    }
}

impl Gate {
    /// Closes the questions for whose answers only handlers that have ended wait: no confirmation runs their calls any more. Comes
    /// before the answer of the call whose handler has ended.
    pub(in crate::gate) async fn take_back_questions(&self, open: &OpenSession) {
        for token in open.parent_attempts.left_questions() {
            Box::pin(self.take_back(open, &token)).await;
        }
    }

    /// Closes a question that a handler's call has asked. One of the model is the user's to answer, whoever waits for it too.
    async fn take_back(&self, open: &OpenSession, token: &Token) {
        let (session, id) = (&open.live.id, question_id(token));
        let found = self.parts.store.find_question(session, &id, self.now()).await;
        let (question, owner) = match found {
            Ok(FoundQuestion { owner, state: TokenState::Pending(question) }) if question.key.is_of_handler() => {
                (question, owner)
            }
            Ok(_) | Err(StoreError::SessionEnded) => return,
            Err(error) => return tracing::warn!(%error, "the question of a call that is over could not be read"),
        };
        match self.parts.store.close_question(session, token, Closing::Changed, self.now()).await {
            Ok(Some(_)) => {
                self.emit(Some(session.as_str()), &Event::ConfirmationExpired { tool_id: &question.tool });
                self.notify_late(session, owner.principal(), &id).await;
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the question of a call that is over could not be closed"),
        }
    }
}
