//! Static inspection of a handler module's exports and imports. Handler code is never run.
//!
//! A `.js` file may be an ES module or CommonJS; Node decides by the nearest `package.json` and by syntax detection, so
//! both forms are accepted here.

pub(super) mod bindings;
mod commonjs;
mod esm;
mod http_writes;
mod module_imports;
mod response_version;

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

/// The exports and imports of a parsed module.
pub(super) struct HandlerModule {
    pub(super) syntax_errors: Vec<SyntaxError>,
    pub(super) execute: ExecuteExport,
    /// Whether the module is CommonJS, whose `module.exports` is the default import of an ES module.
    pub(super) commonjs: bool,
    /// Modules loaded by a literal specifier, in order: `./rank.js`, `node:fs`.
    pub(super) imports: Vec<ModuleImport>,
    /// Requests whose method changes something, in order.
    pub(super) http_writes: Vec<HttpWrite>,
    /// The exported version of `ToolResponse` that the handler returns, with its span.
    pub(super) response_version: Option<(String, Range<usize>)>,
}

/// A module loaded by a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModuleImport {
    /// The specifier: `./rank.js`.
    pub(super) module: String,
    /// The span of the specifier, in bytes.
    pub(super) span: Range<usize>,
    /// Whether a failed load is caught: the import is in a `try` with a `catch`.
    pub(super) optional: bool,
}

/// An HTTP request whose method changes something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HttpWrite {
    /// In upper case: `POST`.
    pub(super) method: String,
    /// The span of the method, in bytes.
    pub(super) span: Range<usize>,
}

/// A syntax error.
pub(super) struct SyntaxError {
    /// In bytes; empty if the parser reports no end.
    pub(super) span: Range<usize>,
    pub(super) message: String,
}

/// Whether the module exports `execute`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExecuteExport {
    /// The module exports a function, or a value that may be one.
    Exported,
    /// The export can't be called; the byte offset of its value.
    NotCallable(usize),
    /// The export is a re-export of another module's export.
    Reexported(Reexport),
    /// No export of the name, but all exports of these modules are re-exported.
    ReexportedAll(Vec<String>),
    /// No export; the byte offset of a default export, if any, which may be meant.
    Missing(Option<usize>),
}

/// An export of another module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reexport {
    /// The specifier: `./impl.js`.
    pub(super) module: String,
    /// The name of the export in that module.
    pub(super) name: String,
    /// The byte offset of the re-export in this module.
    pub(super) offset: usize,
}

/// The maximum nesting of brackets: more than any handler has, and safe for the parser's recursion.
const MAX_NESTING: usize = 1000;

/// Parses a handler.
pub(super) fn inspect_handler(text: &str) -> HandlerModule {
    inspect_export(text, "execute")
}

/// Parses a module and looks for an export of the given name; the result is in [`Module::execute`].
pub(super) fn inspect_export(text: &str, name: &str) -> HandlerModule {
    if let Some(offset) = too_deep_offset(text) {
        let message = format!("brackets nest deeper than {MAX_NESTING}");
        return HandlerModule::with_syntax_errors(vec![SyntaxError { span: offset..offset, message }]);
    }
    let as_module = inspect_as(text, SourceType::mjs(), name);
    if as_module.execute == ExecuteExport::Exported && as_module.syntax_errors.is_empty() {
        return as_module;
    }
    let as_script = inspect_as(text, SourceType::cjs(), name);
    match (as_module.syntax_errors.is_empty(), as_script.syntax_errors.is_empty()) {
        (true, true) if matches!(as_script.execute, ExecuteExport::Missing(_)) => as_module,
        (true, false) => as_module,
        (false, false) if has_module_syntax(text) => as_module,
        (_, true) | (false, false) => as_script,
    }
}

impl HandlerModule {
    fn with_syntax_errors(syntax_errors: Vec<SyntaxError>) -> Self {
        Self {
            syntax_errors,
            execute: ExecuteExport::Missing(None),
            commonjs: false,
            imports: Vec::new(),
            http_writes: Vec::new(),
            response_version: None,
        }
    }
}

