//! The format `email`: a fast check for common addresses; the validator checks all others.
//!
//! The validator's check takes several times as long as all other checks of a string.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::json;

use super::tape_json::TapeJson;
use toolgate_json::{self, Limits, Tape};

/// The format's name.
pub(super) const NAME: &str = "email";

/// The longest local part that RFC 5321 allows, in bytes.
const MAX_LOCAL: usize = 64;
/// A host length that no rule forbids, in bytes.
const MAX_HOST: usize = 253;
const MAX_LABEL: usize = 63;

/// `None` if it can't be built, which never happens: then only common addresses are valid.
static VALIDATOR: LazyLock<Option<Validator<TapeJson>>> = LazyLock::new(|| {
    let options = jsonschema::options_for::<TapeJson>().should_validate_formats(true);
    options.build(&json!({ "format": NAME })).ok()
});

pub(super) fn is_valid(text: &str) -> bool {
    is_common_address(text) || is_valid_by_validator(text)
}

fn is_valid_by_validator(text: &str) -> bool {
    let mut written = String::with_capacity(text.len() + 2);
    toolgate_json::write_string(&mut written, text);
    // A string that was just written is always JSON.
    let Ok(tape) = Tape::parse(written, &Limits::widest()) else { return false };
    VALIDATOR.as_ref().is_some_and(|validator| validator.is_valid(tape.root()))
}

/// Whether an address has dot-separated words of letters, digits and `+-_`, an `@`, and a host without encoded labels.
fn is_common_address(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((local, host)) = bytes.iter().position(|byte| *byte == b'@').and_then(|at| bytes.split_at_checked(at))
    else {
        return false;
    };
    let host = host.get(1..).unwrap_or_default();
    local.len() <= MAX_LOCAL
        && host.len() <= MAX_HOST
        && all_dot_separated(local, is_atom)
        && all_dot_separated(host, is_label)
}

fn all_dot_separated(bytes: &[u8], part: impl Fn(&[u8]) -> bool) -> bool {
    bytes.split(|byte| *byte == b'.').all(part)
}

fn is_atom(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'_'))
}

/// Hyphens must be single and inside the label: two adjacent hyphens can mark an encoded label (`xn--`).
fn is_label(label: &[u8]) -> bool {
    let mut before = b'-';
    for byte in label {
        if !(byte.is_ascii_alphanumeric() || (*byte == b'-' && before != b'-')) {
            return false;
        }
        before = *byte;
    }
    before != b'-' && label.len() <= MAX_LABEL
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn common_addresses_need_no_validator() {
        for usual in ["user0@example.com", "First.Last+tag@mail-1.example.co.uk", "a_b-c@localhost", "1@2"] {
            assert!(is_common_address(usual) && is_valid_by_validator(usual), "{usual}");
        }
    }

    #[test]
    fn uncommon_addresses_are_checked_by_the_validator() {
        let (long, longest) = ("a".repeat(64), "a".repeat(63));
        let (local, label) = (format!("{long}a@b"), format!("a@{long}.b"));
        let host = format!("a@{}", [&*longest; 4].join("."));
        let wrong = ["", "@", "a@", "@a", "a@b.", "a@.b", "a..b@c", ".a@b", "a.@b", "a@-b", "a@b-", "a@b@c", "a b@c"];
        for refused in wrong.into_iter().chain([&*local, &label, &host, "a@xn--", "a@b--c--"]) {
            assert!(!is_common_address(refused) && !is_valid(refused), "{refused}");
        }
        for taken in ["\"a b\"@c", "a@[127.0.0.1]", "a!#$%&'*/=?^`{|}~@b", "a@xn--bcher-kva.example"] {
            assert!(!is_common_address(taken) && is_valid(taken), "{taken}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn nothing_is_taken_that_the_validator_refuses(
            text in prop_oneof![
                r"[a-zA-Z0-9+_.@-]{1,12}@[a-zA-Z0-9.-]{1,12}",
                r"[a-z.]{1,4}@(xn--|[a-z]{1,3}-{0,2}|-)[a-z0-9]{0,5}(\.[a-z0-9-]{1,4}){0,3}",
                r"[a-z]{60,66}@[a-z]{60,66}(\.[a-z]{60,63}){0,4}",
                r"\PC{0,6}@\PC{0,6}",
                r"[ -~]{0,8}@[ -~]{0,8}",
            ],
        ) {
            prop_assert_eq!(is_valid(&text), is_valid_by_validator(&text));
        }
    }
}
