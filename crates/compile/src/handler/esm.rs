//! Exports and imports of an ES module.

use oxc_ast::ast::{ExportSpecifier, Statement};

use super::bindings::{self, Value};
use super::{Elsewhere, Execute};

/// Whether an ES module exports a function under a name (ECMAScript 16.2.3).
pub(super) fn export(body: &[Statement<'_>], name: &str) -> Execute {
    if let Some(found) = body.iter().find_map(|statement| exported(body, statement, name)) {
        return found;
    }
    let passed_on: Vec<String> = body.iter().filter_map(everything_from).collect();
    // `export *` leaves the default out.
    if !passed_on.is_empty() && name != "default" {
        return Execute::PassedOn(passed_on);
    }
    Execute::Missing(body.iter().find_map(default_export))
}

fn exported(body: &[Statement<'_>], statement: &Statement<'_>, name: &str) -> Option<Execute> {
    match statement {
        Statement::ExportDeclaration(export) => bindings::in_declaration(body, &export.declaration, name).map(verdict),
        Statement::ExportNamedDeclaration(export) => {
            let local = exported_as(&export.specifiers, name)?.local.name();
            let imported = bindings::imported(body, &local).map(Execute::Elsewhere);
            Some(imported.unwrap_or_else(|| verdict(bindings::named(body, &local))))
        }
        Statement::ExportFromDeclaration(export) => exported_as(&export.specifiers, name).map(|specifier| {
            Execute::Elsewhere(Elsewhere {
                module: export.source.value.to_string(),
                name: specifier.local.name().to_string(),
                offset: specifier.span.start as usize,
            })
        }),
        Statement::ExportDefaultDeclaration(export) if name == "default" => {
            let value = export.declaration.as_expression();
            Some(value.map_or(Execute::Exported, |value| verdict(bindings::of(body, value))))
        }
        _ => None,
    }
}

fn exported_as<'a, 'b>(specifiers: &'b [ExportSpecifier<'a>], name: &str) -> Option<&'b ExportSpecifier<'a>> {
    specifiers.iter().find(|specifier| specifier.exported.name() == name)
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
