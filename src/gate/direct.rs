//! Calls without a session: validate, run, normalize. Without budgets, records and confirmations; a tool that needs a
//! confirmation is refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;

use super::Gate;
use super::attempts::{self, Attempts, AttemptsEnd};
use super::call_facts::{self, ExecutionEnd};
use crate::admit::{AdmittedCall, CallHeader, DirectAdmission, admit_direct, unknown_tool, validate_direct};
use crate::call::{RawArgs, shown_tool_name};
use crate::definition::CancellationPolicy;
use crate::error::ToolError;
use crate::json::{Limits, Tape};
use crate::observe::event::Event;
use crate::registry::{CompiledTool, ToolSet};
use crate::response::ToolResponse;
use crate::run::execution::Execution;
use crate::settle::{self, NormalizedOutcome, answer};

/// A call without a session.
#[derive(Debug, Clone)]
pub struct DirectCall {
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: RawArgs,
    /// The mode whose clamps and caps apply.
    pub mode: String,
    /// The available services of the host.
    pub services: BTreeSet<String>,
    /// The host's number of this call, under which the handler finds its context.
    pub attachment: u64,
}

/// The completed arguments, or the refusal.
pub type ValidatedArgs = Result<String, ToolError>;

impl Gate {
    /// Runs the stages parse and completion on arguments, without a mode's clamps. Returns the completed arguments.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown tool, VALIDATION with every issue.
    pub fn validate_args(&self, tool_id: &str, args: RawArgs) -> ValidatedArgs {
        let tools = self.tools();
        let tool = tools.get(tool_id).ok_or_else(|| unknown_tool(&tools, tool_id))?;
        validate_direct(tool, args, self.parts.limits.args)
    }

    /// The completed arguments with their sensitive values masked. `None` if the tool is unknown or the arguments are
    /// invalid: a sensitive value in the wrong place would not be masked.
    #[must_use]
    pub fn shown_args(&self, tools: &ToolSet, tool_id: &str, args: String) -> Option<Value> {
        let tool = tools.get(tool_id)?;
        let completed = validate_direct(tool, RawArgs::Text(args), self.parts.limits.args).ok()?;
        Tape::parse(completed, &Limits::widest()).ok().map(|args| tool.shown_args(&args))
    }

    /// Runs a tool without a session.
    pub async fn execute_direct(&self, call: DirectCall) -> ToolResponse {
        let tools = self.tools();
        let mut header = Arc::new(CallHeader {
            name: shown_tool_name(&call.tool).into(),
            call_id: None,
            tool: None,
            registry_version: Arc::clone(&tools.version),
            mode: Arc::new(self.mode(&call.mode)),
            turn: 1,
            parent: None,
            received: Instant::now(),
        });
        let attachment = call.attachment;
        let admission = DirectAdmission {
            tools: &tools,
            name: &call.tool,
            services: &call.services,
            limits: self.parts.limits.args,
            fingerprint_key: self.parts.audit_key.fingerprints().unwrap_or(self.fingerprint_key),
            closing: self.is_closing(),
            now: self.now(),
        };
        match admit_direct(&admission, call.args, &mut header) {
            Ok(admitted) => self.run_direct(attachment, admitted).await,
            Err(error) => {
                let call = call_facts::call_facts(&header);
                self.emit(None, &Event::ToolRefused { call, error_type: error.kind, message: error.audit_message() });
                answer::refused(&header, error, self.now())
            }
        }
    }

    async fn run_direct(&self, attachment: u64, call: AdmittedCall) -> ToolResponse {
        // No caller can join or cancel this execution.
        let execution = Execution::running(CancellationPolicy::Shield);
        let prepared = attempts::prepare_args(self, &call, &execution).await.unwrap_or_default();
        let attempts = Attempts { gate: self, open: None, attachment, call: &call, execution: &execution };
        let (ended, attempts) = attempts.run(prepared).await;
        let (normalized, how) = match ended {
            AttemptsEnd::Finished(normalized) => (normalized, ExecutionEnd::Ended),
            AttemptsEnd::TimedOut(handler, _) | AttemptsEnd::Aborted(_, Some(handler)) => {
                self.parts.handlers.abort(handler.id(), "timeout");
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
}

fn timeout_outcome(tool: &CompiledTool) -> NormalizedOutcome {
    settle::timed_out(tool, tool.definition.timeout_ms.0.unwrap_or_default()).into()
}
