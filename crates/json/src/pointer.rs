//! JSON Pointers (RFC 6901): `/a/0/b~1c`.

use std::borrow::Cow;

/// Appends a token (a member's name), with `~` and `/` escaped.
pub fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for part in token.split_inclusive(['~', '/']) {
        match part.as_bytes().last() {
            Some(b'~') => {
                pointer.push_str(part.strip_suffix('~').unwrap_or(part));
                pointer.push_str("~0");
            }
            Some(b'/') => {
                pointer.push_str(part.strip_suffix('/').unwrap_or(part));
                pointer.push_str("~1");
            }
            _ => pointer.push_str(part),
        }
    }
}

/// Appends an element's index.
pub fn push_index(pointer: &mut String, index: usize) {
    use std::fmt::Write as _;
    // Writing into a String cannot fail.
    let _ = write!(pointer, "/{index}");
}

/// Returns the tokens of a pointer, unescaped; none for the root.
///
/// Text before the first `/` is ignored, so that the pointer may begin with a fragment's `#`.
pub fn tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape)
}

/// Parses a token as an array index: decimal digits without leading zeros.
#[must_use]
pub fn parse_index(token: &str) -> Option<usize> {
    let canonical = token == "0" || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
    if canonical { token.parse().ok() } else { None }
}

fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        // The order matters: `~01` means `~1`.
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

/// Encodes a pointer as a URI fragment, without the `#` (RFC 6901, 6).
#[must_use]
pub fn to_fragment(pointer: &str) -> String {
    use std::fmt::Write as _;
    let mut fragment = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'~' | b'_' | b'-' | b'.' | b'$' => {
                fragment.push(char::from(byte));
            }
            other => {
                // Writing into a String cannot fail.
                let _ = write!(fragment, "%{other:02X}");
            }
        }
    }
    fragment
}

/// Decodes a URI fragment, without the `#`, to a pointer or name; `None` if it is malformed or not UTF-8.
#[must_use]
pub fn from_fragment(fragment: &str) -> Option<Cow<'_, str>> {
    if !fragment.contains('%') {
        return Some(Cow::Borrowed(fragment));
    }
    let mut bytes = fragment.bytes();
    let mut decoded = Vec::with_capacity(fragment.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
            decoded.push(u8::try_from(high? * 16 + low?).ok()?);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_unescapes() {
        for token in ["", "a", "a/b", "m~n", "~1", "~0", "/", "~/~", "é"] {
            let mut pointer = String::new();
            push(&mut pointer, token);
            assert_eq!(tokens(&pointer).collect::<Vec<_>>(), [token], "{pointer}");
        }
        let mut pointer = String::new();
        push(&mut pointer, "a/b");
        push_index(&mut pointer, 12);
        push(&mut pointer, "m~n");
        assert_eq!(pointer, "/a~1b/12/m~0n");
    }

    #[test]
    fn takes_only_canonical_indexes() {
        assert_eq!(parse_index("0"), Some(0));
        assert_eq!(parse_index("10"), Some(10));
        for refused in ["", "-", "01", "+1", "1e1", "99999999999999999999999"] {
            assert_eq!(parse_index(refused), None, "{refused}");
        }
    }
}
