//! `schema-invalid`: every JSON Schema in the file follows the meta-schema of draft 2020-12.

use jsonschema::ValidationError;
use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::dialect::TYPES;
use crate::drafts::Draft;
use crate::report::Findings;
use crate::suggest::suggestion;
use crate::tool::{Document, Site, Tool};
use toolgate_schema::meta;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        for fault in faults(&site.schema, Draft::Year2020) {
            let pointer = format!("{}{}", site.pointer, fault.pointer);
            findings.add(Code::SchemaInvalid, document.at_value(&pointer), fault.message, fault.help);
        }
        vocabulary(document, site, findings);
    }
}

/// `$schema` may name an older draft, as copied schemas do; another vocabulary would mean other words.
fn vocabulary(document: &Document, site: &Site, findings: &mut Findings) {
    let Some(named) = site.schema.get("$schema").and_then(Value::as_str) else { return };
    if Draft::declared(&site.schema).is_none() {
        let place = document.at_value(&format!("{}/$schema", site.pointer));
        findings.add(Code::SchemaInvalid, place, format!("unknown dialect `{named}`"), "remove `$schema`");
    }
}

/// Something about a schema that its draft does not allow.
pub(crate) struct Fault {
    /// JSON Pointer into the schema.
    pub(crate) pointer: String,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// What the meta-schema of a draft says about a schema.
pub(crate) fn faults(schema: &Value, draft: Draft) -> Vec<Fault> {
    let meta = match draft {
        Draft::Four => &meta::DRAFT_4,
        Draft::Six => &meta::DRAFT_6,
        Draft::Seven => &meta::DRAFT_7,
        Draft::Year2019 => &meta::DRAFT_2019_09,
        Draft::Year2020 => &meta::DRAFT_2020_12,
    };
    // A pattern that does not compile is `bad-regex`, a reference that is no URI `unresolved-ref`.
    meta.faults(schema, |error| told(error, draft)).unwrap_or_else(|error| {
        let help = "nest it less deep".to_owned();
        vec![Fault { pointer: String::new(), message: error.to_string(), help }]
    })
}

fn told(error: &ValidationError<'_>, draft: Draft) -> Fault {
    let path = error.instance_path().as_str();
    let keyword = path.rsplit('/').next().unwrap_or_default();
    let (message, help) = match (keyword, error.instance().as_ref()) {
        ("type", Value::String(name)) => (format!("unknown type `{name}`"), suggestion(name, TYPES)),
        ("items", Value::Array(_)) => {
            let help =
                "write `prefixItems` for a list of schemas by position, and `items` for what `additionalItems` said";
            ("`items` is a list, as in older drafts".to_owned(), help.to_owned())
        }
        ("required", Value::Bool(_)) => {
            let help = "list the names of required properties in `required` of the object around it".to_owned();
            ("`required` is true or false, as in the first drafts".to_owned(), help)
        }
        ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) => {
            let inclusive = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
            let help = format!("write the bound itself under `{keyword}`, and no `{inclusive}`");
            (format!("`{keyword}` is true or false, as in draft-04"), help)
        }
        _ => {
            let help = format!("see the keyword in JSON Schema {}", draft.name().trim_start_matches("draft "));
            (format!("`{path}` is not {}: {error}", draft.name()), help)
        }
    };
    Fault { pointer: path.to_owned(), message, help }
}
