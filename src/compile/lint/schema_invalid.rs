//! `schema-invalid`: every JSON Schema in the file follows the meta-schema of draft 2020-12.

use jsonschema::{Draft, ValidationError};
use serde_json::Value;

use super::Settings;
use crate::compile::code::Code;
use crate::compile::dialect::TYPES;
use crate::compile::report::Findings;
use crate::compile::suggest::suggestion;
use crate::compile::tool::{Document, Site, Tool};

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let meta = jsonschema::draft202012::meta::validator();
    for site in &document.schemas {
        for error in meta.iter_errors(&site.schema) {
            // A pattern that does not compile is `bad-regex`, a reference that is no URI `unresolved-ref`.
            if error.kind().keyword() == "format" {
                continue;
            }
            let pointer = format!("{}{}", site.pointer, error.instance_path());
            let (message, help) = told(&error);
            findings.add(Code::SchemaInvalid, document.at_value(&pointer), message, help);
        }
        vocabulary(document, site, findings);
    }
}

/// `$schema` may name an older draft, as copied schemas do; another vocabulary would mean other words.
fn vocabulary(document: &Document, site: &Site, findings: &mut Findings) {
    let Some(named) = site.schema.get("$schema").and_then(Value::as_str) else { return };
    if Draft::default().detect(&site.schema) == Draft::Unknown {
        let place = document.at_value(&format!("{}/$schema", site.pointer));
        findings.add(Code::SchemaInvalid, place, format!("unknown dialect `{named}`"), "remove `$schema`");
    }
}

fn told(error: &ValidationError<'_>) -> (String, String) {
    let path = error.instance_path().as_str();
    let keyword = path.rsplit('/').next().unwrap_or_default();
    match (keyword, error.instance().as_ref()) {
        ("type", Value::String(name)) => (format!("unknown type `{name}`"), suggestion(name, TYPES)),
        ("items", Value::Array(_)) => {
            let help = "write `prefixItems` for a list of schemas by position".to_owned();
            ("`items` is a list, as in older drafts".to_owned(), help)
        }
        ("required", Value::Bool(_)) => {
            let help = "list the names of required properties in `required` of the object around it".to_owned();
            ("`required` is true or false, as in the first drafts".to_owned(), help)
        }
        _ => (format!("`{path}` is not draft 2020-12: {error}"), "see the keyword in JSON Schema 2020-12".to_owned()),
    }
}
