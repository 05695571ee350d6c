//! A tool outside any session: validate, run, normalize. No budgets, no ledger, no confirmation: a tool that needs one
//! is refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::time::Instant;

use super::Gate;
use super::attempts::{Attempts, AttemptsEnd};
use super::call_facts::{self, ExecutionEnd};
use crate::admit::{
    AdmittedCall, CallHeader, RecordLocation, check_services, issues_error, not_serializable, parse_args, unknown_tool,
};
use crate::call::{RawArgs, SessionId};
use crate::definition::CancellationPolicy;
use crate::error::{ErrorType, ToolError};
use crate::json::{CanonicalJson, Tape};
use crate::observe::event::Event;
use crate::registry::{CompiledTool, ToolSet};
use crate::response::ToolResponse;
use crate::run::execution::Execution;
use crate::schema::Completed;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::{RecordKey, hex, idempotency_key};
use crate::settle::{self, NormalizedOutcome, answer};

/// A call without a session.
#[derive(Debug, Clone)]
pub struct DirectCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: RawArgs,
    /// The mode whose clamps and caps apply.
    pub mode: String,
    /// Host services at hand.
    pub services: BTreeSet<String>,
    /// What the host knows this call by: its handler finds its context under it.
    pub attachment: u64,
}

/// Arguments that fit, or why they don't.
pub type ValidatedArgs = Result<String, ToolError>;

impl Gate {
    /// Checks arguments as rungs 3, 7 and 8 do, in no mode. Returns them completed.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown tool, VALIDATION with every finding.
    pub fn validate_args(&self, tool_id: &str, args: RawArgs) -> ValidatedArgs {
        let tools = self.tools();
        let tool = tools.get(tool_id).ok_or_else(|| unknown_tool(&tools, tool_id))?;
        let tape = self.parse_direct(args)?;
        complete_and_validate(tool, tape, &[]).map(|completed| completed.tape.into_text())
    }

    /// Runs a tool without a session.
    pub async fn execute_direct(&self, call: DirectCall) -> ToolResponse {
        let tools = self.tools();
        let mut header = Arc::new(CallHeader {
            name: call.tool.as_str().into(),
            call_id: None,
            tool: None,
            registry_version: Arc::clone(&tools.version),
            mode: Arc::new(self.mode(&call.mode)),
            turn: 1,
            parent: None,
            received: Instant::now(),
        });
        let attachment = call.attachment;
        match self.admit_direct(&tools, call, &mut header) {
            Ok(admitted) => self.run_direct(attachment, admitted).await,
            Err(error) => {
                let call = call_facts::call_facts(&header);
                self.emit(None, &Event::ToolRefused { call, error_type: error.kind, message: &error.message });
                answer::refused(&header, error, self.now())
            }
        }
    }

    fn admit_direct(
        &self,
        tools: &ToolSet,
        call: DirectCall,
        header: &mut Arc<CallHeader>,
    ) -> Result<AdmittedCall, ToolError> {
        if self.is_closing() {
            return Err(ToolError::new(ErrorType::SessionInactive, "the registry is closed"));
        }
        let tool = Arc::clone(tools.get(&call.tool).ok_or_else(|| unknown_tool(tools, &call.tool))?);
        Arc::make_mut(header).tool = Some(Arc::clone(&tool));
        check_services(&tool, &call.services)?;
        let tape = self.parse_direct(call.args)?;
        let fingerprint =
            Fingerprint::from_canonical(self.sketches, Arc::clone(&tool.id), &CanonicalJson::from_node(tape.root()));
        let completed = complete_and_validate(&tool, tape, &tool.clamps(&header.mode.name, header.mode.top_k))?;
        if tool.definition.requires_confirmation {
            let message = format!("`{}` needs the user's confirmation, which only a session can ask for", tool.id);
            return Err(
                ToolError::new(ErrorType::ConfirmationRequired, message).with_suggestion("call it through a session")
            );
        }
        let (key, session) = unique_key()?;
        Ok(AdmittedCall {
            idempotency_key: idempotency_key(&session, &tool.id, &key),
            header: Arc::clone(header),
            fingerprint,
            args: completed.tape.into_text().into(),
            kept_text: None,
            defaulted: completed.defaulted,
            clamped: completed.clamped,
            key,
            cache: None,
            epoch: 0,
            record_location: RecordLocation::Nowhere,
            tool,
        })
    }

    async fn run_direct(&self, attachment: u64, call: AdmittedCall) -> ToolResponse {
        // Nobody can join or cancel it: the execution is the handler's alone.
        let alone = Execution::running(CancellationPolicy::Shield);
        let attempts = Attempts { gate: self, open: None, attachment, call: &call, execution: &alone };
        let (ended, attempts) = attempts.run().await;
        let (normalized, how) = match ended {
            AttemptsEnd::Finished(normalized) => (normalized, ExecutionEnd::Ended),
            AttemptsEnd::TimedOut(unfinished, _) | AttemptsEnd::Aborted(_, Some(unfinished)) => {
                self.parts.handlers.abort(unfinished.id, "timeout");
                (timeout_outcome(&call.tool), ExecutionEnd::TimedOut)
            }
            AttemptsEnd::Aborted(_, None) => (timeout_outcome(&call.tool), ExecutionEnd::TimedOut),
        };
        let response = answer::executed(
            &call,
            attempts,
            normalized.outcome,
            normalized.truncated,
            normalized.warnings,
            self.now(),
        );
        self.emit_executed(None, &call, &response, how);
        response
    }

    fn parse_direct(&self, args: RawArgs) -> Result<Tape, ToolError> {
        match args {
            RawArgs::Text(text) | RawArgs::Kept(text, _) => parse_args(text, self.parts.limits.args),
            RawArgs::NotJson(problem) => Err(not_serializable(&problem)),
        }
    }
}

fn timeout_outcome(tool: &CompiledTool) -> NormalizedOutcome {
    settle::timed_out(tool, tool.definition.timeout_ms.0.unwrap_or_default()).into()
}

fn complete_and_validate(
    tool: &CompiledTool,
    tape: Tape,
    clamps: &[crate::schema::Clamp],
) -> Result<Completed, ToolError> {
    tool.args_schema.complete_and_validate(tape, clamps).map_err(|issues| issues_error(&tool.id, &issues))
}

/// A key that no other call has: without a session there is nothing to be the same call in.
fn unique_key() -> Result<(RecordKey, SessionId), ToolError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| {
        ToolError::new(ErrorType::Transient, "no random bytes just now; try again").retryable_after(None)
    })?;
    let random = hex(&bytes);
    Ok((RecordKey::from_provider_id(&random.as_str().into()), "direct".into()))
}
