//! A call that meets a record whose outcome is uncertain: as its replay, or as its duplicate. Where the tool can find out what
//! the earlier call has done, that comes first, and the call is admitted again after it.

use std::sync::Arc;

use crate::admit::acts::principal_acts;
use crate::admit::call::{AdmittedCall, CompleteCall};
use crate::admit::context::AdmissionContext;
use crate::admit::decision::Admission;
use crate::admit::deferred::{MetBy, Reconciling, UncertainRecord};
use crate::call::SessionId;
use crate::json::{Limits, Tape};
use crate::registry::CompiledTool;
use crate::session::key::RecordKey;
use crate::store::reconcile::{MAX_KEPT_ARGS, RecordPlace};
use crate::store::{DoneAct, Record};

/// The reconcile that must come first; `None` if there is none, or if it has been.
pub(in crate::admit) fn reconcile(
    context: &AdmissionContext<'_>,
    tool: &Arc<CompiledTool>,
    key: &RecordKey,
    record: &Record,
) -> Option<Admission> {
    if context.reconciling != Reconciling::First || !tool.is_reconciled() || !record.state.is_uncertain() {
        return None;
    }
    Some(Admission::Reconcile(Box::new(UncertainRecord {
        tool: Arc::clone(tool),
        session: context.attachment.session.id.clone(),
        key: key.clone(),
        epoch: record.epoch,
        fingerprint: record.fingerprint.clone(),
        args: None,
        met_by: MetBy::Replay,
        reservation: None,
    })))
}

/// The same for a call that would do what another call has done: of its session, or of its principal.
pub(in crate::admit) fn reconcile_equal(
    context: &AdmissionContext<'_>,
    call: &CompleteCall,
    done: &DoneAct,
) -> Option<Admission> {
    let mut first = reconcile(context, &call.tool, &done.key, &done.record)?;
    if let Admission::Reconcile(uncertain) = &mut first {
        uncertain.met_by = MetBy::EqualCall;
        if let Some(principal) = principal_acts::principal(context, call) {
            let RecordPlace { session, key, epoch } = principal_acts::place_of_call(done)?;
            uncertain.reservation = Some(principal_acts::reservation_of(context, principal, done));
            (uncertain.session, uncertain.key, uncertain.epoch) = (SessionId::from(&**session), key.clone(), *epoch);
        }
    }
    Some(with_args_of(first, call))
}

/// Adds the call's arguments to a reconcile, if they are those of the record.
pub(in crate::admit) fn with_args_of(mut admission: Admission, call: &CompleteCall) -> Admission {
    if let Admission::Reconcile(uncertain) = &mut admission
        && uncertain.fingerprint.matches(&call.fingerprint)
    {
        uncertain.args = Some(call.tape.text().into());
    }
    admission
}

/// The arguments with which a call runs again if its process dies; `None` if it does not. Sensitive ones are kept for no run.
#[must_use]
pub fn args_for_another_run(call: &AdmittedCall) -> Option<Arc<str>> {
    let AdmittedCall { tool, args, .. } = call;
    let may_be_kept = || {
        let args = Tape::parse(args.to_string(), &Limits::widest()).ok();
        args.is_some_and(|args| !has_secret(tool, &args))
    };
    let is_kept = tool.effect.runs_again_when_lost() && (!tool.args_schema.has_sensitive() || may_be_kept());
    is_kept.then(|| Arc::clone(args))
}

/// The arguments that are kept with a call's record for a reconcile: none that are sensitive, and none that are large.
pub(in crate::admit) fn kept_args(tool: &CompiledTool, args: &Tape) -> Option<Arc<str>> {
    (args.text().len() <= MAX_KEPT_ARGS && !has_secret(tool, args)).then(|| args.text().into())
}

fn has_secret(tool: &CompiledTool, args: &Tape) -> bool {
    tool.args_schema.has_sensitive() && tool.shown_args(args) != args.root().to_value()
}
