//! The modules that a module names by a text, wherever it loads them: `import`, `export … from`, `import("…")`,
//! `require("…")`.

use oxc_ast::ast::{
    BlockStatement, CallExpression, ExportAllDeclaration, ExportFromDeclaration, Expression, ImportDeclaration,
    ImportExpression, Program, StringLiteral, TryStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan as _, Span};

use super::Import;
use super::bindings;

pub(super) fn named(program: &Program<'_>) -> Vec<Import> {
    let mut seen = Seen { imports: Vec::new(), caught: 0 };
    seen.visit_program(program);
    seen.imports
}

struct Seen {
    imports: Vec<Import>,
    /// How many `try` blocks with a `catch` are around.
    caught: usize,
}

impl Seen {
    fn add(&mut self, module: &str, span: Span) {
        let span = span.start as usize..span.end as usize;
        self.imports.push(Import { module: module.to_owned(), span, optional: self.caught > 0 });
    }

    fn source(&mut self, source: &StringLiteral<'_>) {
        self.add(&source.value, source.span);
    }

    fn try_block(&mut self, block: &BlockStatement<'_>, is_caught: bool) {
        self.caught += usize::from(is_caught);
        self.visit_block_statement(block);
        self.caught -= usize::from(is_caught);
    }
}

impl<'a> Visit<'a> for Seen {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        self.source(&import.source);
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        self.source(&export.source);
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        self.source(&export.source);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        match &import.source {
            Expression::StringLiteral(text) => self.source(text),
            Expression::TemplateLiteral(template) => {
                if let Some(text) = template.single_quasi() {
                    self.add(&text, import.source.span());
                }
            }
            _ => {}
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let (Some(module), [argument]) = (bindings::required(call), call.arguments.as_slice()) {
            self.add(module, argument.span());
        }
        walk::walk_call_expression(self, call);
    }

    fn visit_try_statement(&mut self, statement: &TryStatement<'a>) {
        self.try_block(&statement.block, statement.handler.is_some());
        if let Some(handler) = &statement.handler {
            self.visit_catch_clause(handler);
        }
        if let Some(finalizer) = &statement.finalizer {
            self.visit_block_statement(finalizer);
        }
    }
}
