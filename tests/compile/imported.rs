//! Other people's definitions: every real one is declared to every provider or has a finding that says why not.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolgate::compile::{NonJsonValue, Severity, ToolCompilation, ToolFinding, compile_tool, compile_tool_text};

use crate::corpus::tools;
use crate::gemini_schema;

/// A definition as its source publishes it.
fn published(tool: &Value) -> Value {
    let mut definition = tool.clone();
    let members = definition.as_object_mut().unwrap();
    for name in ["source", "id", "args", "bad_args", "package", "version", "response"] {
        members.shift_remove(name);
    }
    definition
}

fn codes(tool: &ToolCompilation) -> Vec<(Severity, &'static str)> {
    tool.diagnostics.iter().map(|found| (found.severity, found.code.as_str())).collect()
}

#[test]
#[ignore = "long: `npm run test:all` runs it"]
fn every_real_definition_compiles_or_says_why_not() {
    let Some(tools) = tools() else { return };
    let (mut clean, mut count, mut by_code) = (0, tools.len(), BTreeMap::new());
    let (mut faulty, mut errors) = (Vec::new(), BTreeMap::new());
    for tool in tools {
        let definition = published(&tool);
        let compiled = compile_tool(&definition);
        clean += usize::from(compiled.diagnostics.is_empty());
        for found in &compiled.diagnostics {
            *by_code.entry((found.severity, found.code.as_str())).or_insert(0) += 1;
            assert!(!found.message.is_empty() && !found.help.is_empty(), "{found:?}");
            // A missing field has no place of its own.
            let place = found.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
            assert!(definition.pointer(place).is_some(), "{}: {found:?}", tool["id"]);
        }
        let errs: Vec<&ToolFinding> =
            compiled.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
        assert_eq!(compiled.ok, errs.is_empty(), "{}", tool["id"]);
        if compiled.ok {
            let declared = &compiled.provider_schemas;
            assert!(declared.len() >= 4, "{}: {declared:?}", tool["id"]);
            faulty.extend(
                gemini_schema::faults(&declared["geminiNative"])
                    .into_iter()
                    .map(|fault| format!("{}: {fault}", tool["id"])),
            );
        } else {
            errors.insert(tool["id"].to_string(), format!("{errs:?}"));
            assert!(compiled.provider_schemas.is_empty() && compiled.json_schema.is_none());
            count -= 1;
        }
    }
    println!("{count} definitions compile, {clean} of them without a finding; {} do not: {errors:#?}", errors.len());
    println!("findings: {by_code:#?}");
    assert!(count > 3_900 && errors.len() < 20, "{count}");
    assert!(faulty.is_empty(), "{faulty:#?}");
}

#[test]
#[ignore = "long: `npm run test:all` runs it"]
fn arguments_that_were_valid_stay_valid() {
    let Some(tools) = tools() else { return };
    let (mut count, mut wrong) = (0, Vec::new());
    for tool in tools {
        let Ok(own) = jsonschema::validator_for(&tool["parameters"]) else { continue };
        let Some(schema) = compile_tool(&published(&tool)).json_schema else { continue };
        let modern = jsonschema::validator_for(&schema).unwrap();
        let given = tool["args"].as_array().into_iter().chain(tool["bad_args"].as_array()).flatten();
        for args in given.filter(|args| args.is_object()) {
            count += 1;
            if own.is_valid(args) != modern.is_valid(args) {
                wrong.push(format!("{}: {args}", tool["id"]));
            }
        }
    }
    println!("{count} arguments of real tools have the same verdict under the compiled schema");
    assert!(count > 3_000 && wrong.is_empty(), "{count}: {wrong:#?}");
}

fn named(name: &Value) -> ToolCompilation {
    compile_tool(&json!({ "name": name, "description": "Does it." }))
}

#[test]
fn each_form_is_read() {
    let schema = json!({ "type": "object", "properties": { "q": { "type": "string" } }, "required": ["q"] });
    let forms = [
        json!({ "name": "find", "description": "Finds.", "parameters": schema }),
        json!({ "type": "function", "function": { "name": "find", "description": "Finds.", "parameters": schema, "strict": true } }),
        json!({ "type": "function", "name": "find", "description": "Finds.", "parameters": schema, "strict": false }),
        json!({ "name": "find", "description": "Finds.", "inputSchema": schema, "_meta": {} }),
        json!({ "name": "find", "description": "Finds.", "input_schema": schema, "cache_control": { "type": "ephemeral" } }),
        json!({ "name": "find", "description": "Finds.", "parametersJsonSchema": schema }),
    ];
    let first = compile_tool(&forms[0]);
    assert_eq!(first.json_schema, Some(schema));
    assert_eq!(first.tool_id.as_deref(), Some("find"));
    for form in &forms {
        assert_eq!(compile_tool(form), first, "{form}");
    }
}

