//! Canonical JSON, made from a tape, against the same made from a tree: whichever parts of a text are canonical already.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolgate::json::{CanonicalJson, Limits, Node, Tape, write_number};
use toolgate::schema::ArgsSchema;

/// RFC 8785, as plainly as it can be said.
fn reference(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => write_number(out, number.as_f64().unwrap()),
        Value::Array(elements) => {
            out.push('[');
            for (place, element) in elements.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                reference(element, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
            out.push('{');
            for (place, (name, member)) in members.into_iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                out.push_str(&json!(name).to_string());
                out.push(':');
                reference(member, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn canonical(node: Node<'_>) -> String {
    CanonicalJson::from_node(node).as_str().to_owned()
}

/// Every value on the tape, by itself and in what holds it.
fn assert_canonical(node: Node<'_>) -> Result<(), TestCaseError> {
    let mut expected = String::new();
    reference(&serde_json::from_str(node.raw()).unwrap(), &mut expected);
    prop_assert_eq!(canonical(node), expected, "of {}", node.raw());
    for (_, member) in node.members() {
        assert_canonical(member)?;
    }
    for element in node.elements() {
        assert_canonical(element)?;
    }
    Ok(())
}

/// Keys that begin alike, are long, are in order only by code units, or need an escape.
fn keys() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-d]{0,2}",
        "created_[ab]{0,2}",
        "prefix that is long[a-c]{1,9}",
        "[a\u{e9}\u{fb33}😂]{1,3}",
        "longer_y\u{fb33}?😂?[ab]",
        "[a\"\\\\\n/]{0,3}",
    ]
}

/// Numbers as they are written: some are canonical, some are not.
fn numbers() -> impl Strategy<Value = String> {
    let written = "-?(0|[1-9][0-9]{0,4}|[1-9][0-9]{13,20})(\\.[0-9]{1,3}|\\.0{0,7}[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?";
    prop_oneof!["-?[0-9]", written]
}

/// Text of a string's inside as it may be written.
fn strings() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,80}",
        "([a-z]|\\\\n|\\\\\"|\\\\\\\\){0,12}",
        "([aé😂]|\\\\/|\\\\u00e9|\\\\ud83d\\\\ude02|\\\\u001f){0,6}"
    ]
}

