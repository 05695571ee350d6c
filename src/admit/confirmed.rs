//! A user's yes: the call runs as it was shown, under the asking call's key. Session, version, roles, services and the
//! mode that asked are checked again; budgets and loops are the model's affair, not the user's.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::complete::CompleteCall;
use super::{
    Admission, AdmissionContext, AdmissionResult, AdmittedCall, ArgsLimits, CallHeader, StageResult, backpressure,
    claim, mode, parse, parse_args, replay, resolve_tool, session_active,
};
use crate::call::RawCall;
use crate::error::{ErrorType, ToolError};
use crate::registry::CompiledTool;
use crate::session::policy::Mode;
use crate::store::{Question, Record, RecordState, Token, TokenState};

/// Takes a confirmed call to rung 10. `mode_named` finds the mode that asked.
pub async fn admit_confirmed(
    desk: &AdmissionContext<'_>,
    token: &str,
    mode_named: impl Fn(&str) -> Arc<Mode>,
    received: Instant,
) -> AdmissionResult {
    let mut header = Arc::new(CallHeader {
        name: "".into(),
        call_id: None,
        tool: None,
        registry_version: Arc::clone(&desk.tools.version),
        mode: Arc::clone(&desk.attachment.mode),
        turn: desk.attachment.turn(),
        parent: None,
        received,
    });
    let admission = match run_confirmed_checks(desk, token, mode_named, &mut header).await {
        Ok(admitted) => Admission::Run(admitted),
        Err(stopped) => stopped,
    };
    AdmissionResult { header, counted: None, admission }
}

/// Takes the call that a user has approved to rung 10. Its question is found by the call's id, and only that: whoever
/// says that a call was approved, a question that this session asked about this very call must wait.
pub async fn admit_approved(
    desk: &AdmissionContext<'_>,
    call: RawCall,
    mode_named: impl Fn(&str) -> Arc<Mode>,
    received: Instant,
) -> AdmissionResult {
    let mut header = Arc::new(CallHeader::new(desk, &call, received));
    let approved = match find_question(desk, call, &mut header).await {
        Ok(token) => run_confirmed_checks(desk, &token, mode_named, &mut header).await,
        Err(stopped) => Err(stopped),
    };
    let admission = match approved {
        Ok(admitted) => Admission::Run(admitted),
        Err(stopped) => stopped,
    };
    AdmissionResult { header, counted: None, admission }
}

/// The token of the question that a call asked; or the call's answer, where it has run already.
async fn find_question(desk: &AdmissionContext<'_>, call: RawCall, header: &mut Arc<CallHeader>) -> StageResult<Token> {
    session_active::check(desk)?;
    let tool = resolve_tool::resolve(desk, &call)?;
    Arc::make_mut(header).tool = Some(Arc::clone(&tool));
    let parsed = parse::parse(desk, header, tool, call.args, &mut None).await?;
    replay::find(desk, header, &parsed, &mut None).await?;
    let questions = desk.store.pending_questions(&desk.attachment.session.id, desk.now).await?;
    let of_this = |question: &&Arc<Question>| call.id.as_ref().is_some_and(|id| question.was_asked_by(id.as_str()));
    let mut asked = questions.iter().filter(of_this).peekable();
    if asked.peek().is_none() {
        return Err(question_closed("unknown", "nobody was asked about this call; it has not run", json!({})).into());
    }
    let same = asked.find(|asked| asked.tool == parsed.tool.id && asked.fingerprint.matches(&parsed.fingerprint));
    same.map(|question| Arc::clone(&question.token)).ok_or_else(|| {
        question_closed("changed", "the approved call is not the one that was shown; it has not run", json!({})).into()
    })
}

