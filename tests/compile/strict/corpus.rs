//! Real tools: nearly all of them have a strict form, and each form is one that OpenAI takes.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use toolgate::compile::declare;
use toolgate::schema::ArgsSchema;

use super::invent::{Dice, invented};
use super::model::{completed, sent, without_nulls};
use super::rules;
use crate::corpus::{corpus, definition, lines};

#[test]
fn nearly_every_mcp_tool_is_declared_strictly() {
    let Some(corpus) = corpus() else { return };
    let (mut count, mut strict, mut whole) = (0, 0, 0);
    let mut reasons: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in ["mcp-tools.jsonl", "github-mcp.jsonl"] {
        for tool in lines(&corpus.join("tools").join(name)) {
            count += 1;
            let declared = declare(&definition(&tool["parameters"]));
            let receipt = declared.lowering.get("openaiStrict").map_or(&[][..], Vec::as_slice);
            let Some(declaration) = declared.provider_schemas.get("openaiStrict") else {
                reasons.insert(tool["id"].to_string(), format!("{} {}", receipt[0].pointer, receipt[0].change));
                continue;
            };
            strict += 1;
            whole +=
                usize::from(!receipt.iter().any(|entry| entry.change.starts_with("an optional argument is left out")));
            let faults = rules::faults(&declaration["function"]["parameters"]);
            if !faults.is_empty() {
                wrong.insert(tool["id"].to_string(), faults);
            }
        }
    }
    println!("strict: {strict} of {count} MCP tools, {whole} with every argument; without: {reasons:#?}");
    assert!(wrong.is_empty(), "{} of {count}: {:#?}", wrong.len(), wrong.iter().take(5).collect::<Vec<_>>());
    assert!(strict * 100 >= count * 95, "{strict} of {count}");
}

/// Arguments that were tried, and what became of them.
#[derive(Default)]
struct Tried {
    valid: usize,
    sayable: usize,
    wrong: Vec<String>,
}

impl Tried {
    /// Sends arguments as a strict schema makes a model send them.
    fn send(&mut self, id: &Value, schema: &ArgsSchema, strict: Option<&Value>, args: &Value) {
        let (plain, true) = completed(schema, args) else { return };
        self.valid += 1;
        let Some(sent) = strict.and_then(|strict| sent(strict, args)) else { return };
        self.sayable += 1;
        let (mapped, is_valid) = completed(schema, &sent);
        if !is_valid || without_nulls(&mapped) != without_nulls(&plain) {
            self.wrong.push(format!("{id}: {args} sent as {sent} became {mapped}"));
        }
    }

    fn report(&self, what: &str) {
        let Self { valid, sayable, wrong } = self;
        println!("{what}: of {valid} valid arguments {sayable} can be said strictly, {} do not arrive", wrong.len());
        assert!(wrong.is_empty(), "{:#?}", wrong.iter().take(5).collect::<Vec<_>>());
    }
}

fn strict(declared: &BTreeMap<String, Value>) -> Option<&Value> {
    declared.get("openaiStrict").map(|declared| &declared["function"]["parameters"])
}

/// Arguments that people and models wrote for real tools.
#[test]
fn written_arguments_arrive_when_a_model_must_send_everything() {
    let Some(corpus) = corpus() else { return };
    let mut tried = Tried::default();
    for entry in fs::read_dir(corpus.join("tools")).unwrap() {
        for tool in lines(&entry.unwrap().path()) {
            let declared = declare(&definition(&tool["parameters"])).provider_schemas;
            let Ok(schema) = ArgsSchema::compile(&tool["parameters"]) else { continue };
            for args in tool["args"].as_array().into_iter().flatten().filter(|args| args.is_object()) {
                tried.send(&tool["id"], &schema, strict(&declared), args);
            }
        }
    }
    tried.report("written");
    assert!(tried.sayable > 3_000);
}

/// Arguments made up for the MCP tools, whose schemas are the richest.
#[test]
fn invented_arguments_arrive_when_a_model_must_send_everything() {
    let Some(corpus) = corpus() else { return };
    let mut tried = Tried::default();
    for name in ["mcp-tools.jsonl", "github-mcp.jsonl"] {
        for tool in lines(&corpus.join("tools").join(name)) {
            let parameters = &tool["parameters"];
            let declared = declare(&definition(parameters)).provider_schemas;
            let Ok(schema) = ArgsSchema::compile(parameters) else { continue };
            for seed in 0..20 {
                if let Some(args) = invented(parameters, parameters, &mut Dice::new(seed), 0) {
                    tried.send(&tool["id"], &schema, strict(&declared), &args);
                }
            }
        }
    }
    tried.report("invented");
    assert!(tried.sayable > 5_000);
}
