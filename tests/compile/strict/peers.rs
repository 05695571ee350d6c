//! The test cases of openai-node's strict-schema helper, run through ours. Where ours says something else,
//! `tests/fixtures/peers/openai-strict.json` says why.
//!
//! A case is known by the first 8 hex digits of the SHA-256 over the canonical JSON of its input, so that the fixture
//! holds nothing of it. What is compared is the schema that the helper returned, or that it refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use toolgate::compile::declare;
use toolgate::json::canonicalize;

use super::rules;
use crate::corpus::{corpus, definition, lines};

#[derive(Deserialize)]
struct Difference {
    /// The case, in our words.
    about: String,
    /// Why ours is right.
    why: String,
}

fn listed() -> BTreeMap<String, Difference> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/peers/openai-strict.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn id(input: &Value) -> String {
    let digest = Sha256::digest(canonicalize(&input.to_string()).unwrap());
    let bytes: [u8; 4] = digest.as_slice()[..4].try_into().unwrap();
    format!("{:08x}", u32::from_be_bytes(bytes))
}

/// What the helper made of a schema; nothing where it refused.
fn theirs(case: &Value) -> Option<&Value> {
    case.get("peerOutput").filter(|output| output.get("$error").is_none())
}

#[test]
fn every_difference_from_the_peer_has_a_reason() {
    let Some(corpus) = corpus() else { return };
    let listed = listed();
    let (mut count, mut different) = (0, BTreeSet::new());
    let mut unlisted = Vec::new();
    for case in lines(&corpus.join("peers/openai-strict-transform.jsonl")) {
        let Some(input) = case.get("input").filter(|input| input.is_object()) else { continue };
        count += 1;
        let declared = declare(&definition(input)).provider_schemas;
        let ours = declared.get("openaiStrict").map(|declared| &declared["function"]["parameters"]);
        assert_eq!(ours.map(rules::faults).unwrap_or_default(), [""; 0], "{input}");
        if ours == theirs(&case) {
            continue;
        }
        let id = id(input);
        if !listed.contains_key(&id) {
            unlisted.push(format!(
                "{id} {}\n  in     {input}\n  theirs {:?}\n  ours   {ours:?}",
                case["test"],
                theirs(&case)
            ));
        }
        different.insert(id);
    }
    println!("{count} cases of openai-node, {} inputs told differently", different.len());
    assert!(unlisted.is_empty(), "not listed:\n{}", unlisted.join("\n"));
    let gone: Vec<&String> = listed.keys().filter(|id| !different.contains(*id)).collect();
    assert!(gone.is_empty(), "listed, but no difference any more: {gone:?}");
    assert!(listed.values().all(|listed| !listed.about.is_empty() && !listed.why.is_empty()));
    assert!(count > 90, "only {count} cases");
}
