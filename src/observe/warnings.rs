//! The core's own warnings, from `tracing` to listeners of this process.
//!
//! Warnings are about what hosts share (a store, an audit file), so they are process-wide: each listener receives every
//! warning. Without a listener a warning is one JSON line on standard error. Arguments and results of calls are never
//! part of a warning. A place in the code warns at most once in five seconds: an outage must not flood the log. The next
//! warning of that place contains the number of suppressed ones.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use std::sync::LazyLock;
use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::clock::{Clock, SystemClock, to_iso8601};
use crate::json::ObjectWriter;

/// Receives warnings as JSON lines `{ "at", "level", "message", … }`. Must not block.
pub trait WarningListener: Send + Sync {
    /// Takes one line, without its end.
    fn warning(&self, line: &str);
}

static LISTENERS: LazyLock<Mutex<Vec<Weak<dyn WarningListener>>>> = LazyLock::new(Mutex::default);

/// Adds a listener, for as long as it lives.
pub fn listen(listener: &Arc<dyn WarningListener>) {
    let mut listeners = LISTENERS.lock();
    listeners.retain(|known| known.strong_count() > 0);
    listeners.push(Arc::downgrade(listener));
}

/// Collects the warnings of this process, unless the process has a `tracing` subscriber already.
pub fn collect() {
    // The error says that there is a subscriber: of the host, or of an earlier call.
    let _ = tracing::subscriber::set_global_default(WarningSubscriber);
}

/// The shortest time between two warnings of one place.
const INTERVAL: Duration = Duration::from_secs(5);

/// The last warning of one place, and the number of suppressed ones since. The number of places is that of the source.
struct LastWarning {
    at: Instant,
    suppressed: u64,
}

static LAST: LazyLock<Mutex<HashMap<Identifier, LastWarning>>> = LazyLock::new(Mutex::default);

/// Whether a place may warn now: the number of warnings that were suppressed before, or `None`.
fn admit(place: Identifier, now: Instant) -> Option<u64> {
    let mut last = LAST.lock();
    let Some(warning) = last.get_mut(&place) else {
        last.insert(place, LastWarning { at: now, suppressed: 0 });
        return Some(0);
    };
    if now.duration_since(warning.at) < INTERVAL {
        warning.suppressed += 1;
        return None;
    }
    warning.at = now;
    Some(std::mem::take(&mut warning.suppressed))
}

fn deliver(line: &str) {
    // The list is released before a listener runs: a listener may cause a warning.
    let listeners: Vec<_> = LISTENERS.lock().iter().filter_map(Weak::upgrade).collect();
    if listeners.is_empty() {
        // Standard error may be closed; there is no other place for a warning.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    for listener in listeners {
        listener.warning(line);
    }
}

/// Takes warnings and errors of this project's crates. Spans are not used by the core and are ignored.
struct WarningSubscriber;

impl Subscriber for WarningSubscriber {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::WARN && metadata.target().starts_with("toolgate")
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let Some(suppressed) = admit(event.metadata().callsite(), Instant::now()) else { return };
        let mut line = String::with_capacity(160);
        let at = to_iso8601(SystemClock.now());
        let level = if *event.metadata().level() == Level::ERROR { "error" } else { "warn" };
        ObjectWriter(&mut line).unescaped_string("{\"at\":", &at).unescaped_string(",\"level\":", level);
        event.record(&mut FieldWriter(&mut line));
        if suppressed > 0 {
            ObjectWriter(&mut line).unescaped_string(",\"suppressed\":", &suppressed.to_string());
        }
        line.push('}');
        deliver(&line);
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

/// Appends the fields of an event as JSON strings.
struct FieldWriter<'t>(&'t mut String);

impl FieldWriter<'_> {
    fn write(&mut self, field: &Field, value: &str) {
        self.0.push_str(",\"");
        self.0.push_str(field.name());
        self.0.push_str("\":");
        crate::json::write_string(self.0, value);
    }
}

impl Visit for FieldWriter<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut text = String::new();
        // Writing to a `String` cannot fail; a `Debug` implementation that fails leaves what it wrote.
        let _ = write!(text, "{value:?}");
        self.write(field, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Kept(Mutex<Vec<String>>);

    impl WarningListener for Kept {
        fn warning(&self, line: &str) {
            self.0.lock().push(line.to_owned());
        }
    }

    #[test]
    fn a_warning_is_one_json_line_with_its_fields() {
        let kept = Arc::new(Kept::default());
        let listener: Arc<dyn WarningListener> = Arc::clone(&kept) as _;
        listen(&listener);
        tracing::subscriber::with_default(WarningSubscriber, || {
            for _ in 0..3 {
                tracing::warn!(error = %"disk \"full\"", tool = "kb_search", "an outcome could not be recorded");
            }
            tracing::info!("not a warning");
        });
        let lines: Vec<serde_json::Value> =
            kept.0.lock().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let ours: Vec<_> = lines.iter().filter(|line| line["tool"] == "kb_search").collect();
        assert_eq!(ours.len(), 1, "the others come within the interval");
        assert_eq!(ours[0]["level"], "warn");
        assert_eq!(ours[0]["message"], "an outcome could not be recorded");
        assert_eq!(ours[0]["error"], "disk \"full\"");
        assert!(lines.iter().all(|line| line["message"] != "not a warning"));
    }

    #[test]
    fn suppressed_warnings_are_counted() {
        tracing::subscriber::with_default(WarningSubscriber, || tracing::warn!("of this test only"));
        let place = *LAST.lock().keys().next().map(|place| Box::new(place.clone())).unwrap();
        let start = Instant::now() + INTERVAL;
        assert!(admit(place.clone(), start).is_some());
        assert_eq!(admit(place.clone(), start + Duration::from_secs(1)), None);
        assert_eq!(admit(place.clone(), start + Duration::from_secs(4)), None);
        assert_eq!(admit(place, start + INTERVAL), Some(2));
    }
}
