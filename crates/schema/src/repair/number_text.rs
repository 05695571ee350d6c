//! Rule `number_text`: a number that was sent as text. Only a text that JSON calls a number is one, and only if a double
//! keeps all of its digits.

use super::RepairRule;
use super::place::Place;
use super::reading::{Reading, trim_blanks};
use toolgate_json::{Kind, Limits, Tape};

/// Beyond it, neighbouring whole numbers are the same double.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_991.0;

pub(super) fn read<'t>(place: &Place<'t>) -> Option<Reading<'t>> {
    if !place.takes_no_text() || !place.wants(Kind::Number) {
        return None;
    }
    let text = place.text()?;
    let number = trim_blanks(&text);
    is_lossless(number).then(|| Reading::replacing(place, RepairRule::NumberText, number.to_owned()))
}

/// Whether a text is a number of JSON that a double keeps. `-0` and `0e9` are none: they are written back as `0`.
fn is_lossless(text: &str) -> bool {
    let Ok(tape) = Tape::parse(text, &Limits::for_arguments(text.len())) else { return false };
    let Some(double) = tape.root().as_f64().filter(|_| tape.root().as_number() == Some(text)) else { return false };
    let is_negative_zero = double == 0.0 && double.is_sign_negative();
    double.abs() <= MAX_EXACT_INTEGER
        && !is_negative_zero
        && Decimal::parse(text).is_some_and(|written| Some(written) == Decimal::parse(&format!("{double:e}")))
}

/// A number as its digits, without zeros at the ends, and the power of ten of the last one.
#[derive(PartialEq, Eq)]
struct Decimal {
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole.trim_start_matches('-'), fraction].concat();
        let significant = digits.trim_end_matches('0');
        let dropped = digits.len() - significant.len();
        let significant = significant.trim_start_matches('0');
        if significant.is_empty() && exponent == "0" {
            return Some(Self { digits: String::new(), exponent: 0 });
        }
        let shift = i64::try_from(dropped).ok()? - i64::try_from(fraction.len()).ok()?;
        Some(Self { digits: significant.to_owned(), exponent: exponent.parse::<i64>().ok()?.checked_add(shift)? })
    }
}

#[cfg(test)]
mod tests {
    use super::is_lossless;

    #[test]
    fn a_number_keeps_its_digits() {
        for text in [
            "0",
            "3",
            "-3",
            "3.0",
            "1.50",
            "1e3",
            "1E+3",
            "2e-3",
            "0.1",
            "-0.5",
            "9007199254740991",
            "1e15",
            "0.30000000000000004",
            "123456789.25",
            "5e-324",
            "0.000",
        ] {
            assert!(is_lossless(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "",
            " ",
            "007",
            "+3",
            "0x10",
            "1_000",
            "1,000",
            "1,5",
            ".5",
            "5.",
            "1e",
            "NaN",
            "Infinity",
            "-",
            "--1",
            "١",
            "３",
            "3 4",
            "3 kg",
            "3%",
            "three",
            "1e999",
            "-1e999",
            "1e-400",
            "0e5",
            "-0",
            "-0.0",
            "9007199254740992",
            "9007199254740993",
            "-9007199254740992",
            "12345678901234567890",
            "1e16",
            "0.1234567890123456789",
            "0.10000000000000001",
            "1/2",
            "true",
            "null",
            "\u{a0}3",
            "1e99999999999999999999",
        ] {
            assert!(!is_lossless(text), "{text}");
        }
    }
}
