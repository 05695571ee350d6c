//! `handlers.mjs`: static imports of every handler, so that bundlers find and trace them.
//!
//! A CommonJS handler is imported as a default import: Node's named exports of CommonJS are only a guess of its lexer.

use std::collections::BTreeSet;
use std::fmt::Write as _;

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

/// The module's text. `commonjs` holds the ids of tools whose handlers are CommonJS.
pub(super) fn module_text(tools: &[&ToolDefinition], commonjs: &BTreeSet<String>) -> String {
    let mut text = "// Made by the build from the tool folders. Changes are lost.\n".to_owned();
    for tool in tools {
        // Writing into a String can't fail.
        let all = if commonjs.contains(&tool.tool_id) { "" } else { "* as " };
        let _ = writeln!(text, "import {all}{} from '{}'", binding(&tool.tool_id), specifier(&tool.handler_path));
    }
    text.push_str("\nexport const handlers = {\n");
    for tool in tools {
        let (id, binding) = (&tool.tool_id, binding(&tool.tool_id));
        let _ = if *id == binding { writeln!(text, "  {id},") } else { writeln!(text, "  {id}: {binding},") };
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
    use super::*;

    #[test]
    fn bindings_and_specifiers_are_valid_in_a_module() {
        assert_eq!(["kb_search", "delete", "handlers"].map(binding), ["kb_search", "delete$", "handlers$"]);
        assert_eq!(specifier("kb-search/handler.js"), "./kb-search/handler.js");
        assert_eq!(specifier("../a b/#1?'%\n/handler.js"), "../a b/%231%3F%27%25%0A/handler.js");
    }
}
