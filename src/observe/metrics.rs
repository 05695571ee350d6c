//! Counters per tool and mode, derived from events.

use std::collections::BTreeMap;
use std::sync::Arc;

use hdrhistogram::Histogram;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::event::{CallFacts, Event};

/// The name under which calls of unknown tools are counted: a model can invent any number of names.
const UNKNOWN: &str = "(unknown)";

/// The name under which sessions that were refused are counted.
const SESSIONS: &str = "(sessions)";

/// The name of a tool's counters of all modes together, beside the names of the modes.
const TOTAL: &str = "total";

/// The significant figures of latencies, which are kept in microseconds.
const SIGNIFICANT_FIGURES: u8 = 2;

#[derive(Default)]
struct Counters {
    calls: u64,
    errors: BTreeMap<&'static str, u64>,
    replays: u64,
    retries: u64,
    cached: u64,
    ignored_signals: u64,
    timeouts: u64,
    cancellations: u64,
    late: u64,
    result_bytes: u64,
    latency: Option<Histogram<u64>>,
}

impl Counters {
    fn record_latency(&mut self, millis: f64) {
        if self.latency.is_none() {
            self.latency = Histogram::new(SIGNIFICANT_FIGURES).ok();
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration is positive and short")]
        let micros = (millis * 1000.0).max(1.0) as u64;
        if let Some(latency) = &mut self.latency {
            // The histogram grows automatically and accepts every `u64`.
            let _ = latency.record(micros);
        }
    }

    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        for (kind, count) in &other.errors {
            *self.errors.entry(kind).or_default() += count;
        }
        self.replays += other.replays;
        self.retries += other.retries;
        self.cached += other.cached;
        self.ignored_signals += other.ignored_signals;
        self.timeouts += other.timeouts;
        self.cancellations += other.cancellations;
        self.late += other.late;
        self.result_bytes += other.result_bytes;
        match (&mut self.latency, &other.latency) {
            // Both grow automatically, so any value fits.
            (Some(latency), Some(more)) => _ = latency.add(more),
            (latency @ None, Some(more)) => *latency = Some(more.clone()),
            (_, None) => {}
        }
    }

    fn to_json(&self) -> Value {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a call are far below 2^52")]
        let quantile = |q: f64| self.latency.as_ref().map(|latency| latency.value_at_quantile(q) as f64 / 1000.0);
        json!({
            "calls": self.calls,
            "errors": self.errors,
            "replays": self.replays,
            "retries": self.retries,
            "cached": self.cached,
            "ignoredSignals": self.ignored_signals,
            "timeouts": self.timeouts,
            "cancellations": self.cancellations,
            "late": self.late,
            "resultBytes": self.result_bytes,
            "latencyMs": { "p50": quantile(0.5), "p95": quantile(0.95), "p99": quantile(0.99) },
        })
    }
}

type ByMode = BTreeMap<Arc<str>, Counters>;
type ByTool = BTreeMap<Arc<str>, ByMode>;

/// Counters by tool, then by mode.
#[derive(Default)]
pub(super) struct Metrics {
    by_tool: Mutex<ByTool>,
}

impl Metrics {
    pub(super) fn count(&self, event: &Event<'_>) {
        match event {
            Event::ToolExecution(executed) if executed.late => {
                self.update(&executed.call, |counters| counters.late += 1);
            }
            Event::ToolExecution(executed) => self.update(&executed.call, |counters| {
                counters.calls += 1;
                counters.result_bytes += u64::try_from(executed.result_bytes).unwrap_or(u64::MAX);
                counters.record_latency(executed.duration);
                counters.timeouts += u64::from(executed.timed_out);
                counters.cached += u64::from(executed.cached);
                if let Some(kind) = executed.error_type {
                    *counters.errors.entry(kind.as_str()).or_default() += 1;
                }
            }),
            Event::ToolRefused { call, error_type, .. } => self.update(call, |counters| {
                counters.calls += 1;
                *counters.errors.entry(error_type.as_str()).or_default() += 1;
            }),
            Event::SessionRefused { mode, error_type, .. } => self.update_named(SESSIONS, mode, |counters| {
                counters.calls += 1;
                *counters.errors.entry(error_type.as_str()).or_default() += 1;
            }),
            Event::ToolRetried { call, .. } => self.update(call, |counters| counters.retries += 1),
            Event::SignalIgnored { call, .. } => self.update(call, |counters| counters.ignored_signals += 1),
            Event::ToolReplayed { call, .. } => self.update(call, |counters| counters.replays += 1),
            Event::ToolCancelled { call, .. } => self.update(call, |counters| counters.cancellations += 1),
            _ => {}
        }
    }

    /// The counters as `getMetrics()` returns them: tool, then mode or `total`.
    pub(super) fn snapshot(&self) -> Value {
        let by_tool = self.by_tool.lock();
        let tools = by_tool.iter().map(|(tool, by_mode)| {
            let modes = by_mode.iter().map(|(mode, counters)| (mode.to_string(), counters.to_json()));
            let mut total = Counters::default();
            for counters in by_mode.values() {
                total.add(counters);
            }
            (tool.to_string(), Value::Object(modes.chain([(TOTAL.to_owned(), total.to_json())]).collect()))
        });
        Value::Object(tools.collect())
    }

    fn update(&self, call: &CallFacts<'_>, change: impl FnOnce(&mut Counters)) {
        let tool = if call.tool_version.is_some() { call.tool_id } else { UNKNOWN };
        self.update_named(tool, call.mode, change);
    }

    fn update_named(&self, tool: &str, mode: &str, change: impl FnOnce(&mut Counters)) {
        let mut by_tool = self.by_tool.lock();
        // Names are copied for the first call only.
        if let Some(counters) = by_tool.get_mut(tool).and_then(|by_mode| by_mode.get_mut(mode)) {
            return change(counters);
        }
        change(by_tool.entry(tool.into()).or_default().entry(mode.into()).or_default());
    }
}
