//! Stage completion: strict nulls become absent, defaults are filled, values are clamped; then the schema is checked, and
//! the rules over times. Arguments that are nearly right are repaired.
//! The resulting arguments are final: a confirmation shows and binds them, and the handler gets exactly them.

use crate::admit::args::argument_text::CheckedArgs;
use crate::admit::args::time_rules;
use crate::admit::call::{CompleteCall, ParsedIdentity};
use crate::admit::decision::StageResult;
use crate::clock::EpochMs;
use crate::schema::Repaired;

/// The call with its completed arguments, and what was repaired in them.
pub(in crate::admit) fn complete(
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