async fn run_confirmed_checks(
    desk: &AdmissionContext<'_>,
    token: &str,
    mode_named: impl Fn(&str) -> Arc<Mode>,
    header: &mut Arc<CallHeader>,
) -> StageResult<Box<AdmittedCall>> {
    session_active::check(desk)?;
    let question = match desk.store.token_state(&desk.attachment.session.id, token, desk.now).await? {
        TokenState::Pending(question) => question,
        TokenState::Expired(question) => {
            fill_header(desk, Arc::make_mut(header), &question, mode_named);
            return Err(
                question_closed("expired", "the time to confirm is over; the call has not run", json!({})).into()
            );
        }
        TokenState::Used { question, record } => {
            fill_header(desk, Arc::make_mut(header), &question, mode_named);
            let details = json!({ "callId": question.call_id, "outcome": outcome_name(record.as_deref()) });
            return Err(question_closed(
                "used",
                "this confirmation was used before; the call does not run again",
                details,
            )
            .into());
        }
        TokenState::Unknown => {
            return Err(question_closed("unknown", "this confirmation is not known in this session", json!({})).into());
        }
    };
    fill_header(desk, Arc::make_mut(header), &question, mode_named);
    let tool = current_tool(desk, &question)?;
    mode::allowed_in(&tool, &question.mode)?;
    mode::check_roles(desk, &tool)?;
    let call = call_as_shown(tool, &question)?;
    backpressure::check(desk, &call.tool)?;
    claim::claim(desk, Arc::clone(header), question.key.clone(), call, Some(Arc::clone(&question.token))).await
}

/// The answer is told as one to the call that asked.
fn fill_header(
    desk: &AdmissionContext<'_>,
    header: &mut CallHeader,
    question: &Question,
    mode_named: impl Fn(&str) -> Arc<Mode>,
) {
    header.name = Arc::clone(&question.tool);
    header.call_id.clone_from(&question.call_id);
    header.mode = mode_named(&question.mode);
    header.tool = desk.tools.get(&question.tool).cloned();
}

/// The tool, unless it changed since the question or what it needs has gone.
fn current_tool(desk: &AdmissionContext<'_>, question: &Question) -> StageResult<Arc<CompiledTool>> {
    let Some(tool) = desk.tools.get(&question.tool) else {
        return Err(resolve_tool::unknown_tool(desk.tools, &question.tool).into());
    };
    if tool.version != question.tool_version {
        let message = format!("`{}` has changed since it was asked; ask again", tool.id);
        return Err(question_closed("version", &message, json!({})).into());
    }
    resolve_tool::check_services(tool, &desk.attachment.services)?;
    Ok(Arc::clone(tool))
}

fn call_as_shown(tool: Arc<CompiledTool>, question: &Question) -> Result<CompleteCall, ToolError> {
    // The text has been through rung 3 already; its bounds are not applied twice.
    let unbounded = ArgsLimits { max_bytes: usize::MAX, max_depth: u32::MAX };
    Ok(CompleteCall {
        tape: parse_args(question.args.to_string(), unbounded)?,
        tool,
        // What runs is what was shown, whatever the call that says yes holds.
        kept_text: None,
        fingerprint: question.fingerprint.clone(),
        defaulted: Vec::new(),
        clamped: Vec::new(),
    })
}

fn question_closed(reason: &str, message: &str, mut details: Value) -> ToolError {
    if let Some(details) = details.as_object_mut() {
        details.insert("reason".to_owned(), json!(reason));
    }
    ToolError::new(ErrorType::ConfirmationExpired, message).with_details(details)
}

/// What became of a call whose confirmation was used.
fn outcome_name(record: Option<&Record>) -> &'static str {
    match record.map(|record| &record.state) {
        Some(RecordState::Started) => "running",
        Some(RecordState::Settled(response)) if response.is_ok() => "committed",
        Some(RecordState::Forgotten { ok: true }) => "committed",
        Some(RecordState::Settled(_) | RecordState::Forgotten { ok: false }) => "failed",
        Some(RecordState::Unknown) => "unknown",
        None => "not_recorded",
    }
}
