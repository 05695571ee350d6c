//! `parameter-undocumented`, `parameter-unknown`: the guide's section `Parameters` and the schema name the same
//! arguments. The model reads the guide, and the gate knows only the schema.
//!
//! Every argument at the top is documented; a nested one may be left out, and is checked where it is named.

use serde_json::Value;

use super::Settings;
use crate::arguments::{Lookup, property};
use crate::code::Code;
use crate::guide::{Documented, Guide, Layout, Parameters};
use crate::report::Findings;
use crate::suggest::{listed, suggestion};
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let (Some(guide), Some(document)) = (&tool.guide, &tool.schema) else { return };
    let Layout::Current(contents) = &guide.layout else { return };
    let Some(schema) = document.parameters().map(|site| &site.schema) else { return };
    let properties = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = properties.into_iter().flat_map(serde_json::Map::keys).map(String::as_str).collect();
    let Some(section) = &contents.parameters else {
        if !names.is_empty() {
            let message = format!("there is no section `Parameters`; the tool takes {}", listed(&names));
            findings.add(
                Code::ParameterUndocumented,
                guide.at_summary(),
                message,
                "add `## Parameters` with a list of them",
            );
        }
        return;
    };
    undocumented(guide, section, &names, findings);
    for documented in &section.documented {
        unknown(guide, documented, schema, findings);
    }
}

fn undocumented(guide: &Guide, section: &Parameters, names: &[&str], findings: &mut Findings) {
    for name in names {
        let said =
            section.documented.iter().any(|documented| documented.path.first().is_some_and(|first| first == name));
        if !said && !section.mentioned.contains(*name) {
            let message = format!("the parameter `{name}` is not documented");
            let help = format!("add an item that begins with `` `{name}` ``");
            findings.add(Code::ParameterUndocumented, guide.file.at(section.heading.clone()), message, help);
        }
    }
}

fn unknown(guide: &Guide, documented: &Documented, schema: &Value, findings: &mut Findings) {
    let mut schemas = vec![schema];
    for name in &documented.path {
        match property(schema, &schemas, name) {
            Lookup::Found(next) => schemas = next,
            Lookup::Unseen => return,
            Lookup::Absent(known) => {
                let known: Vec<&str> = known.into_iter().collect();
                let message = format!("the tool has no parameter `{}`", documented.path.join("."));
                let help = suggestion(name, &known);
                findings.add(Code::ParameterUnknown, guide.file.at(documented.span.clone()), message, help);
                return;
            }
        }
    }
}
