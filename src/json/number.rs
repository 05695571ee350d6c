//! JSON numbers: reading them as doubles, and writing doubles as ECMAScript does.

/// Longest integer text (sign included) that every double of its value prints back unchanged.
const EXACT_INTEGER_LENGTH: usize = 15;

/// The double that a number's text stands for, correctly rounded.
pub(super) fn to_double(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Appends a number's text in canonical form (RFC 8785, 3.2.2.3).
pub(super) fn write_canonical(out: &mut String, text: &str, is_integer: bool) {
    if is_integer && text.len() <= EXACT_INTEGER_LENGTH && text != "-0" {
        out.push_str(text);
    } else if let Some(double) = to_double(text) {
        write_number(out, double);
    } else {
        out.push_str(text);
    }
}

/// Appends a finite double as ECMAScript's `Number::toString` does: `1`, `0.5`, `1e+30`; others become `null`, as in
/// `JSON.stringify`.
pub fn write_number(out: &mut String, double: f64) {
    if double.is_finite() {
        out.push_str(ryu_js::Buffer::new().format_finite(double));
    } else {
        out.push_str("null");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        let mut out = String::new();
        write_canonical(&mut out, text, text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()));
        out
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
        ] {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_finite_is_null() {
        let mut out = String::new();
        write_number(&mut out, f64::NAN);
        assert_eq!(out, "null");
    }
}
