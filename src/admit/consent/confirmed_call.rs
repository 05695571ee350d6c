//! Admission of a call that a user has confirmed by the call itself, as frameworks with ids of their own pass a yes on.
//!
//! Such a yes answers one question: the one that its user was shown, if the host says which, and otherwise the first one that
//! the call was given. Any later question (after an edit, for an equal act, about another definition) is the
//! model's next call to ask.

use std::sync::Arc;

use tokio::time::Instant;

use crate::admit::admitting::Admitting;
use crate::admit::args::parse::ParsedCall;
use crate::admit::call::CallHeader;
use crate::admit::consent::confirmed::{UserConfirmation, question_closed, used};
use crate::admit::context::AdmissionContext;
use crate::admit::decision::{Admission, AdmissionResult, StageResult};
use crate::admit::stages::order::AdmissionPath;
use crate::admit::stages::session_active;
use crate::call::{CallId, RawCall};
use crate::json::{CanonicalJson, Limits, Tape};
use crate::registry::CompiledTool;
use crate::session::fingerprint::canonical_digest;
use crate::session::policy::Mode;
use crate::store::{ConfirmedBy, GivenQuestion, Question, StoreRequests, Token, TokenState};

/// Admits a call that a user has confirmed. The call only names its question: a question that this session asked about exactly
/// this call must be pending. The claim of a confirmation alone runs nothing.
pub async fn admit_confirmed_call(
    context: &AdmissionContext<'_>,
    call: RawCall,
    answer: &UserConfirmation,
    mode_named: impl Fn(&str) -> Arc<Mode>,
    received: Instant,
) -> AdmissionResult {
    let mut admitting = Admitting::new(context, CallHeader::new(context, &call, received), AdmissionPath::Confirmed);
    let done = match admitting.find_question(call, answer).await {
        Ok(token) => admitting.run_confirmed(&token, ConfirmedBy::AskingCall, answer, mode_named).await,
        Err(stopped) => Err(stopped),
    };
    // A user's act counts for no model.
    AdmissionResult { counted: None, ..admitting.ended(done) }
}

impl Admitting<'_> {
    /// Returns the token of the question that a call was given; stops with the answer if the call has run already.
    async fn find_question(&mut self, call: RawCall, answer: &UserConfirmation) -> StageResult<Token> {
        session_active::check(self.context)?;
        let tool = self.resolve_tool(&call)?;
        let id = call.id.clone();
        let parsed = self.parse(tool, call).await?;
        self.answer_if_run(&parsed, answer).await?;
        let found = match (&answer.shown, id) {
            (Some(shown), _) => self.shown_question(&parsed, shown).await?,
            (None, Some(id)) => self.first_question(&parsed, &id).await?,
            (None, None) => None,
        };
        if found.is_none() {
            // Another yes may have run it since it was looked for.
            self.answer_if_run(&parsed, answer).await?;
        }
        found.ok_or_else(no_question)
    }

    /// Stops with the answer of a call that has run or runs: nothing of it can be changed or granted any more.
    async fn answer_if_run(&mut self, parsed: &ParsedCall, answer: &UserConfirmation) -> StageResult<()> {
        match self.replay(parsed).await {
            Ok(_) => Ok(()),
            Err(Admission::Replay(_, record) | Admission::Join(_, _, record)) if answer.has_wishes() => {
                Err(used(record.call_id.as_ref(), Some(&record)).into())
            }
            Err(stopped) => Err(stopped),
        }
    }

    /// The question that the user was shown, if it is about this call.
    async fn shown_question(&self, parsed: &ParsedCall, token: &Token) -> StageResult<Option<Token>> {
        let (session, now) = (&self.context.attachment.session.id, self.context.now);
        match self.context.store.token_state(session, token, now).await? {
            TokenState::Pending(question) if is_about(&question, parsed) => Ok(Some(Token::clone(token))),
            TokenState::Pending(_) => Err(other_call()),
            TokenState::Unknown => Ok(None),
            // Its state is the answer.
            TokenState::Expired(_) | TokenState::Denied(_) | TokenState::Used { .. } => Ok(Some(Token::clone(token))),
        }
    }

    /// The first question that this call was given.
    async fn first_question(&self, parsed: &ParsedCall, id: &CallId) -> StageResult<Option<Token>> {
        let (context, session) = (self.context, &self.context.attachment.session.id);
        let given = context.store.given_questions(session, id, self.header.turn, context.now).await?;
        if given.is_empty() {
            return Ok(None);
        }
        let same = given.iter().find(|given| given.fingerprint.matches(&parsed.fingerprint)).or_else(|| {
            // Where sensitive values are masked, two questions can show the same.
            let mut shown = given.iter().filter(|given| shows_call(given, parsed));
            shown.next().filter(|_| shown.next().is_none())
        });
        let question = same.and_then(|given| given.state.question());
        question.map(|question| Some(Token::clone(&question.token))).ok_or_else(other_call)
    }
}

/// A call that was never asked about, or of which nothing is kept: a store in memory may have forgotten that it ran.
fn no_question() -> Admission {
    let message = "this call has no pending confirmation; whether it has run is not known here";
    question_closed("unknown", message, serde_json::json!({})).into()
}

fn other_call() -> Admission {
    let message = "the confirmed call is not the one that was shown; it has not run";
    question_closed("changed", message, serde_json::json!({})).into()
}

fn shows_call(given: &GivenQuestion, parsed: &ParsedCall) -> bool {
    matches!(&given.state, TokenState::Pending(question) if is_about(question, parsed))
}

/// Whether a question is about a call: as it was sent, or as the question showed it.
fn is_about(question: &Question, parsed: &ParsedCall) -> bool {
    question.tool == parsed.tool.id
        && (question.fingerprint.matches(&parsed.fingerprint)
            || shows(question, &parsed.tool, &canonical_digest(&parsed.args.canonical())))
}

/// Whether arguments with this digest are those that a question showed: completed, and with sensitive values masked.
fn shows(question: &Question, tool: &CompiledTool, sent: &[u8; 32]) -> bool {
    let shown = || {
        let args = Tape::parse(question.args.to_string(), &Limits::widest()).ok()?;
        let shown = Tape::parse(tool.shown_args(&args).to_string(), &Limits::widest()).ok()?;
        Some(canonical_digest(&CanonicalJson::from_node(shown.root())))
    };
    question.args_digest == *sent || shown().is_some_and(|shown| shown == *sent)
}
