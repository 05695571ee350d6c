//! The grants of a session's document, as its user sees and ends them.

use super::super::grants::Grant;
use super::{OperationResult, SessionDocument, changed, unchanged};
use crate::clock::EpochMs;

impl SessionDocument {
    /// The grants that have not ended, the oldest first.
    pub(in crate::store) fn grants(&self, now: EpochMs) -> Vec<Grant> {
        self.grants.list(now)
    }

    pub(in crate::store) fn list_grants(&mut self, now: EpochMs) -> OperationResult<Vec<Grant>> {
        self.require_active(now)?;
        unchanged(self.grants(now))
    }

    pub(in crate::store) fn revoke_grant(&mut self, id: &str, now: EpochMs) -> OperationResult<Option<Grant>> {
        self.require_active(now)?;
        changed(self.grants.revoke(id, now))
    }
}
