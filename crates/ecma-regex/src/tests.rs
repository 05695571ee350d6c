#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

const STEPS: u64 = 100_000;

fn matches(pattern: &str, text: &str) -> bool {
    EcmaPattern::compile(pattern).unwrap().is_match(text, &mut STEPS.clone()).unwrap()
}

/// Each row: a pattern, texts that match, and texts that do not. The expected results are those of V8.
#[test]
fn patterns_match_as_ecmascript_defines() {
    let rows: &[(&str, &[&str], &[&str])] = &[
        ("^(?=.*[0-9])[a-z0-9]+$", &["a1", "1", "abc9z"], &["abc", "A1", ""]),
        ("^(?!-)[a-z-]+(?<!-)$", &["a", "a-b"], &["-a", "a-", ""]),
        (r"(?<=\$)\d+", &["$12", "x$1"], &["12", "$"]),
        (r"(?<=(\d+)(\d+))x", &["123x"], &["1x"]),
        (r"(?<=\1(a))b", &["aab"], &["ab"]),
        (r"^(a+)\1$", &["aa", "aaaa"], &["a", "aaa", ""]),
        (r"^(?<q>['\u0022]).*\k<q>$", &["'x'", "\"\""], &["'x\"", "'"]),
        // A group that has not matched refers to the empty text, and each iteration forgets its groups.
        (r"^\1(a)$", &["a"], &["aa"]),
        (r"^(?:(a)|b\1)+$", &["ab", "aba"], &["aab1"]),
        (r"^(z)((a+)?(b+)?(c))*$", &["zaacbbbcac"], &["zaacbbbca"]),
        (r"^(?:(?=(a+))a*b\1|b)+$", &["b", "bb"], &["baaabac"]),
        // A look-ahead is not entered again; its groups are kept. A negative one keeps none.
        (r"^(?=(a+))\1b$", &["aab"], &["aa"]),
        (r"^(?=(a+))a\1$", &[], &["aaa"]),
        (r"^(?!(a)b)\1a", &["ac", "aa"], &["ab"]),
        ("^(a?)*?$", &["", "aaa"], &["b"]),
        ("^(?:a|ab)(?:c|bcd)(d*)$", &["abcd", "abcdd"], &["abx"]),
        ("^(?:a{2,3}?){2}$", &["aaaa", "aaaaaa"], &["aaa", "aaaaaaa"]),
        ("^(?:){3}$", &[""], &["a"]),
        ("^(?:a*)*$", &["", "aaa"], &["aab"]),
        ("^(.*){1,32000}[bc]$", &["b", "aab"], &["aa", ""]),
        ("^[^]$", &["a", "\n", "😀"], &["", "ab"]),
        ("[]", &[], &["", "a"]),
        (r"^[\b]$", &["\u{8}"], &["b"]),
        (r"^\d\w\s$", &["1_\u{feff}"], &["\u{0661}a ", "1é "]),
        ("^.$", &["a", "😀"], &["\n", "\r", "\u{2028}"]),
        ("a$", &["a", "ba"], &["a\n"]),
        (r"\bé", &["aé"], &["é", " é"]),
        (r"^\p{L}+\P{Lu}$", &["Éa1", "ab"], &["1a", "aB"]),
        (r"^[\ud800-\udfff]|\u{1f600}$", &["😀"], &["a"]),
        ("", &["", "a"], &[]),
    ];
    for (pattern, accepted, refused) in rows {
        for text in *accepted {
            assert!(matches(pattern, text), "{pattern} must match {text:?}");
        }
        for text in *refused {
            assert!(!matches(pattern, text), "{pattern} must not match {text:?}");
        }
    }
}

#[test]
fn a_match_stops_if_its_steps_are_spent() {
    let attacks = [
        (r"^(a+)+$", "a".repeat(40) + "!"),
        (r"^(?=(a|a)*b)", "a".repeat(64)),
        (r"(x+x+)+\1y", "x".repeat(200)),
        (r"(?:(?=(?:(?=.*x)a)*)a)*$", "a".repeat(3000)),
        (r"^((a{0,9}){0,9}){0,9}\1b$", "a".repeat(100)),
        (r"^(?:){4294967295}a", "b".to_owned()),
    ];
    for (pattern, text) in attacks {
        let mut steps = STEPS;
        assert_eq!(EcmaPattern::compile(pattern).unwrap().is_match(&text, &mut steps), Err(OutOfSteps), "{pattern}");
        assert_eq!(steps, 0, "{pattern}");
    }
}

#[test]
fn a_match_takes_only_the_steps_that_it_needs() {
    let mut steps = STEPS;
    let pattern = EcmaPattern::compile("^(?=.*[0-9]).{8,}$").unwrap();
    assert_eq!(pattern.is_match("password1", &mut steps), Ok(true));
    assert!((1..100).contains(&(STEPS - steps)), "{}", STEPS - steps);
}

#[test]
fn an_unsupported_pattern_is_an_error_with_its_reason() {
    let reason = |pattern: &str| EcmaPattern::compile(pattern).unwrap_err();
    assert_eq!(reason("(?i:a)(?=b)"), PatternError::Modifiers);
    assert_eq!(reason(&"(".repeat(300)), PatternError::TooLarge);
    assert_eq!(reason(&"a".repeat(MAX_PATTERN_BYTES + 1)), PatternError::TooLarge);
    assert!(matches!(reason("(?=a"), PatternError::Syntax(_)));
    assert!(matches!(reason(r"(a)\2"), PatternError::Syntax(_)));
}
