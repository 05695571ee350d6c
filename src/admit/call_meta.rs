//! What every answer says of its call, and the answer while the call runs on.

use std::sync::Arc;

use serde_json::json;

use super::CallHeader;
use crate::clock::{EpochMs, to_iso8601};
use crate::response::{Meta, Outcome, TOOL_RESPONSE_SCHEMA_VERSION, ToolResponse};

impl CallHeader {
    /// The meta of every answer.
    #[must_use]
    pub fn meta(&self, now: EpochMs) -> Meta {
        Meta {
            tool_id: self.tool.as_ref().map_or_else(|| Arc::clone(&self.name), |tool| Arc::clone(&tool.id)),
            tool_version: self.tool.as_ref().map(|tool| Arc::clone(&tool.version)),
            registry_version: Arc::clone(&self.registry_version),
            duration: self.duration_ms(),
            timestamp: to_iso8601(now),
            response_schema_version: TOOL_RESPONSE_SCHEMA_VERSION,
            call_id: self.call_id.clone(),
            mode: Some(Arc::clone(&self.mode.name)),
            turn: Some(self.turn),
            attempts: None,
            idempotency_key: None,
            parent_call_id: self.parent.as_ref().and_then(|parent| parent.call_id.clone()),
            pending: false,
            cached: false,
            idempotent_cache_hit: false,
            original_turn: None,
            clamped: Vec::new(),
            defaulted: self.defaulted.clone(),
            repaired: self.repaired.clone(),
            edited: self.edited.clone(),
            grant: self.grant.clone(),
            reconciled: self.reconciled,
            truncated: None,
            warnings: Vec::new(),
        }
    }

    /// The milliseconds since the call arrived, with microsecond precision.
    #[must_use]
    pub fn duration_ms(&self) -> f64 {
        // Computed from whole microseconds, so that a duration is written without the noise of a binary fraction.
        #[expect(clippy::cast_precision_loss, reason = "exact for 285 years")]
        let micros = self.received.elapsed().as_micros() as f64;
        micros / 1000.0
    }

    /// The answer to a call that runs on: its result is delivered later.
    #[must_use]
    pub fn running_answer(&self, now: EpochMs) -> ToolResponse {
        let data = json!({ "status": "running", "callId": self.call_id });
        let outcome = Outcome::success(Some(&data.to_string()), "[]");
        ToolResponse { outcome, meta: Meta { pending: true, ..self.meta(now) } }
    }
}
