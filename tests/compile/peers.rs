//! The tests that two converters to Gemini's schema have of their own, run through ours.
//!
//! `tests/fixtures/peers/gemini.json` lists each case where ours says something else, with the reasons; nothing else may
//! differ, and nothing that is listed may be equal. A reason that is a rule of writing is applied to what was expected,
//! so that it explains only what it names.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolgate::compile::compile_tool;

use crate::corpus::{corpus, lines};

/// Reasons that are a rule of writing.
const RULES: [&str; 4] = ["types", "ordering", "int64", "any-of-alone"];

const FILES: [&str; 2] = ["aisdk-google-openapi", "jsgenai-transformers"];

fn fixture() -> (Map<String, Value>, BTreeMap<String, Vec<String>>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/peers/gemini.json");
    let fixture: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    (fixture["reasons"].as_object().unwrap().clone(), serde_json::from_value(fixture["cases"].clone()).unwrap())
}

/// A schema's type names in lower case if they are written as Gemini writes them: the input of one peer mixes both.
fn lower_types(schema: &Value) -> Value {
    each_schema(schema, &mut |members| {
        if let Some(Value::String(kind)) = members.get_mut("type") {
            *kind = kind.to_lowercase();
        }
    })
}

/// Applies a change to a schema and to each schema in it.
fn each_schema(schema: &Value, change: &mut dyn FnMut(&mut Map<String, Value>)) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let mut changed = members.clone();
    for (name, value) in &mut changed {
        match (name.as_str(), &mut *value) {
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                for property in named.values_mut() {
                    *property = each_schema(property, change);
                }
            }
            ("items", inner) => *inner = each_schema(inner, change),
            ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                for branch in branches {
                    *branch = each_schema(branch, change);
                }
            }
            _ => {}
        }
    }
    change(&mut changed);
    Value::Object(changed)
}

/// What was expected, written by one of our rules.
fn rewritten(expected: &Value, reason: &str) -> Value {
    each_schema(expected, &mut |members| match reason {
        "types" => {
            if let Some(Value::String(kind)) = members.get_mut("type") {
                *kind = kind.to_uppercase();
            }
        }
        "ordering" => {
            if let Some(Value::Object(properties)) = members.get("properties")
                && !members.contains_key("propertyOrdering")
            {
                let names: Vec<&String> = properties.keys().collect();
                members.insert("propertyOrdering".to_owned(), json!(names));
            }
        }
        "int64" => {
            for name in ["minLength", "maxLength", "minItems", "maxItems"] {
                if let Some(bound) = members.get_mut(name).filter(|bound| bound.is_number()) {
                    *bound = json!(bound.to_string());
                }
            }
        }
        "any-of-alone" => {
            if let Some(nullable) = members.get("anyOf").and(members.get("nullable").cloned()) {
                members.shift_remove("nullable");
                for branch in members["anyOf"].as_array_mut().unwrap() {
                    branch["nullable"] = nullable.clone();
                }
            }
        }
        _ => {}
    })
}

fn declaration(parameters: &Value) -> Option<Value> {
    let definition = json!({ "name": "tool", "description": "", "parameters": parameters });
    compile_tool(&definition).provider_schemas.remove("geminiNative")
}

/// What ours says where the peer's test says `expected`.
fn ours(case: &Value) -> Value {
    let input = &case["input"];
    if case["fn"] == "tTool" {
        let compiled = compile_tool(&input["functionDeclarations"][0]);
        let declared = compiled.provider_schemas.get("geminiNative").cloned();
        return json!({ "functionDeclarations": declared.into_iter().collect::<Vec<_>>() });
    }
    let input = lower_types(input);
    let kind = input.get("type").and_then(Value::as_str);
    if kind.is_none_or(|kind| kind == "object") {
        let Some(declared) = declaration(&input) else { return json!({ "error": "UnsupportedFunctionalityError" }) };
        return declared.get("parameters").cloned().unwrap_or_else(|| json!({ "$undefined": true }));
    }
    let property = json!({ "type": "object", "properties": { "value": input } });
    declaration(&property).map_or(Value::Null, |declared| declared["parameters"]["properties"]["value"].clone())
}

#[test]
fn each_difference_from_a_peer_has_a_reason() {
    let Some(corpus) = corpus() else { return };
    let (reasons, mut listed) = fixture();
    let (mut equal, mut count, mut wrong) = (0, 0, Vec::new());
    let mut used: BTreeMap<String, usize> = reasons.keys().map(|reason| (reason.clone(), 0)).collect();
    for file in FILES {
        for (index, case) in lines(&corpus.join("peers").join(format!("{file}.jsonl"))).iter().enumerate() {
            count += 1;
            let id = format!("{file}#{}", index + 1);
            let (ours, expected) = (ours(case), &case["expected"]);
            let why = listed.remove(&id).unwrap_or_default();
            if ours == *expected {
                equal += 1;
                if !why.is_empty() {
                    wrong.push(format!("{id} no longer differs; take it off the list"));
                }
                continue;
            }
            if why.is_empty() {
                wrong.push(format!("{id} differs\n  ours     {ours}\n  expected {expected}"));
                continue;
            }
            for reason in &why {
                *used.get_mut(reason).unwrap_or_else(|| panic!("{id}: unknown reason {reason}")) += 1;
            }
            // Rules of writing alone explain it, or there is another reason that says what is different.
            let written = why.iter().fold(expected.clone(), |expected, reason| rewritten(&expected, reason));
            let is_rule = |reason: &String| RULES.contains(&reason.as_str());
            match (written == ours, why.iter().all(is_rule)) {
                (true, false) => wrong.push(format!("{id}: a reason explains nothing")),
                (false, true) => wrong.push(format!("{id}: not explained\n  ours    {ours}\n  written {written}")),
                _ => {}
            }
            let idle = why.iter().find(|reason| is_rule(reason) && rewritten(expected, reason) == *expected);
            wrong.extend(idle.map(|reason| format!("{id}: `{reason}` changes nothing")));
        }
    }
    wrong.extend(listed.into_keys().map(|id| format!("{id} is no case")));
    wrong
        .extend(used.into_iter().filter(|(_, count)| *count == 0).map(|(reason, _)| format!("`{reason}` is not used")));
    println!("{equal} of {count} cases are equal to the peers', {} differ for a listed reason", count - equal);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
