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
    /// The lasting failure of the session store, as its message; `None` if there is none.
    pub store_error: Option<String>,
    /// The audit sink.
    pub audit: AuditHealth,
}

impl Gate {
    /// Asks the store and the audit sink. Takes at most the store's own timeout.
    pub async fn health(&self) -> GateHealth {
        let store_error = self.parts.store.check().await.err().map(|error| error.to_string());
        let (closing, audit) = (self.is_closing(), self.parts.observer.audit_health());
        GateHealth { ok: !closing && store_error.is_none() && !audit.failing, closing, store_error, audit }
    }
}
