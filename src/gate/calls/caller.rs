//! One caller of a call: what its answer is made of, and where the answer goes. Each caller gets exactly one answer.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::admit::CallHeader;
use crate::error::ToolError;
use crate::gate::Gate;
use crate::gate::calls::responses::{Answers, lost_call};
use crate::gate::sessions::open_session::OpenSession;
use crate::response::ToolResponse;
use crate::run::execution::{AnswerReceiver, CallerAnswer, CallerNumber, CancellationEffect, CancelledCall};
use crate::session::fingerprint::Fingerprint;
use crate::settle::answer;

/// Receives the answer to a call.
pub type ResponseSink = Box<dyn FnOnce(Arc<ToolResponse>) + Send>;

/// A reply, and the future of what it gets.
pub(in crate::gate) fn reply_channel() -> (ResponseSink, impl Future<Output = Arc<ToolResponse>>) {
    let (sender, receiver) = oneshot::channel();
    let reply = Box::new(move |response| {
        // A caller that is gone needs no answer.
        let _ = sender.send(response);
    });
    let answer = async move {
        match receiver.await {
            Ok(response) => response,
            // Does not happen: a caller always replies.
            Err(_) => std::future::pending().await,
        }
    };
    (reply, answer)
}

/// Who reads an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum Reader {
    /// The model: the answer counts in its context.
    Model,
    /// A handler, or a host that asks its user.
    Host,
}

/// A caller that has no answer yet.
pub(in crate::gate) struct WaitingCaller {
    pub(in crate::gate) gate: Arc<Gate>,
    pub(in crate::gate) open: Arc<OpenSession>,
    pub(in crate::gate) header: Arc<CallHeader>,
    /// What the loop guard counts; `None` if the call counts nowhere.
    pub(in crate::gate) counted: Option<Fingerprint>,
    pub(in crate::gate) reader: Reader,
    pub(in crate::gate) number: Option<CallerNumber>,
    /// Whether it waited for its user: the confirmed call ran for it, whoever started that.
    pub(in crate::gate) is_confirmed: bool,
    /// `None` once the caller has its answer.
    pub(in crate::gate) reply: Option<ResponseSink>,
}

impl WaitingCaller {
    /// Answers with this response.
    pub(in crate::gate) fn respond(mut self, response: Arc<ToolResponse>) {
        self.reply_once(response);
    }

    /// Refuses the call.
    pub(in crate::gate) fn refuse(self, error: ToolError) {
        let response = self.answers().refusal_response(&self.header, error);
        self.respond(Arc::new(response));
    }

    /// Answers that the call was cancelled.
    pub(in crate::gate) fn cancel(self, reason: String, effect: CancellationEffect) {
        let response = self.answers().cancelled_response(&self.header, &CancelledCall { reason, effect });
        self.respond(Arc::new(response));
    }

    /// The receiver of an execution's answer. `joined` is the turn of the call that was running before, if this caller
    /// has joined it.
    pub(in crate::gate) fn into_receiver(self, joined: Option<u32>) -> AnswerReceiver {
        Box::new(move |answer| self.respond_with(answer, joined))
    }

    fn respond_with(self, answer: CallerAnswer, joined: Option<u32>) {
        let (answers, header) = (self.answers(), &self.header);
        let response = match answer {
            CallerAnswer::Settled { response, first } => match joined {
                None => response,
                // The caller that started it was cancelled: it ran for this call.
                Some(_) if first || self.is_confirmed => Arc::new(answer::joined(header, &response, self.gate.now())),
                Some(turn) => Arc::new(answers.replayed_response(header, &response, turn, 0)),
            },
            CallerAnswer::Cancelled(cancelled) => Arc::new(answers.cancelled_response(header, &cancelled)),
            CallerAnswer::Refused(error) => Arc::new(answers.refusal_response(header, ToolError::clone(&error))),
        };
        self.respond(response);
    }

    pub(in crate::gate) fn answers(&self) -> Answers<'_> {
        Answers { gate: &self.gate, open: &self.open }
    }

    fn reply_once(&mut self, response: Arc<ToolResponse>) {
        let Some(reply) = self.reply.take() else { return };
        let counted = self.counted.take();
        let response = self.answers().remember_outcome(&self.header, counted, response);
        if self.reader == Reader::Model {
            self.answers().count_context(&self.header, &response);
        }
        reply(response);
    }
}

impl Drop for WaitingCaller {
    /// The execution was lost without an answer.
    fn drop(&mut self) {
        if self.reply.is_some() {
            let response = self.answers().refusal_response(&self.header, lost_call());
            self.reply_once(Arc::new(response));
        }
    }
}
