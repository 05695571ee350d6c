//! Each rule with what it reads and what it refuses.

use serde_json::{Value, json};

use super::*;
use toolgate_json::Limits;

fn settings(rules: RepairRules) -> RepairSettings<'static> {
    RepairSettings { clamps: &[], nulls: NullReading::AsSent, rules, max_depth: 64 }
}

fn repaired_with(rules: RepairRules, schema: &Value, args: &str) -> Option<(String, Vec<(String, RepairRule)>)> {
    let schema = ArgsSchema::compile(schema).unwrap();
    let tape = Tape::parse(args, &Limits::for_arguments(1 << 20)).unwrap();
    let invalid = schema.check(tape, &[], NullReading::AsSent).unwrap_err();
    let done = schema.repair(invalid, &settings(rules))?;
    assert_eq!(schema.validate(&done.completed.tape), Ok(()));
    let repaired = done.repaired.into_iter().map(|repaired| (repaired.path, repaired.rule)).collect();
    Some((done.tape.into_text(), repaired))
}

fn repaired(schema: &Value, args: &str) -> Option<(String, Vec<(String, RepairRule)>)> {
    repaired_with(RepairRules::ALL, schema, args)
}

/// A schema with one property, `x`.
fn of(x: &Value) -> Value {
    json!({ "type": "object", "properties": { "x": x }, "additionalProperties": false })
}

