//! Exports of a CommonJS module, as far as its top-level statements show them.

use oxc_ast::ast::{
    Argument, AssignmentExpression, AssignmentTarget, CallExpression, Expression, ObjectExpression, ObjectPropertyKind,
    Statement,
};

use super::Execute;
use super::bindings::{self, Value};

/// Whether a CommonJS module exports a function under a name; as `default` it exports whatever `module.exports` is.
pub(super) fn export(body: &[Statement<'_>], name: &str) -> Execute {
    if name == "default" {
        return whole(body);
    }
    let mut last = Execute::Missing(None);
    for expression in body.iter().flat_map(expressions) {
        // The last assignment wins, except that a later one without `execute` may only have added something else.
        match exported(body, expression, name) {
            Some(Execute::Missing(_)) | None => {}
            Some(found) => last = found,
        }
    }
    last
}

/// Whether `module.exports` itself can be called.
fn whole(body: &[Statement<'_>]) -> Execute {
    let mut assigned = body.iter().flat_map(expressions).filter_map(|expression| match expression {
        Expression::AssignmentExpression(assignment) => {
            let is_whole = matches!(target(&assignment.left, "default"), Some(Target::Exports));
            is_whole.then(|| verdict(body, innermost(&assignment.right)))
        }
        _ => None,
    });
    assigned.next_back().unwrap_or(Execute::Missing(None))
}

/// The expressions that a top-level statement evaluates at once.
pub(super) fn expressions<'a, 'b>(statement: &'b Statement<'a>) -> Vec<&'b Expression<'a>> {
    match statement {
        Statement::ExpressionStatement(statement) => vec![&statement.expression],
        Statement::VariableDeclaration(variables) => {
            variables.declarations.iter().filter_map(|declarator| declarator.init.as_ref()).collect()
        }
        _ => Vec::new(),
    }
}

fn exported(body: &[Statement<'_>], expression: &Expression<'_>, name: &str) -> Option<Execute> {
    match expression {
        Expression::AssignmentExpression(assignment) => assigned(body, assignment, name),
        Expression::CallExpression(call) => defined(call, name).then_some(Execute::Exported),
        _ => None,
    }
}

/// `module.exports = …`, `exports.execute = …`, `module.exports.execute = …`, also chained.
fn assigned(body: &[Statement<'_>], assignment: &AssignmentExpression<'_>, name: &str) -> Option<Execute> {
    match target(&assignment.left, name) {
        Some(Target::Exports) => Some(object(body, innermost(&assignment.right), name)),
        Some(Target::Member) => Some(verdict(body, innermost(&assignment.right))),
        None => exported(body, &assignment.right, name),
    }
}

/// The value at the end of `a = b = value`.
pub(super) fn innermost<'a, 'b>(mut expression: &'b Expression<'a>) -> &'b Expression<'a> {
    while let Expression::AssignmentExpression(assignment) = expression {
        expression = &assignment.right;
    }
    expression
}

pub(super) enum Target {
    /// `module.exports`
    Exports,
    /// Its member of the name.
    Member,
}

pub(super) fn target(left: &AssignmentTarget<'_>, name: &str) -> Option<Target> {
    let member = left.as_member_expression()?;
    if member.is_specific_member_access("module", "exports") {
        return Some(Target::Exports);
    }
    (member.static_property_name() == Some(name) && is_exports(member.object())).then_some(Target::Member)
}

fn is_exports(expression: &Expression<'_>) -> bool {
    expression.is_specific_id("exports")
        || expression.as_member_expression().is_some_and(|m| m.is_specific_member_access("module", "exports"))
}

fn verdict(body: &[Statement<'_>], value: &Expression<'_>) -> Execute {
    match bindings::of(body, value) {
        Value::MayBeCalled => Execute::Exported,
        Value::NotCallable(offset) => Execute::NotCallable(offset),
        Value::Undeclared => Execute::Missing(None),
    }
}

/// What an exported value says about its member of a name.
fn object(body: &[Statement<'_>], value: &Expression<'_>, name: &str) -> Execute {
    match value {
        Expression::ObjectExpression(object) => in_object(body, object, name),
        Expression::Identifier(id) => match bindings::literal(body, &id.name) {
            Some(Expression::ObjectExpression(object)) => in_object(body, object, name),
            Some(Expression::CallExpression(call)) => passed_on(call),
            _ => Execute::Missing(None),
        },
        Expression::CallExpression(call) => passed_on(call),
        _ => Execute::Missing(None),
    }
}

fn passed_on(call: &CallExpression<'_>) -> Execute {
    bindings::required(call).map_or(Execute::Missing(None), |module| Execute::PassedOn(vec![module.to_owned()]))
}

fn in_object(body: &[Statement<'_>], object: &ObjectExpression<'_>, name: &str) -> Execute {
    let mut spread = Vec::new();
    for member in &object.properties {
        match member {
            ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name(name) => {
                return verdict(body, &property.value);
            }
            ObjectPropertyKind::ObjectProperty(_) => {}
            ObjectPropertyKind::SpreadProperty(all) => {
                if let Expression::CallExpression(call) = &all.argument {
                    spread.extend(bindings::required(call).map(str::to_owned));
                }
            }
        }
    }
    if spread.is_empty() { Execute::Missing(None) } else { Execute::PassedOn(spread) }
}

/// `Object.defineProperty(exports, "execute", …)`, as compilers write it.
fn defined(call: &CallExpression<'_>, exported: &str) -> bool {
    let callee = call.callee.as_member_expression();
    let define = callee.is_some_and(|callee| callee.is_specific_member_access("Object", "defineProperty"));
    let [target, Argument::StringLiteral(name), ..] = call.arguments.as_slice() else { return false };
    define && name.value == exported && target.as_expression().is_some_and(is_exports)
}
