//! JSON numbers: conversion to doubles, and serialization of doubles as in ECMAScript.

/// Maximum length of an integer's text (sign included) that always survives a round trip through a double unchanged.
pub(super) const MAX_EXACT_INTEGER_LENGTH: usize = 15;

/// Returns the double of a number's text, correctly rounded.
pub(super) fn to_double(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// 2^53 - 1: beyond it, neighbouring whole numbers are the same double.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Whether a number's double is another number than the one that is written: see [`NumberRange::Exact`].
///
/// [`NumberRange::Exact`]: super::NumberRange::Exact
pub(super) fn is_another(written: &str, double: f64) -> bool {
    let (mantissa, exponent) = written.split_once(['e', 'E']).map_or((written, None), |(m, e)| (m, Some(e)));
    let digits = mantissa.bytes().filter(u8::is_ascii_digit);
    if double == 0.0 {
        return digits.clone().any(|digit| digit != b'0');
    }
    // Beyond this bound every double is a whole number.
    if double.abs() <= MAX_EXACT_INTEGER {
        return false;
    }
    let is_plain = exponent.is_none() && !mantissa.contains('.');
    let significant: Vec<u8> = digits.skip_while(|digit| *digit == b'0').collect();
    let trailing = significant.iter().rev().take_while(|digit| **digit == b'0').count();
    is_plain || significant.len() - trailing > MAX_EXACT_DIGITS
}

/// Maximum number of decimal digits that always survive a round trip through a double.
const MAX_EXACT_DIGITS: usize = 15;

/// Whether an integer's text is in canonical form. False means unknown.
pub(super) fn is_canonical_integer(text: &[u8]) -> bool {
    text.len() <= MAX_EXACT_INTEGER_LENGTH && text != b"-0"
}

/// Whether the text of a number with a fraction and without an exponent is in canonical form. `point` is the offset of
/// the decimal point. False means unknown.
pub(super) fn is_canonical_decimal(text: &[u8], point: usize) -> bool {
    // One byte is the point.
    if text.len() > MAX_EXACT_DIGITS + 1 || text.last() == Some(&b'0') {
        return false;
    }
    let whole = text.get(..point).unwrap_or_default();
    let fraction = text.get(point + 1..).unwrap_or_default();
    // ECMAScript writes smaller numbers with an exponent.
    !matches!(whole, b"0" | b"-0") || fraction.iter().take(6).any(|digit| *digit != b'0')
}

/// Appends a number's text in canonical form (RFC 8785, 3.2.2.3).
pub(super) fn write_canonical(out: &mut String, text: &str) {
    match to_double(text) {
        Some(double) => write_number(out, double),
        None => out.push_str(text),
    }
}

/// Appends a finite double as ECMAScript's `Number::toString` does: `1`, `0.5`, `1e+30`; a non-finite double becomes
/// `null`, as in `JSON.stringify`.
pub fn write_number(out: &mut String, double: f64) {
    if double.is_finite() {
        out.push_str(ryu_js::Buffer::new().format_finite(double));
    } else {
        out.push_str("null");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(text: &str) -> String {
        let mut out = String::new();
        write_canonical(&mut out, text);
        let is_canonical = match text.find('.') {
            _ if text.contains(['e', 'E']) => false,
            Some(point) => is_canonical_decimal(text.as_bytes(), point),
            None => is_canonical_integer(text.as_bytes()),
        };
        assert!(!is_canonical || out == text, "{text} is not canonical");
        out
    }

    #[test]
    fn a_double_that_is_another_number_is_known() {
        let table = [
            ("9007199254740991", false),
            ("-9007199254740991", false),
            ("9007199254740992", true),
            ("9007199254740993", true),
            ("-9007199254740992", true),
            ("9007199254740993.0", true),
            ("9007199254740993e0", true),
            ("90071992547409.93e2", true),
            ("12345678901234567890", true),
            ("100000000000000000000", true),
            ("1.2345678901234568e+24", true),
            ("1e21", false),
            ("6.02214076e23", false),
            ("1e300", false),
            ("0.1234567890123456789", false),
            ("3.141592653589793238462643383", false),
            ("9007199254740990.7", false),
            ("1e-400", true),
            ("0e-400", false),
            ("0.00e5", false),
            ("5e-324", false),
            ("1000000000000000.000000000", false),
        ];
        for (text, expected) in table {
            assert_eq!(is_another(text, to_double(text).unwrap()), expected, "{text}");
        }
    }

    proptest::proptest! {
        /// A whole number that is taken is written with the digits that it was sent with.
        #[test]
        fn a_whole_number_that_is_taken_keeps_its_digits(text in "-?(0|[1-9][0-9]{0,24})") {
            let limits = crate::Limits::for_arguments(64);
            if let Ok(tape) = crate::Tape::parse(text.clone(), &limits) {
                let mut shown = String::new();
                tape.root().write_canonical(&mut shown);
                let expected = if text == "-0" { "0" } else { &text };
                proptest::prop_assert_eq!(shown, expected);
            } else {
                proptest::prop_assert!(text.trim_start_matches('-').len() >= 16);
            }
        }
    }

    #[test]
    fn writes_as_ecmascript_does() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1.0", "1"),
            ("56.0", "56"),
            ("1E30", "1e+30"),
            ("4.50", "4.5"),
            ("2e-3", "0.002"),
            ("333333333.33333329", "333333333.3333333"),
            ("0.000000000000000000000000001", "1e-27"),
            ("9007199254740993", "9007199254740992"),
            ("100000000000000000000", "100000000000000000000"),
            ("1000000000000000000000", "1e+21"),
            ("-999999999999999", "-999999999999999"),
            ("5e-324", "5e-324"),
            ("1e-400", "0"),
            ("0.1", "0.1"),
            ("-0.0001", "-0.0001"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("-0.0000012", "-0.0000012"),
            ("-0.00000012", "-1.2e-7"),
            ("12345678.9012345", "12345678.9012345"),
            ("123456789.0123456", "123456789.0123456"),
            ("0.30000000000000001", "0.3"),
            ("99999999999999.9", "99999999999999.9"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }

    proptest! {
        /// Every text reported as canonical is canonical.
        #[test]
        fn reported_decimals_are_canonical(text in "-?(0|[1-9][0-9]{0,16})(\\.[0-9]{1,18}|\\.0{1,8}[0-9]{1,10})?") {
            canonical(&text);
        }
    }

    #[test]
    fn non_finite_doubles_are_null() {
        let mut out = String::new();
        write_number(&mut out, f64::NAN);
        assert_eq!(out, "null");
    }
}
