//! The only place that reads the time of day. Everything else is given a [`Clock`].
//!
//! Durations are measured with [`tokio::time::Instant`], which a test can pause; this trait gives the instants that
//! leave the process: timestamps, expiries, rate-limit windows.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since the Unix epoch.
pub type EpochMs = u64;

/// Tells the time of day.
pub trait Clock: Send + Sync + 'static {
    /// Now.
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
    /// A clock that shows `base` now.
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

/// ISO 8601 in UTC with milliseconds, as JavaScript's `toISOString` writes it.
#[must_use]
pub fn iso(at: EpochMs) -> String {
    // Past the year 9999 `humantime` refuses; no clock of ours gets there.
    let at = UNIX_EPOCH + Duration::from_millis(at.min(253_402_300_799_999));
    humantime::format_rfc3339_millis(at).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_is_what_javascript_writes() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(1_795_267_496_789), "2026-11-21T13:24:56.789Z");
        assert_eq!(iso(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
