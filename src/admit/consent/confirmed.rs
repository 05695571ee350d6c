//! Admission of a confirmed call: it runs as it was shown, under the asking call's key. Session, version, services, the
//! mode that asked and roles are checked again, and the arguments if the tool's definition has changed. Budgets and the loop
//! guard limit models, not users.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::admit::admitting::Admitting;
use crate::admit::args::argument_text::{ArgsCheck, CheckedArgs};
use crate::admit::args::parse::parse_args;
use crate::admit::args::time_rules;
use crate::admit::call::{AdmittedCall, CallHeader, CompleteCall};
use crate::admit::consent::approvers::Approver;
use crate::admit::consent::{approvers, edit, grant, preview};
use crate::admit::context::{AdmissionContext, ArgsLimits};
use crate::admit::decision::{Admission, AdmissionResult, StageResult};
use crate::admit::stages::claim::Confirmed;
use crate::admit::stages::order::{AdmissionPath, Stage};
use crate::admit::stages::{backpressure, mode, resolve_tool, session_active};
use crate::call::{CallId, RawArgs};
use crate::error::{ErrorType, ToolError};
use crate::json::{CanonicalJson, Tape};
use crate::registry::CompiledTool;
use crate::session::fingerprint::canonical_digest;
use crate::session::policy::Mode;
use crate::store::{
    ActOutcome, Closing, ConfirmedBy, ConfirmedToken, Question, Record, StoreRequests, Token, TokenState,
};

/// How a user confirms.
#[derive(Debug, Default)]
pub struct UserConfirmation {
    /// The way in which the answer came.
    pub via: Option<String>,
    /// The arguments that the user wants instead of those that were shown.
    pub edited: Option<RawArgs>,
    /// What the user wants to grant for later calls, JSON text.
    pub grant: Option<String>,
    /// Who answers, if it is not the session's user.
    pub approver: Option<Approver>,
    /// The token of the question that its user was shown, if the answer names the call that asked.
    pub shown: Option<Token>,
}

impl UserConfirmation {
    /// Whether it is more than the yes of the session's user, who gets the answer of a call that has run.
    pub(in crate::admit) const fn has_wishes(&self) -> bool {
        self.edited.is_some() || self.grant.is_some() || self.approver.is_some()
    }
}

/// Admits a confirmed call, which is one of a handler if that waits for it. `mode_named` finds the mode that asked.
pub async fn admit_confirmed(
    context: &AdmissionContext<'_>,
    token: &str,
    answer: &UserConfirmation,
    mode_named: impl Fn(&str) -> Arc<Mode>,
    received: Instant,
) -> AdmissionResult {
    let header = CallHeader {
        name: "".into(),
        call_id: None,
        tool: None,
        registry_version: Arc::clone(&context.tools.version),
        mode: Arc::clone(&context.attachment.mode),
        turn: context.turn(),
        parent: context.parent.cloned(),
        waits: false,
        repaired: Vec::new(),
        edited: Vec::new(),
        defaulted: Vec::new(),
        grant: None,
        duplicate_of: None,
        reconciled: context.reconciling.outcome(),
        received,
    };
    let mut admitting = Admitting::new(context, header, AdmissionPath::Confirmed);
    let done = admitting.run_confirmed(token, ConfirmedBy::Token, answer, mode_named).await;
    admitting.ended(done)
}

