//! A call that meets a record whose outcome is uncertain: as its replay, or as its duplicate. Where the tool can find out what
//! the earlier call has done, that comes first, and the call is admitted again after it.

use std::sync::Arc;

use super::complete::CompleteCall;
use super::principal_acts::{self, Reservation};
use super::{Admission, AdmissionContext, AdmittedCall};
use crate::call::{ReconcileOutcome, SessionId};
use crate::json::{Limits, Tape};
use crate::registry::CompiledTool;
use crate::session::fingerprint::Fingerprint;
use crate::session::key::RecordKey;
use crate::store::reconcile::{MAX_KEPT_ARGS, RecordPlace};
use crate::store::{DoneAct, Record};

/// Whether a record of uncertain outcome that a call meets is reconciled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconciling {
    /// It is not: the call hears that the outcome is unknown.
    Never,
    /// First: the call is admitted again after it.
    First,
    /// It has been, with this outcome; `None` if there was nothing to find out, or not now.
    Done(Option<ReconcileOutcome>),
}

impl Reconciling {
    /// What was found out.
    #[must_use]
    pub const fn outcome(self) -> Option<ReconcileOutcome> {
        if let Self::Done(outcome) = self { outcome } else { None }
    }
}

/// A record whose outcome is to be found out.
#[derive(Debug)]
pub struct UncertainRecord {
    /// The tool.
    pub tool: Arc<CompiledTool>,
    /// The session: another one than the caller's, if its principal's acts were looked at.
    pub session: SessionId,
    /// The record's key.
    pub key: RecordKey,
    /// The record's epoch.
    pub epoch: u64,
    /// The fingerprint of the record's call.
    pub fingerprint: Fingerprint,
    /// The final arguments of a call with the same arguments.
    pub args: Option<Arc<str>>,
    /// What met it.
    pub met_by: MetBy,
    /// The reservation by which it was met, if it was.
    pub reservation: Option<Reservation>,
}

/// What met a record of uncertain outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetBy {
    /// The same call, delivered again.
    Replay,
    /// Another call that would do the same.
    EqualCall,
    /// The delivery of its result to the session.
    Delivery,
    /// The host's search for such records.
    Host,
}

impl MetBy {
    /// The name in the audit.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Replay => "replay",
            Self::EqualCall => "equal_call",
            Self::Delivery => "delivery",
            Self::Host => "host",
        }
    }
}

/// The reconcile that must come first; `None` if there is none, or if it has been.
pub(super) fn reconcile(
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
pub(super) fn reconcile_equal(
    context: &AdmissionContext<'_>,
    call: &CompleteCall,
    done: &DoneAct,
) -> Option<Admission> {
    let mut first = reconcile(context, &call.tool, &done.key, &done.record)?;
    if let Admission::Reconcile(uncertain) = &mut first {
        uncertain.met_by = MetBy::EqualCall;
        if let Some(principal) = principal_acts::principal(context, call) {
            let RecordPlace { session, key, epoch } = principal_acts::place_of_call(done)?;
            uncertain.reservation = Some(Reservation::of_act(context, principal, done));
            (uncertain.session, uncertain.key, uncertain.epoch) = (SessionId::from(&**session), key.clone(), *epoch);
        }
    }
    Some(with_args_of(first, call))
}

/// Adds the call's arguments to a reconcile, if they are those of the record.
pub(super) fn with_args_of(mut admission: Admission, call: &CompleteCall) -> Admission {
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
pub(super) fn kept_args(tool: &CompiledTool, args: &Tape) -> Option<Arc<str>> {
    (args.text().len() <= MAX_KEPT_ARGS && !has_secret(tool, args)).then(|| args.text().into())
}

fn has_secret(tool: &CompiledTool, args: &Tape) -> bool {
    tool.args_schema.has_sensitive() && tool.shown_args(args) != args.root().to_value()
}
