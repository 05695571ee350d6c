//! Top-level bindings of a module: the value of a name, and whether it can be called.

use oxc_ast::ast::{
    Argument, BindingPattern, CallExpression, Declaration, Expression, Function, ImportDeclarationSpecifier, Statement,
    VariableDeclaration,
};
use oxc_span::GetSpan as _;

use super::Reexport;

/// The statically known kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BindingValue {
    /// A function, or something that may be one.
    MaybeCallable,
    /// Certainly not a function; the byte offset of the value.
    NotCallable(usize),
    /// No such name at the top level.
    Undeclared,
}

/// The value of a top-level name.
pub(super) fn top_level_value(body: &[Statement<'_>], name: &str) -> BindingValue {
    body.iter().find_map(|statement| value_in_statement(body, statement, name)).unwrap_or(BindingValue::Undeclared)
}

fn value_in_statement(body: &[Statement<'_>], statement: &Statement<'_>, name: &str) -> Option<BindingValue> {
    match statement {
        Statement::ImportDeclaration(import) => {
            let specifiers = import.specifiers.as_ref()?;
            let local = specifiers.iter().find(|specifier| specifier.local().name == name)?;
            Some(match local {
                // A namespace is an object.
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => not_callable(all.span.start),
                _ => BindingValue::MaybeCallable,
            })
        }
        Statement::ExportDeclaration(export) => value_in_declaration(body, &export.declaration, name),
        Statement::VariableDeclaration(variables) => value_in_variables(body, variables, name),
        Statement::FunctionDeclaration(function) => {
            function.id.as_ref().is_some_and(|id| id.name == name).then(|| function_value(function))
        }
        Statement::ClassDeclaration(class) => {
            class.id.as_ref().is_some_and(|id| id.name == name).then(|| not_callable(class.span.start))
        }
        _ => None,
    }
}

/// The source of an imported top-level name; `None` for a namespace import.
pub(super) fn import_source(body: &[Statement<'_>], name: &str) -> Option<Reexport> {
    body.iter().find_map(|statement| {
        let Statement::ImportDeclaration(import) = statement else { return None };
        let specifier = import.specifiers.as_ref()?.iter().find(|specifier| specifier.local().name == name)?;
        let name = match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(one) => one.imported.name().to_string(),
            ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => "default".to_owned(),
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => return None,
        };
        Some(Reexport { module: import.source.value.to_string(), name, offset: specifier.span().start as usize })
    })
}

/// The value of a name in a declaration; `None` if the declaration does not declare it.
pub(super) fn value_in_declaration(
    body: &[Statement<'_>],
    declaration: &Declaration<'_>,
    name: &str,
) -> Option<BindingValue> {
    match declaration {
        Declaration::VariableDeclaration(variables) => value_in_variables(body, variables, name),
        Declaration::FunctionDeclaration(function) => {
            function.id.as_ref().is_some_and(|id| id.name == name).then(|| function_value(function))
        }
        Declaration::ClassDeclaration(class) => {
            class.id.as_ref().is_some_and(|id| id.name == name).then(|| not_callable(class.span.start))
        }
        _ => None,
    }
}

fn value_in_variables(body: &[Statement<'_>], variables: &VariableDeclaration<'_>, name: &str) -> Option<BindingValue> {
    variables.declarations.iter().find_map(|declarator| match &declarator.id {
        BindingPattern::BindingIdentifier(id) if id.name == name => {
            Some(declarator.init.as_ref().map_or(BindingValue::MaybeCallable, |init| expression_value(body, init)))
        }
        pattern => binds_name(pattern, name).then_some(BindingValue::MaybeCallable),
    })
}

fn binds_name(pattern: &BindingPattern<'_>, name: &str) -> bool {
    pattern.get_binding_identifiers().iter().any(|id| id.name == name)
}

/// The kind of an expression's value.
pub(super) fn expression_value(body: &[Statement<'_>], expression: &Expression<'_>) -> BindingValue {
    match expression {
        Expression::Identifier(id) => match initializer(body, &id.name) {
            Some(init) if is_not_function(init) => not_callable(init.span().start),
            _ => BindingValue::MaybeCallable,
        },
        other if is_not_function(other) => not_callable(other.span().start),
        _ => BindingValue::MaybeCallable,
    }
}

/// The initializer of a top-level variable.
pub(crate) fn initializer<'a, 'b>(body: &'b [Statement<'a>], name: &str) -> Option<&'b Expression<'a>> {
    body.iter().find_map(|statement| {
        let Statement::VariableDeclaration(variables) = statement else { return None };
        variables.declarations.iter().find_map(|declarator| match &declarator.id {
            BindingPattern::BindingIdentifier(id) if id.name == name => declarator.init.as_ref(),
            _ => None,
        })
    })
}

/// A call of a generator gives a generator, no result.
fn function_value(function: &Function<'_>) -> BindingValue {
    if function.generator { not_callable(function.span.start) } else { BindingValue::MaybeCallable }
}

fn is_not_function(expression: &Expression<'_>) -> bool {
    expression.is_literal()
        || matches!(expression, Expression::FunctionExpression(function) if function.generator)
        || matches!(
            expression,
            Expression::ObjectExpression(_)
                | Expression::ArrayExpression(_)
                | Expression::ClassExpression(_)
                | Expression::TemplateLiteral(_)
        )
}

fn not_callable(offset: u32) -> BindingValue {
    BindingValue::NotCallable(offset as usize)
}

/// The module that `require("…")` names.
pub(super) fn required_module<'a>(call: &CallExpression<'a>) -> Option<&'a str> {
    match (&call.callee, call.arguments.as_slice()) {
        (Expression::Identifier(callee), [Argument::StringLiteral(module)]) if callee.name == "require" => {
            Some(module.value.as_str())
        }
        _ => None,
    }
}
