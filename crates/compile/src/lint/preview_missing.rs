//! `preview-missing`: a tool that asks its user needs a `confirmation.preview` if its arguments may not fit into the
//! preview that is made without one. Such a call is refused when it is made: its user could not read what it does.
//!
//! The bound is an estimate from the schema: what is never cut counts with its largest size, everything else with the
//! length to which it is shortened. A list of objects without `maxItems` has no bound.

use serde_json::Value;
use toolgate_definition::MAX_PREVIEW_CHARS;
use toolgate_schema::{MAX_VALUE_CHARS, is_never_cut_format, is_never_cut_name};

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

/// The nesting of schemas that is followed; what is deeper counts as one shortened value.
const MAX_LEVELS: u32 = 8;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let asks = document.members.get("requiresConfirmation") == Some(&Value::Bool(true));
    if !asks || document.value_at("/confirmation/preview").is_some() {
        return;
    }
    let Some(parameters) = document.parameters() else { return };
    let schema = &parameters.schema;
    if (Estimate { root: schema }).chars_of(schema, false, MAX_LEVELS) > MAX_PREVIEW_CHARS as u64 {
        let message = format!("the arguments may take more than the {MAX_PREVIEW_CHARS} characters of a preview");
        let help = "write a `confirmation.preview`, or bound the arguments with `maxItems` and `maxLength`";
        findings.add(Code::PreviewMissing, document.at_value("/requiresConfirmation"), message, help);
    }
}

struct Estimate<'s> {
    root: &'s Value,
}

impl Estimate<'_> {
    /// The largest number of characters that a value takes.
    fn chars_of(&self, schema: &Value, is_whole: bool, levels: u32) -> u64 {
        let shortened = MAX_VALUE_CHARS as u64;
        let Some(levels) = levels.checked_sub(1) else { return shortened };
        let number = |name: &str| schema.get(name).and_then(Value::as_u64);
        if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#')) {
            return self.root.pointer(target).map_or(shortened, |target| self.chars_of(target, is_whole, levels));
        }
        if let Some(members) = schema.get("properties").and_then(Value::as_object) {
            return members.iter().fold(0, |sum: u64, (name, member)| {
                let chars = self.chars_of(member, is_whole || is_never_cut_name(name), levels);
                sum.saturating_add(name.chars().count() as u64 + 3).saturating_add(chars)
            });
        }
        if let Some(items) = schema.get("items") {
            let item = self.chars_of(items, is_whole, levels).saturating_add(4);
            let is_list_of_objects = items.get("properties").is_some() || items.get("items").is_some();
            return match number("maxItems") {
                Some(count) if is_whole || is_list_of_objects || is_never_cut(items) => item.saturating_mul(count),
                None if is_list_of_objects => u64::MAX,
                _ => shortened,
            };
        }
        match number("maxLength") {
            Some(length) if is_whole || is_never_cut(schema) => length,
            Some(length) => length.min(shortened),
            None => shortened,
        }
    }
}

fn is_never_cut(schema: &Value) -> bool {
    schema.get("format").and_then(Value::as_str).is_some_and(is_never_cut_format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_never_cut_counts_in_full() {
        let text = json!({ "type": "string" });
        let table = [
            (json!({ "properties": { "body": { "type": "string", "maxLength": 100_000 } } }), true),
            (json!({ "properties": { "target_path": { "type": "string", "maxLength": 100_000 } } }), false),
            (json!({ "properties": { "body": { "format": "uri", "maxLength": 100_000 } } }), false),
            (json!({ "properties": { "to": { "items": text, "maxItems": 20 } } }), true),
            (json!({ "properties": { "to": { "items": text, "maxItems": 500 } } }), false),
            (json!({ "properties": { "tags": { "items": text } } }), true),
            (json!({ "properties": { "lines": { "items": { "properties": { "n": {} } } } } }), false),
            (json!({ "properties": { "lines": { "maxItems": 9, "items": { "properties": { "n": {} } } } } }), true),
            (json!({ "properties": { "a": { "$ref": "#" } } }), true),
            (
                json!({ "$ref": "#/$defs/t", "$defs": { "t": { "properties": { "id": { "maxLength": 9000 } } } } }),
                false,
            ),
        ];
        for (schema, fits) in table {
            let chars = (Estimate { root: &schema }).chars_of(&schema, false, MAX_LEVELS);
            assert_eq!(chars <= MAX_PREVIEW_CHARS as u64, fits, "{schema}: {chars}");
        }
    }
}
