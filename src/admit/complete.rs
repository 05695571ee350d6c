//! Stage completion: strict nulls become absent, defaults are filled, values are clamped; then the schema is checked, and
//! the rules over times.
//! The resulting arguments are final: a confirmation shows and binds them, and the handler gets exactly them.

use std::sync::Arc;

use super::{ParsedCall, StageResult, time_rules};
use crate::call::KeptArgs;
use crate::clock::EpochMs;
use crate::json::Tape;
use crate::registry::CompiledTool;
use crate::schema::Clamped;
use crate::session::fingerprint::Fingerprint;

/// A call whose arguments are final.
pub(super) struct CompleteCall {
    pub(super) tool: Arc<CompiledTool>,
    pub(super) fingerprint: Fingerprint,
    pub(super) tape: Tape,
    /// The text that the host keeps, if the arguments are that text with known changes.
    pub(super) kept_args: Option<KeptArgs>,
    pub(super) defaulted: Vec<String>,
    pub(super) clamped: Vec<Clamped>,
}

pub(super) async fn complete(parsed: ParsedCall, now: EpochMs) -> StageResult<CompleteCall> {
    let ParsedCall { tool, args, kept_text, fingerprint, .. } = parsed;
    let completed = args.completed().await?;
    time_rules::check(&tool, &completed.tape, Some(now))?;
    Ok(CompleteCall {
        tool,
        fingerprint,
        kept_args: kept_text
            .filter(|_| !completed.changed || completed.value_edits.is_some())
            .map(|kept| KeptArgs { id: kept.id, edits: completed.value_edits.map(Arc::from) }),
        tape: completed.tape,
        defaulted: completed.defaulted,
        clamped: completed.clamped,
    })
}
