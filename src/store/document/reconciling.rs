//! The operations of reconciles, and the look at the record of a principal's call. They are done after the session's end as well: what was begun before it is recorded.

use std::sync::Arc;

use super::{OperationResult, SessionDocument, changed, unchanged};
use crate::clock::EpochMs;
use crate::store::claim::Settlement;
use crate::store::ledger::Ledger;
use crate::store::reconcile::{
    BeginReconcile, EndReconcile, ReadRecord, ReconcileBegun, ReconcileEnded, ReconcileFound, ReconcileGrant,
    ReconcileHold,
};
use crate::store::record::Record;
use crate::store::rows::Rows;

impl SessionDocument {
    pub(in crate::store) fn read_record(
        &self,
        read: &ReadRecord,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<Option<Arc<Record>>> {
        let is_its_own = self.owner.principal() == Some(&*read.principal);
        unchanged(is_its_own.then(|| Ledger::record_at(&read.key, rows, now)).flatten())
    }

    pub(in crate::store) fn begin_reconcile(
        &mut self,
        begin: &BeginReconcile,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<ReconcileBegun> {
        let Some((key, entry)) = Ledger::entry_at(&begin.key, begin.epoch, rows) else {
            return unchanged(ReconcileBegun::Certain);
        };
        let Some(record) = entry.to_record(rows, now).filter(|record| record.state.is_uncertain()) else {
            return unchanged(ReconcileBegun::Certain);
        };
        if let Some(hold) = entry.reconcile.as_ref().filter(|hold| hold.is_held(now)) {
            return unchanged(if hold.number == 0 { ReconcileBegun::Paused } else { ReconcileBegun::Running });
        }
        let kept = entry.kept.clone();
        let has_kept_args = kept.as_ref().is_some_and(|kept| kept.args.is_some());
        // The caller's arguments are those of the model, which its user may have changed.
        let is_as_called = || kept.as_ref().is_none_or(|kept| kept.origin.edited.is_empty());
        let has_args = has_kept_args || (begin.has_args && is_as_called());
        if !has_args {
            return unchanged(ReconcileBegun::NoArgs);
        }
        let number = self.ledger.next_number();
        let until = now.saturating_add(begin.hold_ms);
        Ledger::hold(&key, &entry, ReconcileHold { number, until, claimant: begin.claimant }, rows);
        changed(ReconcileBegun::Granted(Box::new(ReconcileGrant { number, key, record, kept })))
    }

    pub(in crate::store) fn end_reconcile(
        &mut self,
        end: EndReconcile,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<ReconcileEnded> {
        let EndReconcile { session, key, epoch, number, found, pause_ms, .. } = end;
        let entry = Ledger::entry_of(&key, rows).filter(|entry| entry.epoch == epoch);
        let Some(entry) = entry.filter(|entry| entry.reconcile.as_ref().is_some_and(|hold| hold.number == number))
        else {
            return unchanged(ReconcileEnded::Lost);
        };
        let may_still_run = matches!(found, ReconcileFound::NotHappened { .. }) && entry.may_still_run(now);
        let (state, owed) = match found {
            ReconcileFound::Happened { state, owed } => (Some(state), owed),
            ReconcileFound::NotHappened { owed } if !may_still_run => (None, owed),
            ReconcileFound::NotHappened { .. } | ReconcileFound::Unknown => {
                let pause = ReconcileHold { number: 0, until: now.saturating_add(pause_ms), claimant: None };
                Ledger::hold(&key, &entry, pause, rows);
                return changed(if may_still_run { ReconcileEnded::MayStillRun } else { ReconcileEnded::Recorded });
            }
        };
        self.ledger.reopen(&key, &entry, rows);
        self.settle(
            Settlement { session, key, epoch, state, is_heard: false, owed: Some(owed), changes: Vec::new(), now },
            rows,
        )?;
        changed(ReconcileEnded::Recorded)
    }
}
