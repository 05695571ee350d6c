//! The modules that a module loads by a literal specifier: `import`, `export … from`, `import("…")`, `require("…")`,
//! at any depth.

use oxc_ast::ast::{
    BlockStatement, CallExpression, ExportAllDeclaration, ExportFromDeclaration, Expression, ImportDeclaration,
    ImportExpression, Program, StringLiteral, TryStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan as _, Span};

use super::ModuleImport;
use super::bindings;

pub(super) fn loaded_modules(program: &Program<'_>) -> Vec<ModuleImport> {
    let mut seen = ImportCollector { imports: Vec::new(), try_depth: 0 };
    seen.visit_program(program);
    seen.imports
}

struct ImportCollector {
    imports: Vec<ModuleImport>,
    /// The number of enclosing `try` blocks with a `catch`.
    try_depth: usize,
}

impl ImportCollector {
    fn add_import(&mut self, module: &str, span: Span) {
        let span = span.start as usize..span.end as usize;
        self.imports.push(ModuleImport { module: module.to_owned(), span, optional: self.try_depth > 0 });
    }

    fn add_literal(&mut self, source: &StringLiteral<'_>) {
        self.add_import(&source.value, source.span);
    }

    fn visit_try_block(&mut self, block: &BlockStatement<'_>, is_caught: bool) {
        self.try_depth += usize::from(is_caught);
        self.visit_block_statement(block);
        self.try_depth -= usize::from(is_caught);
    }
}

impl<'a> Visit<'a> for ImportCollector {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        self.add_literal(&import.source);
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        self.add_literal(&export.source);
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        self.add_literal(&export.source);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        match &import.source {
            Expression::StringLiteral(text) => self.add_literal(text),
            Expression::TemplateLiteral(template) => {
                if let Some(text) = template.single_quasi() {
                    self.add_import(&text, import.source.span());
                }
            }
            _ => {}
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let (Some(module), [argument]) = (bindings::required_module(call), call.arguments.as_slice()) {
            self.add_import(module, argument.span());
        }
        walk::walk_call_expression(self, call);
    }

    fn visit_try_statement(&mut self, statement: &TryStatement<'a>) {
        self.visit_try_block(&statement.block, statement.handler.is_some());
        if let Some(handler) = &statement.handler {
            self.visit_catch_clause(handler);
        }
        if let Some(finalizer) = &statement.finalizer {
            self.visit_block_statement(finalizer);
        }
    }
}
