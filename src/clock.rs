//! The only module that reads the time of day. All other code takes a [`Clock`].
//!
//! Durations are measured with [`tokio::time::Instant`], which a test can pause. The clock is for times that leave the
//! process: timestamps, expiries, rate-limit windows.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::temporal::DateTimePrinter;

/// Milliseconds since the Unix epoch.
pub type EpochMs = u64;

/// A source of the time of day.
pub trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> EpochMs;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> EpochMs {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// A clock that starts at a fixed instant and moves with Tokio's time, so a paused runtime pauses it too.
#[derive(Debug, Clone, Copy)]
pub struct TokioClock {
    base: EpochMs,
    started: tokio::time::Instant,
}

impl TokioClock {
    /// A clock whose current time is `base`.
    #[must_use]
    pub fn starting_at(base: EpochMs) -> Self {
        Self { base, started: tokio::time::Instant::now() }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> EpochMs {
        self.base + u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Formats a time as ISO 8601 in UTC with milliseconds, like JavaScript's `toISOString`. Times after the year 9999 are
/// clamped to its end.
#[must_use]
pub fn to_iso8601(at: EpochMs) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    let since = SignedDuration::from_millis(i64::try_from(at).unwrap_or(i64::MAX));
    let mut text = PRINTER.datetime_to_string(&EPOCH.saturating_add(since));
    text.push('Z');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_is_what_javascript_writes() {
        assert_eq!(to_iso8601(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(to_iso8601(1_795_267_496_789), "2026-11-21T13:24:56.789Z");
        assert_eq!(to_iso8601(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
