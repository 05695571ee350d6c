//! The way of a model's call: through all stages, or as far as its question.

use tokio::time::Instant;

use crate::admit::admitting::Admitting;
use crate::admit::call::CallHeader;
use crate::admit::context::AdmissionContext;
use crate::admit::decision::{Admission, AdmissionResult};
use crate::admit::stages::claim::Lookup;
use crate::admit::stages::order::AdmissionPath;
use crate::admit::stages::unusable;
use crate::call::RawCall;

/// The longest arguments of a call that may have to begin anew, in bytes: they are copied.
const MAX_COPIED_ARGS: usize = 16 * 1024;

/// A copy of the call, if its first try leaves the look-up to the claim. A nested call is tried once: parsing counts it
/// among its parent's calls, and counted twice it would have the key of a later call, under which it could run again.
fn copy_for_second_try(context: &AdmissionContext<'_>, call: &RawCall) -> Option<RawCall> {
    let may_begin_anew = context.parent.is_none() && call.args.text_bytes() <= MAX_COPIED_ARGS;
    (context.store.claims_first() && may_begin_anew).then(|| call.clone())
}

/// Takes a call through all stages.
pub async fn admit(context: &AdmissionContext<'_>, call: RawCall, received: Instant) -> AdmissionResult {
    let mut admitting = Admitting::new(context, CallHeader::new(context, &call, received), AdmissionPath::Call);
    let copy = copy_for_second_try(context, &call);
    let lookup = if copy.is_some() { Lookup::WithClaim } else { Lookup::BeforeClaim };
    let mut done = admitting.run(call, lookup).await;
    if let (Some(call), true, Err(stopped)) = (copy, admitting.is_not_looked_up(), &done)
        && !matches!(stopped, Admission::StoreFailed(_))
    {
        done = admitting.run(call, Lookup::BeforeClaim).await;
    }
    if matches!(&done, Err(Admission::Refuse(error)) if unusable::is_counted(error)) {
        context.attachment.session.loop_history.lock().count_refusal(admitting.header.turn);
    }
    admitting.ended(done)
}

/// Takes a call as far as its question. `None` if the call asks none: only [`admit`] decides about it.
pub async fn ask(context: &AdmissionContext<'_>, call: RawCall, received: Instant) -> Option<AdmissionResult> {
    let mut admitting = Admitting::new(context, CallHeader::new(context, &call, received), AdmissionPath::Call);
    let asked = match admitting.run_checks(call, Lookup::BeforeClaim).await {
        // The claim would find what was done before, and ask about it.
        Ok((key, complete)) => match admitting.ask_about_duplicate(&key, &complete).await {
            Ok(asked) => asked,
            Err(stopped) => Some(stopped),
        },
        Err(stopped) => Some(stopped),
    };
    let asked = asked.filter(|asked| matches!(asked, Admission::Ask(..) | Admission::Check(_)));
    asked.map(|asked| admitting.ended(Err(asked)))
}
