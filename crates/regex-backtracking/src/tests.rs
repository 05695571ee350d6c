use std::fs;
use std::path::PathBuf;

use super::*;

/// The reported part of the pattern, and the attack string as `prefix|pump|suffix`.
fn found(pattern: &str) -> Option<(String, String)> {
    let AttackString { repetition_span: part, prefix, pump, suffix } = find_attack_string(pattern)?;
    Some((pattern.get(part)?.to_owned(), format!("{prefix}|{pump}|{suffix}")))
}

#[test]
fn exponential_patterns_are_found_with_a_text() {
    for (pattern, part, text) in [
        ("^(a+)+$", "(a+)+", "a|a|b"),
        ("(a*)*$", "(a*)*", "a|a|b"),
        ("(x+x+)+y", "(x+x+)+", "x|xx|"),
        ("^(a|a)*$", "(a|a)*", "a|aa|b"),
        (r"^(\w|\d)*!$", r"(\w|\d)*", "a|0a|"),
        (r"^([a-z]+)*\d$", "([a-z]+)*", "a|a|"),
        (r"^(\d+,?)+$", r"(\d+,?)+", "0|0|a"),
        ("^((ab)*|a|b)*c$", "((ab)*|a|b)*", "ab|ab|"),
        (r"^(?:(?:a|ab)(?:bc|c))*$", "(?:(?:a|ab)(?:bc|c))*", ""),
        (r"^([\p{L}\s]+)+$", r"([\p{L}\s]+)+", "a|a|0"),
        ("^((?:a?b?)+)+c$", "(?:a?b?)+", "a|ba|"),
        ("^(a{1,3})*$", "(a{1,3})*", ""),
        (r"^(\w+\s?){1,50}$", r"(\w+\s?){1,50}", ""),
        ("^x(a+)+y|b$", "(a+)+", "xa|a|"),
        // Another alternative matches, but only after all paths of this one.
        ("^(?:(a+)+b|a)", "(a+)+", "a|a|"),
        (r"(\bfoo\b|\w+)*!$", r"(\bfoo\b|\w+)*", ""),
    ] {
        let (actual_part, actual_text) = found(pattern).unwrap_or_else(|| panic!("{pattern}"));
        assert_eq!(actual_part, part, "{pattern}");
        assert!(text.is_empty() || actual_text == text, "{pattern}: {actual_text}");
    }
}

#[test]
fn other_patterns_have_no_finding() {
    for pattern in [
        "",
        "^[a-z][a-z0-9_]{0,63}$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$",
        "^([a-z0-9]+(-[a-z0-9]+)*)$",
        r"^(https?)://[^\s/$.?#].[^\s]*$",
        "^(?:[0-9a-f]{2}){16}$",
        "^((a{40})|b)*$",
        "^(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(?:\\.(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})){3}$",
        // Polynomial.
        "^a*a*$",
        "^.*a.*b.*$",
        r"^(\w+\s?){1,5}$",
        // An empty iteration ends a repetition in ECMAScript.
        "^(a?)*$",
        "^(a?){20}$",
        // The continuation cannot fail: the first path succeeds.
        "(a+)+",
        r"^([\s\S]*)*$",
        "^(a*)*",
        // `\b` leaves one path.
        r"^(\w+\b\W*)*$",
        r"^(?:\b\w+\b[ ])*$",
        // Not analysed; the compiler refuses these patterns elsewhere.
        r"^(?=(a+)+)a*b$",
        r"^((a+)+)\1$",
    ] {
        assert_eq!(found(pattern), None, "{pattern}");
    }
}

#[test]
fn large_patterns_end() {
    for pattern in [
        "(a*)*".repeat(2_000) + "$",
        "(".repeat(5_000) + "a*" + &")*".repeat(5_000) + "$",
        "((((a{1000}){1000}){1000})*)*$".to_owned(),
        "(((((){1000}){1000}){1000}){1000})*$".to_owned(),
        "(?:){18446744073709551615}(a+)+$".to_owned(),
        format!("^({})*$", (0..1500).map(|n| format!("a{n}")).collect::<Vec<_>>().join("|")),
        format!("^({})*$", "a?".repeat(300)),
        format!("^([{}]+)+$", (0x4e00..0x5200).filter_map(char::from_u32).collect::<String>()),
        "^(a{1,999}|a{1,998}b)*$".to_owned(),
    ] {
        let _ = find_attack_string(&pattern);
    }
}

/// Labelled and unlabelled patterns of public collections. The label `redos` of regexploit mostly means polynomial
/// time.
#[test]
fn findings_match_the_labels_of_the_corpus() {
    let named = std::env::var_os("TOOLGATE_CORPUS").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(named).join("hostile/redos-patterns.jsonl");
    let Ok(text) = fs::read_to_string(path) else {
        assert!(std::env::var_os("CI").is_none(), "CI skips no test: there is no corpus (TOOLGATE_CORPUS)");
        println!("ignored: there is no corpus (TOOLGATE_CORPUS)");
        return;
    };
    let mut counts = std::collections::BTreeMap::<String, (usize, usize)>::new();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let (pattern, label) = (case["pattern"].as_str().unwrap(), case["label"].as_str().unwrap());
        let found = find_attack_string(pattern).is_some();
        let (hits, all) = counts.entry(label.to_owned()).or_default();
        *hits += usize::from(found);
        *all += 1;
        // ECMAScript ends a repetition after an empty iteration, so this pattern, labelled for other engines, is
        // linear.
        let expected = label == "exponential" && pattern != "(a?)*$";
        if label != "unlabelled" && found != expected {
            wrong.push(pattern.to_owned());
        }
    }
    for (label, (hits, all)) in counts {
        println!("{label}: {hits} of {all} found");
    }
    assert_eq!(wrong, [""; 0]);
}