impl Admitting<'_> {
    pub(in crate::admit) async fn run_confirmed(
        &mut self,
        token: &str,
        by: ConfirmedBy,
        answer: &UserConfirmation,
        mode_named: impl Fn(&str) -> Arc<Mode>,
    ) -> StageResult<Box<AdmittedCall>> {
        let context = self.context;
        self.enter(Stage::Session);
        session_active::check(context)?;
        let question = open_question(context, token, &mode_named, &mut self.header).await?;
        fill_header(context, Arc::make_mut(&mut self.header), &question, &mode_named);
        self.enter(Stage::Tool);
        let tool = match current_tool(context, &question) {
            Ok(tool) => tool,
            Err(stopped) => return Err(expired_if_changed(context, &question, stopped).await),
        };
        let approver = approvers::approver_name(context, &question, answer.approver.as_ref())?;
        self.enter(Stage::Mode);
        mode::allowed_in(&tool, &question.mode)?;
        self.enter(Stage::Roles);
        mode::check_roles(context, &tool)?;
        self.enter(Stage::Completion);
        let call = match call_as_shown(context, &self.header, tool, &question).await {
            Ok(call) => call,
            Err(stopped) => return Err(expired_if_changed(context, &question, stopped).await),
        };
        let shown = question.args_digest;
        let (call, question) = match answer.edited.clone() {
            Some(wanted) => {
                approvers::check_edit(&question)?;
                edit::edited_call(context, &mut self.header, call, question, wanted).await?
            }
            None => (call, question),
        };
        let grant = answer.grant.as_deref().map(|wanted| (wanted, answer.via.as_deref()));
        let grant = grant.map(|wanted| grant::new_grant(context, &call, &question, wanted)).transpose()?.map(Arc::new);
        self.enter(Stage::Backpressure);
        backpressure::check(context, &call.tool)?;
        self.enter(Stage::Claim);
        let token = ConfirmedToken { token: Arc::clone(&question.token), by, grant: grant.clone(), approver };
        let is_edited = question.args_digest != shown;
        let confirmed = Confirmed { token, known_act: question.known_act(), is_edited };
        match self.claim(question.key.clone(), call, Some(confirmed)).await {
            // The question was closed after it was read: the store says how.
            Err(Admission::Refuse(error)) if error.kind == ErrorType::ConfirmationExpired => {
                let open = open_question(context, &question.token, &mode_named, &mut self.header).await;
                Err(open.err().unwrap_or(error.into()))
            }
            claimed => claimed.map(|mut call| {
                call.does_again = question.again.is_some();
                call.question = Some(question);
                call.given = grant;
                call
            }),
        }
    }
}

/// Expires a question that is refused because its tool has changed. If the store fails, it is refused again next time.
async fn expired_if_changed(context: &AdmissionContext<'_>, question: &Question, stopped: Admission) -> Admission {
    if matches!(&stopped, Admission::Refuse(error) if error.kind == ErrorType::ConfirmationExpired) {
        close(context, &question.token, Closing::Changed).await;
    }
    stopped
}

/// Closes a question that is out of date. If the store fails, it stays.
pub(in crate::admit) async fn close(context: &AdmissionContext<'_>, token: &str, closing: Closing) {
    let session = &context.attachment.session.id;
    if let Err(error) = context.store.close_question(session, token, closing, context.now).await {
        tracing::warn!(%error, "a question that is out of date could not be closed");
    }
}

/// The question of a token; refuses one that is not open, and says why.
async fn open_question(
    context: &AdmissionContext<'_>,
    token: &str,
    mode_named: &impl Fn(&str) -> Arc<Mode>,
    header: &mut Arc<CallHeader>,
) -> StageResult<Arc<Question>> {
    let closed = match context.store.token_state(&context.attachment.session.id, token, context.now).await? {
        TokenState::Pending(question) => return Ok(question),
        TokenState::Expired(question) => {
            fill_header(context, Arc::make_mut(header), &question, mode_named);
            expired(context, &question)
        }
        TokenState::Denied(question) => {
            fill_header(context, Arc::make_mut(header), &question, mode_named);
            question_closed("denied", "the user has denied this call; it has not run", json!({}))
        }
        TokenState::Used { question, record } => {
            fill_header(context, Arc::make_mut(header), &question, mode_named);
            used(question.call_id.as_ref(), record.as_deref())
        }
        TokenState::Unknown => question_closed("unknown", "this confirmation is not known in this session", json!({})),
    };
    Err(closed.into())
}

/// Fills the header with the call that asked, so that the answer belongs to it.
fn fill_header(
    context: &AdmissionContext<'_>,
    header: &mut CallHeader,
    question: &Question,
    mode_named: impl Fn(&str) -> Arc<Mode>,
) {
    header.name = Arc::clone(&question.tool);
    header.call_id.clone_from(&question.call_id);
    header.mode = mode_named(&question.mode);
    header.repaired.clone_from(&question.repaired);
    header.edited.clone_from(&question.edited);
    header.tool = context.tools.get(&question.tool).cloned();
}