fn inspect_as(text: &str, source_type: SourceType, name: &str) -> HandlerModule {
    let allocator = Allocator::default();
    let parsed = parse(&allocator, text, source_type);
    let errors = parsed.diagnostics.errors().map(|error| SyntaxError {
        span: error.labels.first().map_or(0..0, |label| {
            let start = label.offset() as usize;
            start..start + label.len() as usize
        }),
        message: error.message.to_string(),
    });
    let syntax_errors: Vec<SyntaxError> = errors.collect();
    if !syntax_errors.is_empty() {
        return HandlerModule::with_syntax_errors(syntax_errors);
    }
    let body = &parsed.program.body;
    let is_module = source_type.is_module();
    let execute = if is_module { esm::find_export(body, name) } else { commonjs::find_export(body, name) };
    let imports = module_imports::loaded_modules(&parsed.program);
    let http_writes = http_writes::http_writes(&parsed.program);
    let response_version = response_version::exported_version(body);
    HandlerModule { syntax_errors, execute, commonjs: !is_module, imports, http_writes, response_version }
}

/// A module's syntax tree; `None` if the text is not a module of this kind.
pub(super) fn parse_module<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    source_type: SourceType,
) -> Option<ParserReturn<'a>> {
    let parsed = too_deep_offset(text).is_none().then(|| parse(allocator, text, source_type))?;
    let is_good = parsed.diagnostics.errors().next().is_none();
    is_good.then_some(parsed)
}

fn parse<'a>(allocator: &'a Allocator, text: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions { preserve_parens: false, ..ParseOptions::default() };
    Parser::new(allocator, text, source_type).with_options(options).parse()
}

/// Whether a line begins with `import` or `export`, to choose between the errors of two failed parses.
fn has_module_syntax(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| line.starts_with("import ") || line.starts_with("export "))
}

