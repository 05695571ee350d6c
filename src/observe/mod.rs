//! Observing: events are facts in the past tense. The gate tells them; audit and metrics are made of them and of
//! nothing else. No stage of the pipeline names a sink.

pub mod audit;
pub mod event;
pub mod line;
pub mod listener;
pub mod metrics;

use std::sync::Arc;

use crate::clock::Clock;
use audit::AuditSink;
use event::Event;
use line::Line;
use metrics::Metrics;

/// Hears every event.
pub struct Observer {
    clock: Arc<dyn Clock>,
    sink: Option<Arc<dyn AuditSink>>,
    metrics: Metrics,
}

impl Observer {
    /// With a sink for audit lines, or none.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, sink: Option<Arc<dyn AuditSink>>) -> Self {
        Self { clock, sink, metrics: Metrics::default() }
    }

    /// Tells an event.
    pub fn tell(&self, session: Option<&str>, event: &Event<'_>) {
        self.metrics.count(event);
        let Some(sink) = &self.sink else { return };
        let at = crate::clock::iso(self.clock.now());
        sink.write(Line { at: &at, session_id: session, event }.to_text());
    }

    /// Whether audit lines go anywhere: what only they need is not computed otherwise.
    #[must_use]
    pub const fn is_audited(&self) -> bool {
        self.sink.is_some()
    }

    /// The counters so far.
    #[must_use]
    pub fn metrics(&self) -> serde_json::Value {
        self.metrics.snapshot()
    }

    /// Waits until what was told is where it belongs.
    pub fn flush(&self) {
        if let Some(sink) = &self.sink {
            sink.flush();
        }
    }
}
