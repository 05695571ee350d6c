//! `handlers.mjs`: static imports of every handler, so that bundlers find and trace them.
//!
//! A CommonJS handler is imported as a default import: Node's named exports of CommonJS are only a guess of its lexer. A
//! library's schema beside a handler becomes the handler's `parameters`: a bundle has no folder to look for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::handler::{ExecuteExport, inspect_export, inspect_handler};
use crate::tool_folder::tool_source::{PARAMETERS_POINTER, ToolSource};
use toolgate_definition::ToolDefinition;

/// Words that can't name a binding of an ES module (ECMAScript 12.7.2), and the module's own export.
const RESERVED_WORDS: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "handlers",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// What `handlers.mjs` depends on besides the definitions.
#[derive(Default)]
pub(crate) struct ModuleForms {
    /// The ids of tools whose handlers are CommonJS.
    commonjs: BTreeSet<String>,
    /// By tool id, the schema module whose library runs on the arguments.
    schema_modules: BTreeMap<String, String>,
}

impl ModuleForms {
    pub(crate) fn from_sources(tools: &[ToolSource]) -> Self {
        let mut forms = Self::default();
        for tool in tools {
            if tool.handler.as_ref().is_some_and(|handler| handler.module.commonjs) {
                forms.commonjs.insert(tool.expected_id());
            }
            forms.schema_modules.extend(library_schema(tool).map(|name| (tool.expected_id(), name)));
        }
        forms
    }
}

/// The name of a schema module whose `parameters` may be a library's schema: a module without imports has no library.
/// `None` also if the handler exports `parameters` of its own.
fn library_schema(tool: &ToolSource) -> Option<String> {
    let (path, module) = tool.module.as_ref()?;
    let is_exported = inspect_export(&tool.handler.as_ref()?.file.text, "parameters").execute;
    let has_parameters = tool.schema.as_ref()?.at_value(PARAMETERS_POINTER).file == module.label;
    let is_needed = matches!(is_exported, ExecuteExport::Missing(_))
        && has_parameters
        && !inspect_handler(&module.text).imports.is_empty();
    is_needed.then(|| path.file_name().map(|name| name.to_string_lossy().into_owned()))?
}

/// The module's text.
pub(crate) fn module_text(tools: &[&ToolDefinition], forms: &ModuleForms) -> String {
    let mut text = "// Made by the build from the tool folders. Changes are lost.\n".to_owned();
    // Writing into a String can't fail.
    for tool in tools {
        let (id, path) = (&tool.tool_id, &tool.handler_path);
        let all = if forms.commonjs.contains(id) { "" } else { "* as " };
        let _ = writeln!(text, "import {all}{} from '{}'", binding(id), specifier(path));
        if let Some(name) = forms.schema_modules.get(id) {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let _ = writeln!(text, "import {id}$schema from '{}'", specifier(&format!("{folder}/{name}")));
        }
    }
    text.push_str("\nexport const handlers = {\n");
    for tool in tools {
        let (id, binding) = (&tool.tool_id, binding(&tool.tool_id));
        let _ = if forms.schema_modules.contains_key(id) {
            let parameters = format!("{id}$schema.parameters ?? {id}$schema.default?.parameters");
            writeln!(text, "  {id}: {{ parameters: {parameters}, ...{binding} }},")
        } else if *id == binding {
            writeln!(text, "  {id},")
        } else {
            writeln!(text, "  {id}: {binding},")
        };
    }
    text.push_str("}\n");
    text
}

/// The import binding of a tool: its id, with a `$` if the id is a reserved word. No id contains a `$`.
fn binding(tool_id: &str) -> String {
    if RESERVED_WORDS.contains(&tool_id) { format!("{tool_id}$") } else { tool_id.to_owned() }
}

/// A path as an import specifier. Relative specifiers are URLs, so characters that would end the path are escaped.
fn specifier(path: &str) -> String {
    let mut text = if path.starts_with("../") { String::new() } else { "./".to_owned() };
    for letter in path.chars() {
        match letter {
            '%' => text.push_str("%25"),
            '?' => text.push_str("%3F"),
            '#' => text.push_str("%23"),
            '\'' => text.push_str("%27"),
            '\\' => text.push_str("%5C"),
            letter if letter.is_control() => {
                let mut bytes = [0; 4];
                for byte in letter.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(text, "%{byte:02X}");
                }
            }
            letter => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::{Map, json};

    use super::*;
    use crate::text::source::SourceFile;
    use crate::tool_folder::tool_source::{HandlerFile, ToolDocument};

    /// The schema module that is imported for a handler and a module, of which `parameters` come.
    fn library_of(handler: &str, module: &str, has_json: bool) -> Option<String> {
        let file = |name: &str, text: &str| SourceFile::new(format!("tools/a/{name}"), text);
        let members = Map::from_iter([("parameters".to_owned(), json!({}))]);
        let module = file("schema.mjs", module);
        let document = ToolDocument::new(if has_json { file("schema.json", "{}") } else { module.clone() }, members);
        let tool = ToolSource {
            folder: "a".to_owned(),
            label: "tools/a".to_owned(),
            schema: Some(document),
            module: Some((PathBuf::from("tools/a/schema.mjs"), module)),
            guide: None,
            handler: Some(HandlerFile {
                path: PathBuf::from("tools/a/handler.js"),
                file_name: "handler.js",
                file: file("handler.js", handler),
                module: inspect_handler(handler),
            }),
            declared: None,
        };
        library_schema(&tool)
    }

    #[test]
    fn a_library_beside_a_handler_is_imported_unless_the_handler_brings_it() {
        let plain = "export const execute = () => 1";
        let zod = "import * as z from 'zod'\nexport default { parameters: z.object({}) }";
        let required = "module.exports = { parameters: require('zod').object({}) }";
        assert_eq!(library_of(plain, zod, false), Some("schema.mjs".to_owned()));
        assert_eq!(library_of(plain, required, false), Some("schema.mjs".to_owned()));
        assert_eq!(library_of(plain, zod, true), None, "the parameters are in schema.json");
        assert_eq!(library_of(plain, "export default { parameters: { type: 'object' } }", false), None);
        let own =
            "import schema from './schema.mjs'\nexport const { parameters } = schema\nexport const execute = () => 1";
        assert_eq!(library_of(own, zod, false), None);
    }

    #[test]
    fn bindings_and_specifiers_are_valid_in_a_module() {
        assert_eq!(["kb_search", "delete", "handlers"].map(binding), ["kb_search", "delete$", "handlers$"]);
        assert_eq!(specifier("kb-search/handler.js"), "./kb-search/handler.js");
        assert_eq!(specifier("../a b/#1?'%\n/handler.js"), "../a b/%231%3F%27%25%0A/handler.js");
    }
}
