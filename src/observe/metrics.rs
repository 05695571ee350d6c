//! Counters per tool and mode, derived from events.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::event::{CallFacts, Event};
use super::latency::Latencies;

/// The name under which calls of unknown tools are counted: a model can invent any number of names.
const UNKNOWN: &str = "(unknown)";

/// The name under which sessions that were refused are counted.
const SESSIONS: &str = "(sessions)";

/// The mode of what happens without one: a question that a user denies, a result that is dropped.
const NO_MODE: &str = "(none)";

/// The name of a tool's counters of all modes together, beside the names of the modes.
const TOTAL: &str = "total";

/// What became of the full data of a shortened result, in bytes.
#[derive(Debug, Clone, Copy)]
pub enum FullResultChange {
    /// It is kept for the user's view.
    Kept(usize),
    /// It gave way to newer ones.
    Dropped(usize),
}

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
    deferred: u64,
    late: u64,
    result_bytes: u64,
    full_result_bytes: u64,
    dropped_full_result_bytes: u64,
    context_bytes: u64,
    context_warnings: u64,
    loops: u64,
    /// Questions, by what happened: a set of names that is fixed, as below.
    questions: BTreeMap<&'static str, u64>,
    /// Results that were owed, or could not be recorded, by what happened.
    results: BTreeMap<&'static str, u64>,
    /// By outcome.
    reconciles: BTreeMap<&'static str, u64>,
    /// By rule: a set of names that is fixed.
    repairs: BTreeMap<&'static str, u64>,
    latencies: Latencies,
}

impl Counters {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        for (own, others) in [
            (&mut self.errors, &other.errors),
            (&mut self.questions, &other.questions),
            (&mut self.results, &other.results),
            (&mut self.reconciles, &other.reconciles),
            (&mut self.repairs, &other.repairs),
        ] {
            for (name, count) in others {
                *own.entry(name).or_default() += count;
            }
        }
        self.replays += other.replays;
        self.retries += other.retries;
        self.cached += other.cached;
        self.ignored_signals += other.ignored_signals;
        self.timeouts += other.timeouts;
        self.cancellations += other.cancellations;
        self.deferred += other.deferred;
        self.late += other.late;
        self.result_bytes += other.result_bytes;
        self.full_result_bytes += other.full_result_bytes;
        self.dropped_full_result_bytes += other.dropped_full_result_bytes;
        self.context_bytes += other.context_bytes;
        self.context_warnings += other.context_warnings;
        self.loops += other.loops;
        self.latencies.add(&other.latencies);
    }

    fn to_json(&self) -> Value {
        json!({
            "calls": self.calls,
            "errors": self.errors,
            "replays": self.replays,
            "retries": self.retries,
            "cached": self.cached,
            "ignoredSignals": self.ignored_signals,
            "timeouts": self.timeouts,
            "cancellations": self.cancellations,
            "deferred": self.deferred,
            "late": self.late,
            "resultBytes": self.result_bytes,
            "fullResultBytes": self.full_result_bytes,
            "droppedFullResultBytes": self.dropped_full_result_bytes,
            "contextBytes": self.context_bytes,
            "contextWarnings": self.context_warnings,
            "loops": self.loops,
            "questions": self.questions,
            "results": self.results,
            "reconciles": self.reconciles,
            "repairs": self.repairs,
            "latencyMs": self.latencies.percentiles(),
            "latencyHistogram": self.latencies.histogram(),
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
                counters.result_bytes += to_count(executed.result_bytes);
                counters.latencies.record(executed.duration);
                counters.timeouts += u64::from(executed.timed_out);
                counters.cached += u64::from(executed.cached);
                for repaired in executed.repaired {
                    *counters.repairs.entry(repaired.rule.as_str()).or_default() += 1;
                }
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
            Event::ToolDeferred { call } => self.update(call, |counters| counters.deferred += 1),
            Event::Reconciled { call, outcome, .. } => {
                self.update(call, |counters| *counters.reconciles.entry(outcome).or_default() += 1);
            }
            Event::ConfirmationRequested { call, .. } => self.question(call.tool_id, call.mode, "asked"),
            Event::ConfirmationGranted { call, .. } => self.question(call.tool_id, call.mode, "confirmed"),
            Event::ConfirmationDenied { tool_id, .. } => self.question(tool_id, NO_MODE, "denied"),
            Event::ConfirmationExpired { tool_id } => self.question(tool_id, NO_MODE, "late"),
            Event::ResultDelivered { tool_id, mode, .. } => self.result(tool_id, mode, "delivered"),
            Event::ResultDropped { tool_id, .. } => self.result(tool_id, NO_MODE, "dropped"),
            Event::Unrecorded { tool_id, .. } => self.result(tool_id, NO_MODE, "unrecorded"),
            Event::ToolCancelled { call, .. } => self.update(call, |counters| counters.cancellations += 1),
            Event::ContextWarning { call, .. } => self.update(call, |counters| counters.context_warnings += 1),
            Event::LoopDetected { call, .. } => self.update(call, |counters| counters.loops += 1),
            _ => {}
        }
    }

    fn question(&self, tool: &str, mode: &str, happened: &'static str) {
        self.update_named(tool, mode, |counters| *counters.questions.entry(happened).or_default() += 1);
    }

    fn result(&self, tool: &str, mode: &str, happened: &'static str) {
        self.update_named(tool, mode, |counters| *counters.results.entry(happened).or_default() += 1);
    }

    /// Counts the bytes of an answer to the model.
    pub(super) fn count_context(&self, call: &CallFacts<'_>, bytes: u64) {
        self.update(call, |counters| counters.context_bytes += bytes);
    }

    /// Counts the full data of a shortened result.
    pub(super) fn count_full_result(&self, tool: &str, mode: &str, change: FullResultChange) {
        self.update_named(tool, mode, |counters| match change {
            FullResultChange::Kept(bytes) => counters.full_result_bytes += to_count(bytes),
            FullResultChange::Dropped(bytes) => counters.dropped_full_result_bytes += to_count(bytes),
        });
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

fn to_count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
