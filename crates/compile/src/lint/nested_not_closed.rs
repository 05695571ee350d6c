//! `nested-not-closed`: an object within `parameters` that accepts undeclared properties. A model that invents a
//! property gets an error only if the object is closed.
//!
//! An explicit `additionalProperties`, also `true`, is taken as intended. Parts of a composition (`allOf`, `if`, `not`,
//! and branches beside properties) can't be closed by themselves and are skipped.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::schema::dialect;
use crate::schema::refs;
use crate::tool_folder::tool_source::{EmbeddedSchema, ToolSource};

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(site) = document.parameters() else { return };
    let parts = composition_parts(site);
    site.walk(&mut |at, schema| {
        if at.is_empty() || !is_open(schema) || parts.iter().any(|part| part == at) {
            return;
        }
        let place = document.at_key(&format!("{}{at}", site.pointer));
        let help = "write `\"additionalProperties\": false`, or a schema for additional properties";
        findings.add(Code::NestedNotClosed, place, "the nested object accepts undeclared properties", help);
    });
}

fn is_open(schema: &Value) -> bool {
    let is_object = schema.get("type").is_some_and(|kind| kind == "object") || schema.get("properties").is_some();
    let explicit = ["additionalProperties", "unevaluatedProperties", "const", "enum", "$ref", "$dynamicRef"];
    is_object && explicit.iter().all(|keyword| schema.get(*keyword).is_none())
}

/// The pointers of schemas that describe a value only in part, as members of a composition.
fn composition_parts(site: &EmbeddedSchema) -> Vec<String> {
    let mut parts = Vec::new();
    site.walk(&mut |at, schema| {
        let whole = schema.get("type").is_some_and(|kind| kind == "object") || schema.get("properties").is_some();
        let part = parts.iter().any(|part| part == at);
        for (below, child) in dialect::subschemas(schema) {
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