fn reads(x: &Value, sent: &str, rule: RepairRule, meant: &str) {
    let expected = (format!(r#"{{"x":{meant}}}"#), vec![("/x".to_owned(), rule)]);
    assert_eq!(repaired(&of(x), &format!(r#"{{"x":{sent}}}"#)), Some(expected), "{x} {sent}");
}

fn refuses(x: &Value, sent: &str) {
    assert_eq!(repaired(&of(x), &format!(r#"{{"x":{sent}}}"#)), None, "{x} {sent}");
}

#[test]
fn each_rule_reads_its_values() {
    use RepairRule as Rule;
    let object = json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "required": ["a"] });
    let list = json!({ "type": "array", "items": { "type": "string" } });
    for (x, sent, rule, meant) in [
        (&object, r#""{\"a\":1}""#, Rule::JsonText, r#"{"a":1}"#),
        (&list, r#""[\"a\", \"b\"]""#, Rule::JsonText, r#"["a", "b"]"#),
        (&json!({ "type": "number" }), r#"" 1.50 ""#, Rule::NumberText, "1.50"),
        (&json!({ "type": "integer" }), r#""-3""#, Rule::NumberText, "-3"),
        (&json!({ "enum": [1, 2] }), r#""2""#, Rule::NumberText, "2"),
        (&json!({ "type": ["integer", "null"] }), r#""3""#, Rule::NumberText, "3"),
        (&json!({ "type": "boolean" }), r#"" False""#, Rule::BooleanText, "false"),
        (&json!({ "type": ["boolean", "number"] }), r#""TRUE""#, Rule::BooleanText, "true"),
        (&json!({ "type": "string" }), "1.50", Rule::TextOfNumber, r#""1.50""#),
        (&json!({ "type": "string", "pattern": "^[0-9]{5}$" }), "10115", Rule::TextOfNumber, r#""10115""#),
        (&json!({ "enum": ["1", "2"] }), "2", Rule::TextOfNumber, r#""2""#),
        (&json!({ "type": "string" }), "true", Rule::TextOfBoolean, r#""true""#),
        (&list, r#""San Francisco""#, Rule::SingleItem, r#"["San Francisco"]"#),
        (&json!({ "type": "array", "items": object }), r#"{"a":1}"#, Rule::SingleItem, r#"[{"a":1}]"#),
        (&json!({ "enum": ["round_trip", "one_way"] }), r#""Round-Trip""#, Rule::EnumSpelling, r#""round_trip""#),
        (&json!({ "const": "Euro" }), r#""euro""#, Rule::EnumSpelling, r#""Euro""#),
    ] {
        reads(x, sent, rule, meant);
    }
}

#[test]
fn a_null_for_an_optional_property_is_absent() {
    let text = json!({ "type": "string" });
    let schema = json!({
        "type": "object", "required": ["c"],
        "properties": { "a": text, "b": text, "c": text, "d": { "anyOf": [{ "type": "integer" }, { "type": "string" }] } }
    });
    let rule = RepairRule::NullAbsent;
    let places = ["/a", "/b", "/d"].map(|path| (path.to_owned(), rule)).to_vec();
    let args = r#"{"a":null,"b":null,"c":"x","d":null}"#;
    assert_eq!(repaired(&schema, args), Some((r#"{"c":"x"}"#.to_owned(), places)));
    assert_eq!(repaired(&schema, r#"{"c":null}"#), None, "it is required");
    let closed = of(&text);
    assert_eq!(repaired(&closed, r#"{"y":null}"#), None, "a name is never guessed");
    refuses(&json!({ "type": "string", "minLength": 2 }), r#""a""#);
}

#[test]
fn wrapped_arguments_are_unwrapped() {
    let schema = of(&json!({ "type": "integer" }));
    let whole = (String::new(), RepairRule::WrappedArguments);
    for name in ["arguments", "parameters", "input", "args"] {
        let expected = (r#"{"x":1}"#.to_owned(), vec![whole.clone()]);
        assert_eq!(repaired(&schema, &format!(r#"{{"{name}":{{"x":1}}}}"#)), Some(expected), "{name}");
    }
    let expected = (r#"{"x":1}"#.to_owned(), vec![whole, ("/x".to_owned(), RepairRule::NumberText)]);
    assert_eq!(repaired(&schema, r#"{"args":{"x":"1"}}"#), Some(expected));
    for args in
        [r#"{"args":{"x":1},"y":2}"#, r#"{"params":{"x":1}}"#, r#"{"args":{"args":{"x":1}}}"#, r#"{"args":[1]}"#]
    {
        assert_eq!(repaired(&schema, args), None, "{args}");
    }
    let with_input =
        json!({ "type": "object", "properties": { "input": { "type": "object" }, "x": {} }, "required": ["x"] });
    assert_eq!(repaired(&with_input, r#"{"input":{"x":1}}"#), None, "the schema has this property");
}

#[test]
fn what_is_encoded_is_repaired_inside() {
    let x = json!({ "type": "array", "items": { "type": "integer" } });
    let expected = vec![
        ("/x".to_owned(), RepairRule::JsonText),
        ("/x/0".to_owned(), RepairRule::NumberText),
        ("/x/1".to_owned(), RepairRule::NumberText),
    ];
    let args = r#"{"x":"[\"1\",\"2\"]"}"#;
    assert_eq!(repaired(&of(&x), args), Some((r#"{"x":[1,2]}"#.to_owned(), expected)));
}

#[test]
fn values_with_two_readings_are_refused() {
    let integers = json!({ "type": "array", "items": { "type": "integer" } });
    refuses(&json!({ "type": ["number", "array"], "items": { "type": "string" } }), r#""3""#);
    refuses(&json!({ "type": ["string", "array"], "items": { "type": "number" } }), "3");
    refuses(&json!({ "enum": ["a-b", "a_b"] }), r#""A B""#);
    refuses(&json!({ "enum": ["mm", "MM"] }), r#""Mm""#);
    refuses(&json!({ "type": "array", "items": integers }), "[1, 2]");
    refuses(&json!({ "type": "array", "items": { "type": "string" } }), r#""a, b""#);
    refuses(&json!({ "type": "array", "items": { "type": ["string", "null"] } }), "null");
    refuses(&integers, r#""3""#);
    refuses(&json!({ "type": ["string", "integer"], "pattern": "^[a-z]$" }), r#""3""#);
}

#[test]
fn other_mistakes_are_refused() {
    for (x, sent) in [
        (json!({ "type": "integer" }), r#""3.5""#),
        (json!({ "type": "integer" }), r#""three""#),
        (json!({ "type": "integer", "minimum": 5 }), r#""3""#),
        (json!({ "type": "number" }), r#""5 kg""#),
        (json!({ "type": "number" }), r#""007""#),
        (json!({ "type": "boolean" }), r#""yes""#),
        (json!({ "type": "boolean" }), "1"),
        (json!({ "type": "string", "format": "date" }), "20240501"),
        (json!({ "type": "string", "format": "date" }), r#""May 1st""#),
        (json!({ "enum": ["round_trip"] }), r#""return flight""#),
        (json!({ "enum": ["round_trip"] }), r#"" round_trip""#),
        (json!({ "type": "object" }), r#""{\"a\":1""#),
        (json!({ "type": "object" }), r#""{\"a\":1,\"a\":2}""#),
        (json!({ "type": "object" }), r#""[1]""#),
        (json!({ "type": "array", "items": { "type": "integer" } }), r#""one""#),
        (json!({ "type": "array", "minItems": 2 }), "1"),
    ] {
        refuses(&x, sent);
    }
    assert_eq!(repaired(&of(&json!({})), r#"{"X":1}"#), None, "a name is never guessed");
}

#[test]
fn all_values_are_repaired_or_none() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } } });
    let expected = ["/a", "/b"].map(|path| (path.to_owned(), RepairRule::NumberText)).to_vec();
    assert_eq!(repaired(&schema, r#"{"a":"1","b":"2"}"#), Some((r#"{"a":1,"b":2}"#.to_owned(), expected)));
    assert_eq!(repaired(&schema, r#"{"a":"1","b":"two"}"#), None);
}

#[test]
fn a_union_is_repaired_if_one_alternative_can_fit() {
    let any = |alternatives: Value| json!({ "anyOf": alternatives });
    let (integer, text) = (json!({ "type": "integer" }), json!({ "type": "string" }));
    reads(&any(json!([integer, { "type": "null" }])), r#""3""#, RepairRule::NumberText, "3");
    reads(&any(json!([integer, { "type": "array", "items": integer }])), r#""3""#, RepairRule::NumberText, "3");
    reads(&any(json!([{ "const": "Ann" }, { "const": "Bob" }])), r#""bob""#, RepairRule::EnumSpelling, r#""Bob""#);
    reads(&json!({ "oneOf": [text, { "type": "object" }] }), "3", RepairRule::TextOfNumber, r#""3""#);
    refuses(&any(json!([integer, { "type": "number" }])), r#""3""#);
    refuses(&any(json!([text, { "type": "array", "items": { "type": "number" } }])), "3");
    let of_a =
        |name: &str| json!({ "type": "object", "properties": { name: { "type": "integer" } }, "required": [name] });
    refuses(&any(json!([of_a("a"), of_a("b")])), r#"{"a":"1","b":"2"}"#);
    let tagged = |kind: &str, value: &Value| {
        json!({
            "type": "object", "properties": { "kind": { "const": kind }, "v": value }, "required": ["kind", "v"]
        })
    };
    let schema = of(&any(json!([tagged("n", &integer), tagged("s", &text)])));
    let expected = (r#"{"x":{"kind":"n","v":1}}"#.to_owned(), vec![("/x/v".to_owned(), RepairRule::NumberText)]);
    assert_eq!(repaired(&schema, r#"{"x":{"kind":"n","v":"1"}}"#), Some(expected));
}

#[test]
fn an_alternative_with_two_readings_leaves_none() {
    let any = |alternatives: Value| json!({ "anyOf": alternatives });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    refuses(&any(json!([texts, { "enum": ["all-users", "all_users"] }])), r#""ALL USERS""#);
    let truth = any(json!([{ "type": "boolean" }, { "enum": ["true", "false"] }]));
    refuses(&any(json!([texts, truth])), r#""TRUE""#);
    reads(&any(json!([texts, { "enum": [1, 2] }])), r#""ALL USERS""#, RepairRule::SingleItem, r#"["ALL USERS"]"#);
}

#[test]
fn an_entry_of_a_map_is_not_removed() {
    let text = json!({ "type": "string" });
    let map = json!({ "type": "object", "additionalProperties": text });
    refuses(&map, r#"{"k":null}"#);
    refuses(&json!({ "type": "object", "patternProperties": { "^k": text } }), r#"{"k":null}"#);
    let named = json!({ "type": "object", "properties": { "k": text } });
    let expected = (r#"{"x":{}}"#.to_owned(), vec![("/x/k".to_owned(), RepairRule::NullAbsent)]);
    assert_eq!(repaired(&of(&named), r#"{"x":{"k":null}}"#), Some(expected));
}

#[test]
fn what_begins_like_a_list_is_not_one_item() {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    for sent in ["['x']", "[\\\"x\\\"", "\\\"x\\\"", "x\\ty", "x、y", "", " ", "- x", "{x}"] {
        refuses(&texts, &format!("\"{sent}\""));
    }
    reads(&texts, r#""x y""#, RepairRule::SingleItem, r#"["x y"]"#);
}

#[test]
fn each_element_takes_its_own_alternative() {
    let item = json!({ "$ref": "#/$defs/item" });
    let mut schema = of(&json!({ "type": "array", "items": item }));
    schema["$defs"] = json!({ "item": { "anyOf": [
        { "type": "boolean" }, { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }
    ] } });
    let expected = vec![("/x/0".to_owned(), RepairRule::BooleanText), ("/x/1/n".to_owned(), RepairRule::NumberText)];
    let args = r#"{"x":["true",{"n":"1"},false]}"#;
    assert_eq!(repaired(&schema, args), Some((r#"{"x":[true,{"n":1},false]}"#.to_owned(), expected)));
}

#[test]
fn sensitive_values_are_never_repaired() {
    let secret = json!({ "type": "string", "x-sensitive": true });
    refuses(&secret, "1234");
    refuses(&json!({ "type": "object", "properties": { "pin": secret } }), r#""{\"pin\":\"1\"}""#);
    refuses(&json!({ "anyOf": [secret, { "type": "object" }] }), "1234");
    let schema = json!({
        "type": "object", "required": ["pin"], "properties": { "pin": secret, "n": { "type": "integer" } }
    });
    assert_eq!(repaired(&schema, r#"{"args":{"pin":"1"}}"#), None);
    let text = |text: &str| ArgsSchema::compile(&schema).unwrap().repair_text(text, &Limits::for_arguments(100));
    assert!(text(r#""{\"pin\":\"1\"}""#).is_none() && text(r#"{"pin":"1",}"#).is_some());
    let expected = (r#"{"pin":"1","n":2}"#.to_owned(), vec![("/n".to_owned(), RepairRule::NumberText)]);
    assert_eq!(repaired(&schema, r#"{"pin":"1","n":"2"}"#), Some(expected), "another value is repaired");
    assert_eq!(repaired(&schema, r#"{"pin":1,"n":"2"}"#), None, "all or nothing");
}

#[test]
fn a_rule_that_is_not_allowed_still_counts_as_a_reading() {
    let only = |rule| RepairRules::NONE.with(rule);
    let x = of(&json!({ "type": "integer" }));
    assert!(repaired_with(only(RepairRule::NumberText), &x, r#"{"x":"1"}"#).is_some());
    assert!(repaired_with(only(RepairRule::TextOfNumber), &x, r#"{"x":"1"}"#).is_none());
    assert!(repaired_with(RepairRules::NONE, &x, r#"{"x":"1"}"#).is_none());
    let two = of(&json!({ "type": ["number", "array"], "items": { "type": "string" } }));
    assert!(repaired_with(only(RepairRule::NumberText), &two, r#"{"x":"3"}"#).is_none());
}

#[test]
fn the_work_is_bounded() {
    let schema = of(&json!({ "type": "array", "items": { "type": "integer" } }));
    let args = |count: usize| format!(r#"{{"x":[{}]}}"#, vec!["\"1\""; count].join(","));
    assert_eq!(repaired(&schema, &args(64)).map(|(_, repaired)| repaired.len()), Some(64));
    assert_eq!(repaired(&schema, &args(65)), None);
    assert_eq!(repaired(&schema, &args(500)), None);
    let deep = |depth: usize| format!(r#"{{"x":"{}{}"}}"#, "[".repeat(depth), "]".repeat(depth));
    let lists = of(&json!({ "type": "array" }));
    assert!(repaired(&lists, &deep(63)).is_some());
    assert_eq!(repaired(&lists, &deep(64)), None, "the arguments would be nested too deeply");
}

#[test]
fn texts_are_repaired() {
    use RepairRule::{CodeFence, JsonText, TrailingComma};
    let read = |text: &str| {
        let schema = ArgsSchema::compile(&json!({})).unwrap();
        let (tape, repaired) = schema.repair_text(text, &Limits::for_arguments(200))?;
        Some((tape.into_text(), repaired.into_iter().map(|repaired| repaired.rule).collect::<Vec<_>>()))
    };
    let one = r#"{"a":1}"#;
    for (text, rules) in [
        ("```json\n{\"a\":1}\n```", vec![CodeFence]),
        (r#"{"a":1,}"#, vec![TrailingComma]),
        (r#""{\"a\":1}""#, vec![JsonText]),
        ("```\n{\"a\":1,}```", vec![CodeFence, TrailingComma]),
    ] {
        let found = read(text).map(|(text, rules)| (text.trim().to_owned(), rules));
        assert_eq!(found, Some((one.to_owned(), rules)), "{text}");
    }
    for text in [
        one,
        r#"{"a":1"#,
        "[1]",
        r#"{"a":1,"a":2,}"#,
        r#""{\"a\":1,\"a\":2}""#,
        r#""\"{}\"""#,
        "1",
        r#""x""#,
        "{a:1}",
        "{'a':1,}",
        r#"Sure: {"a":1}"#,
        "```json\n[1]\n```",
        r#"{"a":1,,}"#,
        r#"{"a":1},"#,
        "",
        "NaN",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    assert_eq!(read(&format!("{{{}\"a\":1,}}", " ".repeat(200))), None, "too long");
}
