//! What a handler module exports, found by parsing it. Nothing of it is ever run.
//!
//! A `.js` file may be an ES module or CommonJS; which of them Node takes it for depends on the nearest
//! `package.json` and on Node's syntax detection, so both forms are accepted here.

pub(super) mod bindings;
mod commonjs;
mod esm;
mod imports;
mod response_version;

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

/// What parsing a module showed.
pub(super) struct Module {
    pub(super) syntax_errors: Vec<SyntaxError>,
    pub(super) execute: Execute,
    /// Whether it reads as CommonJS, whose exports are the default import of an ES module.
    pub(super) commonjs: bool,
    /// Modules that it loads and names by a text, in order: `./rank.js`, `node:fs`.
    pub(super) imports: Vec<Import>,
    /// The version of `ToolResponse` that it says it returns.
    pub(super) response_version: Option<(String, Range<usize>)>,
}

/// A module that a module loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    /// As it is written: `./rank.js`.
    pub(super) module: String,
    /// Where it is written, in bytes.
    pub(super) span: Range<usize>,
    /// Whether the module goes on where it can't be loaded: it stands in a `try` with a `catch`.
    pub(super) optional: bool,
}

/// A syntax error.
pub(super) struct SyntaxError {
    /// In bytes; empty where the parser knows only where it begins.
    pub(super) span: Range<usize>,
    pub(super) message: String,
}

/// Whether the module exports `execute`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Execute {
    /// It does.
    Exported,
    /// It exports something of that name, at this byte offset, that can't be called.
    NotCallable(usize),
    /// It exports what another module exports.
    Elsewhere(Elsewhere),
    /// Not by name, but it exports everything that these modules export.
    PassedOn(Vec<String>),
    /// It does not; the offset is that of a default export that may be meant.
    Missing(Option<usize>),
}

/// An export of another module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Elsewhere {
    /// As it is written: `./impl.js`.
    pub(super) module: String,
    /// What it is called there.
    pub(super) name: String,
    /// The byte at which this module names it.
    pub(super) offset: usize,
}

/// Deeper nesting than any handler has, and what the parser's recursion can carry.
const MAX_NESTING: usize = 1000;

/// Parses a handler.
pub(super) fn inspect(text: &str) -> Module {
    inspect_export(text, "execute")
}

/// Parses a module, and looks for an export of another name; [`Module::execute`] says what became of it.
pub(super) fn inspect_export(text: &str, name: &str) -> Module {
    if let Some(offset) = too_deep(text) {
        let message = format!("brackets nest deeper than {MAX_NESTING}");
        return Module::broken(vec![SyntaxError { span: offset..offset, message }]);
    }
    let as_module = inspect_as(text, SourceType::mjs(), name);
    if as_module.execute == Execute::Exported && as_module.syntax_errors.is_empty() {
        return as_module;
    }
    let as_script = inspect_as(text, SourceType::cjs(), name);
    match (as_module.syntax_errors.is_empty(), as_script.syntax_errors.is_empty()) {
        (true, true) if matches!(as_script.execute, Execute::Missing(_)) => as_module,
        (true, false) => as_module,
        (false, false) if has_module_syntax(text) => as_module,
        (_, true) | (false, false) => as_script,
    }
}

impl Module {
    fn broken(syntax_errors: Vec<SyntaxError>) -> Self {
        let imports = Vec::new();
        Self { syntax_errors, execute: Execute::Missing(None), commonjs: false, imports, response_version: None }
    }
}

fn inspect_as(text: &str, source_type: SourceType, name: &str) -> Module {
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
        return Module::broken(syntax_errors);
    }
    let body = &parsed.program.body;
    let is_module = source_type.is_module();
    let execute = if is_module { esm::export(body, name) } else { commonjs::export(body, name) };
    let imports = imports::named(&parsed.program);
    let response_version = response_version::exported(body);
    Module { syntax_errors, execute, commonjs: !is_module, imports, response_version }
}

/// A module's syntax tree, where the text is a module of this kind.
pub(super) fn parsed<'a>(allocator: &'a Allocator, text: &'a str, source_type: SourceType) -> Option<ParserReturn<'a>> {
    let parsed = too_deep(text).is_none().then(|| parse(allocator, text, source_type))?;
    let is_good = parsed.diagnostics.errors().next().is_none();
    is_good.then_some(parsed)
}

