//! The calls of uncertain outcome among stored rows.

use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::session::key::RecordKey;
use crate::store::ledger::entry::{CallRow, EntryState};
use crate::store::reconcile::UncertainCall;

impl UncertainCall {
    /// The call of a row, if a reconcile may be about it.
    pub(in crate::store) fn from_row(key: &RecordKey, row: &CallRow, begun_by: EpochMs) -> Option<Self> {
        let CallRow::Record(entry) = row else { return None };
        let is_open =
            matches!(entry.state, EntryState::Started | EntryState::Unknown | EntryState::Settled { ok: false });
        let is_meant = is_open && entry.claimed_at <= begun_by;
        let kept = entry.kept.as_ref().filter(|kept| is_meant && kept.args.is_some())?;
        Some(Self {
            session: SessionId::from(&*kept.session),
            key: key.clone(),
            epoch: entry.epoch,
            fingerprint: entry.fingerprint.clone(),
            call_id: entry.call_id.clone(),
            claimed_at: entry.claimed_at,
        })
    }

    /// The same of a row in a file or on a server.
    pub(in crate::store) fn from_stored(name: &str, content: &str, begun_by: EpochMs) -> Option<Self> {
        let key = RecordKey::from_stored(name.strip_prefix("call:")?);
        Self::from_row(&key, &serde_json::from_str(content).ok()?, begun_by)
    }
}
