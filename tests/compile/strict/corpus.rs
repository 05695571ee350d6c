//! Real tools: nearly all of them have a strict form, and each form is one that OpenAI takes.

use std::collections::BTreeMap;

use toolgate::compile::declare;

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