/// Returns the tool; refuses if it changed since the question or a required service is gone.
fn current_tool(context: &AdmissionContext<'_>, question: &Question) -> StageResult<Arc<CompiledTool>> {
    let Some(tool) = context.tools.get(&question.tool) else {
        return Err(resolve_tool::unknown_tool(context.tools, &question.tool).into());
    };
    if tool.version != question.tool_version {
        let message = format!("`{}` has changed since it was asked; ask again", tool.id);
        return Err(question_closed("version", &message, json!({})).into());
    }
    if tool.definition.confirmation.approvers != question.approvers {
        let message = format!("who confirms `{}` has changed since it was asked; it has not run, ask again", tool.id);
        return Err(question_closed("definition", &message, json!({})).into());
    }
    resolve_tool::check_offered(tool, &context.attachment.services)?;
    Ok(Arc::clone(tool))
}

/// The call with the arguments that were shown. If the tool's definition has changed since, without its version, they are
/// completed and validated anew: a call that would differ from what was shown does not run.
async fn call_as_shown(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    tool: Arc<CompiledTool>,
    question: &Question,
) -> StageResult<CompleteCall> {
    // The stage parse has bounded this text already.
    let unbounded = ArgsLimits { max_bytes: usize::MAX, max_depth: u32::MAX };
    let mut tape = parse_args(question.args.to_string(), unbounded, &tool.args_schema)?;
    if tool.definition_digest() != question.definition {
        tape = completed_anew(context, header, &tool, tape, question).await?;
    }
    Ok(CompleteCall {
        tape,
        tool,
        fingerprint: question.fingerprint.clone(),
        defaulted: question.defaulted.clone(),
        clamped: Vec::new(),
        by_code: question.by_code.clone().map(Box::new),
    })
}

/// The arguments under the tool's present definition, if that shows the user what the question showed.
async fn completed_anew(
    context: &AdmissionContext<'_>,
    header: &CallHeader,
    tool: &Arc<CompiledTool>,
    tape: Tape,
    question: &Question,
) -> StageResult<Tape> {
    // What runs is what was shown.
    let check = ArgsCheck::without_repair(context, header, tool);
    let checked = check.offloaded(tape).await.and_then(|CheckedArgs { completed, .. }| {
        time_rules::check(tool, &completed.tape, Some(context.now))?;
        let zone = question.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok());
        let preview = preview::preview(tool, &completed.tape, &tool.shown_args(&completed.tape), zone.as_ref())?;
        Ok((completed.tape, preview))
    });
    let changed = |what: &str| {
        let message = format!("`{}` has changed since it was asked: {what}; it has not run, ask again", tool.id);
        question_closed("definition", &message, json!({}))
    };
    match checked {
        Err(error) => Err(changed(&error.message).with_audit_message("the tool's definition has changed").into()),
        Ok((tape, _)) if canonical_digest(&CanonicalJson::from_node(tape.root())) != question.args_digest => {
            Err(changed("it would run with other arguments than were shown").into())
        }
        Ok((_, preview))
            if !question.preview.ends_with(&preview) || (question.again.is_none() && preview != question.preview) =>
        {
            Err(changed("its user would be shown another text").into())
        }
        Ok((tape, _)) => Ok(tape),
    }
}

/// The refusal of an answer to a question that was closed unanswered.
fn expired(context: &AdmissionContext<'_>, question: &Question) -> ToolError {
    let why = if question.expires <= context.now {
        "the time to confirm is over"
    } else if !question.parents.is_empty() {
        "the call that asked for it is over"
    } else {
        "the confirmation was withdrawn, or another one has taken its place"
    };
    question_closed("expired", &format!("{why}; the call has not run"), json!({}))
}

/// The refusal of a second answer.
pub(in crate::admit) fn used(call_id: Option<&CallId>, record: Option<&Record>) -> ToolError {
    let details = json!({ "callId": call_id, "outcome": outcome_name(record) });
    question_closed("used", "this confirmation was used before; the call does not run again", details)
}

pub(in crate::admit) fn question_closed(reason: &str, message: &str, mut details: Value) -> ToolError {
    if let Some(details) = details.as_object_mut() {
        details.insert("reason".to_owned(), json!(reason));
    }
    ToolError::new(ErrorType::ConfirmationExpired, message).with_details(details)
}

/// The outcome of a call whose confirmation was used.
fn outcome_name(record: Option<&Record>) -> &'static str {
    record.map_or("not_recorded", |record| ActOutcome::from_state(&record.state).as_str())
}