#[test]
fn without_parameters_there_are_none() {
    let none = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    for parameters in [json!(null), json!({}), json!({ "$schema": "http://json-schema.org/draft-07/schema#" })] {
        let compiled =
            compile_tool(&json!({ "name": "now", "description": "Tells the time.", "parameters": parameters }));
        assert_eq!(compiled.json_schema.as_ref(), Some(&none), "{parameters}");
        assert_eq!(codes(&compiled), [], "{parameters}");
        assert_eq!(
            compiled.provider_schemas["geminiNative"],
            json!({ "name": "now", "description": "Tells the time." })
        );
    }
    assert_eq!(named(&json!("now")).json_schema, Some(none));
}

#[test]
fn a_name_that_is_not_portable_gets_one() {
    let compiled = named(&json!("math.Add-Two"));
    assert!(compiled.ok);
    assert_eq!(compiled.tool_id.as_deref(), Some("math_add_two"));
    assert_eq!(compiled.provider_schemas["openai"]["function"]["name"], "math_add_two");
    assert_eq!(codes(&compiled), [(Severity::Warning, "bad-tool-id")]);
    assert_eq!(compiled.diagnostics[0].help, "it is declared as `math_add_two`; use that name");
    for (name, code) in [(json!(null), "missing-field"), (json!(7), "wrong-type"), (json!(" "), "wrong-type")] {
        let compiled = named(&name);
        assert_eq!((compiled.ok, compiled.tool_id.clone()), (false, None));
        assert_eq!(codes(&compiled), [(Severity::Error, code)], "{name}");
    }
}

/// A schema, the findings it has, and where.
#[test]
fn each_finding_points_into_the_definition_as_it_was_given() {
    let seven = "http://json-schema.org/draft-07/schema#";
    let cases = [
        (json!({ "type": "string" }), vec!["error schema-not-object /inputSchema/type"]),
        (json!("text"), vec!["error wrong-type /inputSchema"]),
        (json!([]), vec!["error wrong-type /inputSchema"]),
        (
            json!({ "properties": { "a": { "type": "dict" } } }),
            vec!["error schema-invalid /inputSchema/properties/a/type"],
        ),
        (
            json!({ "properties": { "a": { "optional": true } } }),
            vec!["warning unknown-keyword /inputSchema/properties/a/optional"],
        ),
        (
            json!({ "properties": { "a": { "format": "json" } } }),
            vec!["warning unknown-format /inputSchema/properties/a/format"],
        ),
        (
            json!({ "properties": { "a": { "type": "integer", "default": null } } }),
            vec!["warning bad-default /inputSchema/properties/a/default"],
        ),
        (
            json!({ "properties": { "a": { "type": "integer", "examples": [1, "x", 2] } } }),
            vec!["warning bad-example /inputSchema/properties/a/examples/1"],
        ),
        (
            json!({ "properties": { "a": { "pattern": "(?=x" } } }),
            vec!["warning bad-regex /inputSchema/properties/a/pattern"],
        ),
        (
            json!({ "properties": { "a": { "$ref": "#/$defs/gone" } } }),
            vec!["error unresolved-ref /inputSchema/properties/a/$ref"],
        ),
        (
            json!({ "properties": { "a": { "$ref": "https://example.com/a.json" } } }),
            vec!["error unresolved-ref /inputSchema/properties/a/$ref"],
        ),
        (
            json!({ "$schema": "https://example.com/mine", "properties": {} }),
            vec!["warning unknown-dialect /inputSchema/$schema"],
        ),
        (
            json!({ "$schema": seven, "properties": { "a": { "items": [{ "type": "integer", "default": "x" }] } } }),
            vec!["warning bad-default /inputSchema/properties/a/items/0/default"],
        ),
        (
            json!({ "$schema": seven, "properties": { "a": { "$ref": "#/definitions/x", "minLength": 1 } }, "definitions": { "x": {} } }),
            vec!["warning ignored-keyword /inputSchema/properties/a/minLength"],
        ),
        (
            json!({ "properties": { "a": { "items": [{}] } } }),
            vec!["error schema-invalid /inputSchema/properties/a/items"],
        ),
        (json!({ "$schema": seven, "properties": { "a": { "items": [{}] } } }), vec![]),
        (
            json!({ "$schema": "http://json-schema.org/draft-04/schema#", "properties": { "a": { "minimum": 1, "exclusiveMinimum": true } } }),
            vec![],
        ),
        (
            json!({ "additionalProperties": true, "properties": { "a": { "type": "object" } } }),
            vec!["warning provider-impossible /inputSchema"],
        ),
        (
            json!({ "$schema": seven, "properties": { "a": { "$ref": "#/definitions/x" } }, "required": ["a"], "definitions": { "x": { "type": "object" } } }),
            vec!["warning provider-impossible /inputSchema/properties/a"],
        ),
        (
            json!({ "properties": { "a": { "type": "string", "pattern": "^(a+)+$" } } }),
            vec!["warning regex-backtracks /inputSchema/properties/a/pattern"],
        ),
    ];
    for (schema, expected) in cases {
        let compiled = compile_tool(&json!({ "name": "tool", "description": "Does it.", "inputSchema": schema }));
        let found: Vec<String> = compiled
            .diagnostics
            .iter()
            .map(|found| format!("{} {} {}", found.severity.as_str(), found.code, found.pointer))
            .collect();
        assert_eq!(found, expected, "{schema}");
    }
}

