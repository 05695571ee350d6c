//! The only place that reads the time of day. Everything else is given a [`Clock`].
//!
//! Durations are measured with [`tokio::time::Instant`], which a test can pause; this trait gives the instants that
//! leave the process: timestamps, expiries, rate-limit windows.

use std::time::{SystemTime, UNIX_EPOCH};

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

/// Past the year 9999 the form has no words; no clock of ours gets there.
const LAST: EpochMs = 253_402_300_799_999;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// ISO 8601 in UTC with milliseconds, as JavaScript's `toISOString` writes it.
#[must_use]
pub fn iso(at: EpochMs) -> String {
    let at = at.min(LAST);
    let ((year, month, day), ms) = (date(at / DAY_MS), at % DAY_MS);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    write_digits(&mut text[0..4], year);
    write_digits(&mut text[5..7], month);
    write_digits(&mut text[8..10], day);
    write_digits(&mut text[11..13], ms / 3_600_000);
    write_digits(&mut text[14..16], ms / 60_000 % 60);
    write_digits(&mut text[17..19], ms / 1000 % 60);
    write_digits(&mut text[20..23], ms % 1000);
    // Digits and signs are ASCII.
    std::str::from_utf8(&text).unwrap_or_default().to_owned()
}

/// Writes as many of a number's last digits as there are places.
#[inline]
fn write_digits(places: &mut [u8], mut number: u64) {
    for place in places.iter_mut().rev() {
        *place = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Year, month and day of a day since the Unix epoch. Years are counted from March on, so that a leap day is a year's last.
const fn date(day: u64) -> (u64, u64, u64) {
    const FOUR_YEARS: u64 = 4 * 365 + 1;
    const CENTURY: u64 = 25 * FOUR_YEARS - 1;
    const FOUR_CENTURIES: u64 = 4 * CENTURY + 1;
    // Days from 1 March of the year 0 to 1 January 1970.
    let day = day + 719_468;
    let of_era = day % FOUR_CENTURIES;
    // Without the leap days before it, every year has 365 days.
    let year = (of_era - of_era / (FOUR_YEARS - 1) + of_era / CENTURY - of_era / (FOUR_CENTURIES - 1)) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    // From March on, months have 31 and 30 days by turns, five in 153 days.
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5;
    let is_next = month >= 10;
    let year = year + 400 * (day / FOUR_CENTURIES) + is_next as u64;
    (year, if is_next { month - 9 } else { month + 3 }, of_month + 1)
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

    #[test]
    fn every_day_has_its_date() {
        // Each day of the form's years, at another time of day each.
        for (day, ms) in (0..=LAST / DAY_MS).zip((0..).map(|n: u64| n * 7_654_321 % DAY_MS)) {
            let at = day * DAY_MS + ms;
            let expected = humantime::format_rfc3339_millis(UNIX_EPOCH + std::time::Duration::from_millis(at));
            assert_eq!(iso(at), expected.to_string());
        }
    }
}
