//! The limits of a principal's calls in a session's document.

use super::super::limits::{CallCount, CountCall};
use super::super::rows::Rows;
use super::{OperationOutput, OperationResult, SessionDocument};
use crate::clock::EpochMs;
use crate::store::error::StoreError;

impl SessionDocument {
    /// Does a step of a call that counts among those of the session's principal.
    pub(in crate::store) fn count_call(
        &mut self,
        count: &CountCall,
        rows: &mut dyn Rows,
        now: EpochMs,
    ) -> OperationResult<CallCount> {
        self.require_active(now)?;
        if self.owner.principal() != Some(&*count.owner) {
            return Err(StoreError::WrongPrincipal);
        }
        let answer = count.apply(rows, now);
        let changed = count.is_change(&answer);
        if count.is_counted(&answer) {
            self.windows_until = self.windows_until.max(count.until(now));
            rows.purge(now);
        }
        Ok(OperationOutput { answer, changed })
    }
}
