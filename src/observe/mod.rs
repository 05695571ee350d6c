//! Observability: events are facts in the past tense. Only the gate emits them; the audit log and the metrics are
//! derived from events only. No stage of the pipeline uses a sink.

pub mod audit;
pub mod audit_line;
pub mod event;
mod execution_facts;
mod latency;
pub mod listener;
pub mod metrics;
pub mod question_facts;
pub mod warnings;

use std::sync::Arc;

use crate::clock::Clock;
use crate::session::key::kept_id;
use audit::{AuditHealth, AuditSink};
use audit_line::AuditLine;
use event::{CallFacts, Event};
use metrics::Metrics;

pub use metrics::FullResultChange;

/// Receives every event.
pub struct Observer {
    clock: Arc<dyn Clock>,
    sink: Option<Arc<dyn AuditSink>>,
    metrics: Metrics,
}

impl Observer {
    /// Creates an observer, with an optional sink for audit lines.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, sink: Option<Arc<dyn AuditSink>>) -> Self {
        Self { clock, sink, metrics: Metrics::default() }
    }

    /// Counts an event and writes its audit line.
    pub fn emit(&self, session: Option<&str>, event: &Event<'_>) {
        self.metrics.count(event);
        let Some(sink) = &self.sink else { return };
        let at = crate::clock::to_iso8601(self.clock.now());
        let session = session.map(kept_id);
        sink.write(AuditLine { at: &at, session_id: session.as_deref(), event }.to_text());
    }

    /// Counts the bytes of an answer to the model. Not an event of its own: each answer has one already.
    pub fn count_context(&self, call: &CallFacts<'_>, bytes: u64) {
        self.metrics.count_context(call, bytes);
    }

    /// Counts the bytes of full results that are kept beside shortened ones.
    pub fn count_full_result(&self, tool: &str, mode: &str, change: FullResultChange) {
        self.metrics.count_full_result(tool, mode, change);
    }

    /// Whether there is an audit sink. If not, values that only audit lines contain are not computed.
    #[must_use]
    pub const fn is_audited(&self) -> bool {
        self.sink.is_some()
    }

    /// The counters so far.
    #[must_use]
    pub fn metrics(&self) -> serde_json::Value {
        self.metrics.snapshot()
    }

    /// The health of the audit sink.
    #[must_use]
    pub fn audit_health(&self) -> AuditHealth {
        self.sink.as_ref().map(|sink| sink.health()).unwrap_or_default()
    }

    /// Waits until all audit lines are written.
    pub fn flush(&self) {
        if let Some(sink) = &self.sink {
            sink.flush();
        }
    }
}
