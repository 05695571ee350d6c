//! Stage completion: strict nulls become absent, defaults are filled, values are clamped; then the schema is checked, and
//! the rules over times.
//! The resulting arguments are final: a confirmation shows and binds them, and the handler gets exactly them.

use std::sync::Arc;

use super::{StageResult, time_rules};
use crate::clock::EpochMs;
use crate::json::Tape;
use crate::registry::CompiledTool;
use crate::schema::{Clamped, Completed};
use crate::session::fingerprint::Fingerprint;

/// A parsed call without its arguments, which are being completed.
pub(super) struct ParsedIdentity {
    pub(super) tool: Arc<CompiledTool>,
    pub(super) fingerprint: Fingerprint,
}

/// A call whose arguments are final.
pub(super) struct CompleteCall {
    pub(super) tool: Arc<CompiledTool>,
    pub(super) fingerprint: Fingerprint,
    pub(super) tape: Tape,
    pub(super) defaulted: Vec<String>,
    pub(super) clamped: Vec<Clamped>,
}

/// The call with its completed arguments.
pub(super) fn complete(parsed: ParsedIdentity, completed: Completed, now: EpochMs) -> StageResult<CompleteCall> {
    let ParsedIdentity { tool, fingerprint } = parsed;
    time_rules::check(&tool, &completed.tape, Some(now))?;
    Ok(CompleteCall {
        tool,
        fingerprint,
        tape: completed.tape,
        defaulted: completed.defaulted,
        clamped: completed.clamped,
    })
}
