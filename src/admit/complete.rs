//! Stage completion: strict nulls become absent, defaults are filled, values are clamped; then the schema is checked, and
//! the rules over times. Arguments that are nearly right are repaired.
//! The resulting arguments are final: a confirmation shows and binds them, and the handler gets exactly them.

use std::sync::Arc;

use super::argument_text::CheckedArgs;
use super::{StageResult, time_rules};
use crate::clock::EpochMs;
use crate::json::Tape;
use crate::registry::CompiledTool;
use crate::schema::{Clamped, Repaired};
use crate::session::fingerprint::Fingerprint;
use crate::store::AddedByCode;

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
    /// What the code of its schema has added.
    pub(super) by_code: Option<Box<AddedByCode>>,
}

/// The call with its completed arguments, and what was repaired in them.
pub(super) fn complete(
    parsed: ParsedIdentity,
    checked: CheckedArgs,
    now: EpochMs,
) -> StageResult<(CompleteCall, Vec<Repaired>)> {
    let ParsedIdentity { tool, fingerprint } = parsed;
    let CheckedArgs { completed, repair } = checked;
    let (repaired, refusal) = repair.map(|repair| (repair.repaired, repair.refusal)).unzip();
    // A repair that breaks a rule is none: the arguments are refused as they came.
    time_rules::check(&tool, &completed.tape, Some(now)).map_err(|broken| refusal.unwrap_or(broken))?;
    let call = CompleteCall {
        tool,
        fingerprint,
        tape: completed.tape,
        defaulted: completed.defaulted,
        clamped: completed.clamped,
        by_code: None,
    };
    Ok((call, repaired.unwrap_or_default()))
}
