//! The format `email`: addresses of the usual kind are told at once, all others are the validator's to judge.
//!
//! Its own check takes several times as long as all else that is checked of a string.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::json;

use super::representation::OnTape;
use toolgate_json::{self, Limits, Tape};

/// The format's name.
pub(super) const NAME: &str = "email";

/// The longest names that RFC 5321 allows on both sides of the `@`; of a host, one that no rule could find too long.
const MAX_LOCAL: usize = 64;
const MAX_HOST: usize = 253;
const MAX_LABEL: usize = 63;

/// `None` where it can't be built, which never happens: then no address of another kind is taken.
static VALIDATORS: LazyLock<Option<Validator<OnTape>>> = LazyLock::new(|| {
    let options = jsonschema::options_for::<OnTape>().should_validate_formats(true);
    options.build(&json!({ "format": NAME })).ok()
});

pub(super) fn is_valid(text: &str) -> bool {
    is_usual(text) || is_taken_by_the_validator(text)
}

fn is_taken_by_the_validator(text: &str) -> bool {
    let mut written = String::with_capacity(text.len() + 2);
    toolgate_json::write_string(&mut written, text);
    // A string that was just written is always JSON.
    let Ok(tape) = Tape::parse(written, &Limits::widest()) else { return false };
    VALIDATORS.as_ref().is_some_and(|validator| validator.is_valid(tape.root()))
}

/// Words of letters, digits and a few signs with dots between them, an `@`, and the name of a host without encoded words.
fn is_usual(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((local, host)) = bytes.iter().position(|byte| *byte == b'@').and_then(|at| bytes.split_at_checked(at))
    else {
        return false;
    };
    let host = host.get(1..).unwrap_or_default();
    local.len() <= MAX_LOCAL && host.len() <= MAX_HOST && is_dotted(local, is_word) && is_dotted(host, is_label)
}

fn is_dotted(bytes: &[u8], part: impl Fn(&[u8]) -> bool) -> bool {
    bytes.split(|byte| *byte == b'.').all(part)
}

fn is_word(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'_'))
}

/// Hyphens stand alone and inside: two of them can mark an encoded name.
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
    fn usual_addresses_are_told_at_once() {
        for usual in ["user0@example.com", "First.Last+tag@mail-1.example.co.uk", "a_b-c@localhost", "1@2"] {
            assert!(is_usual(usual) && is_taken_by_the_validator(usual), "{usual}");
        }
    }

    #[test]
    fn what_is_unusual_is_judged_by_the_validator() {
        let (long, longest) = ("a".repeat(64), "a".repeat(63));
        let (local, label) = (format!("{long}a@b"), format!("a@{long}.b"));
        let host = format!("a@{}", [&*longest; 4].join("."));
        let wrong = ["", "@", "a@", "@a", "a@b.", "a@.b", "a..b@c", ".a@b", "a.@b", "a@-b", "a@b-", "a@b@c", "a b@c"];
        for refused in wrong.into_iter().chain([&*local, &label, &host, "a@xn--", "a@b--c--"]) {
            assert!(!is_usual(refused) && !is_valid(refused), "{refused}");
        }
        for taken in ["\"a b\"@c", "a@[127.0.0.1]", "a!#$%&'*/=?^`{|}~@b", "a@xn--bcher-kva.example"] {
            assert!(!is_usual(taken) && is_valid(taken), "{taken}");
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
            prop_assert_eq!(is_valid(&text), is_taken_by_the_validator(&text));
        }
    }
}
