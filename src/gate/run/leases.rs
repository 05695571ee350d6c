//! Leases of claims: in a shared store a claim is renewed for as long as its handler runs, past the deadline too.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::admit::{AdmittedCall, RecordLocation};
use crate::call::SessionId;
use crate::gate::Gate;
use crate::session::key::RecordKey;
use crate::store::{Renewal, StoreRequests};

/// The number of renewals per lease: one or two of them may fail.
const RENEWALS_PER_LEASE: u32 = 3;

/// The held claims, by number.
#[derive(Debug, Default)]
pub(in crate::gate) struct Leases {
    held: Mutex<HashMap<u64, HeldClaim>>,
    renewing: AtomicBool,
}

#[derive(Debug, Clone)]
struct HeldClaim {
    session: SessionId,
    key: RecordKey,
    epoch: u64,
}

/// Holds a claim; releases it when dropped.
pub(in crate::gate) struct LeaseGuard {
    gate: Arc<Gate>,
    id: u64,
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        self.gate.leases.held.lock().remove(&self.id);
    }
}

impl Gate {
    /// Holds a call's claim. `None` if the store has no leases.
    pub(in crate::gate) fn hold_claim(
        self: &Arc<Self>,
        session: &SessionId,
        call: &AdmittedCall,
    ) -> Option<LeaseGuard> {
        let lease = self.parts.store.lease().filter(|_| call.record_location == RecordLocation::Store)?;
        let id = self.next_id();
        let claimed = HeldClaim { session: session.clone(), key: call.key.clone(), epoch: call.epoch };
        self.leases.held.lock().insert(id, claimed);
        if !self.leases.renewing.swap(true, Ordering::AcqRel) {
            self.start_renewing(lease);
        }
        Some(LeaseGuard { gate: Arc::clone(self), id })
    }

    /// Starts the renewals on the runtime's threads, not on the host's spawner: a handler that keeps the JavaScript
    /// thread busy for longer than a lease would lose its claim while it runs.
    fn start_renewing(self: &Arc<Self>, lease: Duration) {
        let gate = Arc::downgrade(self);
        let renewing = async move {
            loop {
                tokio::time::sleep(lease / RENEWALS_PER_LEASE).await;
                let Some(gate) = gate.upgrade() else { return };
                if !gate.renew_all(lease).await {
                    return;
                }
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(renewing)),
            Err(error) => tracing::error!(%error, "claims can't be renewed"),
        }
    }

    /// Renews all held claims. False if there are none.
    async fn renew_all(&self, lease: Duration) -> bool {
        let held: Vec<HeldClaim> = {
            let held = self.leases.held.lock();
            if held.is_empty() {
                // Under the lock, so that the next held claim starts the renewals again.
                self.leases.renewing.store(false, Ordering::Release);
                return false;
            }
            held.values().cloned().collect()
        };
        let lease_ms = u64::try_from(lease.as_millis()).unwrap_or(u64::MAX);
        let now = self.now();
        // All renewals start before the first is awaited, so that the store commits them together.
        let renewals: Vec<_> = held
            .into_iter()
            .map(|HeldClaim { session, key, epoch }| {
                self.parts.store.renew(Renewal { session, key, epoch, lease_ms, now })
            })
            .collect();
        for renewal in renewals {
            if let Err(error) = renewal.await {
                tracing::warn!(%error, "a claim could not be renewed");
            }
        }
        true
    }
}
