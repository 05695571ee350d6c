//! The operations of background calls.

use super::{OperationOutput, OperationResult, SessionDocument, changed, unchanged};
use crate::clock::EpochMs;
use crate::store::ledger::Ledger;
use crate::store::owed::{Deferral, DeferralResult, DeferralStep, EndDelivery, OwedCall, TakeOwed, TakenOwed};
use crate::store::rows::Rows;

#[expect(clippy::unnecessary_wraps, reason = "an operation's result is the same type for all")]
impl SessionDocument {
    /// Takes a step of a call out of its process.
    pub(in crate::store) fn defer(
        &mut self,
        deferral: &Deferral,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<DeferralResult> {
        let Deferral { key, epoch, step, keep_ms, .. } = deferral;
        let left_until = |until: EpochMs| now.saturating_add(until.saturating_sub(deferral.now));
        let step = match step {
            DeferralStep::Leave { until, answers_callers } => {
                DeferralStep::Leave { until: until.map(left_until), answers_callers: *answers_callers }
            }
            other => other.clone(),
        };
        if self.has_ended() {
            return unchanged(DeferralResult::Ended(None));
        }
        let is_open = Ledger::entry_of(key, rows).is_some_and(|entry| entry.epoch == *epoch && entry.is_started());
        if !is_open {
            // What it ended with is owed if it was before.
            return unchanged(DeferralResult::Ended(rows.answer(*epoch)));
        }
        if !self.owed.defer(deferral, &step, rows, now) {
            return unchanged(DeferralResult::Full);
        }
        Ledger::defer(key, *epoch, (&step, *keep_ms), rows);
        changed(DeferralResult::Done)
    }

    pub(in crate::store) fn take_owed(
        &mut self,
        take: &TakeOwed,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<TakenOwed> {
        self.require_active(now)?;
        let taken = self.owed.take(take, rows, now);
        // A request that takes and renews nothing is a look.
        let changed = taken.result.is_some() || !take.held.is_empty() || !taken.dropped.is_empty();
        Ok(OperationOutput { answer: taken, changed })
    }

    pub(in crate::store) fn end_delivery(&mut self, end: &EndDelivery, rows: &mut dyn Rows) -> OperationResult<bool> {
        let held = self.owed.end_delivery(end.by, end.epoch, end.accepted, rows);
        Ok(OperationOutput { answer: held, changed: held })
    }

    pub(in crate::store) fn list_owed(&mut self, rows: &mut dyn Rows, now: EpochMs) -> OperationResult<Vec<OwedCall>> {
        self.require_active(now)?;
        unchanged(self.owed.list(rows, now))
    }
}