fn parse<'a>(allocator: &'a Allocator, text: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions { preserve_parens: false, ..ParseOptions::default() };
    Parser::new(allocator, text, source_type).with_options(options).parse()
}

/// Decides which of two failed readings is the one that the author meant.
fn has_module_syntax(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| line.starts_with("import ") || line.starts_with("export "))
}

/// The offset at which brackets nest too deep. Brackets in strings count too: the limit is far from real code.
fn too_deep(text: &str) -> Option<usize> {
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

    fn execute(text: &str) -> Execute {
        let module = inspect(text);
        let errors: Vec<_> = module.syntax_errors.iter().map(|error| &error.message).collect();
        assert!(errors.is_empty(), "{text}: {errors:?}");
        module.execute
    }

    #[test]
    fn every_way_to_export_execute_counts() {
        for text in [
            "export function execute() {}",
            "export async function execute({ args }) { return { ok: true } }",
            "export async function* execute() {}",
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
            assert_eq!(execute(text), Execute::Exported, "{text}");
        }
    }

    #[test]
    fn nothing_else_does() {
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
            assert!(matches!(execute(text), Execute::Missing(None)), "{text}: {:?}", execute(text));
        }
        assert_eq!(execute("export default { execute() {} }"), Execute::Missing(Some(0)));
        assert_eq!(execute("const a = 1\nexport default async function execute() {}"), Execute::Missing(Some(12)));
    }

    #[test]
    fn what_can_not_be_called_is_told_apart() {
        for (text, offset) in [
            ("export const execute = 5", 23),
            ("export const execute = { run() {} }", 23),
            ("export class execute {}", 7),
            ("const run = 'x'\nexport { run as execute }", 12),
            ("exports.execute = null", 18),
            ("module.exports = { execute: [] }", 28),
        ] {
            assert_eq!(execute(text), Execute::NotCallable(offset), "{text}");
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
            let elsewhere = Elsewhere { module: "./impl.js".to_owned(), name: name.to_owned(), offset };
            assert_eq!(execute(text), Execute::Elsewhere(elsewhere), "{text}");
        }
    }

    #[test]
    fn a_default_export_is_found_where_it_is_asked_for() {
        let default = |text: &str| inspect_export(text, "default").execute;
        assert_eq!(default("export default async function () {}"), Execute::Exported);
        assert_eq!(default("export default run\nfunction run() {}"), Execute::Exported);
        assert_eq!(default("module.exports = () => {}"), Execute::Exported);
        assert_eq!(default("export default 5"), Execute::NotCallable(15));
        assert_eq!(default("export * from './a.js'"), Execute::Missing(None));
    }

    #[test]
    fn star_exports_and_requires_are_passed_on() {
        let passed = |modules: &[&str]| Execute::PassedOn(modules.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(execute("export * from './a.js'\nexport * from 'b'"), passed(&["./a.js", "b"]));
        assert_eq!(execute("module.exports = require('./a.cjs')"), passed(&["./a.cjs"]));
        assert_eq!(execute("module.exports = { ...require('./a.cjs') }"), passed(&["./a.cjs"]));
    }

    #[test]
    fn modules_are_listed() {
        let esm = "import a from './a.js'\nimport '../b.js'\nimport fs from 'node:fs'\nexport * from './c.js'\nexport { execute } from './d.js'";
        let named = |text| inspect(text).imports.into_iter().map(|import| import.module).collect::<Vec<_>>();
        assert_eq!(named(esm), ["./a.js", "../b.js", "node:fs", "./c.js", "./d.js"]);
        let cjs = "const { a } = require('./a')\nrequire('./b.cjs')\nconst c = require('./c').d\nexports.execute = () => require('x')";
        assert_eq!(named(cjs), ["./a", "./b.cjs", "./c", "x"]);
        let lazy =
            "export async function execute() { await import('./e.js'); import(`./f.js`); import(g); import(`${h}`) }";
        assert_eq!(named(lazy), ["./e.js", "./f.js"]);
    }

    #[test]
    fn syntax_errors_have_a_place() {
        let module = inspect("export function execute() {\n  return {\n}\n");
        assert_eq!(module.syntax_errors.len(), 1);
        assert!(module.syntax_errors[0].span.start > 30);
        assert!(!inspect("const a = ;").syntax_errors.is_empty());
        assert!(!inspect(&"[".repeat(100_000)).syntax_errors.is_empty());
    }
}
