//! Whether the gate can do its work: what `/readyz` of a server reports.

use serde::Serialize;

use super::Gate;
use super::store_probe::StoreReport;
use crate::observe::audit::AuditHealth;
use crate::store::StoreFuture;

/// The health of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GateHealth {
    /// Whether calls are taken and everything that the gate writes is kept.
    pub ok: bool,
    /// Whether the gate takes no more calls.
    pub closing: bool,
    /// Why the session store can't be used, as a message; `None` if it can.
    pub store_error: Option<String>,
    /// The audit sink.
    pub audit: AuditHealth,
    /// The results that are owed to sessions.
    pub owed: OwedHealth,
}

/// The results that are owed to the sessions of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OwedHealth {
    /// How long the oldest has been owed, in milliseconds: 0 if none is, `None` if the store does not say.
    pub oldest_age_ms: Option<u64>,
}

impl Gate {
    /// Asks the store for a small write and for the oldest owed result, and the audit sink. Takes at most [`ANSWER_LIMIT`](super::store_probe::ANSWER_LIMIT).
    pub async fn health(&self) -> GateHealth {
        let StoreReport { error: store_error, oldest_age_ms } = self.store_probe.ask(|| self.look_at_store()).await;
        let (closing, audit) = (self.is_closing(), self.parts.observer.audit_health());
        GateHealth {
            ok: !closing && store_error.is_none() && !audit.failing,
            closing,
            store_error,
            audit,
            owed: OwedHealth { oldest_age_ms },
        }
    }

    /// A store that takes writes can be used, whatever it says of owed results.
    fn look_at_store(&self) -> StoreFuture<'_, Option<u64>> {
        let (store, now) = (&self.parts.store, self.now());
        Box::pin(async move {
            store.check().await?;
            Ok(store.oldest_owed_ms(now).await.ok().map(Option::unwrap_or_default))
        })
    }
}
