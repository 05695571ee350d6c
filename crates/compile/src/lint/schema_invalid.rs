//! `schema-invalid`: every JSON Schema of a tool must be valid by the meta-schema of draft 2020-12.

use jsonschema::ValidationError;
use serde_json::Value;

use super::LintSettings;
use crate::draft_upgrade::Draft;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::suggestion;
use crate::schema::dialect::TYPES;
use crate::tool_folder::tool_source::{EmbeddedSchema, ToolDocument, ToolSource};
use toolgate_schema::meta_schema;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        for fault in meta_schema_faults(&site.schema, Draft::Year2020) {
            let pointer = format!("{}{}", site.pointer, fault.pointer);
            findings.add(Code::SchemaInvalid, document.at_value(&pointer), fault.message, fault.help);
        }
        check_dialect(document, site, findings);
    }
}

/// Refuses an unknown dialect, whose keywords may have another meaning. An older draft is allowed, as in copied
/// schemas.
fn check_dialect(document: &ToolDocument, site: &EmbeddedSchema, findings: &mut Findings) {
    let Some(named) = site.schema.get("$schema").and_then(Value::as_str) else { return };
    if Draft::declared(&site.schema).is_none() {
        let place = document.at_value(&format!("{}/$schema", site.pointer));
        findings.add(Code::SchemaInvalid, place, format!("unknown dialect `{named}`"), "remove `$schema`");
    }
}

/// A violation of a draft's meta-schema.
pub(crate) struct MetaSchemaFault {
    /// JSON Pointer into the schema.
    pub(crate) pointer: String,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// Validates a schema by the meta-schema of a draft.
pub(crate) fn meta_schema_faults(schema: &Value, draft: Draft) -> Vec<MetaSchemaFault> {
    let meta = match draft {
        Draft::Four => &meta_schema::DRAFT_4,
        Draft::Six => &meta_schema::DRAFT_6,
        Draft::Seven => &meta_schema::DRAFT_7,
        Draft::Year2019 => &meta_schema::DRAFT_2019_09,
        Draft::Year2020 => &meta_schema::DRAFT_2020_12,
    };
    // An invalid pattern is reported as `bad-regex`, an invalid reference URI as `unresolved-ref`.
    meta.errors(schema, |error| to_fault(error, draft)).unwrap_or_else(|error| {
        let help = "reduce the nesting depth".to_owned();
        vec![MetaSchemaFault { pointer: String::new(), message: error.to_string(), help }]
    })
}

fn to_fault(error: &ValidationError<'_>, draft: Draft) -> MetaSchemaFault {
    let path = error.instance_path().as_str();
    let keyword = path.rsplit('/').next().unwrap_or_default();
    let (message, help) = match (keyword, error.instance().as_ref()) {
        ("type", Value::String(name)) if name == "any" => {
            let help = "leave `type` out: a schema without it accepts a value of any type";
            ("there is no type `any`, as in draft-03".to_owned(), help.to_owned())
        }
        ("type", Value::Null) => {
            let help = "write `\"null\"` for the value null, or leave `type` out for a value of any type";
            ("`type` is null, not the name of a type".to_owned(), help.to_owned())
        }
        ("type", Value::String(name)) => (format!("unknown type `{name}`"), suggestion(name, TYPES)),
        ("items", Value::Array(_)) => {
            let help = "write `prefixItems` for schemas by position, and `items` instead of `additionalItems`";
            ("`items` is an array, as in older drafts".to_owned(), help.to_owned())
        }
        ("required", Value::Bool(_)) => {
            let help = "list the names of required properties in `required` of the enclosing object".to_owned();
            ("`required` is a boolean, as in draft-03".to_owned(), help)
        }
        ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) => {
            let inclusive = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
            let help = format!("write the bound itself as `{keyword}`, and remove `{inclusive}`");
            (format!("`{keyword}` is a boolean, as in draft-04"), help)
        }
        _ => {
            let help = format!("see the keyword in JSON Schema {}", draft.name().trim_start_matches("draft "));
            (format!("`{path}` is not valid in {}: {error}", draft.name()), help)
        }
    };
    MetaSchemaFault { pointer: path.to_owned(), message, help }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_of_older_drafts_and_languages_are_told_what_is_right() {
        let cases = [
            (json!({ "type": "any" }), "leave `type` out: a schema without it accepts a value of any type"),
            (
                json!({ "type": null }),
                "write `\"null\"` for the value null, or leave `type` out for a value of any type",
            ),
            (json!({ "type": "strin" }), "did you mean `string`?"),
            (
                json!({ "required": true }),
                "list the names of required properties in `required` of the enclosing object",
            ),
        ];
        for (schema, help) in cases {
            let faults = meta_schema_faults(&schema, Draft::Year2020);
            let helps: Vec<_> = faults.iter().map(|fault| fault.help.as_str()).collect();
            assert_eq!(helps, [help], "{schema}");
        }
    }
}
