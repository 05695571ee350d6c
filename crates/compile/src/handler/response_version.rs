//! `responseSchemaVersion`, which a handler module may export: the version of `ToolResponse` that it returns.

use std::ops::Range;

use oxc_ast::ast::{BindingPattern, Declaration, Expression, ObjectPropertyKind, Statement};
use oxc_span::GetSpan as _;

use super::bindings;
use super::commonjs::{self, Target};

const NAME: &str = "responseSchemaVersion";

/// The version with its place, where it is exported as a literal; another value is only known when the module runs.
pub(super) fn exported(body: &[Statement<'_>]) -> Option<(String, Range<usize>)> {
    let by_name = body.iter().find_map(|statement| in_module(body, statement));
    let value = by_name.or_else(|| body.iter().flat_map(commonjs::expressions).find_map(|one| assigned(body, one)))?;
    let span = value.span().start as usize..value.span().end as usize;
    match value {
        Expression::StringLiteral(text) => Some((text.value.to_string(), span)),
        Expression::NumericLiteral(number) => Some((number.value.to_string(), span)),
        _ => None,
    }
}

fn in_module<'a, 'b>(body: &'b [Statement<'a>], statement: &'b Statement<'a>) -> Option<&'b Expression<'a>> {
    match statement {
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::VariableDeclaration(variables) => {
                variables.declarations.iter().find_map(|declarator| match &declarator.id {
                    BindingPattern::BindingIdentifier(id) if id.name == NAME => declarator.init.as_ref(),
                    _ => None,
                })
            }
            _ => None,
        },
        Statement::ExportNamedDeclaration(export) => {
            let specifier = export.specifiers.iter().find(|specifier| specifier.exported.name() == NAME)?;
            bindings::literal(body, &specifier.local.name())
        }
        Statement::ExportDefaultDeclaration(export) => member(body, export.declaration.as_expression()?),
        _ => None,
    }
}

/// `exports.responseSchemaVersion = …`, `module.exports = { responseSchemaVersion: … }`.
fn assigned<'a, 'b>(body: &'b [Statement<'a>], expression: &'b Expression<'a>) -> Option<&'b Expression<'a>> {
    let Expression::AssignmentExpression(assignment) = expression else { return None };
    match commonjs::target(&assignment.left, NAME)? {
        Target::Member => Some(resolved(body, &assignment.right)),
        Target::Exports => member(body, commonjs::innermost(&assignment.right)),
    }
}

fn member<'a, 'b>(body: &'b [Statement<'a>], object: &'b Expression<'a>) -> Option<&'b Expression<'a>> {
    let Expression::ObjectExpression(object) = resolved(body, object) else { return None };
    object.properties.iter().find_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name(NAME) => {
            Some(resolved(body, &property.value))
        }
        _ => None,
    })
}

/// What a variable begins with, or the expression itself.
fn resolved<'a, 'b>(body: &'b [Statement<'a>], expression: &'b Expression<'a>) -> &'b Expression<'a> {
    match expression {
        Expression::Identifier(id) => bindings::literal(body, &id.name).unwrap_or(expression),
        _ => expression,
    }
}

#[cfg(test)]
mod tests {
    use super::super::inspect;

    #[test]
    fn every_literal_export_is_found() {
        for text in [
            "export const responseSchemaVersion = '2.0.0'",
            "const v = '2.0.0'\nexport { v as responseSchemaVersion }",
            "export default { execute() {}, responseSchemaVersion: '2.0.0' }",
            "exports.responseSchemaVersion = '2.0.0'\nexports.execute = () => {}",
            "const v = '2.0.0'\nmodule.exports = { execute() {}, responseSchemaVersion: v }",
        ] {
            let (version, span) = inspect(text).response_version.unwrap();
            assert_eq!((version.as_str(), text.get(span)), ("2.0.0", Some("'2.0.0'")), "{text}");
        }
        for text in [
            "const responseSchemaVersion = '2.0.0'",
            "export const responseSchemaVersion = VERSION",
            "export const a = 1",
        ] {
            assert_eq!(inspect(text).response_version, None, "{text}");
        }
    }
}
