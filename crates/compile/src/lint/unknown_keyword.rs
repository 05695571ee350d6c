//! `unknown-keyword`: a validator ignores unknown keywords, so a misspelling (`maxLenght`) would disable a check
//! silently. Names that begin with `x-` are extensions of the author and of Toolgate.

use serde_json::Value;

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::schema::dialect;
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_source::ToolSource;
use toolgate_json::suggest;

/// Keywords of other dialects, each with its replacement in draft 2020-12.
const OTHER_DIALECT_KEYWORDS: &[(&str, &str)] = &[
    ("additionalItems", "write `prefixItems` and `items`"),
    ("dependencies", "write `dependentRequired` or `dependentSchemas`"),
    ("discriminator", "it is an OpenAPI keyword; write `oneOf` with a `const` in each branch"),
    ("divisibleBy", "write `multipleOf`"),
    ("example", "write `examples` with an array"),
    ("id", "write `$id`"),
    ("nullable", "it is an OpenAPI keyword; write `\"type\": [\"string\", \"null\"]`"),
    ("optional", "omit the property from `required`"),
    ("propertyOrdering", "remove it; the build generates it for Gemini from the order of `properties`"),
];

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    for site in &document.schemas {
        site.walk(&mut |at, schema| {
            let Value::Object(members) = schema else { return };
            let unknown = members.keys().filter(|name| !dialect::is_keyword(name) && !dialect::is_extension(name));
            for name in unknown {
                let place = document.at_key(&format!("{}{at}{}", site.pointer, pointer_from_names(&[name])));
                findings.add(Code::UnknownKeyword, place, format!("unknown keyword `{name}`"), help(name));
            }
        });
    }
}

fn help(name: &str) -> String {
    if let Some((_, help)) = OTHER_DIALECT_KEYWORDS.iter().find(|(word, _)| *word == name) {
        return (*help).to_owned();
    }
    suggest(name, dialect::keywords()).map_or_else(
        || "remove it, move it into `properties` if it is an argument, or prefix its name with `x-`".to_owned(),
        |keyword| format!("did you mean `{keyword}`?"),
    )
}
