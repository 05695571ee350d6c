//! `parameter-undocumented`, `parameter-unknown`: the guide's section `Parameters` and the schema must name the same
//! arguments. The model reads the guide, the gate only the schema.
//!
//! Every top-level argument must be documented. Nested arguments may be omitted; those in the guide are checked.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::{quoted_list, suggestion};
use crate::schema::parameter_lookup::{PropertyLookup, find_property};
use crate::tool_folder::guide::{DocumentedParameter, Guide, GuideLayout, ParametersSection};
use crate::tool_folder::tool_source::ToolSource;

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let (Some(guide), Some(document)) = (&tool.guide, &tool.schema) else { return };
    let GuideLayout::Current(contents) = &guide.layout else { return };
    let Some(schema) = document.parameters().map(|site| &site.schema) else { return };
    let properties = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = properties.into_iter().flat_map(serde_json::Map::keys).map(String::as_str).collect();
    let Some(section) = &contents.parameters else {
        if !names.is_empty() {
            let message = format!("the section `Parameters` is missing; the tool takes {}", quoted_list(&names));
            findings.add(
                Code::ParameterUndocumented,
                guide.summary_location(),
                message,
                "add `## Parameters` with a list of the parameters",
            );
        }
        return;
    };
    report_undocumented(guide, section, &names, findings);
    for documented in &section.documented {
        check_documented(guide, documented, schema, findings);
    }
}

fn report_undocumented(guide: &Guide, section: &ParametersSection, names: &[&str], findings: &mut Findings) {
    for name in names {
        let said =
            section.documented.iter().any(|documented| documented.path.first().is_some_and(|first| first == name));
        if !said && !section.code_words.contains(*name) {
            let message = format!("the parameter `{name}` is not documented");
            let help = format!("add an item that begins with `` `{name}` ``");
            findings.add(Code::ParameterUndocumented, guide.file.at_span(section.heading.clone()), message, help);
        }
    }
}

fn check_documented(guide: &Guide, documented: &DocumentedParameter, schema: &Value, findings: &mut Findings) {
    let mut schemas = vec![schema];
    for name in &documented.path {
        match find_property(schema, &schemas, name) {
            PropertyLookup::Found(next) => schemas = next,
            PropertyLookup::Undetermined => return,
            PropertyLookup::Absent(known) => {
                let known: Vec<&str> = known.into_iter().collect();
                let message = format!("the tool has no parameter `{}`", documented.path.join("."));
                let help = suggestion(name, &known);
                findings.add(Code::ParameterUnknown, guide.file.at_span(documented.span.clone()), message, help);
                return;
            }
        }
    }
}
