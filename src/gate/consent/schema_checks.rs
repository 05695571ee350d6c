//! The code of a tool's schema, run before a user is asked about a call.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::admit::{SchemaFindings, UncheckedCall};
use crate::error::{ErrorType, ToolError};
use crate::gate::nested::nested_calls::ParentAttempt;
use crate::gate::run::aside::AsideStopped;
use crate::gate::run::attempts::to_whole_ms;
use crate::gate::run::running::ArrivingCall;
use crate::gate::sessions::attachment::Session;
use crate::registry::CompiledTool;
use crate::run::{HandlerOutcome, Invocation, Started};
use crate::session::deadline::Deadline;
use crate::settle;

/// The longest time of a check. A tool with a shorter timeout has that, and JavaScript waits for half of it.
const MAX_TIMEOUT: Duration = Duration::from_secs(10);

impl Session {
    /// Has the code of the schema check a call. Ends at once if its caller is cancelled.
    pub(in crate::gate) async fn check_by_schema(
        &self,
        call: Box<UncheckedCall>,
        arriving: Option<&ArrivingCall<'_>>,
        parent_attempt: Option<&ParentAttempt>,
    ) -> SchemaFindings {
        let gate = &self.gate;
        let _running = gate.asides.begin();
        let of_tool = call.tool.definition.timeout_ms.0.map_or(MAX_TIMEOUT, Duration::from_millis);
        let above = parent_attempt.and_then(|attempt| attempt.parent.deadline.as_deref()).map(Deadline::left);
        let timeout = of_tool.min(MAX_TIMEOUT).min(above.unwrap_or(MAX_TIMEOUT));
        let invocation = Invocation {
            id: gate.next_id(),
            tool: Arc::clone(&call.tool),
            attachment: self.attachment.id,
            args: Arc::clone(&call.args),
            call_id: call.call_id.clone(),
            mode: Arc::clone(&call.mode),
            attempt: 1,
            idempotency_key: "".into(),
            deadline: Some(gate.now().saturating_add(to_whole_ms(timeout))),
            clamped: Vec::new(),
            starts: Started::SchemaCode,
        };
        let cancelled = async {
            match arriving {
                Some(arriving) => arriving.cancelled().await,
                None => std::future::pending().await,
            }
        };
        let found = match gate.asides.run(&gate.parts.handlers, invocation, timeout, cancelled).await {
            Ok(outcome) => read(&call.tool, outcome),
            Err(why) => Err(stopped(&call.tool, why, timeout)),
        };
        SchemaFindings { call, found }
    }
}

/// What the code adds, or its refusal of the call. It has done nothing, whatever it says.
fn read(tool: &CompiledTool, outcome: HandlerOutcome) -> Result<Vec<(String, Value)>, ToolError> {
    match outcome {
        HandlerOutcome::Returned(text) => serde_json::from_str(&text).map_err(|_| failed(tool)),
        // What it adds can't be shown.
        HandlerOutcome::Nothing | HandlerOutcome::ReturnedWithLoss { .. } | HandlerOutcome::TooLarge => Ok(Vec::new()),
        HandlerOutcome::NotJson { .. } | HandlerOutcome::Left => Err(failed(tool)),
        HandlerOutcome::Threw(thrown) => {
            let error = settle::thrown_error(tool, *thrown);
            Err(ToolError { partial_side_effects: false, ..error }
                .with_audit_message(format!("the code of the schema of `{}` refuses the arguments", tool.id)))
        }
    }
}

fn failed(tool: &CompiledTool) -> ToolError {
    ToolError::new(ErrorType::Internal, format!("the schema of `{}` failed unexpectedly", tool.id))
}

fn stopped(tool: &CompiledTool, why: AsideStopped, timeout: Duration) -> ToolError {
    let (tool, ms) = (&tool.id, timeout.as_millis());
    match why {
        AsideStopped::Timeout => {
            ToolError::new(ErrorType::Internal, format!("the schema of `{tool}` did not answer within {ms} ms"))
        }
        AsideStopped::Closing | AsideStopped::Cancelled => {
            ToolError::new(ErrorType::Cancelled, format!("`{tool}` was cancelled before its user was asked"))
        }
    }
}
