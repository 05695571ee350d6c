//! Admission of a call that was admitted before and whose process died: it continues under its own record. Session, tool, mode
//! and roles are checked again; budgets, the loop guard and confirmations are not: it has passed them.

use std::sync::Arc;

use serde_json::json;
use tokio::time::Instant;

use crate::admit::admitting::Admitting;
use crate::admit::args::argument_text::ArgsCheck;
use crate::admit::args::parse::parse_args;
use crate::admit::call::{AdmittedCall, CallHeader, CompleteCall};
use crate::admit::context::{AdmissionContext, ArgsLimits};
use crate::admit::decision::{AdmissionResult, StageResult};
use crate::admit::stages::order::{AdmissionPath, Stage};
use crate::admit::stages::{backpressure, mode, resolve_tool, session_active};
use crate::call::{CallId, RawArgs, RawCall};
use crate::error::{ErrorType, ToolError};
use crate::schema::Completed;
use crate::store::owed::LostClaim;

/// A lost call as it was admitted before.
#[derive(Debug, Clone, Copy)]
pub struct CallBefore<'a> {
    /// The provider's id.
    pub call_id: Option<&'a CallId>,
    /// The tool.
    pub tool_id: &'a str,
    /// The tool's version.
    pub tool_version: Option<&'a str>,
    /// The turn.
    pub turn: Option<u32>,
}

/// Admits a lost call again.
pub async fn admit_again(
    context: &AdmissionContext<'_>,
    lost: LostClaim,
    before: CallBefore<'_>,
    received: Instant,
) -> AdmissionResult {
    let args = RawArgs::Text(String::new());
    let call =
        RawCall { id: before.call_id.cloned(), name: before.tool_id.to_string(), args, message: None, waits: false };
    let header = CallHeader {
        turn: before.turn.unwrap_or(context.attachment.turn()),
        ..CallHeader::new(context, &call, received)
    };
    let mut admitting = Admitting::new(context, header, AdmissionPath::Confirmed);
    let done = admitting.run_again(lost, &call, before).await;
    AdmissionResult { counted: None, ..admitting.ended(done) }
}

impl Admitting<'_> {
    async fn run_again(
        &mut self,
        lost: LostClaim,
        call: &RawCall,
        before: CallBefore<'_>,
    ) -> StageResult<Box<AdmittedCall>> {
        let context = self.context;
        self.enter(Stage::Session);
        session_active::check(context)?;
        self.enter(Stage::Tool);
        // As it is named: a tool of a similar name is another one.
        let tool = resolve_tool::resolve(context, call)?;
        Arc::make_mut(&mut self.header).tool = Some(Arc::clone(&tool));
        if before.tool_version != Some(&*tool.version) {
            let message = format!("`{}` has changed since the call was made; make it again", tool.id);
            let error = ToolError::new(ErrorType::Conflict, message).with_details(json!({ "reason": "version" }));
            return Err(error.into());
        }
        self.enter(Stage::Mode);
        mode::allowed_in(&tool, &context.attachment.mode.name)?;
        self.enter(Stage::Roles);
        mode::check_roles(context, &tool)?;
        self.enter(Stage::Completion);
        let unbounded = ArgsLimits { max_bytes: usize::MAX, max_depth: u32::MAX };
        let tape = parse_args(lost.args.to_string(), unbounded, &tool.args_schema)?;
        // What runs is what ran before.
        let check = ArgsCheck::without_repair(context, &self.header, &tool);
        let Completed { tape, defaulted, clamped, .. } = check.offloaded(tape).await?.completed;
        let call = CompleteCall { tool, fingerprint: lost.fingerprint, tape, defaulted, clamped, by_code: None };
        self.enter(Stage::Backpressure);
        backpressure::check(context, &call.tool)?;
        self.enter(Stage::Claim);
        self.claim(lost.key, call, None).await.map(|mut call| {
            call.answers_at_once = true;
            call
        })
    }
}
