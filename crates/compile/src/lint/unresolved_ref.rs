//! `unresolved-ref`: a reference must resolve to a schema in the same document. Nothing is fetched, neither at build
//! nor at run time.

use std::collections::BTreeSet;

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::schema::refs;
use crate::tool_folder::tool_source::{EmbeddedSchema, ToolSource};

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        let mut places = BTreeSet::new();
        site.walk(&mut |at, _| {
            places.insert(at.to_owned());
        });
        site.walk(&mut |at, schema| {
            let Some((keyword, reference)) = refs::reference(schema) else { return };
            let found = refs::resolve(&site.schema, reference).filter(|(_, target)| is_schema(target));
            if found.as_ref().is_some_and(|(target, _)| places.contains(target)) {
                return;
            }
            let (message, help) = if found.is_some() {
                let help = "move the schema into `$defs` and refer to `#/$defs/<name>`".to_owned();
                (format!("`{reference}` refers to a place that no keyword declares as a schema"), help)
            } else if reference.starts_with('#') {
                (format!("`{reference}` does not resolve to a schema"), reference_help(site))
            } else {
                let help = "copy the schema into `$defs` and refer to `#/$defs/<name>`".to_owned();
                (format!("`{reference}` refers to another document"), help)
            };
            let place = document.at_value(&format!("{}{at}/{keyword}", site.pointer));
            findings.add(Code::UnresolvedRef, place, message, help);
        });
    }
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn reference_help(site: &EmbeddedSchema) -> String {
    let names: Vec<String> = ["$defs", "definitions"]
        .into_iter()
        .filter_map(|keyword| Some((keyword, site.schema.get(keyword)?.as_object()?)))
        .flat_map(|(keyword, named)| named.keys().map(move |name| format!("`#/{keyword}/{name}`")))
        .collect();
    match names.as_slice() {
        [] => format!("references are relative to `{}`; define the schema in `$defs` there", site.pointer),
        names => format!("references are relative to `{}`, which defines {}", site.pointer, names.join(", ")),
    }
}
