//! A date-time as a user reads it: the clock at the place that its UTC offset names, never converted.

const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `2026-11-23T10:00:00+01:00` (RFC 3339) as `Mon 23 Nov 2026, 10:00 (UTC+01:00)`. Seconds are shown where there are any.
/// `None` for what is no date-time.
pub(super) fn local_time(text: &str) -> Option<String> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let zone = time.find(['Z', 'z', '+', '-'])?;
    let (time, offset) = time.split_at_checked(zone)?;
    let date: [&str; 3] = date.split('-').collect::<Vec<_>>().try_into().ok()?;
    let [year, month, day] = date.map(|part| part.parse::<u16>().ok().map(u32::from));
    let (year, month, day) = (year?, month?, day?);
    let name = MONTHS.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    let time = time.strip_suffix(":00").filter(|rest| rest.contains(':')).unwrap_or(time);
    let offset = if offset.eq_ignore_ascii_case("z") { "" } else { offset };
    Some(format!("{} {day} {name} {year}, {time} (UTC{offset})", weekday(year, month, day)?))
}

/// Of a date in the Gregorian calendar. January and February count with the year before, so that a leap day comes last.
fn weekday(year: u32, month: u32, day: u32) -> Option<&'static str> {
    /// What the days of the months before add to the weekday.
    const SHIFTS: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let shift = SHIFTS.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    let year = if month < 3 { year.checked_sub(1)? } else { year };
    let days = year + year / 4 - year / 100 + year / 400 + shift + day;
    WEEKDAYS.get(usize::try_from(days % 7).ok()?).copied()
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
            ("2026-11-23", None),
            ("1900-02-28T08:05:00Z", Some("Wed 28 Feb 1900, 08:05 (UTC)")),
            ("9999-12-31T23:59:60Z", Some("Fri 31 Dec 9999, 23:59:60 (UTC)")),
            ("0000-01-01T00:00:00Z", None),
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
