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
        (r"^\p{Zl}\p{Zp}(?=b)", &["\u{2028}\u{2029}b"], &["b"]),
        (r"^[\p{Cs}]\P{Cs}|(?=c)", &["c"], &["ab"]),
        (r"^\cJ\\\\0\0$", &["\n\\\\0\0"], &["\n\\0\0"]),
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
    assert_eq!(reason("(?<a>b)|(?<a>c)"), PatternError::DuplicateName("a".to_owned()));
    for escape in ["a\\", "[\\c]", "(a)\\01", "[\\c1]\\\\"] {
        assert!(matches!(reason(escape), PatternError::Syntax(_)), "{escape}");
    }
    assert_eq!(reason(&"(".repeat(300)), PatternError::TooLarge);
    assert_eq!(reason(&"a".repeat(MAX_PATTERN_BYTES + 1)), PatternError::TooLarge);
    assert!(matches!(reason("(?=a"), PatternError::Syntax(_)));
    assert!(matches!(reason(r"(a)\2"), PatternError::Syntax(_)));
}

#[test]
fn ambiguous_repetitions_are_found() {
    for (pattern, repetition) in [
        ("^(a+)+$", "(a+)+"),
        ("(a*)*$", "(a*)*"),
        ("(x+x+)+y", "(x+x+)+"),
        ("^(a|a)*$", "(a|a)*"),
        ("(a|aa)+", "(a|aa)+"),
        ("(a|ab|b)*", "(a|ab|b)*"),
        ("(.*,)*x", "(.*,)*"),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "(([a-z])+.)+"),
        ("^(a+a+-)+$", "(a+a+-)+"),
        (r"^(\w|\d)*!$", r"(\w|\d)*"),
        (r"^([a-z]+)*\d$", "([a-z]+)*"),
        (r"^(\d+,?)+$", r"(\d+,?)+"),
        ("^((ab)*|a|b)*c$", "((ab)*|a|b)*"),
        ("^(?:(?:a|ab)(?:bc|c))*$", "(?:(?:a|ab)(?:bc|c))*"),
        (r"^([\p{L}\s]+)+$", r"([\p{L}\s]+)+"),
        ("^((?:a?b?)+)+c$", "(?:a?b?)+"),
        ("^(?:(?:x*|y?)a)*$", "(?:(?:x*|y?)a)*"),
        ("^(a{1,3})*$", "(a{1,3})*"),
        ("^(?:a{2}|a{3})*$", "(?:a{2}|a{3})*"),
        (r"^(\w+\s?){1,50}$", r"(\w+\s?){1,50}"),
        ("^x(a+?)+?y|b$", "(a+?)+?"),
        ("^é(?:(?:(?:b+)))+$", "(?:(?:(?:b+)))+"),
        // Inside look-around, and beside back-references.
        ("^(?=(a+)+b)a*$", "(a+)+"),
        ("(?<!(a|a)*b)c", "(a|a)*"),
        ("(?:(?!(a+)+b).)*", "(a+)+"),
        (r"^((a+)+)\1$", "(a+)+"),
        (r"^(?:(a+)\1)+$", r"(?:(a+)\1)+"),
        (r"^(?<q>a)(?:\k<q>|a)*$", r"(?:\k<q>|a)*"),
        // Valid only without the flag `u`.
        (r"^(\-+)+$", r"(\-+)+"),
    ] {
        let found = find_ambiguous_repetition(pattern).and_then(|found| pattern.get(found));
        assert_eq!(found, Some(repetition), "{pattern}");
    }
}

#[test]
fn other_repetitions_are_not() {
    for pattern in [
        "",
        "^[a-z][a-z0-9_]{0,63}$",
        r"^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$",
        r"^\d{3}-\d{4}$",
        r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$",
        "^[a-z0-9]+(?:-[a-z0-9]+)*$",
        "^([a-z0-9]+(-[a-z0-9]+)*)$",
        r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$",
        r"^(https?)://[^\s/$.?#].[^\s]*$",
        "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        "^(?:[0-9a-f]{2}){16}$",
        r"^(?:\d{3},?)+$",
        "^((a{40})|b)*$",
        r"^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+)?$",
        r"^(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(?:\.(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})){3}$",
        r#"^"(?:[^"\\]|\\.)*"$"#,
        "^(?:foo|far|baz)(?:,(?:foo|far|baz))*$",
        "^(?:foo|far|baz)*$",
        "^(?=.*[a-z])(?=.*[0-9])[a-z0-9]{8,}$",
        r"^(?:(\w)\1)+$",
        "^(?:(?=a*a*b)[ab])*$",
        // Polynomial.
        "^a*a*$",
        "^.*a.*b.*$",
        r"^(\w+\s?){1,5}$",
        // An empty iteration ends a repetition in ECMAScript.
        "^(a?)*$",
        "(?:a",
    ] {
        assert_eq!(find_ambiguous_repetition(pattern), None, "{pattern}");
    }
}

#[test]
fn a_search_for_ambiguity_ends() {
    for pattern in [
        "(a*)*".repeat(2_000) + "$",
        "(".repeat(5_000) + "a*" + &")*".repeat(5_000) + "$",
        "((((a{1000}){1000}){1000})*)*$".to_owned(),
        "(((((){1000}){1000}){1000}){1000})*$".to_owned(),
        "(?:(?:){18446744073709551615}a+)+$".to_owned(),
        format!("^({})*$", (0..1500).map(|n| format!("a{n}")).collect::<Vec<_>>().join("|")),
        format!("^({})*$", "a?".repeat(300)),
        format!("^({})*$", "(?:|)".repeat(300) + "a"),
        format!("^([{}]+)+$", (0x4e00..0x5200).filter_map(char::from_u32).collect::<String>()),
        format!("^(?:{})*$", (0..1500).map(|n| format!(r"[\p{{L}}\x{n:02x}]")).collect::<Vec<_>>().concat()),
        r"^(?:(?:\p{L}{1000}){1000})*$".to_owned(),
        "^(a{1,999}|a{1,998}b)*$".to_owned(),
    ] {
        let _ = find_ambiguous_repetition(&pattern);
    }
}
