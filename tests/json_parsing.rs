//! The parser against `JSONTestSuite` (`y_` must parse, `n_` must not, `i_` may do either), and against `JSON.parse`'s rules.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod corpus;

use toolgate::json::{Limits, LoneSurrogates, ParseErrorKind, Tape};

fn widest() -> Limits {
    Limits::widest()
}

fn strict() -> Limits {
    Limits { lone_surrogates: LoneSurrogates::Refuse, ..widest() }
}

/// Text files of the suite with a prefix; bytes that are no UTF-8 never reach the parser, which takes text.
fn suite(prefix: &str) -> Vec<(String, String)> {
    let Some(folder) = corpus::corpus("hostile/json-parsing") else { return Vec::new() };
    let files = corpus::files(&folder);
    assert_eq!(files.len(), 318, "the suite is complete");
    let wanted = files.into_iter().filter(|(name, _)| name.starts_with(prefix));
    let texts = wanted.filter_map(|(name, path)| Some((name, String::from_utf8(std::fs::read(path).unwrap()).ok()?)));
    texts.collect()
}

/// All of them, also with the strictest limits.
#[test]
fn what_must_parse_parses() {
    for (name, text) in suite("y_") {
        let tape = Tape::parse(text.as_str(), &strict()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(tape.root().to_value(), serde_json::from_str::<serde_json::Value>(&text).unwrap(), "{name}");
    }
}

/// All of them, also with the widest limits.
#[test]
fn what_must_not_parse_does_not() {
    for (name, text) in suite("n_") {
        for limits in [strict(), widest()] {
            let error = Tape::parse(text.as_str(), &limits).map(|tape| tape.text().to_owned()).unwrap_err();
            assert!(error.offset <= text.len(), "{name}: {error:?}");
            assert!(text.is_char_boundary(error.offset), "{name}: {error:?}");
        }
    }
}

/// What may go either way goes as in `JSON.parse`, but for what the limits refuse by name.
#[test]
fn what_may_parse_either_way_is_decided() {
    for (name, text) in suite("i_") {
        let outcome = Tape::parse(text.as_str(), &strict()).map_err(|error| error.kind);
        match outcome {
            Ok(_) => assert!(!is_refused_by_json_parse(&name), "{name}"),
            Err(ParseErrorKind::NumberOverflow) => {
                assert!(serde_json::from_str::<serde_json::Value>(&text).is_err(), "{name}: no double can hold it");
            }
            Err(ParseErrorKind::LoneSurrogate { .. }) => {
                assert!(text.contains("\\u"), "{name}");
                assert!(Tape::parse(text, &widest()).is_ok(), "{name}");
            }
            // 500 levels are taken by the widest limits, not by those of arguments.
            Err(other) => assert!(is_refused_by_json_parse(&name), "{name}: {other:?}"),
        }
    }
}

/// Only the byte order mark, of the `i_` files that are UTF-8 text.
fn is_refused_by_json_parse(name: &str) -> bool {
    name == "i_structure_UTF-8_BOM_empty_object.json"
}

#[test]
fn arguments_are_at_most_64_deep() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let limits = Limits::for_arguments(1 << 20);
    assert!(Tape::parse(nested(64), &limits).is_ok());
    let error = Tape::parse(nested(65), &limits).unwrap_err();
    assert_eq!((error.kind, error.offset), (ParseErrorKind::TooDeep { max: 64 }, 64));
    assert_eq!(error.pointer, "/0".repeat(64));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(65), "}".repeat(65));
    assert_eq!(Tape::parse(objects, &limits).unwrap_err().kind, ParseErrorKind::TooDeep { max: 64 });
}

#[test]
fn a_hundred_thousand_brackets_are_refused_whatever_the_limits_ask() {
    let limits = Limits { max_depth: u32::MAX, ..Limits::widest() };
    for open in ["[", r#"{"a":"#, r#"[{"a":"#] {
        let error = Tape::parse(open.repeat(100_000), &limits).unwrap_err();
        assert_eq!(error.kind, ParseErrorKind::TooDeep { max: 512 });
    }
}

#[test]
fn long_texts_are_refused_before_they_are_read() {
    let limits = Limits::for_arguments(10);
    assert!(Tape::parse("[1,2,3,45]", &limits).is_ok());
    let error = Tape::parse("[1,2,3,456]", &limits).unwrap_err();
    assert_eq!(error.kind, ParseErrorKind::TooLarge { bytes: 11, max: 10 });
    assert_eq!(error.reason(), "the text has 11 bytes; at most 10 are allowed");
}
