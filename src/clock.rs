//! The only module that reads the time of day. All other code takes a [`Clock`].
//!
//! Durations are measured with [`tokio::time::Instant`], which a test can pause. The clock is for times that leave the
//! process: timestamps, expiries, rate-limit windows.

use std::cell::Cell;
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

/// The last millisecond of the year 9999.
const LAST_MS: EpochMs = 253_402_300_799_999;

/// The length of a formatted time: `1970-01-01T00:00:00.000Z`.
const ISO_LENGTH: usize = 24;

thread_local! {
    /// The second that was formatted last, with its text: the times of a call are mostly in one second.
    static LAST_SECOND: Cell<(u64, [u8; ISO_LENGTH])> = const { Cell::new((u64::MAX, [0; ISO_LENGTH])) };
}

/// Formats a time as ISO 8601 in UTC with milliseconds, like JavaScript's `toISOString`. Times after the year 9999 are
/// clamped to its end.
#[must_use]
pub fn to_iso8601(at: EpochMs) -> String {
    let at = at.min(LAST_MS);
    let (second, millis) = (at / 1000, at % 1000);
    let (last, mut text) = LAST_SECOND.get();
    if last != second {
        text = format_second(second);
        LAST_SECOND.set((second, text));
    }
    if let Some(ending) = text.last_chunk_mut() {
        let [hundreds, tens, ones] = [millis / 100, millis / 10, millis].map(last_digit);
        *ending = [hundreds, tens, ones, b'Z'];
    }
    // Digits are ASCII.
    String::from_utf8(text.to_vec()).unwrap_or_default()
}

fn format_second(second: u64) -> [u8; ISO_LENGTH] {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    let since = SignedDuration::from_secs(i64::try_from(second).unwrap_or(i64::MAX));
    let text = PRINTER.datetime_to_string(&EPOCH.saturating_add(since)) + "Z";
    // Years have four digits up to the last one.
    text.as_bytes().first_chunk().copied().unwrap_or_default()
}

fn last_digit(number: u64) -> u8 {
    b'0' + u8::try_from(number % 10).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;

    use super::*;

    #[test]
    fn iso_is_what_javascript_writes() {
        assert_eq!(to_iso8601(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(to_iso8601(1_795_267_496_789), "2026-11-21T13:24:56.789Z");
        assert_eq!(to_iso8601(u64::MAX), "9999-12-31T23:59:59.999Z");
    }

    proptest::proptest! {
        #[test]
        fn times_of_one_second_and_of_others_are_formatted_alike(start in 0..LAST_MS, steps in vec(0..1500_u64, 1..20)) {
            const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
            let mut at = start;
            for step in steps {
                at += step;
                let civil = jiff::Timestamp::from_millisecond(i64::try_from(at.min(LAST_MS)).unwrap()).unwrap();
                let expected = PRINTER.datetime_to_string(&jiff::tz::Offset::UTC.to_datetime(civil));
                proptest::prop_assert_eq!(to_iso8601(at), expected + "Z");
            }
        }
    }
}
