//! A date-time for users: the local time at its own UTC offset, never converted.

use jiff::civil::Date;

/// `2026-11-23T10:00:00+01:00` (RFC 3339) as `Mon 23 Nov 2026, 10:00 (UTC+01:00)`. Seconds are shown unless they are 0.
/// `None` if the text is not a date-time.
pub(super) fn local_time(text: &str) -> Option<String> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let (time, offset) = time.split_at_checked(time.find(['Z', 'z', '+', '-'])?)?;
    let date: Date = date.parse().ok()?;
    let time = time.strip_suffix(":00").filter(|rest| rest.contains(':')).unwrap_or(time);
    let offset = if offset.eq_ignore_ascii_case("z") { "" } else { offset };
    Some(format!("{}, {time} (UTC{offset})", date.strftime("%a %-d %b %Y")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_at_their_own_offset() {
        let table = [
            ("2026-11-23T10:00:00+01:00", Some("Mon 23 Nov 2026, 10:00 (UTC+01:00)")),
            ("2026-11-23T10:00:30-08:00", Some("Mon 23 Nov 2026, 10:00:30 (UTC-08:00)")),
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
            assert_eq!(local_time(text).as_deref(), expected, "{text}");
        }
    }
}
