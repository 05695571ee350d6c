//! What a name at the top level of a module stands for, and whether a value can be called.

use oxc_ast::ast::{
    Argument, BindingPattern, CallExpression, Declaration, Expression, ImportDeclarationSpecifier, Statement,
    VariableDeclaration,
};
use oxc_span::GetSpan as _;

use super::Elsewhere;

/// What is known of a value without running anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// A function, or something that may be one.
    MayBeCalled,
    /// Surely no function; its byte offset.
    NotCallable(usize),
    /// No such name at the top level.
    Undeclared,
}

/// What a top-level name stands for.
pub(super) fn named(body: &[Statement<'_>], name: &str) -> Value {
    body.iter().find_map(|statement| in_statement(body, statement, name)).unwrap_or(Value::Undeclared)
}

fn in_statement(body: &[Statement<'_>], statement: &Statement<'_>, name: &str) -> Option<Value> {
    match statement {
        Statement::ImportDeclaration(import) => {
            let specifiers = import.specifiers.as_ref()?;
            let local = specifiers.iter().find(|specifier| specifier.local().name == name)?;
            Some(match local {
                // A namespace is an object.
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => not_callable(all.span.start),
                _ => Value::MayBeCalled,
            })
        }
        Statement::ExportDeclaration(export) => in_declaration(body, &export.declaration, name),
        Statement::VariableDeclaration(variables) => in_variables(body, variables, name),
        Statement::FunctionDeclaration(function) => {
            function.id.as_ref().is_some_and(|id| id.name == name).then_some(Value::MayBeCalled)
        }
        Statement::ClassDeclaration(class) => {
            class.id.as_ref().is_some_and(|id| id.name == name).then(|| not_callable(class.span.start))
        }
        _ => None,
    }
}

/// Where a name at the top level is imported from, unless it is a whole module's.
pub(super) fn imported(body: &[Statement<'_>], name: &str) -> Option<Elsewhere> {
    body.iter().find_map(|statement| {
        let Statement::ImportDeclaration(import) = statement else { return None };
        let specifier = import.specifiers.as_ref()?.iter().find(|specifier| specifier.local().name == name)?;
        let name = match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(one) => one.imported.name().to_string(),
            ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => "default".to_owned(),
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => return None,
        };
        Some(Elsewhere { module: import.source.value.to_string(), name, offset: specifier.span().start as usize })
    })
}

/// What a declaration makes of a name, where it declares it.
pub(super) fn in_declaration(body: &[Statement<'_>], declaration: &Declaration<'_>, name: &str) -> Option<Value> {
    match declaration {
        Declaration::VariableDeclaration(variables) => in_variables(body, variables, name),
        Declaration::FunctionDeclaration(function) => {
            function.id.as_ref().is_some_and(|id| id.name == name).then_some(Value::MayBeCalled)
        }
        Declaration::ClassDeclaration(class) => {
            class.id.as_ref().is_some_and(|id| id.name == name).then(|| not_callable(class.span.start))
        }
        _ => None,
    }
}

fn in_variables(body: &[Statement<'_>], variables: &VariableDeclaration<'_>, name: &str) -> Option<Value> {
    variables.declarations.iter().find_map(|declarator| match &declarator.id {
        BindingPattern::BindingIdentifier(id) if id.name == name => {
            Some(declarator.init.as_ref().map_or(Value::MayBeCalled, |init| of(body, init)))
        }
        pattern => binds(pattern, name).then_some(Value::MayBeCalled),
    })
}

fn binds(pattern: &BindingPattern<'_>, name: &str) -> bool {
    pattern.get_binding_identifiers().iter().any(|id| id.name == name)
}

/// What an expression's value is.
pub(super) fn of(body: &[Statement<'_>], expression: &Expression<'_>) -> Value {
    match expression {
        Expression::Identifier(id) => match literal(body, &id.name) {
            Some(init) if is_data(init) => not_callable(init.span().start),
            _ => Value::MayBeCalled,
        },
        other if is_data(other) => not_callable(other.span().start),
        _ => Value::MayBeCalled,
    }
}

/// The value that a top-level variable begins with.
pub(crate) fn literal<'a, 'b>(body: &'b [Statement<'a>], name: &str) -> Option<&'b Expression<'a>> {
    body.iter().find_map(|statement| {
        let Statement::VariableDeclaration(variables) = statement else { return None };
        variables.declarations.iter().find_map(|declarator| match &declarator.id {
            BindingPattern::BindingIdentifier(id) if id.name == name => declarator.init.as_ref(),
            _ => None,
        })
    })
}

fn is_data(expression: &Expression<'_>) -> bool {
    expression.is_literal()
        || matches!(
            expression,
            Expression::ObjectExpression(_)
                | Expression::ArrayExpression(_)
                | Expression::ClassExpression(_)
                | Expression::TemplateLiteral(_)
        )
}

fn not_callable(offset: u32) -> Value {
    Value::NotCallable(offset as usize)
}

/// The module that `require("…")` names.
pub(super) fn required<'a>(call: &CallExpression<'a>) -> Option<&'a str> {
    match (&call.callee, call.arguments.as_slice()) {
        (Expression::Identifier(callee), [Argument::StringLiteral(module)]) if callee.name == "require" => {
            Some(module.value.as_str())
        }
        _ => None,
    }
}
