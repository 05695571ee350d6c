//! `unresolved-ref`: a reference leads to a schema in the same file. Nothing is ever fetched, at build or at run time.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::refs;
use crate::report::Findings;
use crate::tool::{Site, Tool};

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let Some((keyword, reference)) = refs::reference(schema) else { return };
            if refs::resolve(&site.schema, reference).is_some_and(|(_, target)| is_schema(target)) {
                return;
            }
            let (message, help) = if reference.starts_with('#') {
                (format!("`{reference}` leads nowhere"), defined(site))
            } else {
                let help = "copy the schema into `$defs` and refer to `#/$defs/<name>`".to_owned();
                (format!("`{reference}` leads out of the schema"), help)
            };
            let place = document.at_value(&format!("{}{at}/{keyword}", site.pointer));
            findings.add(Code::UnresolvedRef, place, message, help);
        });
    }
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn defined(site: &Site) -> String {
    let names: Vec<String> = ["$defs", "definitions"]
        .into_iter()
        .filter_map(|keyword| Some((keyword, site.schema.get(keyword)?.as_object()?)))
        .flat_map(|(keyword, named)| named.keys().map(move |name| format!("`#/{keyword}/{name}`")))
        .collect();
    match names.as_slice() {
        [] => format!("a reference counts from `{}`; define the schema in `$defs` there", site.pointer),
        names => format!("it counts from `{}`; defined are {}", site.pointer, names.join(", ")),
    }
}