/// Text of any value, with white space here and there, and members in any order.
fn texts() -> impl Strategy<Value = String> {
    let scalars = prop_oneof![
        prop::sample::select(vec!["null", "true", "false", "[]", "{}", "[ ]", "{\n}"]).prop_map(str::to_owned),
        numbers(),
        strings().prop_map(|inside| format!("\"{inside}\"")),
    ];
    let blank = || prop::sample::select(vec!["", "", "", "", "", "", " ", "\n\t"]);
    scalars.prop_recursive(5, 80, 9, move |inner| {
        let elements = prop::collection::vec((blank(), inner.clone(), blank()), 1..6);
        let members = prop::collection::vec((blank(), keys(), blank(), inner, blank()), 1..24);
        prop_oneof![
            elements.prop_map(|elements| {
                let inside: Vec<_> =
                    elements.iter().map(|(before, text, after)| format!("{before}{text}{after}")).collect();
                format!("[{}]", inside.join(","))
            }),
            (members, any::<bool>()).prop_map(|(mut members, is_sorted)| {
                if is_sorted {
                    members.sort_by(|left, right| left.1.cmp(&right.1));
                }
                let written = |(before, key, colon, text, after): &(&str, String, &str, String, &str)| {
                    format!("{before}{}{colon}:{colon}{text}{after}", json!(key))
                };
                format!("{{{}}}", members.iter().map(written).collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1024, ..ProptestConfig::default() })]

    #[test]
    fn a_tape_gives_what_a_tree_gives(text in texts()) {
        let tape = Tape::parse(text.as_str(), &Limits::widest()).unwrap();
        prop_assert_eq!(tape.root().to_value(), serde_json::from_str::<Value>(&text).unwrap());
        assert_canonical(tape.root())?;
        let again = Tape::parse(canonical(tape.root()), &Limits::widest()).unwrap();
        prop_assert_eq!(canonical(again.root()), again.text());
    }

    /// What completion adds stands in objects that may have been canonical before.
    #[test]
    fn a_completed_tape_gives_what_its_text_gives(inner in texts(), names in prop::collection::btree_map(keys(), -2_i32..3, 1..4)) {
        let properties: Map<_, _> = names.iter().map(|(name, default)| (name.clone(), json!({ "default": default }))).collect();
        let schema = json!({ "properties": { "m": { "items": { "properties": properties } } } });
        let text = format!("{{\"a\":{inner},\"m\":[{inner},{{\"b\":1}},{{}}]}}");
        let args = Tape::parse(text, &Limits::widest()).unwrap();
        let done = ArgsSchema::compile(&schema).unwrap().complete(args, &[]);
        prop_assert!(done.changed);
        assert_canonical(done.tape.root())?;
    }
}

/// Longer keys than are compared at once, more of them than are compared pair by pair, and lists of alike objects.
#[test]
fn many_members_are_sorted() {
    let names: Vec<String> = (0..40).map(|n| format!("a name of many bytes {}", (n * 7) % 40)).collect();
    let member = |name: &String| format!("\"{name}\":1.50");
    let object = format!("{{{}}}", names.iter().map(member).collect::<Vec<_>>().join(","));
    let mut sorted = names.clone();
    sorted.sort();
    let expected = format!("{{{}}}", sorted.iter().map(|name| format!("\"{name}\":1.5")).collect::<Vec<_>>().join(","));
    let tape = Tape::parse(format!("[{object}, {object},{expected}]"), &Limits::widest()).unwrap();
    assert_eq!(canonical(tape.root()), format!("[{expected},{expected},{expected}]"));
}

/// What the keys begin with does not decide their order.
#[test]
fn the_order_of_one_object_is_not_that_of_another_with_other_keys() {
    for (text, expected) in [
        (r#"[{"\u0062":1,"\u0061":2},{"\u0061":1,"\u0062":2}]"#, r#"[{"a":2,"b":1},{"a":1,"b":2}]"#),
        (
            r#"[{"created_b":1,"created_a":2},{"created_a":1,"created_b":2.0}]"#,
            r#"[{"created_a":2,"created_b":1},{"created_a":1,"created_b":2}]"#,
        ),
        (
            r#"[{"b":1,"a":2,"c":3},{"b":1.0},{"b":1,"a":2},{"b":1,"a":2,"A":3}]"#,
            r#"[{"a":2,"b":1,"c":3},{"b":1},{"a":2,"b":1},{"A":3,"a":2,"b":1}]"#,
        ),
    ] {
        let tape = Tape::parse(text, &Limits::widest()).unwrap();
        assert_eq!(canonical(tape.root()), expected);
    }
}

/// Objects with the keys of the one before are taken as that was: one that only begins like it is looked at.
#[test]
fn a_repeated_key_is_found_among_alike_objects() {
    for (odd, kept) in [
        (r#"{"b":1,"a":2,"b":3}"#, r#"{"b":3,"a":2}"#),
        (r#"{"b":1,"a":2,"\u0061":3}"#, r#"{"b":1,"a":3}"#),
        (r#"{"b":1,"a":2,"c":3,"c":4}"#, r#"{"b":1,"a":2,"c":4}"#),
    ] {
        let alike = r#"{"b":1,"a":2,"c":3}"#;
        let text = format!("[{alike},{alike},{odd},{alike}]");
        let tape = Tape::parse(text, &Limits::widest()).unwrap();
        assert_eq!(tape.text(), format!("[{alike},{alike},{kept},{alike}]"));
    }
    let long = |n: u32| format!("\"the same beginning, {n} and the same end\":{n}");
    let text = format!("[{{{},{},{}}}]", long(1), long(2), long(1));
    let tape = Tape::parse(text, &Limits::widest()).unwrap();
    assert_eq!(tape.root().elements().next().unwrap().len(), 2);
}