/// The offset at which brackets exceed [`MAX_NESTING`]. Brackets in strings count too; real code is far below the
/// limit.
fn too_deep_offset(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Some(offset);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn execute_export(text: &str) -> ExecuteExport {
        let module = inspect_handler(text);
        let errors: Vec<_> = module.syntax_errors.iter().map(|error| &error.message).collect();
        assert!(errors.is_empty(), "{text}: {errors:?}");
        module.execute
    }

    #[test]
    fn every_way_to_export_execute_counts() {
        for text in [
            "export function execute() {}",
            "export async function execute({ args }) { return { ok: true } }",
            "export const execute = async () => {}",
            "export let a = 1, execute = function () {}",
            "export const execute = withRetry(run)",
            "export const { execute } = makeTool()",
            "export const { run: execute, ...rest } = makeTool()",
            "export const [execute] = tools()",
            "function run() {}\nexport { run as execute }",
            "export { execute }\nasync function execute() {}",
            "const x = () => {}\nexport { x as 'execute' }",
            "import run from './impl.js'\nexport const execute = run",
            "exports.execute = async () => {}",
            "module.exports.execute = function () {}",
            "module.exports = { execute: async () => {} }",
            "'use strict'\nmodule.exports = { async execute() {} }",
            "const execute = () => {}\nmodule.exports = { execute }",
            "const tool = { execute() {} }\nmodule.exports = tool",
            "exports = module.exports = { execute() {} }",
            "module['exports']['execute'] = () => {}",
            "const run = exports.execute = () => {}",
            "Object.defineProperty(exports, 'execute', { value: () => {} })",
            "exports.execute = void 0\nexports.execute = () => {}",
            "module.exports = { ...require('./a'), execute() {} }",
            "if (!ready) return\nexports.execute = () => {}",
        ] {
            assert_eq!(execute_export(text), ExecuteExport::Exported, "{text}");
        }
    }

    #[test]
    fn other_forms_do_not_export_execute() {
        for text in [
            "",
            "function execute() {}",
            "export const run = () => {}",
            "export { execute }",
            "export * as execute from './impl.js'",
            "module.exports = () => {}",
            "exports.run = () => {}",
            "other.execute = () => {}",
            "// export function execute() {}",
            "const s = 'export function execute() {}'",
            "function f() { exports.execute = () => {} }",
        ] {
            assert!(matches!(execute_export(text), ExecuteExport::Missing(None)), "{text}: {:?}", execute_export(text));
        }
        assert_eq!(execute_export("export default { execute() {} }"), ExecuteExport::Missing(Some(0)));
        assert_eq!(
            execute_export("const a = 1\nexport default async function execute() {}"),
            ExecuteExport::Missing(Some(12))
        );
    }

    #[test]
    fn values_that_can_not_be_called_are_recognized() {
        for (text, offset) in [
            ("export const execute = 5", 23),
            ("export const execute = { run() {} }", 23),
            ("export class execute {}", 7),
            ("export function* execute() {}", 7),
            ("export const execute = async function* () {}", 23),
            ("async function* run() {}\nexport { run as execute }", 0),
            ("exports.execute = function* () {}", 18),
            ("const run = 'x'\nexport { run as execute }", 12),
            ("exports.execute = null", 18),
            ("module.exports = { execute: [] }", 28),
        ] {
            assert_eq!(execute_export(text), ExecuteExport::NotCallable(offset), "{text}");
        }
    }

    #[test]
    fn exports_of_other_modules_are_named() {
        for (text, name, offset) in [
            ("export { execute } from './impl.js'", "execute", 9),
            ("export { default as execute } from './impl.js'", "default", 9),
            ("import { run } from './impl.js'\nexport { run as execute }", "run", 9),
            ("import { a as run } from './impl.js'\nexport { run as execute }", "a", 9),
            ("import run from './impl.js'\nexport { run as execute }", "default", 7),
        ] {
            let elsewhere = Reexport { module: "./impl.js".to_owned(), name: name.to_owned(), offset };
            assert_eq!(execute_export(text), ExecuteExport::Reexported(elsewhere), "{text}");
        }
    }

    #[test]
    fn a_default_export_is_found_where_it_is_asked_for() {
        let default = |text: &str| inspect_export(text, "default").execute;
        assert_eq!(default("export default async function () {}"), ExecuteExport::Exported);
        assert_eq!(default("export default run\nfunction run() {}"), ExecuteExport::Exported);
        assert_eq!(default("module.exports = () => {}"), ExecuteExport::Exported);
        assert_eq!(default("export default 5"), ExecuteExport::NotCallable(15));
        assert_eq!(default("export * from './a.js'"), ExecuteExport::Missing(None));
    }

    #[test]
    fn star_exports_and_requires_are_passed_on() {
        let passed =
            |modules: &[&str]| ExecuteExport::ReexportedAll(modules.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(execute_export("export * from './a.js'\nexport * from 'b'"), passed(&["./a.js", "b"]));
        assert_eq!(execute_export("module.exports = require('./a.cjs')"), passed(&["./a.cjs"]));
        assert_eq!(execute_export("module.exports = { ...require('./a.cjs') }"), passed(&["./a.cjs"]));
    }

    #[test]
    fn modules_are_listed() {
        let esm = "import a from './a.js'\nimport '../b.js'\nimport fs from 'node:fs'\nexport * from './c.js'\nexport { execute } from './d.js'";
        let named = |text| inspect_handler(text).imports.into_iter().map(|import| import.module).collect::<Vec<_>>();
        assert_eq!(named(esm), ["./a.js", "../b.js", "node:fs", "./c.js", "./d.js"]);
        let cjs = "const { a } = require('./a')\nrequire('./b.cjs')\nconst c = require('./c').d\nexports.execute = () => require('x')";
        assert_eq!(named(cjs), ["./a", "./b.cjs", "./c", "x"]);
        let lazy =
            "export async function execute() { await import('./e.js'); import(`./f.js`); import(g); import(`${h}`) }";
        assert_eq!(named(lazy), ["./e.js", "./f.js"]);
    }

    #[test]
    fn requests_that_change_something_are_listed() {
        let methods = |text: &str| -> Vec<String> {
            inspect_handler(text).http_writes.into_iter().map(|write| write.method).collect()
        };
        let fetched = "export const execute = () => fetch('/a', { headers: {}, method: 'post' })";
        assert_eq!(methods(fetched), ["POST"]);
        assert_eq!(methods("exports.execute = () => axios.delete('/a').then(() => ky.put('/b'))"), ["DELETE", "PUT"]);
        assert_eq!(
            methods("export const execute = () => request({ \"method\": `PUT` }, { 'method': 'PATCH' })"),
            ["PATCH"]
        );
        for text in [
            "export const execute = () => fetch('/a', { method: 'GET' })",
            "export const execute = () => new Map().delete('a')",
            "const options = { method: 'POST' }",
            "// fetch('/a', { method: 'POST' })",
        ] {
            assert_eq!(methods(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn syntax_errors_have_a_place() {
        let module = inspect_handler("export function execute() {\n  return {\n}\n");
        assert_eq!(module.syntax_errors.len(), 1);
        assert!(module.syntax_errors[0].span.start > 30);
        assert!(!inspect_handler("const a = ;").syntax_errors.is_empty());
        assert!(!inspect_handler(&"[".repeat(100_000)).syntax_errors.is_empty());
    }
}
