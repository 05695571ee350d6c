//! Whether the gate can do its work: what `/readyz` of a server reports.

use serde::Serialize;

use super::Gate;
use crate::observe::audit::AuditHealth;

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
}

impl Gate {
    /// Asks the store for a small write, and the audit sink. Takes at most [`ANSWER_LIMIT`](super::store_probe::ANSWER_LIMIT).
    pub async fn health(&self) -> GateHealth {
        let store_error = self.store_probe.error_of(|| self.parts.store.check()).await;
        let (closing, audit) = (self.is_closing(), self.parts.observer.audit_health());
        GateHealth { ok: !closing && store_error.is_none() && !audit.failing, closing, store_error, audit }
    }
}
