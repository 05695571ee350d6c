//! An act of a principal that is reserved for a call, as its record keeps it.

use crate::call::SessionId;
use crate::store::reconcile::{KeptCall, RecordPlace};
use crate::store::{AnyStore, Claim, RecordState, Settlement, StoreRequests};

/// An act that is reserved for a call.
#[derive(Debug, Clone)]
pub struct Reservation(pub(in crate::admit) RecordPlace);

impl Reservation {
    pub(in crate::admit) fn new(claim: &Claim, epoch: u64) -> Self {
        Self(RecordPlace { session: claim.session.as_str().into(), key: claim.key.clone(), epoch })
    }

    /// The one that is kept with a call's record.
    pub(crate) fn of_call(kept: &KeptCall) -> Option<Self> {
        kept.counterpart.clone().map(Self)
    }

    /// Its place, to be kept with the call's record.
    pub(in crate::admit) const fn place(&self) -> &RecordPlace {
        &self.0
    }

    /// Records what became of the act; `None` gives it back. It stays open as long as that is not certain.
    pub(crate) async fn settle(&self, store: &AnyStore, state: Option<RecordState>, now: u64) {
        let Self(RecordPlace { session, key, epoch }) = self;
        let state = state.map(|state| if state.is_uncertain() { RecordState::Unknown } else { state });
        let settlement = Settlement {
            session: SessionId::from(&**session),
            key: key.clone(),
            epoch: *epoch,
            state,
            is_heard: false,
            owed: None,
            changes: Vec::new(),
            now,
        };
        if let Err(error) = store.settle(settlement).await {
            tracing::warn!(%error, "what became of a principal's act could not be recorded");
        }
    }
}
