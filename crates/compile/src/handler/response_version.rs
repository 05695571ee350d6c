//! `responseSchemaVersion`, an optional export of a handler module: the version of `ToolResponse` that it returns.

use std::ops::Range;

use oxc_ast::ast::{BindingPattern, Declaration, Expression, ObjectPropertyKind, Statement};
use oxc_span::GetSpan as _;

use super::bindings;
use super::commonjs::{self, ExportsTarget};

const EXPORT_NAME: &str = "responseSchemaVersion";

/// The exported version and its span, if it is a literal; other values are known only at run time.
pub(super) fn exported_version(body: &[Statement<'_>]) -> Option<(String, Range<usize>)> {
    let by_name = body.iter().find_map(|statement| exported_by_statement(body, statement));
    let value = by_name.or_else(|| {
        body.iter().flat_map(commonjs::top_level_expressions).find_map(|one| exported_by_assignment(body, one))
    })?;
    let span = value.span().start as usize..value.span().end as usize;
    match value {
        Expression::StringLiteral(text) => Some((text.value.to_string(), span)),
        Expression::NumericLiteral(number) => Some((number.value.to_string(), span)),
        _ => None,
    }
}

fn exported_by_statement<'a, 'b>(
    body: &'b [Statement<'a>],
    statement: &'b Statement<'a>,
) -> Option<&'b Expression<'a>> {
    match statement {
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::VariableDeclaration(variables) => {
                variables.declarations.iter().find_map(|declarator| match &declarator.id {
                    BindingPattern::BindingIdentifier(id) if id.name == EXPORT_NAME => declarator.init.as_ref(),
                    _ => None,
                })
            }
            _ => None,
        },
        Statement::ExportNamedDeclaration(export) => {
            let specifier = export.specifiers.iter().find(|specifier| specifier.exported.name() == EXPORT_NAME)?;
            bindings::initializer(body, &specifier.local.name())
        }
        Statement::ExportDefaultDeclaration(export) => version_member(body, export.declaration.as_expression()?),
        _ => None,
    }
}

/// `exports.responseSchemaVersion = …`, `module.exports = { responseSchemaVersion: … }`.
fn exported_by_assignment<'a, 'b>(
    body: &'b [Statement<'a>],
    expression: &'b Expression<'a>,
) -> Option<&'b Expression<'a>> {
    let Expression::AssignmentExpression(assignment) = expression else { return None };
    match commonjs::exports_target(&assignment.left, EXPORT_NAME)? {
        ExportsTarget::Member => Some(resolve_variable(body, &assignment.right)),
        ExportsTarget::Exports => version_member(body, commonjs::assigned_value(&assignment.right)),
    }
}

fn version_member<'a, 'b>(body: &'b [Statement<'a>], object: &'b Expression<'a>) -> Option<&'b Expression<'a>> {
    let Expression::ObjectExpression(object) = resolve_variable(body, object) else { return None };
    object.properties.iter().find_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name(EXPORT_NAME) => {
            Some(resolve_variable(body, &property.value))
        }
        _ => None,
    })
}

/// The initializer of a variable, or the expression itself.
fn resolve_variable<'a, 'b>(body: &'b [Statement<'a>], expression: &'b Expression<'a>) -> &'b Expression<'a> {
    match expression {
        Expression::Identifier(id) => bindings::initializer(body, &id.name).unwrap_or(expression),
        _ => expression,
    }
}

#[cfg(test)]
mod tests {
    use crate::handler::inspect_handler;

    #[test]
    fn every_literal_export_is_found() {
        for text in [
            "export const responseSchemaVersion = '2.0.0'",
            "const v = '2.0.0'\nexport { v as responseSchemaVersion }",
            "export default { execute() {}, responseSchemaVersion: '2.0.0' }",
            "exports.responseSchemaVersion = '2.0.0'\nexports.execute = () => {}",
            "const v = '2.0.0'\nmodule.exports = { execute() {}, responseSchemaVersion: v }",
        ] {
            let (version, span) = inspect_handler(text).response_version.unwrap();
            assert_eq!((version.as_str(), text.get(span)), ("2.0.0", Some("'2.0.0'")), "{text}");
        }
        for text in [
            "const responseSchemaVersion = '2.0.0'",
            "export const responseSchemaVersion = VERSION",
            "export const a = 1",
        ] {
            assert_eq!(inspect_handler(text).response_version, None, "{text}");
        }
    }
}
