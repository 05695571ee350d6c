//! Exports and imports of an ES module.

use oxc_ast::ast::{ExportSpecifier, Statement};

use super::Execute;
use super::bindings::{self, Value};

/// Whether an ES module exports `execute` by name (ECMAScript 16.2.3).
pub(super) fn execute(body: &[Statement<'_>]) -> Execute {
    if let Some(found) = body.iter().find_map(|statement| exported(body, statement)) {
        return found;
    }
    let passed_on: Vec<String> = body.iter().filter_map(everything_from).collect();
    if !passed_on.is_empty() {
        return Execute::PassedOn(passed_on);
    }
    Execute::Missing(body.iter().find_map(default_export))
}

fn exported(body: &[Statement<'_>], statement: &Statement<'_>) -> Option<Execute> {
    match statement {
        Statement::ExportDeclaration(export) => {
            bindings::in_declaration(body, &export.declaration, "execute").map(verdict)
        }
        Statement::ExportNamedDeclaration(export) => {
            let local = as_execute(&export.specifiers)?.local.name();
            Some(verdict(bindings::named(body, &local)))
        }
        Statement::ExportFromDeclaration(export) => as_execute(&export.specifiers).map(|_| Execute::Exported),
        _ => None,
    }
}

fn as_execute<'a, 'b>(specifiers: &'b [ExportSpecifier<'a>]) -> Option<&'b ExportSpecifier<'a>> {
    specifiers.iter().find(|specifier| specifier.exported.name() == "execute")
}

fn verdict(value: Value) -> Execute {
    match value {
        Value::MayBeCalled => Execute::Exported,
        Value::NotCallable(offset) => Execute::NotCallable(offset),
        Value::Undeclared => Execute::Missing(None),
    }
}

/// `export * from "…"`; with a name it exports one object.
fn everything_from(statement: &Statement<'_>) -> Option<String> {
    match statement {
        Statement::ExportAllDeclaration(export) if export.exported.is_none() => Some(export.source.value.to_string()),
        _ => None,
    }
}

fn default_export(statement: &Statement<'_>) -> Option<usize> {
    match statement {
        Statement::ExportDefaultDeclaration(export) => Some(export.span.start as usize),
        _ => None,
    }
}

/// The modules that are imported or exported from.
pub(super) fn imports(body: &[Statement<'_>]) -> Vec<String> {
    let sources = body.iter().filter_map(|statement| match statement {
        Statement::ImportDeclaration(import) => Some(import.source.value.as_str()),
        Statement::ExportAllDeclaration(export) => Some(export.source.value.as_str()),
        Statement::ExportFromDeclaration(export) => Some(export.source.value.as_str()),
        _ => None,
    });
    sources.map(str::to_owned).collect()
}
