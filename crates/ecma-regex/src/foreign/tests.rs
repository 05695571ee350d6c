#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

#[test]
fn parts_of_other_languages_have_their_ecmascript_form() {
    let rows = [
        // Groups, their names, comments.
        (r"^(?P<y>\d{4})-(?P=y)$", r"^(?<y>\d{4})-\k<y>$"),
        (r"(?'q'['#])a\k'q'\k{q}\g{q}", r"(?<q>['#])a\k<q>\k<q>\k<q>"),
        (r"(a)\-\g{1}1", r"(a)-(?:\1)1"),
        ("(?<r>a)|(?<r>b)", "(?<r>a)|(b)"),
        ("a(?#the end)b", "ab"),
        // Places, characters, properties.
        (r"\A[a-z]+\z", "^[a-z]+$"),
        (r"\Aa\Z", "^a$"),
        (r"\pL+\PN\p{^Lu}\p{Greek}", r"\p{L}+\P{N}\P{Lu}\p{Script=Greek}"),
        (r"\x{1F600}\U0001F600\012\0\x41", r"\u{1F600}\u{0001F600}\x0A\x00\x41"),
        (r"\Qa.b*\E+", r"a\.b\*+"),
        (r"^\w+\-\d+\@\#\_\ \:\<$", r"^\w+-\d+@#_ :<$"),
        // Classes.
        ("^[[:alpha:]_][[:alnum:][:^space:]-]*$", r"^[A-Za-z_][0-9A-Za-z\S\-]*$"),
        (r"^[\w-.]+[a-\d][\-x-z-][+--]\!$", r"^[\w\-.]+[a\-\d][\-x-z\-][+-\-]!$"),
        (r"[[a]\!", r"[\[a]!"),
        // Braces and brackets that stand for themselves; no lower bound.
        ("^{a}]{,3}$", r"^\{a\}\]{0,3}$"),
        ("^{{[a-z]+}}$", r"^\{\{[a-z]+\}\}$"),
        // Flags.
        ("(?i)^ab-[x-z_]$", "^[aA][bB]-[x-zX-Z_]$"),
        ("a(?i:b(?-i)c)b", "a(?:[bB]c)b"),
        ("(?i)é[^k]", "[éÉ][^kK]"),
        ("(?sm)^.$", "(?<![^\\n])[^](?![^\\n])"),
        (r"(?u)\d", r"\d"),
        // What gives nothing back.
        (r"^a++b\!$", r"^(?:(?=(?<atomic1>a+))\k<atomic1>)b!$"),
        ("^(?>[ab]|abc)*+$", r"^(?:(?=(?<atomic2>(?:(?=(?<atomic1>[ab]|abc))\k<atomic1>)*))\k<atomic2>)$"),
    ];
    for (written, form) in rows {
        assert!(EcmaPattern::compile(written).is_err(), "{written} is ECMAScript");
        assert_eq!(to_ecmascript(written).as_deref(), Ok(form), "{written}");
    }
}

#[test]
fn a_form_matches_what_the_pattern_matched() {
    let rows: [(&str, &[&str], &[&str]); 6] = [
        ("(?i)^straße[a-c]$", &["STRAßEB", "straßea"], &["straße", "straßed"]),
        ("^a++ab\\!$", &[], &["aab!", "ab!"]),
        ("^(?>a|ab)c\\!$", &["ac!"], &["abc!"]),
        ("(?m)^b$\\!*", &["a\nb\nc", "b"], &["ab"]),
        ("^[[:punct:]]+$", &["!/:@[`{~-^]\\"], &["a", "é", " "]),
        ("^[--/]\\!$", &["-!", ".!", "/!"], &[",!", "0!"]),
    ];
    for (written, accepted, refused) in rows {
        let pattern = EcmaPattern::compile(&to_ecmascript(written).unwrap()).unwrap();
        let is_match = |text: &str| pattern.is_match(text, &mut 10_000).unwrap();
        assert!(accepted.iter().all(|text| is_match(text)), "{written} must match {accepted:?}");
        assert!(!refused.iter().any(|text| is_match(text)), "{written} must not match {refused:?}");
    }
}

#[test]
fn a_part_without_a_form_ends_the_translation() {
    for written in [
        "(?R)?",
        "(?1)",
        "(?P>n)",
        "(?(1)a|b)",
        "(?|a|b)",
        "(?x)a b",
        "[]a]",
        "[a-z&&[^b]]",
        r"\Ga",
        r"\hx",
        r"\e",
        "[[:^alpha:]]",
        r"(?i)\x41",
        r"(?i)(a)\1",
        r"(a)\1b++",
        r"(?<n>a)|(?<n>b)\k<n>",
        "(a",
        "a)",
        "[a",
        "*a",
        r"a\",
        "[z-a]",
        r"(?'n",
        r"\p{Nothing}",
        "(?<1>a)",
    ] {
        let reason = to_ecmascript(written).unwrap_err();
        assert!(reason.contains("JavaScript") || written.contains("(?<n>"), "{written}: {reason}");
    }
    assert!(to_ecmascript(&"(?i)a".repeat(10_000)).is_err());
}

/// Each form is a pattern, whatever the input: most of these are none in any language.
#[test]
fn any_text_ends_in_a_form_or_a_reason() {
    let parts = [
        "a",
        "-",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "*",
        "+",
        "?",
        "\\",
        "(?",
        "P<n>",
        "(?i)",
        "(?>",
        ":",
        "^",
        "|",
        "\\Q",
        "\\E",
        "[:alpha:]",
        "é",
        "\\p",
        "{2,}",
        ",",
        "1",
        "\\k<n>",
        "\\0",
        "&&",
    ];
    let mut state = 7_u32;
    let mut random = |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % bound
    };
    let mut forms = 0;
    for _ in 0..20_000 {
        let text: String = (0..=random(7)).map(|_| parts[random(parts.len())]).collect();
        if let Ok(form) = to_ecmascript(&text) {
            EcmaPattern::compile(&form).unwrap();
            forms += 1;
        }
    }
    assert!(forms > 1000, "{forms}");
}