#[test]
fn what_says_nothing_is_left_out_and_the_rest_stays() {
    let compiled = compile_tool(&json!({
        "name": "tool", "description": "Does it.",
        "examples": [{ "a": 1 }, { "a": "x" }],
        "parameters": {
            "type": "object",
            "properties": { "a": { "type": "integer", "default": "one", "optional": true, "x-sensitive": true, "examples": ["x", 2, "y"] } },
            "components": { "kept": { "type": "string" } },
            "required": ["b"],
            "patternProperties": { "^b": { "$ref": "#/components/kept" } }
        }
    }));
    let expected = json!({
        "type": "object",
        "properties": { "a": { "type": "integer", "x-sensitive": true, "examples": [2] } },
        "required": ["b"],
        "patternProperties": { "^b": { "$ref": "#/$defs/kept" } },
        "$defs": { "kept": { "type": "string" } }
    });
    assert_eq!(compiled.json_schema, Some(expected));
    assert!(compiled.ok, "{:?}", compiled.diagnostics);
}

#[test]
fn references_into_unknown_keywords_move_to_definitions() {
    let compiled = |parameters: Value| {
        compile_tool(&json!({ "name": "tool", "description": "Does it.", "parameters": parameters }))
    };
    let result = compiled(json!({
        "type": "object",
        "properties": {
            "a": { "$ref": "#/x-stuff/foo" }, "b": { "$ref": "#/components/schemas/foo" }, "c": { "$ref": "#/x-whole" }
        },
        "x-stuff": { "foo": { "type": "string", "pattern": "(?=a)b" } },
        "components": { "schemas": { "foo": { "items": { "$ref": "#/components/schemas/foo" } } } },
        "x-whole": { "type": "integer" },
    }));
    let expected = json!({
        "type": "object",
        "properties": {
            "a": { "$ref": "#/$defs/foo" }, "b": { "$ref": "#/$defs/foo_2" }, "c": { "$ref": "#/$defs/x-whole" }
        },
        "x-stuff": { "foo": { "type": "string", "pattern": "(?=a)b" } },
        "x-whole": { "type": "integer" },
        "$defs": {
            "foo": { "type": "string", "pattern": "(?=a)b" },
            "foo_2": { "items": { "$ref": "#/$defs/foo_2" } },
            "x-whole": { "type": "integer" }
        },
    });
    assert_eq!(result.json_schema, Some(expected));
    assert!(!codes(&result).contains(&(Severity::Error, "unresolved-ref")), "{:?}", result.diagnostics);
    let declared = &result.provider_schemas["anthropic"]["input_schema"];
    assert_eq!(declared["properties"]["a"], json!({ "$ref": "#/$defs/foo" }));
    assert_eq!(declared["$defs"]["x-whole"], json!({ "type": "integer" }));
    let wrong = compiled(json!({ "type": "object", "items": { "$ref": "#/x-stuff/foo" }, "x-stuff": { "foo": 5 } }));
    assert_eq!(codes(&wrong), [(Severity::Error, "unresolved-ref")]);
}

