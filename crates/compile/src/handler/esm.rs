//! Exports and imports of an ES module.

use oxc_ast::ast::{ExportSpecifier, Statement};

use super::bindings::{self, BindingValue};
use super::{ExecuteExport, Reexport};

/// Whether an ES module exports a function under a name (ECMAScript 16.2.3).
pub(super) fn find_export(body: &[Statement<'_>], name: &str) -> ExecuteExport {
    if let Some(found) = body.iter().find_map(|statement| exported_by_statement(body, statement, name)) {
        return found;
    }
    let passed_on: Vec<String> = body.iter().filter_map(star_export_source).collect();
    // `export *` does not include the default export.
    if !passed_on.is_empty() && name != "default" {
        return ExecuteExport::ReexportedAll(passed_on);
    }
    ExecuteExport::Missing(body.iter().find_map(default_export_offset))
}

fn exported_by_statement(body: &[Statement<'_>], statement: &Statement<'_>, name: &str) -> Option<ExecuteExport> {
    match statement {
        Statement::ExportDeclaration(export) => {
            bindings::value_in_declaration(body, &export.declaration, name).map(export_status)
        }
        Statement::ExportNamedDeclaration(export) => {
            let local = find_specifier(&export.specifiers, name)?.local.name();
            let imported = bindings::import_source(body, &local).map(ExecuteExport::Reexported);
            Some(imported.unwrap_or_else(|| export_status(bindings::top_level_value(body, &local))))
        }
        Statement::ExportFromDeclaration(export) => find_specifier(&export.specifiers, name).map(|specifier| {
            ExecuteExport::Reexported(Reexport {
                module: export.source.value.to_string(),
                name: specifier.local.name().to_string(),
                offset: specifier.span.start as usize,
            })
        }),
        Statement::ExportDefaultDeclaration(export) if name == "default" => {
            let value = export.declaration.as_expression();
            Some(value.map_or(ExecuteExport::Exported, |value| export_status(bindings::expression_value(body, value))))
        }
        _ => None,
    }
}

fn find_specifier<'a, 'b>(specifiers: &'b [ExportSpecifier<'a>], name: &str) -> Option<&'b ExportSpecifier<'a>> {
    specifiers.iter().find(|specifier| specifier.exported.name() == name)
}

fn export_status(value: BindingValue) -> ExecuteExport {
    match value {
        BindingValue::MaybeCallable => ExecuteExport::Exported,
        BindingValue::NotCallable(offset) => ExecuteExport::NotCallable(offset),
        BindingValue::Undeclared => ExecuteExport::Missing(None),
    }
}

/// The module of `export * from "…"`; `None` for `export * as name`, which exports one object.
fn star_export_source(statement: &Statement<'_>) -> Option<String> {
    match statement {
        Statement::ExportAllDeclaration(export) if export.exported.is_none() => Some(export.source.value.to_string()),
        _ => None,
    }
}

fn default_export_offset(statement: &Statement<'_>) -> Option<usize> {
    match statement {
        Statement::ExportDefaultDeclaration(export) => Some(export.span.start as usize),
        _ => None,
    }
}
