//! Rungs 7 and 8: strict nulls become absent, defaults are filled, values are clamped; then the schema is checked. What
//! comes out is final: what a confirmation shows and binds, and exactly what the handler gets.

use std::sync::Arc;

use super::offload::offload;
use super::{Desk, ParsedCall, Rung, issues_error};
use crate::error::{ErrorType, ToolError};
use crate::json::Tape;
use crate::registry::CompiledTool;
use crate::schema::Clamped;
use crate::session::fingerprint::Fingerprint;

/// A call whose arguments are final.
pub(super) struct CompleteCall {
    pub(super) tool: Arc<CompiledTool>,
    pub(super) fingerprint: Fingerprint,
    pub(super) tape: Tape,
    pub(super) defaulted: Vec<String>,
    pub(super) clamped: Vec<Clamped>,
}

pub(super) async fn complete(desk: &Desk<'_>, parsed: ParsedCall) -> Rung<CompleteCall> {
    let clamps = parsed.tool.clamps(&desk.attachment.mode.name, desk.attachment.mode.top_k);
    let ParsedCall { tool, tape, fingerprint, .. } = parsed;
    let size = tape.text().len();
    let done = offload(size, move || match tool.args.prepare(tape, &clamps) {
        Ok(completed) => Ok((tool, completed)),
        Err(issues) => Err(issues_error(&tool.id, &issues)),
    });
    let Some(done) = done.await else {
        return Err(ToolError::new(ErrorType::Internal, "the arguments could not be checked").into());
    };
    let (tool, completed) = done?;
    Ok(CompleteCall {
        tool,
        fingerprint,
        tape: completed.tape,
        defaulted: completed.defaulted,
        clamped: completed.clamped,
    })
}
