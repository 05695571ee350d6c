//! The targets that take JSON Schema nearly as it is: each declaration of a real tool is one that its provider takes.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use toolgate::compile::declare;
use toolgate::schema::CompiledSchema;

use crate::corpus::{corpus, definition, lines};

struct Declared {
    id: String,
    parameters: Value,
    schemas: BTreeMap<String, Value>,
}

/// Every tool of the corpus, declared once for all tests.
static TOOLS: LazyLock<Vec<Declared>> = LazyLock::new(|| {
    let Some(corpus) = corpus() else { return Vec::new() };
    let files = fs::read_dir(corpus.join("tools")).unwrap().map(|entry| entry.unwrap().path());
    let tools = files.flat_map(|path| lines(&path)).map(|tool| Declared {
        id: tool["id"].to_string(),
        schemas: declare(&definition(&tool["parameters"])).provider_schemas,
        parameters: tool["parameters"].clone(),
    });
    tools.collect()
});

/// Gathers what a check finds wrong with the declarations of the corpus.
fn over_all_tools(check: impl Fn(&Value, &BTreeMap<String, Value>) -> Vec<String>) {
    let found = TOOLS.iter().flat_map(|tool| {
        check(&tool.parameters, &tool.schemas).into_iter().map(|fault| format!("{}: {fault}", tool.id))
    });
    let wrong: Vec<String> = found.collect();
    assert!(wrong.is_empty(), "{} faults: {:#?}", wrong.len(), wrong.iter().take(5).collect::<Vec<_>>());
    assert!(TOOLS.is_empty() || TOOLS.len() > 3_000, "only {} tools", TOOLS.len());
}

/// What is wrong with a value under a schema.
fn issues(schema: &CompiledSchema, value: &Value) -> Vec<String> {
    let tape = toolgate::json::Tape::parse(value.to_string(), &toolgate::json::Limits::widest()).unwrap();
    let issues = schema.validate(tape.root()).err().unwrap_or_default();
    issues.into_iter().map(|issue| issue.message).collect()
}

#[test]
fn mcp_declarations_are_tools_of_the_protocol() {
    let Some(corpus) = corpus() else { return };
    let text = fs::read_to_string(corpus.join("peers/mcp-spec-2025-11-25.schema.json")).unwrap();
    let mut protocol: Value = serde_json::from_str(&text).unwrap();
    protocol["$ref"] = json!("#/$defs/Tool");
    let tool = CompiledSchema::compile(&protocol).unwrap();
    assert!(!issues(&tool, &json!({ "name": "x", "inputSchema": { "type": "array" } })).is_empty(), "it is asked");
    over_all_tools(|_, declared| issues(&tool, &declared["mcp"]));
    let mut definition = definition(&json!({ "type": "object", "properties": { "any": true, "none": false } }));
    definition.result_schema = Some(json!({ "type": "object", "properties": { "any": true } }).into());
    let declared = declare(&definition).provider_schemas;
    assert_eq!(issues(&tool, &declared["mcp"]), [""; 0]);
    assert_eq!(declared["mcp"]["inputSchema"]["properties"], json!({ "any": {}, "none": { "not": {} } }));
}

#[test]
fn responses_are_strict_where_a_tool_can_be() {
    over_all_tools(|_, declared| {
        let responses = &declared["openaiResponses"];
        let (strict, parameters) = match declared.get("openaiStrict") {
            Some(strict) => (true, &strict["function"]["parameters"]),
            None => (false, &declared["openai"]["function"]["parameters"]),
        };
        let expected = json!({ "type": "function", "name": "tool", "description": "Does it.", "parameters": parameters, "strict": strict });
        if *responses == expected { Vec::new() } else { vec![responses.to_string()] }
    });
}

/// A limit on the number of members has a receipt, although the tool has no arguments.
#[test]
fn keywords_of_a_tool_without_arguments_have_receipts() {
    let parameters = json!({ "type": "object", "minProperties": 1, "additionalProperties": false });
    let declared = declare(&definition(&parameters));
    let changes: Vec<_> =
        declared.lowering["openaiStrict"].iter().map(|entry| (&*entry.pointer, &*entry.change)).collect();
    assert_eq!(changes, [("/minProperties", "`minProperties` is stated in the description")]);
    assert_eq!(declared.provider_schemas["openaiStrict"]["function"]["parameters"]["description"], "minProperties: 1");
}

