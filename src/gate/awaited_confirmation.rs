//! A handler's call that waits while its user is asked: the handler goes on with the call's answer, in whichever process the
//! confirmation is answered. The deadlines of the calls above it stand still meanwhile; the confirmation's own expiry bounds
//! the wait.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::caller::{Reader, reply_channel};
use super::nested_calls::{PARENT_ENDED, ParentAttempt};
use super::session::Session;
use crate::admit::{self, CallHeader, NoConfirmation, RecordLocation};
use crate::error::ToolError;
use crate::observe::event::Event;
use crate::response::ToolResponse;
use crate::run::execution::CancellationEffect;
use crate::session::deadline::Deadline;
use crate::session::key::RecordKey;
use crate::settle::answer;
use crate::store::{Closing, Record, RecordState, StoreError, StoreRequests, Token, TokenState};

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
    pub(super) async fn await_confirmation(
        &self,
        header: Arc<CallHeader>,
        token: &Token,
        attempt: &Arc<ParentAttempt>,
    ) -> Arc<ToolResponse> {
        let (reply, answer) = reply_channel();
        let mut caller = self.caller(header, None, Reader::Host, reply);
        caller.is_confirmed = true;
        let ended = {
            let _waits = self.open.parent_attempts.wait(token, attempt);
            let _pause = attempt.parent.deadline.as_ref().map(Deadline::pause);
            self.end_of_question(&caller.header.name, token, attempt).await
        };
        match ended {
            Ok((key, record)) => match &record.state {
                RecordState::Started => Box::pin(self.join(caller, RecordLocation::Store, &key, &record)).await,
                RecordState::Settled(response) => {
                    let response = answer::joined(&caller.header, response, self.gate.now());
                    caller.respond(Arc::new(response));
                }
                RecordState::Unknown => {
                    let tool = Arc::clone(&caller.header.name);
                    caller.refuse(admit::outcome_unknown(&tool));
                }
                RecordState::Forgotten { ok } => {
                    let tool = Arc::clone(&caller.header.name);
                    let ran_as = admit::ran_as(self.id(), &tool, (&key, &record));
                    caller.refuse(admit::forgotten(&tool, *ok, ran_as.as_deref()));
                }
            },
            Err(NotRun::Refused(error)) => caller.refuse(error),
            Err(NotRun::ParentEnded) => {
                if !attempt.is_running() {
                    self.withdraw(token).await;
                }
                caller.cancel(PARENT_ENDED.to_owned(), CancellationEffect::Aborted);
            }
        }
        answer.await
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
                Ok(TokenState::Used { record: None, .. }) => admit::answer_not_kept(),
                Ok(TokenState::Expired(_)) => admit::not_confirmed(tool, NoConfirmation::Expired),
                // A question that was denied is not kept.
                Ok(TokenState::Unknown) => admit::not_confirmed(tool, NoConfirmation::Denied),
                Err(StoreError::Failed(_) | StoreError::SessionFailed(_)) if answered.elapsed() < lease => continue,
                Err(error) => admit::store_refusal(&error),
            };
            return Err(NotRun::Refused(refusal));
        }
    }

    /// The attempt whose call waits for this question, if its handler runs; one that has ended takes its question with it.
    pub(super) async fn waiting_for(&self, token: &str) -> Option<Arc<ParentAttempt>> {
        let attempt = self.open.parent_attempts.waiting_for(token)?;
        if !attempt.is_running() {
            self.withdraw(token).await;
        }
        Some(attempt)
    }

    /// Closes the question of a call whose handler has ended: no confirmation runs it any more.
    async fn withdraw(&self, token: &str) {
        match self.gate.parts.store.close_question(self.id(), token, Closing::Changed, self.gate.now()).await {
            Ok(Some(question)) => {
                self.emit(&Event::ConfirmationExpired { tool_id: &question.tool });
                self.notify_late(token).await;
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the question of a call that is over could not be closed"),
        }
    }
}
