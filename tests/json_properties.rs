//! What holds for every JSON value, not only for the ones in the examples.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolgate::json::{Limits, Tape, canonicalize};
use toolgate::schema::ArgsSchema;

/// Any number: integers of 64 bits, doubles of every size.
fn numbers() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(|number| json!(number)),
        any::<u64>().prop_map(|number| json!(number)),
        any::<f64>().prop_filter("JSON has no other", |number| number.is_finite()).prop_map(|number| json!(number)),
        (-1000_i32..1000).prop_map(|number| json!(f64::from(number) / 8.0)),
    ]
}

/// Any string, most with what needs an escape or more than one byte.
fn strings() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c\"\\\\/\u{0}-\u{1f}éß€\u{fb33}😂\u{2028}]{0,6}", any::<String>(), "[a-z_]{0,20}",]
}

fn values() -> impl Strategy<Value = Value> {
    let scalars = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        numbers(),
        strings().prop_map(Value::String),
    ];
    scalars.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((strings(), inner), 0..20)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn parse(text: &str) -> Tape {
    Tape::parse(text, &Limits::widest()).unwrap()
}

/// The same value with the members of every object in the opposite order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Array(elements) => Value::Array(elements.iter().map(reversed).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().rev().map(|(name, value)| (name.clone(), reversed(value))).collect())
        }
        scalar => scalar.clone(),
    }
}

/// The text with every character of every string as a `\u` escape, and every key written twice.
fn write_clumsily(value: &Value, out: &mut String) {
    use std::fmt::Write as _;
    let escaped = |text: &str, out: &mut String| {
        out.push('"');
        text.encode_utf16().for_each(|unit| write!(out, "\\u{unit:04X}").unwrap());
        out.push('"');
    };
    match value {
        Value::String(text) => escaped(text, out),
        Value::Array(elements) => {
            out.push_str("[ ");
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { " ,\n" } else { "" });
                write_clumsily(element, out);
            }
            out.push_str("\t]");
        }
        Value::Object(members) => {
            out.push_str("{\r\n");
            for (index, (name, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { " , " } else { "" });
                out.push_str(&serde_json::to_string(name).unwrap());
                out.push_str(": [\"shadowed\", {}],");
                escaped(name, out);
                out.push(':');
                write_clumsily(value, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_survives_text_and_tape(value in values()) {
        let text = value.to_string();
        let tape = parse(&text);
        prop_assert_eq!(&tape.root().to_value(), &value);
        prop_assert_eq!(tape.text(), text);
    }

    #[test]
    fn duplicates_escapes_and_white_space_change_nothing(value in values()) {
        let mut text = String::new();
        write_clumsily(&value, &mut text);
        let tape = parse(&text);
        prop_assert_eq!(&tape.root().to_value(), &value);
        // What is on the tape is what is in its text, also if it was rewritten.
        prop_assert_eq!(&serde_json::from_str::<Value>(tape.text()).unwrap(), &value);
        prop_assert_eq!(canonicalize(&text).unwrap(), canonicalize(&value.to_string()).unwrap());
    }

    #[test]
    fn canonical_text_is_one_for_all_orders_and_its_own(value in values()) {
        let text = canonicalize(&value.to_string()).unwrap();
        prop_assert_eq!(&canonicalize(&reversed(&value).to_string()).unwrap(), &text);
        prop_assert_eq!(&canonicalize(&text).unwrap(), &text);
    }

    #[test]
    fn pointers_lead_to_every_value(value in values()) {
        let tape = parse(&value.to_string());
        let mut pending = vec![(String::new(), &value)];
        while let Some((pointer, expected)) = pending.pop() {
            prop_assert_eq!(&tape.root().at(&pointer).unwrap().to_value(), expected);
            match expected {
                Value::Array(elements) => for (index, element) in elements.iter().enumerate() {
                    pending.push((format!("{pointer}/{index}"), element));
                },
                Value::Object(members) => for (name, member) in members {
                    pending.push((format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), member));
                },
                _ => {}
            }
        }
    }

    /// Whatever the text: it parses where serde's parser takes it, and never panics.
    #[test]
    fn any_text_is_taken_as_by_another_parser(text in "[\\[\\]{},:\"\\\\/ \ntruefalsn0-9eE.+\\-ué\u{0}]{0,24}") {
        let ours = Tape::parse(text.as_str(), &Limits::for_arguments(1 << 20));
        let theirs = serde_json::from_str::<Value>(&text);
        match (ours, theirs) {
            (Ok(tape), Ok(value)) => prop_assert_eq!(tape.root().to_value(), value),
            (Err(error), Err(_)) => prop_assert!(error.offset <= text.len() && !error.to_string().is_empty()),
            (ours, theirs) => prop_assert!(false, "{ours:?} {theirs:?}"),
        }
    }

    #[test]
    fn every_cut_of_a_text_is_refused_at_its_end(value in values(), at in any::<prop::sample::Index>()) {
        let text = Value::Array(vec![value]).to_string();
        let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let cut = text.get(..cuts[at.index(cuts.len())]).unwrap();
        let error = Tape::parse(cut, &Limits::widest()).unwrap_err();
        prop_assert!(matches!(error.kind, toolgate::json::ParseErrorKind::Incomplete { .. }), "{error:?}");
    }

    #[test]
    fn completion_adds_what_is_missing_and_changes_nothing_else(value in values(), defaults in prop::collection::btree_map(strings(), values(), 0..4)) {
        let args: Map<String, Value> = [("given".to_owned(), value), ("also".to_owned(), json!(1))].into_iter().collect();
        let properties: Map<String, Value> =
            defaults.iter().map(|(name, default)| (name.clone(), json!({ "default": default }))).collect();
        let schema = ArgsSchema::compile(&json!({ "properties": properties })).unwrap();
        let done = schema.complete(parse(&Value::Object(args.clone()).to_string()), &[]);
        let mut expected = args;
        for (name, default) in &defaults {
            expected.entry(name.clone()).or_insert_with(|| default.clone());
        }
        prop_assert_eq!(done.tape.root().to_value(), Value::Object(expected));
        prop_assert_eq!(done.changed, !done.defaulted.is_empty());
        prop_assert!(schema.validate(&done.tape).is_ok());
        let again = schema.complete(done.tape, &[]);
        prop_assert!(!again.changed);
    }

    #[test]
    fn equality_on_a_tape_is_equality(left in values(), right in values()) {
        for (constant, value, is_equal) in [(&left, &left, true), (&left, &right, left == right)] {
            let schema = ArgsSchema::compile(&json!({ "const": constant })).unwrap();
            let valid = schema.validate(&parse(&value.to_string())).is_ok();
            // Numbers are equal by value, whichever way they are written.
            prop_assert_eq!(valid, is_equal || jsonschema::json::cmp::equal(constant, value));
        }
    }
}
