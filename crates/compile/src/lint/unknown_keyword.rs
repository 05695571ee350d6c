//! `unknown-keyword`: a validator passes over a keyword that it does not know, so a slip (`maxLenght`) would turn a
//! check off silently. Names that begin with `x-` are for the author and for Toolgate.

use serde_json::Value;

use super::Settings;
use crate::code::Code;
use crate::dialect;
use crate::report::Findings;
use crate::source::pointer;
use crate::tool::Tool;
use toolgate_did_you_mean::nearest;

/// Words of other dialects, and how draft 2020-12 says the same.
const ELSEWHERE: &[(&str, &str)] = &[
    ("additionalItems", "write `prefixItems` and `items`"),
    ("dependencies", "write `dependentRequired` or `dependentSchemas`"),
    ("discriminator", "it is OpenAPI's; `oneOf` with a `const` in each branch says the same"),
    ("divisibleBy", "write `multipleOf`"),
    ("example", "write `examples` with a list"),
    ("id", "write `$id`"),
    ("nullable", "it is OpenAPI's; write `\"type\": [\"string\", \"null\"]`"),
    ("optional", "leave the property out of `required`"),
    ("propertyOrdering", "it is Gemini's and made by the build from the order of `properties`"),
];

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let Value::Object(members) = schema else { return };
            let unknown = members.keys().filter(|name| !dialect::is_keyword(name) && !dialect::is_extension(name));
            for name in unknown {
                let place = document.at_key(&format!("{}{at}{}", site.pointer, pointer(&[name])));
                findings.add(Code::UnknownKeyword, place, format!("unknown keyword `{name}`"), help(name));
            }
        });
    }
}

fn help(name: &str) -> String {
    if let Some((_, help)) = ELSEWHERE.iter().find(|(word, _)| *word == name) {
        return (*help).to_owned();
    }
    nearest(name, dialect::keywords()).map_or_else(
        || "remove it, put it into `properties` if it is an argument, or begin its name with `x-`".to_owned(),
        |keyword| format!("did you mean `{keyword}`?"),
    )
}
