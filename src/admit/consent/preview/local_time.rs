//! A date-time for users: in their time zone, which is named, or at its own UTC offset.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// `2026-11-23T10:00:00+01:00` (RFC 3339) as `Mon 23 Nov 2026, 10:00 (UTC+01:00)`, or in the user's zone as `Mon 23 Nov
/// 2026, 09:00 (Europe/London)`. Seconds are shown unless they are 0. `None` if the text is not a date-time.
pub(super) fn local_time(text: &str, zone: Option<&TimeZone>) -> Option<String> {
    zone.and_then(|zone| in_zone(text, zone)).or_else(|| at_own_offset(text))
}

fn in_zone(text: &str, zone: &TimeZone) -> Option<String> {
    let local = text.parse::<Timestamp>().ok()?.to_zoned(zone.clone());
    let time = local.strftime(if local.second() == 0 { "%H:%M" } else { "%H:%M:%S" });
    Some(format!("{}, {time} ({})", local.strftime(DAY), zone.iana_name()?))
}

const DAY: &str = "%a %-d %b %Y";

fn at_own_offset(text: &str) -> Option<String> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let (time, offset) = time.split_at_checked(time.find(['Z', 'z', '+', '-'])?)?;
    let date: Date = date.parse().ok()?;
    let time = match time.split_once('.') {
        Some((seconds, fraction)) if fraction.bytes().all(|digit| digit == b'0') => seconds,
        _ => time,
    };
    let time = time.strip_suffix(":00").filter(|rest| rest.contains(':')).unwrap_or(time);
    let offset = if offset.eq_ignore_ascii_case("z") { "" } else { offset };
    Some(format!("{}, {time} (UTC{offset})", date.strftime(DAY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_at_their_own_offset() {
        let table = [
            ("2026-11-23T10:00:00+01:00", Some("Mon 23 Nov 2026, 10:00 (UTC+01:00)")),
            ("2026-11-23T10:00:30-08:00", Some("Mon 23 Nov 2026, 10:00:30 (UTC-08:00)")),
            ("2026-11-23T10:00:00.000Z", Some("Mon 23 Nov 2026, 10:00 (UTC)")),
            ("2026-11-23T10:00:30.000+01:00", Some("Mon 23 Nov 2026, 10:00:30 (UTC+01:00)")),
            ("2024-02-29t23:59:59.5z", Some("Thu 29 Feb 2024, 23:59:59.5 (UTC)")),
            ("2000-01-01T00:00:00Z", Some("Sat 1 Jan 2000, 00:00 (UTC)")),
            ("1900-02-28T08:05:00Z", Some("Wed 28 Feb 1900, 08:05 (UTC)")),
            ("9999-12-31T23:59:60Z", Some("Fri 31 Dec 9999, 23:59:60 (UTC)")),
            ("2026-11-23", None),
            ("2026-02-30T10:00:00Z", None),
            ("99999999999-01-01T00:00:00Z", None),
            ("4294967295-03-01T00:00:00Z", None),
            ("2026-13-23T10:00:00Z", None),
            ("2026-00-23T10:00:00Z", None),
            ("tomorrow at 10", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(local_time(text, None).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn times_are_shown_in_the_users_zone_by_the_clocks_of_that_day() {
        let table = [
            ("Europe/Berlin", "2026-11-23T10:00:00+01:00", "Mon 23 Nov 2026, 10:00 (Europe/Berlin)"),
            ("Europe/Berlin", "2026-07-01T08:30:00Z", "Wed 1 Jul 2026, 10:30 (Europe/Berlin)"),
            ("America/New_York", "2026-11-23T02:00:05+01:00", "Sun 22 Nov 2026, 20:00:05 (America/New_York)"),
            ("Asia/Kathmandu", "2026-11-23T00:00:00Z", "Mon 23 Nov 2026, 05:45 (Asia/Kathmandu)"),
            ("Pacific/Kiritimati", "2026-12-31T12:00:00Z", "Fri 1 Jan 2027, 02:00 (Pacific/Kiritimati)"),
            ("Europe/Berlin", "2026-13-23T10:00:00Z", "none"),
        ];
        for (zone, text, expected) in table {
            let zone = TimeZone::get(zone).unwrap();
            assert_eq!(local_time(text, Some(&zone)).as_deref().unwrap_or("none"), expected, "{text}");
        }
    }
}
