//! `nested-not-closed`: an object within `parameters` that lets any property pass. A model that invents one hears of it
//! only where the object is closed.
//!
//! Whoever writes `additionalProperties`, as a schema or as `true`, has said what may pass. Parts of a composition
//! (`allOf`, `if`, `not`, and branches beside properties) can't be closed by themselves and are passed over.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::dialect;
use crate::refs;
use crate::report::Findings;
use crate::tool::{Site, Tool};

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(site) = document.parameters() else { return };
    let parts = composed(site);
    site.walk(&mut |at, schema| {
        if at.is_empty() || !is_open(schema) || parts.iter().any(|part| part == at) {
            return;
        }
        let place = document.at_key(&format!("{}{at}", site.pointer));
        let help = "write `\"additionalProperties\": false`, or what else may be there";
        findings.add(Code::NestedNotClosed, place, "the nested object lets any property pass", help);
    });
}

fn is_open(schema: &Value) -> bool {
    let is_object = schema.get("type").is_some_and(|kind| kind == "object") || schema.get("properties").is_some();
    let says = ["additionalProperties", "unevaluatedProperties", "const", "enum", "$ref", "$dynamicRef"];
    is_object && says.iter().all(|keyword| schema.get(*keyword).is_none())
}

/// The pointers of schemas that are only a part of what is said about a value.
fn composed(site: &Site) -> Vec<String> {
    let mut parts = Vec::new();
    site.walk(&mut |at, schema| {
        let whole = schema.get("type").is_some_and(|kind| kind == "object") || schema.get("properties").is_some();
        let part = parts.iter().any(|part| part == at);
        for (below, child) in dialect::children(schema) {
            let keyword = below.trim_start_matches('/').split('/').next().unwrap_or_default();
            let in_place = match keyword {
                "allOf" | "if" | "then" | "else" | "not" | "dependentSchemas" => true,
                "anyOf" | "oneOf" => whole || part,
                _ => false,
            };
            if in_place {
                parts.push(format!("{at}{below}"));
                let target = refs::reference(child).and_then(|(_, target)| refs::resolve(&site.schema, target));
                parts.extend(target.map(|(pointer, _)| pointer));
            }
        }
    });
    parts
}