/// Without `strict` OpenAI refuses combinators at the top, and lists without items.
#[test]
fn openai_lists_have_items() {
    fn bare(value: &Value) -> bool {
        let is_list = value.get("type").is_some_and(|kind| kind == "array") && value.get("items").is_none();
        is_list
            || match value {
                Value::Object(members) => members.values().any(bare),
                Value::Array(items) => items.iter().any(bare),
                _ => false,
            }
    }
    let list = json!({ "type": "object", "properties": { "list": { "type": "array" } } });
    let declared = declare(&definition(&list));
    let items = json!({ "type": "array", "items": {} });
    assert_eq!(declared.provider_schemas["openai"]["function"]["parameters"]["properties"]["list"], items);
    assert_eq!(declared.lowering["openai"][0].pointer, "/properties/list");
    over_all_tools(|_, declared| {
        let parameters = &declared["openaiRealtime"]["parameters"];
        if bare(parameters) { vec![parameters.to_string()] } else { Vec::new() }
    });
}

#[test]
fn anthropic_takes_every_declaration() {
    over_all_tools(|parameters, declared| {
        let Some(declaration) = declared.get("anthropic") else { return Vec::new() };
        let schema = &declaration["input_schema"];
        let mut faults: Vec<String> = Vec::new();
        for keyword in ["oneOf", "allOf", "anyOf", "$ref", "$schema"] {
            faults.extend(schema.get(keyword).map(|_| format!("{keyword} at the top")));
        }
        let is_name = |name: &str| {
            (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
        };
        let names = schema["properties"].as_object().unwrap().keys();
        faults.extend(names.filter(|name| !is_name(name)).map(|name| format!("an argument `{name}`")));
        if CompiledSchema::compile(parameters).is_ok() && CompiledSchema::compile(schema).is_err() {
            faults.push(format!("it does not compile: {schema}"));
        }
        faults
    });
}

#[test]
fn anthropic_is_told_examples_and_no_odd_names() {
    let mut tool = definition(&json!({
        "type": "object", "additionalProperties": false,
        "properties": { "a": { "type": "string" }, "filter[x]": { "type": "string" } }
    }));
    tool.examples = vec![json!({ "a": "x" }), json!({ "filter[x]": "y" })];
    let declared = declare(&tool);
    let expected = json!({
        "name": "tool",
        "description": "Does it.",
        "input_schema": { "type": "object", "additionalProperties": false, "properties": { "a": { "type": "string" } } },
        "input_examples": [{ "a": "x" }]
    });
    assert_eq!(declared.provider_schemas["anthropic"], expected);
    assert_eq!(declared.lowering["anthropic"].len(), 2);
    let mut schema = (*tool.json_schema).clone();
    schema["required"] = json!(["filter[x]"]);
    tool.json_schema = schema.into();
    let declared = declare(&tool);
    assert!(!declared.provider_schemas.contains_key("anthropic"));
    let [reason] = declared.lowering["anthropic"].as_slice() else { panic!("one reason") };
    assert_eq!(
        (reason.pointer.as_str(), reason.change.as_str(), reason.lost),
        (
            "/properties/filter[x]",
            "there is no declaration: Anthropic accepts no argument with the name `filter[x]`",
            true
        )
    );
}

/// References that Gemini follows: into `$defs` at the top, and alone.
fn odd_references(value: &Value, definitions: Option<&Map<String, Value>>) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(Value::String(reference)) = value.get("$ref") {
        let name = reference.strip_prefix("#/$defs/");
        let is_known =
            reference == "#" || name.is_some_and(|name| definitions.is_some_and(|all| all.contains_key(name)));
        if !is_known || value.as_object().unwrap().len() > 1 {
            faults.push(value.to_string());
        }
    }
    let inner: Vec<&Value> = match value {
        Value::Object(members) => members.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    faults.extend(inner.into_iter().flat_map(|value| odd_references(value, definitions)));
    faults
}

#[test]
fn gemini_follows_every_reference() {
    over_all_tools(|_, declared| {
        let schema = &declared["geminiJson"]["parametersJsonSchema"];
        let mut faults = odd_references(schema, schema.get("$defs").and_then(Value::as_object));
        if schema["type"] != "object" || !schema["properties"].is_object() {
            faults.push("no object at the top".to_owned());
        }
        for keyword in ["oneOf", "allOf", "anyOf", "$schema"] {
            faults.extend(schema.get(keyword).map(|_| format!("{keyword} at the top")));
        }
        faults
    });
}