#[test]
fn content_keywords_of_draft_7_have_a_finding() {
    let compiled = |draft: &str, keyword: &str| {
        let parameters = json!({
            "$schema": draft, "type": "object", "properties": { "a": { "type": "string", keyword: "base64" } }
        });
        compile_tool(&json!({ "name": "tool", "description": "Does it.", "parameters": parameters }))
    };
    for keyword in ["contentEncoding", "contentMediaType"] {
        let result = compiled("http://json-schema.org/draft-07/schema#", keyword);
        assert_eq!(codes(&result), [(Severity::Warning, "ignored-keyword")]);
        assert_eq!(result.diagnostics[0].pointer, format!("/parameters/properties/a/{keyword}"));
        assert_eq!(result.json_schema.unwrap()["properties"]["a"][keyword], "base64");
        assert_eq!(codes(&compiled("https://json-schema.org/draft/2020-12/schema", keyword)), []);
    }
}

#[test]
fn metadata_reaches_the_hints() {
    let compiled = |more: Value| {
        let mut definition = json!({ "name": "tool", "description": "Does it." });
        definition.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        compile_tool(&definition)
    };
    let hints = |more: Value| compiled(more).provider_schemas["mcp"]["annotations"].clone();
    assert_eq!(hints(json!({}))["destructiveHint"], true);
    assert_eq!(hints(json!({ "sideEffects": "none" }))["readOnlyHint"], true);
    let given =
        json!({ "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false });
    assert_eq!(hints(json!({ "annotations": given })), given);
    assert_eq!(codes(&compiled(json!({ "sideEffects": "write" }))), [(Severity::Error, "bad-enum")]);
    assert_eq!(codes(&compiled(json!({ "idempotent": "yes" }))), [(Severity::Error, "wrong-type")]);
    assert_eq!(codes(&compiled(json!({ "paramaters": {} }))), [(Severity::Warning, "unknown-field")]);
    let result = compiled(json!({ "outputSchema": { "type": "object", "properties": { "a": { "$ref": "#/gone" } } } }));
    assert_eq!((result.ok, codes(&result)), (true, vec![(Severity::Warning, "unresolved-ref")]));
}

#[test]
fn hostile_definitions_are_findings() {
    let deep = format!("{}{}", r#"{"items":"#.repeat(10_000), "{}".to_owned() + &"}".repeat(10_000));
    let text = format!(r#"{{ "name": "deep", "description": "Deep.", "parameters": {deep} }}"#);
    let compiled = compile_tool_text(&text, &[]);
    assert_eq!((compiled.tool_id.as_deref(), codes(&compiled)), (Some("deep"), vec![(Severity::Error, "too-large")]));
    let large = json!({ "type": "object", "description": "x".repeat(10 << 20) });
    let text = json!({ "name": "large", "description": "Large.", "parameters": large }).to_string();
    let compiled = compile_tool_text(&text, &[]);
    assert_eq!((compiled.tool_id.as_deref(), codes(&compiled)), (Some("large"), vec![(Severity::Error, "too-large")]));
    let mut nested = json!({});
    for _ in 0..200 {
        nested = json!({ "items": nested });
    }
    assert_eq!(
        codes(&compile_tool(&json!({ "name": "n", "description": "N.", "parameters": nested }))),
        [(Severity::Error, "too-large")]
    );
    let broken = [NonJsonValue { pointer: "/parameters/default".to_owned(), what: "a function".to_owned() }];
    let compiled = compile_tool_text(r#"{ "name": "f", "description": "F.", "parameters": {} }"#, &broken);
    assert_eq!(compiled.diagnostics[0].message, "a function is not JSON");
    for text in ["", "[]", "null", "7", "{", r#""x""#] {
        assert_eq!(codes(&compile_tool_text(text, &[]))[0], (Severity::Error, "invalid-json"), "{text}");
    }
    for value in [json!(null), json!([]), json!(7)] {
        assert_eq!(codes(&compile_tool(&value)), [(Severity::Error, "wrong-type")]);
    }
    let laughs: serde_json::Map<String, Value> = (0..40)
        .map(|n| (format!("d{n}"), json!({ "properties": { "a": { "$ref": format!("#/$defs/d{}", n + 1) }, "b": { "$ref": format!("#/$defs/d{}", n + 1) } } })))
        .chain([("d40".to_owned(), json!({}))])
        .collect();
    let compiled = compile_tool(
        &json!({ "name": "l", "description": "L.", "parameters": { "$ref": "#/$defs/d0", "$defs": laughs } }),
    );
    assert!(compiled.ok, "{:?}", compiled.diagnostics);
    let round = json!({ "allOf": [{ "$ref": "#" }] });
    let compiled = compile_tool(&json!({ "name": "r", "description": "R.", "parameters": round }));
    assert_eq!(codes(&compiled), [(Severity::Error, "endless-ref")]);
}
