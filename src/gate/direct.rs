//! A tool outside any session: validate, run, normalize. No budgets, no ledger, no confirmation: a tool that needs one
//! is refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::time::Instant;

use super::Gate;
use super::attempts::{Attempts, Ended};
use super::facts::{self, How};
use crate::admit::{AdmittedCall, Header, KeptIn, check_services, issues_error, parse_args, unknown_tool, unwritable};
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
use crate::settle::{self, Normalized, answer};

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
pub type Validated = Result<String, ToolError>;

impl Gate {
    /// Checks arguments as rungs 3, 7 and 8 do, in no mode. Returns them completed.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown tool, VALIDATION with every finding.
    pub fn validate_args(&self, tool_id: &str, args: RawArgs) -> Validated {
        let tools = self.tools();
        let tool = tools.get(tool_id).ok_or_else(|| unknown_tool(&tools, tool_id))?;
        let tape = self.parsed(args)?;
        checked(tool, tape, &[]).map(|completed| completed.tape.into_text())
    }

    /// Runs a tool without a session.
    pub async fn execute_direct(&self, call: DirectCall) -> ToolResponse {
        let tools = self.tools();
        let mut header = Arc::new(Header {
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
                let call = facts::of(&header);
                self.tell(None, &Event::ToolRefused { call, error_type: error.kind, message: &error.message });
                answer::refused(&header, error, self.now())
            }
        }
    }

    fn admit_direct(
        &self,
        tools: &ToolSet,
        call: DirectCall,
        header: &mut Arc<Header>,
    ) -> Result<AdmittedCall, ToolError> {
        if self.is_closing() {
            return Err(ToolError::new(ErrorType::SessionInactive, "the registry is closed"));
        }
        let tool = Arc::clone(tools.get(&call.tool).ok_or_else(|| unknown_tool(tools, &call.tool))?);
        Arc::make_mut(header).tool = Some(Arc::clone(&tool));
        check_services(&tool, &call.services)?;
        let tape = self.parsed(call.args)?;
        let fingerprint =
            Fingerprint::from_canonical(self.sketches, Arc::clone(&tool.id), &CanonicalJson::from_node(tape.root()));
        let completed = checked(&tool, tape, &tool.clamps(&header.mode.name, header.mode.top_k))?;
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
            kept_in: KeptIn::Nowhere,
            tool,
        })
    }

    async fn run_direct(&self, attachment: u64, call: AdmittedCall) -> ToolResponse {
        // Nobody can join or cancel it: the execution is the handler's alone.
        let alone = Execution::running(CancellationPolicy::Shield);
        let attempts = Attempts { gate: self, open: None, attachment, call: &call, execution: &alone };
        let (ended, attempts) = attempts.run().await;
        let (normalized, how) = match ended {
            Ended::Finished(normalized) => (normalized, How::Ended),
            Ended::TimedOut(unfinished, _) | Ended::Aborted(_, Some(unfinished)) => {
                self.parts.handlers.abort(unfinished.id, "timeout");
                (out_of_time(&call.tool), How::TimedOut)
            }
            Ended::Aborted(_, None) => (out_of_time(&call.tool), How::TimedOut),
        };
        let response =
            answer::ran(&call, attempts, normalized.outcome, normalized.truncated, normalized.warnings, self.now());
        self.tell_executed(None, &call, &response, how);
        response
    }

    fn parsed(&self, args: RawArgs) -> Result<Tape, ToolError> {
        match args {
            RawArgs::Text(text) | RawArgs::Kept(text, _) => parse_args(text, self.parts.limits.args),
            RawArgs::NotJson(problem) => Err(unwritable(&problem)),
        }
    }
}

fn out_of_time(tool: &CompiledTool) -> Normalized {
    settle::timed_out(tool, tool.definition.timeout_ms.0.unwrap_or_default()).into()
}

fn checked(tool: &CompiledTool, tape: Tape, clamps: &[crate::schema::Clamp]) -> Result<Completed, ToolError> {
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
